"""Parameters, arrays and arithmetic: everything that begins with a dollar and runs no command."""

from __future__ import annotations

from tests.shell.generator.scene import Pool, Scene, hole
from tests.shell.generator.values import operand, spell

PARAMETERS = Pool("parameter")
"""Each gives the text between the braces of ``${…}``."""
LISTS = Pool("list")
"""Expansions of several elements, complete with dollar and braces."""
SPECIALS = Pool("special")
ARITHMETIC = Pool("arithmetic", otherwise=lambda scene: scene.fill("«1¦2¦7¦i0¦i1»"))
PATTERNS = Pool("pattern")
DEFAULTS = Pool("default", otherwise=operand)
"""The words of ``${x:-…}``."""
UNRESOLVED = Pool("unresolved")


@hole
def expansion(scene: Scene) -> str:
    """A complete expansion, without quotes."""
    forms = ["«plain_scalar»", "${«parameter»}", "«list»", "«special»", "$((«arithmetic»))"]
    return scene.fill(scene.chance.choices(forms, [15, 45, 15, 10, 15])[0])


@hole
def quoted_expansion(scene: Scene) -> str:
    """A double-quoted word that holds an expansion."""
    return scene.fill('"«operand»«expansion»«operand»"')


@hole
def assigned_expansion(scene: Scene) -> str:
    """An expansion in what is assigned. Lists only whole: bash joins changed ones differently in odd cases."""
    forms = ["«plain_scalar»", "${«parameter»}", "«whole_list»", "«special»", "$((«arithmetic»))"]
    return scene.fill(scene.chance.choices(forms, [15, 45, 15, 10, 15])[0])


@hole
def whole_list(scene: Scene) -> str:
    """All elements of something."""
    return scene.fill("«$@¦$*¦${a0[@]}¦${a1[*]}¦${a2[@]}¦${#a0[@]}¦${@}¦${m0[*]}¦${a0[@]-d}»")


@hole
def element(scene: Scene) -> str:
    """A word for an array's element, a here-string or a value: one, whatever it holds."""
    return spell(scene) if scene.maybe(0.5) else scene.fill('"«operand»«assigned_expansion»«operand»"')


DEFAULTS.form("plain", "«operand»", weight=3)
DEFAULTS.form("nested expansion", "${«parameter»}")
DEFAULTS.form("in double quotes", '"«operand» «plain_scalar»"')
DEFAULTS.form("with a blank", "«operand» «operand»")
DEFAULTS.form("variable", "«plain_scalar»«operand»")
DEFAULTS.form("command", "$(echo «operand»)")

PARAMETERS.form("plain", "«scalar»", weight=2)
for _operator in (":-", "-", ":=", "=", ":+", "+"):
    PARAMETERS.form(_operator, f"«any_scalar»{_operator}«default»")
PARAMETERS.form(":?", "HOME:?«operand»", weight=0.3)
PARAMETERS.form("?", "«set_scalar»?«operand»", weight=0.3)
for _operator in ("#", "##", "%", "%%"):
    PARAMETERS.form(_operator, f"«scalar»{_operator}«pattern»")
for _operator in ("/", "//", "/#", "/%"):
    PARAMETERS.form(_operator, f"«scalar»{_operator}«pattern_to_replace»«fill»")
PARAMETERS.form("substring", "«scalar»:«offset»", "«scalar»:«offset»:«size»", "«scalar»::2", weight=1.5)
PARAMETERS.form("substring up to the end", "«HOME¦USER»:0: -1", weight=0.3)
for _operator in ("^", "^^", ",", ",,"):
    PARAMETERS.form(_operator, f"«scalar»{_operator}«¦[a-m]¦?¦a»", weight=0.7)
for _letter in "QEUuL":
    PARAMETERS.form(f"@{_letter}", f"«scalar»@{_letter}", weight=0.5)
PARAMETERS.form("length", "#«scalar»")
PARAMETERS.form("indirect", "!ref", "!ref:-d", "!ref%x", "!aref", weight=0.7)
PARAMETERS.form("element", "«array»[«0¦1¦i0*0¦1-1»]«-¦:-x¦-d e»", weight=1.5)
PARAMETERS.form("element of a map", "«map_name»[«k¦key two¦none»]-")
PARAMETERS.form("length of an element", "#m0[k]", "#a2[0]", weight=0.5)
PARAMETERS.form("positional", "1-", "2:-two", "10-", "1:+set", "3-x y")
PARAMETERS.form("script", "0##*/", "BASH_SOURCE[0]##*/", "BASH_SOURCE%/*", "0%.sh")


@PARAMETERS.add("positional with an operator", 0.5)
def _changed_argument(scene: Scene) -> str:
    return "1-" if scene.nounset else scene.fill("«1#*¦1%%b*¦1//a/X¦1:1:2¦1^^¦#1»")


@hole
def offset(scene: Scene) -> str:
    """The start of a substring."""
    return scene.fill("«0¦1¦2¦5¦ -1¦ -2¦(-3)¦i0%3¦1+1¦99»")


@hole
def size(scene: Scene) -> str:
    """The length of a substring."""
    return scene.fill("«1¦2¦0¦50¦i1*0+2»")


@hole
def pattern_to_replace(scene: Scene) -> str:
    """A pattern that does not end the expansion early or change its operator."""
    made = PATTERNS.write(scene).replace("/", "\\/")
    return "a" + made if not made or made[0] in "/#%" else made


@hole
def fill(scene: Scene) -> str:
    """What replaces, with the slash in front."""
    return scene.fill('«¦/¦/X¦/<&>¦/\\&¦/$i0¦/"${s0-}"¦/"&"¦/a b¦/\\/»')


LISTS.form("[@]", "${«array»[@]}", weight=3)
LISTS.form("[*]", "${«array»[*]}", weight=2)
LISTS.form("count", "${#«array»[«@¦*»]}", weight=2)
LISTS.form("slice", "${«array»[«@¦*»]:«0¦1¦ -1¦1:1¦0:2¦i0%2:1¦5»}")
LISTS.form("indices", "${!«array»[«@¦*»]}")
LISTS.form("keys", "${!m0[«@¦*»]}", weight=0.5)
LISTS.form("values of a map", "${m0[«@¦*»]}", weight=0.5)
LISTS.form("size of a map", "${#«map_name»[@]}", weight=0.5)
LISTS.form("names by prefix", "${!«i¦aref¦none_»«@¦*»}", weight=0.5)
LISTS.form("every element removed from", "${«array»[@]«#¦%¦##¦%%»«pattern»}")
LISTS.form("every element replaced in", "${«array»[@]«/a/X¦//b/¦/#/pre-¦/%/-post»}", weight=0.7)
LISTS.form("every element changed", "${«array»[@]«^^¦,,¦@Q¦^»}", weight=0.5)
LISTS.form("default for a list", "${«array»[@]«-¦+»«operand»}", weight=0.7)
LISTS.form("positional parameters", "$@", "$*", "${@}", "${*}", weight=2)
LISTS.form("slice of positional parameters", "${@:2}", "${@:1:2}", "${*:2}", "${@: -1}", "${@:0:1}", "${*:1:1}")

SPECIALS.form("count of parameters", "$#", "${#}", "${#@}", "${#*}")
SPECIALS.form("status", "$?", "${?}")
SPECIALS.form("script name", "$0", "${0}")
SPECIALS.form("source", "$BASH_SOURCE", "${BASH_SOURCE[0]}", "${#BASH_SOURCE[@]}")
SPECIALS.form("function name", "${FUNCNAME[0]-}", "${FUNCNAME[*]-}", "${FUNCNAME-}")
SPECIALS.form("home and directory", "$HOME", "$PWD", "${PWD##*/}", "$USER")
SPECIALS.form("separator", "${#IFS}")

UNRESOLVED.form("process", "$$", "${$}")
UNRESOLVED.form("random number", "$RANDOM", "${RANDOM}")
UNRESOLVED.form("seconds", "$SECONDS", "$EPOCHSECONDS")
UNRESOLVED.form("job", "${!-}")
UNRESOLVED.form("time", "$(date +%s)", "`date`", "$(date +%Y%m%d)")
UNRESOLVED.form("host", "$(hostname)", "$(hostname | cut -c 1-2)")

PATTERNS.form("star", "*", "a*", "*b", "*.*", "*-*", "*[ab]", "x*z")
PATTERNS.form("question mark", "?", "??", "?b", "a?")
PATTERNS.form("brackets", "[a-c]", "[!a-c]", "[[:space:]]", "[[:upper:]]*", "[^x]", "[].]", "[a-]", "*[0-9]")
PATTERNS.form("slashes", "*/", "/*", "*/*", "/usr")
PATTERNS.form("literal", "a", "é", " ", "b c", "-", ".", ":")
PATTERNS.form("quoted", '"*"', "\\*", "'?'", '"${s0-}"', "\\\\", '" "', "'a'*", '["a-c"]', "\\[ab]")


@PATTERNS.add("variable")
def _variable_pattern(scene: Scene) -> str:
    # With extended patterns bash misreads a variable that begins with a parenthesis.
    return scene.fill('"«plain_scalar»"' if scene.extglob else "«plain_scalar»")


@PATTERNS.add("extended", 0.7)
def _extended_pattern(scene: Scene) -> str:
    return scene.fill("«@(a|b)*¦+([a-z])¦!(a*)¦*([!/])¦?(-)*»") if scene.extglob else "a?"


_OPERATORS = "«+¦-¦*¦<¦>¦<=¦>=¦==¦!=¦&¦|¦^¦&&¦||¦,»"
ARITHMETIC.form(
    "binary", f"«arithmetic» {_OPERATORS} «arithmetic»", f"(«arithmetic»){_OPERATORS}(«arithmetic»)", weight=5
)
ARITHMETIC.form("shift", "(«arithmetic») «<<¦>>» («arithmetic»&7)")
ARITHMETIC.form("division", "(«arithmetic») «/¦%» «digit»")
ARITHMETIC.form("power", "(«arithmetic») ** «0¦1¦2¦3»", weight=0.5)
ARITHMETIC.form("unary", "«-¦!¦~¦+»(«arithmetic»)")
ARITHMETIC.form("ternary", "«arithmetic» ? «arithmetic» : («arithmetic»)")
ARITHMETIC.form("number", "0", "1", "2", "10", "255", "64", weight=3)
ARITHMETIC.form("base", "0x1F", "010", "2#101", "16#ff", "36#z", "64#@")
ARITHMETIC.form("variable", "«integer»", weight=3)
ARITHMETIC.form("variable with a dollar", "$«integer»", "${«integer»}")
ARITHMETIC.form("element of an array", "nums[0]", "nums[i0*0+1]", "${nums[0]}", "${#a0[@]}", "nums[1]++", "nums[-1]")
ARITHMETIC.form("assignment", "(«integer» «=¦+=¦-=¦*=¦|=¦&=¦^=» «arithmetic»)")
ARITHMETIC.form("increment", "«integer»++", "«integer»--", "++«integer»", "--«integer»")
ARITHMETIC.form("command", "$(echo 3)", weight=0.3)
