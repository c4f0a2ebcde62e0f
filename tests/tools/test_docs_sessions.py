"""What pages tell their readers to run is run, and what they show is held against what is printed."""

from __future__ import annotations

import pytest

from tools.docs_builder.sessions import faults, fits, refreshed
from tools.docs_builder.snippets import Block, Directory, Step, blocks, steps, unfenced_code, unknown_comments

PAGE = """\
# A page

<!-- in an empty directory -->
<!-- first: mkdir there -->
```console
$ ls
there
$ cat <<EOF > file
> two
> lines
> EOF
$ wc -l file
2 file
$ grep -c nothing file
0
$ echo "status $?"
status 1
```

<!-- file some/where.txt -->
```text
a file
```

1. In a list:

    ```bash
    cd there
    grep -q "a file" ../some/where.txt
    ```
"""


def test_a_page_that_says_what_is_so_has_no_faults() -> None:
    assert list(faults(PAGE)) == []
    assert refreshed(PAGE) == PAGE


def test_what_is_printed_otherwise_is_told_and_written_anew() -> None:
    stale = PAGE.replace("2 file", "3 files")
    [fault] = faults(stale)
    assert fault.startswith("line 5: $ wc -l file")
    assert "-3 files" in fault
    assert "+2 file" in fault
    assert refreshed(stale) == PAGE


@pytest.mark.parametrize(
    ("script", "mark", "wrong"), [("false", "", "exit status 1, not 0"), ("true", "<!-- exits 1 -->\n", "not 1")]
)
def test_scripts_end_as_they_should(script: str, mark: str, wrong: str) -> None:
    [fault] = faults(f"<!-- in an empty directory -->\n{mark}```bash\n{script}\ntrue\n```\n")
    assert wrong in fault


def test_directories_hold_what_is_said() -> None:
    page = (
        "<!-- in a repository of tests/recipes/good_gsm8k, with LICENSE at ../beside/one -->\n"
        "```console\n$ git status --short; git log --oneline | wc -l; pwd; ls ../beside\n1\n/home/you/work\none\n```\n"
    )
    assert list(faults(page)) == []


def test_an_ellipsis_stands_for_lines_left_out() -> None:
    printed = "a\nb\nc\nb\nd\n"
    assert fits(printed, "a\n…\nd\n")
    assert fits(printed, "…\nb\nd")
    assert fits(printed, "a\n…")
    assert not fits(printed, "a\nd")
    assert not fits(printed, "a\n…\nc")


def test_a_command_goes_on_as_bash_would_ask_for_it() -> None:
    session = "$ a \\\n> b\nprinted\n> printed, too\n$ c\n"
    assert list(steps(session)) == [Step("a \\\nb", "printed\n> printed, too\n"), Step("c", "")]


def test_comments_belong_to_the_block_right_below() -> None:
    page = (
        "<!-- not run: so -->\nwords\n```bash\na\n```\n<!-- schema: check -->\n\n```json\n{}\n```\n<!-- in a park -->\n"
    )
    first, second = (piece for piece in blocks(page) if isinstance(piece, Block))
    assert first.reason_not_to_run is None
    assert second.marks == {"schema": "check"}
    assert not any(isinstance(piece, Directory) for piece in blocks(page))
    assert unknown_comments(page) == [11]


def test_code_that_is_only_indented_is_found_and_lists_are_none() -> None:
    assert unfenced_code("words\n\n    code\n    more\n\n- item\n\n    goes on\n\nwords\n\n    code\n") == [3, 12]
