"""The manual page: it names everything that can be typed, and the programs that show it have nothing to say of it."""

from __future__ import annotations

import re
import shutil
import subprocess

from relax_lint.cli import COMMANDS
from relax_lint.command_line import parser_for
from tools.docs_builder.man_page import page

RENDERERS = {
    "groff": ["groff", "-ww", "-man", "-Tutf8", "-Kutf8"],
    "mandoc": ["mandoc", "-Tlint", "-Wwarning"],
}


def plain(text: str) -> str:
    return re.sub(r"\\f[BR]|\\&", "", text).replace("\\-", "-")


def test_every_command_and_option_is_told() -> None:
    text = plain(page())
    for name in COMMANDS:
        part = text.partition(f".SS relax-lint {name}\n")[2].partition("\n.SS ")[0]
        assert part, name
        options = [option for action in parser_for(name)._actions for option in action.option_strings]
        shown = {"-h", "--help", "--answer"}
        assert [option for option in options if option not in shown and option not in part] == [], name
    assert "--without-truth" in text, "commands of commands, too"


def test_no_text_is_taken_for_a_request() -> None:
    requests = {line.split(" ")[0] for line in page().splitlines() if line.startswith((".", "'"))}
    assert requests == {'.\\"', ".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi"}
    assert page().isascii()
    assert max(map(len, page().splitlines())) < 100


def test_it_is_shown_without_a_warning_by_what_is_there_to_show_it() -> None:
    assert "relax-lint" in plain(page())
    for name in filter(shutil.which, RENDERERS):
        done = subprocess.run(RENDERERS[name], input=page(), capture_output=True, text=True)
        complaints = done.stdout if name == "mandoc" else done.stderr
        assert [line for line in complaints.splitlines() if "missing date" not in line] == [], name
