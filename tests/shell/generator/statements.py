"""Commands that change the shell's state: assignments, declarations, arrays, ``read``, parameters, options."""

from __future__ import annotations

from tests.shell.generator.expansions import element
from tests.shell.generator.scene import INTEGERS, SCALARS, Pool, Scene, hole
from tests.shell.generator.words import WORDS

ASSIGNMENTS = Pool("assignment")
ARRAYS = Pool("array statement")
SETTINGS = Pool("setting")


@hole
def value(scene: Scene) -> str:
    """What stands behind ``=``; it is never split, so lists and blanks are fair."""
    roll = scene.chance.random()
    if roll < 0.55:
        return element(scene)
    if roll < 0.9:
        return scene.fill("«operand»«assigned_expansion»" if roll < 0.75 else "«substitution»")
    return scene.fill("«¦~¦~/x¦a:~/y:~¦{a,b}¦*¦a\\ b¦$'x\\ty'¦1¦'multi\nline'¦~:~/b»")


ASSIGNMENTS.form("plain", "«target»=«value»", weight=6)
ASSIGNMENTS.form("append", "«set_scalar»+=«value»", weight=2)
ASSIGNMENTS.form("several", "«target»=«value» «target»=«value»")
ASSIGNMENTS.form("export", "export «target»=«value»", "export «target»=«value» EXTRA=1", "export HOME")
ASSIGNMENTS.form("declare", "«declare¦typeset¦declare --¦declare -x» «target»=«value»")
ASSIGNMENTS.form("declare -i", "declare -i n0='«1+2¦7 * 6¦0x10»' n1; n0+=5; n1+='2*3'")
ASSIGNMENTS.form("declare -r", "declare -r «fresh»=«value»", weight=0.5)
ASSIGNMENTS.form("declare -l and -u", "declare -«l¦u» «fresh»=«spelled»", weight=0.5)
ASSIGNMENTS.form("nameref", "declare -n link=s0; link=«spelled»; link+=x; unset -n link", weight=0.4)
ASSIGNMENTS.form("readonly", "readonly «fresh»=«value»", weight=0.5)
ASSIGNMENTS.form(
    "refused write",
    "readonly kept=1; if «kept=2¦kept=2 :¦readonly kept=2¦export kept=2¦declare kept=2¦read kept <<< x¦(( kept++ ))»; "
    "then python3 written; else python3 refused; fi",
    weight=0.3,
)
ASSIGNMENTS.form("prefix of a command", "«target»=«value» «:¦true¦eval :»")
ASSIGNMENTS.form("arithmetic command", "(( «arithmetic» )) || true", weight=1.5)
ASSIGNMENTS.form("let", "let '«integer» = 1 + «digit»' «integer»+=2 || :")
ASSIGNMENTS.form("integer", "«integer»=$(( «arithmetic» ))", "«integer»=$[ «digit» + 1 ]")
ASSIGNMENTS.form("printf -v", "printf -v «target» '%s|' «some_words»", weight=0.7)
ASSIGNMENTS.form("default in place", ': ${«target»:=«operand»} "${«target»=«operand»}"')
ASSIGNMENTS.form(
    "read from a here-string", "«¦IFS= ¦IFS=: ¦IFS=', ' »«read_options» «target» «target» <<< «element» || :"
)
ASSIGNMENTS.form(
    "read from a here-document",
    "read -r «target» «target» <<EOF || true\n«operand» ${«any_scalar»-} tail \\\\ end\nsecond\nEOF",
)
ASSIGNMENTS.form("read into an array", "«¦IFS=, ¦IFS=: »read -ra «array» <<< «element» || :", weight=0.7)
ASSIGNMENTS.form(
    "expansion in a program's redirection", ': <<< "${«any_scalar»:=«operand»}$((i0++))"',
    'cat <<< "${«any_scalar»:=«operand»}$((i0++))" >/dev/null', weight=0.5,
)  # fmt: skip
ASSIGNMENTS.form("mapfile", "mapfile -t «array» <<< «element»", weight=0.5)


@hole
def read_options(scene: Scene) -> str:
    """``read`` with options."""
    return scene.fill(" «read -r¦read¦read -r¦read -rn 3¦read -rd :»").lstrip()


@ASSIGNMENTS.add("unset", 0.7)
def _unset(scene: Scene) -> str:
    return "unset never_there" if scene.nounset else scene.fill("unset «¦-v »«s3¦s4»")


ARRAYS.form("literal", "«array»=(«words»)", weight=3)
ARRAYS.form("append", "«array»+=(«words»)", weight=2)
ARRAYS.form("element", "«array»[«0¦1¦5¦i0*0+1¦2+1»]=«element»", weight=1.5)
ARRAYS.form("element by a negative index", "a1=(p q r); a1[-1]=«element»", weight=0.4)
ARRAYS.form("appended element", "«array»[0]+=«element»", weight=0.7)
ARRAYS.form("indexed literal", "«array»=([3]=«element» next [0]=first [1+1]='')", weight=0.7)
ARRAYS.form("copy", '«array»=("${«array»[@]}" «word»)')
ARRAYS.form("empty", "«array»=()", weight=0.7)
ARRAYS.form("unset element", "unset '«array»[«0¦1»]'", weight=0.6)
ARRAYS.form("declare -a", "«declare¦typeset» -a «array»=(«words»)", weight=0.7)
ARRAYS.form("from a string", "«array»=(«plain_scalar»)", weight=0.7)
ARRAYS.form("from a command", "«array»=(«substitution»)", weight=0.7)
ARRAYS.form("map literal", "declare -A m0=([k]=«element» ['key two']=«element» [a.b]=3)")
ARRAYS.form("map element", "m0[«k¦\"key two\"¦$i0¦'q r'»]=«element»")
ARRAYS.form("map append", "m1+=([k]=«element» [z]=26); m1[k]+=x", weight=0.5)
ARRAYS.form("unset key", "unset 'm0[k]'", weight=0.3)


@ARRAYS.add("literal over lines with comments", 2)
def _lines(scene: Scene) -> str:
    comments = "«¦¦ # why¦\n   # a comment's quote \\¦\n   # --off 1¦  #x\n»"
    lines = [f"   {WORDS.write(scene)}{scene.fill(comments)}\n" for _ in range(scene.chance.randint(1, 4))]
    return scene.fill("«array»=(\n") + "".join(lines) + ")"


SETTINGS.form(
    "IFS", "IFS=,", "IFS=:", "IFS=' '", "IFS=$' \\t\\n'", "IFS=", "IFS=$'\\n'", "IFS=' ,'", "unset IFS",
    "IFS=-", "IFS=/a",    weight=2,
)  # fmt: skip
SETTINGS.form("set --", "set -- «words»", weight=2)
SETTINGS.form("shift", "shift || true", "shift 2 || :", "(($# > 1)) && shift || :", "shift $(($# > 2 ? 2 : 0))")
SETTINGS.form("set -f", "set -f", "set +f", "set -o noglob; set +o noglob", weight=0.6)
SETTINGS.form("set +u", "set +u", weight=0.3)
SETTINGS.form("set +e", "set +e", weight=0.3)
SETTINGS.form("pipefail", "set -o pipefail", "set +o pipefail", "set -eo pipefail; set +e", weight=0.5)
SETTINGS.form(
    "shopt", "shopt -s nullglob; shopt -u nullglob", "shopt -q extglob || :",
    "shopt -s nocasematch; [[ ABC == abc ]] && i0=5; shopt -u nocasematch", weight=0.5,
)  # fmt: skip
SETTINGS.form(
    "cd", "cd .. && cd - >/dev/null", 'cd / && cd "$OLDPWD"', "pushd .. >/dev/null; popd >/dev/null", weight=0.7
)
SETTINGS.form("reference", "ref=s0", "ref=i1", "ref=s1", weight=0.7)
SETTINGS.form("reference to an element", "aref='a0[0]'", "aref='a1[@]'", weight=0.4)


def initial(scene: Scene) -> list[str]:
    """Statements that give every variable a value."""
    lines = ["declare -A m0=([k]=v) m1=()", "a0=() a1=('') a2=(4 5 6) nums=(4 5 6)", "ref=s0 aref='a0[0]'"]
    lines += [scene.fill(f"{name}=«0¦1¦3¦12¦-4»") for name in INTEGERS]
    for name in SCALARS[: scene.chance.randint(2, 5)]:
        lines.append(scene.fill(f"{name}=«value»"))
        scene.set_names.add(name)
    return [*lines, scene.fill("a0=(«words»)"), scene.fill("a1=(«words»)")]
