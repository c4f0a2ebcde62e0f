"""The flags that Relax's parsers register, a page for each owner, out of the embedded catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from relax_lint.catalog.flags import Catalogue, Flag, embedded
from relax_lint.commands.catalog import distinct, facts, takes
from relax_lint.lsp.help import names_in_verl
from tools.docs_builder.blocks import GENERATED, cell, code, table

FOLDER = Path("docs/reference/flags")
OWNERS = {
    "relax": ("Relax", "Relax's own flags."),
    "megatron": (
        "Megatron-LM",
        "Flags of Megatron-LM, as Relax's patch leaves them; its parser ignores those that it does not know.",
    ),
    "sglang": ("SGLang", "Flags of SGLang's server, each under the prefix `--sglang-`."),
    "router": ("Router", "Flags of SGLang's router."),
}
TEACHER, SERVER = "--teacher-sglang-", "--sglang-"
SHOWN_APART = ("takes", "default", "sets", "owner", "parsed")
"""Facts that have a column of their own, or that all flags of a page share."""
LONGEST_VALUE, LONGEST_TEXT, MOST_NAMES = 60, 400, 4


def files() -> dict[Path, str]:
    """The pages, by path from the repository's root."""
    catalogue = embedded()
    made = {FOLDER / f"{owner}.md": page(catalogue, owner) for owner in OWNERS}
    return {FOLDER / "README.md": index(catalogue), **made}


def index(catalogue: Catalogue) -> str:
    """What there is, and of which versions."""
    rows = [
        (f"[{title}]({owner}.md)", str(len(_owned(catalogue, owner))), cell(catalogue.versions[owner]))
        for owner, (title, _) in OWNERS.items()
    ]
    return f"""\
{GENERATED}
# Flags

Everything that the parsers of Relax register, as read from the sources of these versions. In a Relax checkout, or with
`--relax-root`, its own flags count instead. `relax-lint catalog show --FLAG` prints what is known of one, and what was
meant by one that is not there.

{table(("owner", "flags", "version"), rows)}

{_teachers(catalogue)}
"""


def _teachers(catalogue: Catalogue) -> str:
    """That the flags of a managed teacher are those of SGLang again, but where they are not."""
    teachers = _owned(catalogue, "teacher")
    servers = {flag.name: flag for flag in _owned(catalogue, "sglang")}
    twins = {flag.name: servers.get(flag.name.replace(TEACHER, SERVER, 1)) for flag in teachers}
    others = [flag for flag in teachers if (twin := twins[flag.name]) is None or takes(twin) != takes(flag)]
    text = f"A managed teacher has SGLang's {len(teachers)} flags once more, under `{TEACHER}` instead of `{SERVER}`."
    return text if not others else f"{text} These differ:\n\n{_table(catalogue, others)}"


def page(catalogue: Catalogue, owner: str) -> str:
    """The flags of one owner, a table a letter."""
    title, text = OWNERS[owner]
    flags = _owned(catalogue, owner)
    parts = [f"{GENERATED}\n# Flags: {title}", f"{text} {catalogue.versions[owner]}; {len(flags)} flags."]
    for letter, some in groupby(flags, key=lambda flag: _letter(owner, flag)):
        parts += [f"## {letter}", _table(catalogue, some)]
    return "\n\n".join(parts) + "\n"


def _owned(catalogue: Catalogue, owner: str) -> list[Flag]:
    also = ("pre",) if owner == "relax" else ()
    found = [flag for flag in catalogue if flag.owner in (owner, *also)]
    return sorted(distinct(tuple(found)), key=lambda flag: (_letter(owner, flag), flag.name))


def _letter(owner: str, flag: Flag) -> str:
    name = flag.name.removeprefix("--")
    return name.removeprefix(f"{owner}-")[0] if owner in ("sglang", "router") else name[0]


def _table(catalogue: Catalogue, flags: Iterable[Flag]) -> str:
    return table(("flag", "takes", "default", ""), [tuple(_row(catalogue, flag)) for flag in flags])


def _row(catalogue: Catalogue, flag: Flag) -> Iterator[str]:
    known = list(facts(catalogue, flag.name, flag))
    default = dict(known)["default"]
    yield code(flag.name)
    yield cell(takes(flag))
    yield (
        "–" if default == "none" else default if default == "unset" else cell(code(_shortened(default, LONGEST_VALUE)))
    )
    more = [f"{label}: {_plain(_shortened(text, LONGEST_TEXT))}" for label, text in known if label not in SHOWN_APART]
    if names := names_in_verl().get(flag.name):
        more.append(f"in verl: {', '.join(map(code, names[:MOST_NAMES]))}{' …' if len(names) > MOST_NAMES else ''}")
    yield cell("; ".join(more))


def _plain(text: str) -> str:
    """Text in which Markdown finds nothing to do."""
    return re.sub(r"([*<\[\]])", r"\\\1", text)


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
