"""Launches, the wrappers round them, and the tests that conditions are made of."""

from __future__ import annotations

from tests.shell.generator.expansions import PATTERNS
from tests.shell.generator.scene import Pool, Scene, hole
from tests.shell.generator.words import WORDS

LAUNCHES = Pool("launch")
TESTS = Pool("test")
_PROGRAM = "«python3¦python3¦python¦torchrun¦accelerate launch¦python3 -u¦python3 -m»"


@hole
def simple(scene: Scene) -> str:
    """A launch by itself."""
    return scene.fill(f"{_PROGRAM} t«digit» «some_words»")


LAUNCHES.form("plain", "«simple»", weight=5)
LAUNCHES.form("unresolved words", 'python3 u --id x«unresolved»y "«unresolved»" «words»', weight=0.7)
LAUNCHES.form("prefix assignments", 'A=1 «B="x y" ¦¦IFS=, »«simple»')
LAUNCHES.form(
    "ray job submit", 'ray job submit --address="http://${HOST_IP}:8265" --runtime-env-json=\'{"a": 1}\' -- «simple»'
)
LAUNCHES.form("other ray commands", "ray stop --force", "ray start --head --port 6379", weight=0.4)
for _wrapper in (
    "nohup", "command", "env A=1", "env -u B A='x y'", "time", "time -p", "timeout 60", "stdbuf -oL",
    "nsys profile -o out", "numactl --cpunodebind=0", "srun -N 1", "setsid",
):  # fmt: skip
    LAUNCHES.form(_wrapper, f"{_wrapper} «simple»", weight=0.4)
LAUNCHES.form("exec in a subshell", "(exec «simple»)", weight=0.5)
LAUNCHES.form("piped into tee", "«simple» 2>&1 | tee /dev/null", "«simple» |& tee -a /dev/null", weight=0.8)
LAUNCHES.form("in the background", "«simple» &\nwait", weight=0.6)
LAUNCHES.form(
    "redirections", "«simple» > /dev/null 2>&1", "«simple» &> /dev/null", ">/dev/null «simple»",
    "«simple» >> /dev/null", "2>/dev/null «simple» < /dev/null", "«simple» 1>&2", "«simple» <<< in",
    "«simple» <<EOF\nbody\nEOF", "«simple» > >(cat >/dev/null)", weight=0.8,
)  # fmt: skip
LAUNCHES.form(
    "bash -c", "bash -c 'python3 inner \"$@\" \"$0\"' name «one_word» second",
    "bash -c 'python3 a; python3 b \"$1\"' n «one_word»",
    "bash -c 'for x; do python3 inner \"$x\"; done' n «one_word» y",
    "bash -c 'A=$1; shift; exec python3 \"$A\" $#' n «one_word»",
    weight=0.8,
)  # fmt: skip
LAUNCHES.form("bash -c with words from outside", 'bash -c "python3 inner $i0 ${#a0[@]} \\$HOME"', weight=0.5)
LAUNCHES.form(
    "eval", "eval 'python3 evaluated \"${s0-}\" $i0'", "eval \"python3 evaluated $i1 '$i2'\"", "eval 'X=1; python3 ev'",
    "c='python3 \"a b\" c'; eval \"$c\" x y", "eval python3 \"'x y'\" \\$i0", weight=0.8,
)  # fmt: skip
LAUNCHES.form("variable as command", "CMD=python3; $CMD cmd «words»", weight=0.8)
LAUNCHES.form("array as command", 'CMD=(python3 -m mod "a b" «word»); "${CMD[@]}" «words»', weight=0.8)
LAUNCHES.form("string as command", "CMD='python3 str \"q r\" --x'; IFS=' '; $CMD «words»", weight=0.5)
LAUNCHES.form("function as wrapper", 'run() { "$@" --from-run; }; run «simple»', weight=0.6)
LAUNCHES.form("function named like a program", '(python3() { command python3 wrapped "$@"; }; «simple»)', weight=0.4)
LAUNCHES.form("joined list", 'python3 list "[$(IFS=,; echo "${«array»[*]}")]" ${«array»-} ${«array»[0]-}')
LAUNCHES.form("line number", 'python3 at $LINENO "${LINENO}"', weight=0.4)
LAUNCHES.form("comment behind", "«simple» # --not-this \\", weight=0.6)


@LAUNCHES.add("continued over lines", 1.5)
def _continued(scene: Scene) -> str:
    lines = [f"    {WORDS.write(scene)} \\\n" for _ in range(scene.chance.randint(1, 4))]
    return "python3 long \\\n" + "".join(lines) + "    --end"


TESTS.form("string", "[ «one_word» «=¦==¦!=» «one_word» ]", "test «one_word» «=¦!=» «one_word»", weight=2)
TESTS.form("-z and -n", "[ «-z¦-n» «one_word» ]", weight=1.5)
TESTS.form("one word", "[ «one_word» ]", weight=0.5)
TESTS.form("numbers", "[ $(( «arithmetic» )) «-eq¦-ne¦-lt¦-le¦-gt¦-ge» «digit» ]", weight=2)
TESTS.form("combined", '[ "$i0" -gt 1 «-a¦-o» ! -z "$i1" ]', weight=0.7)
TESTS.form("files", "[ -d / ]", "[ -e / ]", '[ -f "$0" ]', "[[ -d .. ]]", '[[ -r "$0" && ! -d "$0" ]]', weight=0.6)
TESTS.form("[[ string", "[[ «expansion» «<¦>¦==¦!=» «one_word» ]]", weight=2)
TESTS.form("[[ pattern", "[[ «one_word» «==¦=¦!=» «pattern_word» ]]", weight=2.5)
TESTS.form(
    "[[ regular expression",
    "[[ «one_word» =~ «^a¦[0-9]+¦^[a-z]*$¦(a)(b?)¦\"a.b\"¦\\.¦^(x|y)=¦$i0¦^-+¦[[:space:]]¦a{1,2}¦^$» ]]", weight=1.5,
)  # fmt: skip
TESTS.form("[[ numbers", "[[ «integer» «-eq¦-lt¦-ge» «3¦i1¦i2+1¦0x10» ]]")
TESTS.form("[[ -v", "[[ -v «s0¦s3¦never¦a0[0]¦m0[k]¦HOME» ]]")
TESTS.form("[[ combined", '[[ ( -n "$i0" «&&¦||» $i1 == [0-3] ) «&&¦||» ! "${s0-}" == *a* ]]', weight=1.5)
TESTS.form("(( ))", "(( «arithmetic» ))", weight=2)
TESTS.form("status", "true", "false", "! true", "! false", ":", "(exit 3)", "return_3", weight=1.5)
TESTS.form("pipe into grep", "echo «one_word» | grep -q a", weight=0.6)
TESTS.form(
    "names", "declare -p never &>/dev/null", "declare -p i0 >/dev/null", "declare -F return_3 >/dev/null", weight=0.4
)


@hole
def pattern_word(scene: Scene) -> str:
    """A pattern for ``[[`` and ``case``, where blanks and operators need quotes."""
    made = PATTERNS.write(scene)
    return '"q"*' if any(char in made.replace("\\ ", "") for char in " ()|") else made


@hole
def undecided(scene: Scene) -> str:
    """A question that no reading decides."""
    return scene.fill('«[ $RANDOM -gt 16000 ]¦(( SECONDS > 5 ))¦nvidia-smi | grep -q x¦[ "$(hostname)" = node0 ]»')
