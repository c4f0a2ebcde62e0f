"""Texts worth trying, and the ways to spell them in bash."""

from __future__ import annotations

from collections.abc import Callable

from tests.shell.generator.scene import Pool, Production, Scene, hole

TEXTS = [
    "", "a", "b c", " lead", "trail ", "two  gaps", "*", "?x", "[ab]", "a\\b", "\\", "new\nline", "tab\tx", "~", "~/x",
    "{a,b}", "{1..3}", "é ü", "😀", "$HOME", "`x`", "it's", 'say "hi"', "-n", "a:b:c", "x=1", "--flag=v", "#c", "a#b",
    "!", "a;b", "1", "010", "-5", "a,b,c", "/usr/lib/x.tar.gz", "dir/file.sh", "A|B", "(p)", "<t>", "&", "100%",
    "MiXed", "\n", "  ", "a/b//c", "x.y.z", "key: [1, 2]", '{"k": "v w"}', "@[0:5000]", "1e-6", "end\\", "$(x)",
    "${y}", "^up", "--", "=", "a\n\nb", ":", "::x:",
]  # fmt: skip
PLAIN = [
    "a", "abc", "x1", "b-c", "d.e", "k=v", "1", "42", "a/b", "--opt", "A:B", "é", "a@b", "x,y", "0.5", "+1", "%s", "_",
    "1e-6",
]  # fmt: skip
_NEEDS_BACKSLASH = frozenset(" \t\\'\"`$&|;()<>*?[]{}~#!^,=:%@+")

SPELLINGS = Pool("quoting")
_WRITERS: dict[str, Callable[[Scene, str], str]] = {}


def _spelling(name: str, weight: float) -> Callable[[Callable[[Scene, str], str]], Callable[[Scene, str], str]]:
    """Register a way to spell a given value."""

    def register(write: Callable[[Scene, str], str]) -> Callable[[Scene, str], str]:
        SPELLINGS.productions.append(Production(f"quoting: {name}", weight, lambda scene: spell(scene)))
        _WRITERS[f"quoting: {name}"] = write
        return write

    return register


def text(scene: Scene) -> str:
    """A value, odd ones more often."""
    return scene.chance.choice(TEXTS if scene.maybe(0.7) else PLAIN)


def spell(scene: Scene, value: str | None = None) -> str:
    """A source text for one word with exactly this value, in one way or in two halves in two ways."""
    value = text(scene) if value is None else value
    halves = [value]
    if len(value) > 1 and scene.maybe(0.3):
        at = scene.chance.randrange(1, len(value))
        halves = [value[:at], value[at:]]
    return "".join(_WRITERS[SPELLINGS.choose(scene).name](scene, half) for half in halves)


@hole
def spelled(scene: Scene) -> str:
    """Any value in any spelling."""
    return spell(scene)


@hole
def plain(scene: Scene) -> str:
    """A value that needs no quotes."""
    return scene.chance.choice(PLAIN)


@hole
def operand(scene: Scene) -> str:
    """Text that means the same inside ``${x:-…}`` whether or not that stands in double quotes."""
    pieces = ("a", "B", "0", ".", "-", "/x", "_", "é", "k=v", "\\$")
    return "".join(scene.chance.choices(pieces, k=scene.chance.randint(0, 4)))


@_spelling("single quotes", 3)
def _single(scene: Scene, value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"


@_spelling("double quotes", 3)
def _double(scene: Scene, value: str) -> str:
    return '"' + "".join("\\" + char if char in '"$`\\' else char for char in value) + '"'


@_spelling("continuation in double quotes", 0.3)
def _continued(scene: Scene, value: str) -> str:
    at = scene.chance.randrange(len(value) + 1)
    return _double(scene, value[:at])[:-1] + "\\\n" + _double(scene, value[at:])[1:]


@_spelling("ANSI-C quotes", 1)
def _ansi_c(scene: Scene, value: str) -> str:
    named = {"\n": ["\\n"], "\t": ["\\t", "\\x09", "\\011"], "\\": ["\\\\"], "'": ["\\'"]}
    made = []
    for char in value:
        code = ord(char)
        if char in named:
            made.append(scene.chance.choice(named[char]))
        elif code > 32 and scene.maybe(0.2):
            short, octal, wide = f"\\x{code:02x}", f"\\{code:03o}", f"\\U{code:08x}"
            made.append(scene.chance.choice([short, octal]) if code < 128 else wide)
        else:
            made.append(char)
    return "$'" + "".join(made) + "'"


@_spelling("backslashes", 1.5)
def _escaped(scene: Scene, value: str) -> str:
    if not value or "\n" in value:
        return _single(scene, value)
    made = "".join("\\" + char if char in _NEEDS_BACKSLASH or scene.maybe(0.05) else char for char in value)
    # A bare `-n` would be an operator to `[[`.
    return "\\" + made if made.startswith("-") else made


@_spelling("continuation in a word", 0.3)
def _continued_word(scene: Scene, value: str) -> str:
    if not value or "\n" in value:
        return _double(scene, value)
    at = scene.chance.randrange(1, len(value) + 1)
    return _escaped(scene, value[:at]) + "\\\n" + (_escaped(scene, value[at:]) if value[at:] else "''")
