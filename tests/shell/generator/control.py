"""Control flow: branches, loops, functions, groups and what leaves them."""

from __future__ import annotations

from tests.shell.generator.launches import pattern_word
from tests.shell.generator.scene import Pool, Scene, hole
from tests.shell.generator.statements import ASSIGNMENTS
from tests.shell.generator.values import spell

COMMANDS = Pool("command")
CONTROL = Pool("control", otherwise=ASSIGNMENTS.write)

COMMANDS.form("assignment", "«assignment»", weight=5)
COMMANDS.form("array statement", "«array statement»", weight=3)
COMMANDS.form("setting", "«setting»", weight=1.5)
COMMANDS.form("launch", "«launch»", weight=3)
COMMANDS.form("control", "«control»", weight=4)


@hole
def body(scene: Scene) -> str:
    """One to three statements, each on its own line."""
    return "\n".join(COMMANDS.write(scene) for _ in range(scene.chance.randint(1, 3)))


@hole
def perhaps(scene: Scene) -> str:
    """A statement, or nothing to do."""
    return COMMANDS.write(scene) if scene.maybe(0.5) else ":"


@hole
def flat(scene: Scene) -> str:
    """A command that can stand in a list."""
    form = scene.chance.choice(
        [
            "{ «target»=«one_word»; }",
            "python3 flat «words»",
            "i0=7",
            ": no",
            "a0+=(more)",
            "(( i1 += 1 ))",
            "echo ignored",
        ]
    )
    return scene.fill(form)


CONTROL.form("if", "if «test»; then\n«body»\nfi", weight=3)
CONTROL.form("if else", "if «test»\nthen «body»\nelse\n«body»\nfi", weight=2)
CONTROL.form("if elif", "if «test»; then\n«body»\nelif «test»; then\n«body»\nelse «body»\nfi", weight=1.5)
CONTROL.form("undecided if", "if «undecided»; then\npython3 yes «one_word»\nelse\npython3 no\nfi", weight=0.4)
CONTROL.form("and, or", "«test» «&&¦||» «flat»", weight=2.5)
CONTROL.form("chain of and, or", "«test» && «flat» || «flat»")
CONTROL.form("negation", "if ! «test»; then\n«body»\nfi", weight=0.7)
CONTROL.form("group", "{ «body»\n}")
CONTROL.form("subshell", "(\n«body»\n)")
CONTROL.form("for over words", 'for w in «some_words»; do\npython3 loop "$w" $w\n«perhaps»\ndone', weight=2)
CONTROL.form(
    "for over a list", 'for w in «list»; do\npython3 each "$w"\ndone', 'for w in "«list»"; do python3 e "$w"; done'
)
CONTROL.form("for over parameters", 'for w; do python3 param "$w"; done', weight=0.7)
CONTROL.form(
    "for that looks for a word",
    "for w in «some_words» «--x¦a¦*»; do\n"
    'if [ "$w" «=¦!=» «a¦--x¦""» ] «||¦&&» [[ $w «==¦!=» «a*¦*[0-9]¦"*"¦?» ]]; then\n'
    'python3 found "$w"\n«break¦continue¦w=set»\nfi\ndone\npython3 after "$w" $? "${PIPESTATUS[@]}"',
    'for w in «some_words»; do\ncase $w in «a*¦-*¦?» | "*") python3 case "$w" ;«;¦&¦;&» *x) python3 x ;; esac\ndone\n'
    'python3 behind "$w" $?',
    weight=1.5,
)
CONTROL.form("while", "c=0\nwhile (( c++ < 2 )); do\npython3 turn $c\n«assignment»\ndone")
CONTROL.form("until", "c=0\nuntil [ $(( c += 1 )) -gt 2 ]; do\npython3 turn $c\n«array statement»\ndone", weight=0.7)
CONTROL.form("while read", 'while «IFS= ¦»read -r l; do\npython3 line "$l"\ndone <<EOF\n«operand» x\n  ${s0-}\nEOF')
CONTROL.form(
    "while read from a process", "while read -r l; do\npython3 l \"$l\"\ndone < <(printf '%s\\n' a 'b c')", weight=0.4
)
CONTROL.form(
    "pipe into while",
    "printf '%s\\n' one 'two 2' | while read -r l; do\npython3 piped \"$l\"\ns0=lost\ndone",
    weight=0.5,
)
CONTROL.form(
    "break and continue",
    "for w in 1 2 3 4; do\n[ $w -eq 2 ] && continue\n[[ $w == «3¦4¦5» ]] && break\npython3 turn $w\ndone",
    "for w in 1 2; do\nfor v in a b; do [ $v = b ] && continue 2; python3 in $w $v; [ $w = 2 ] && break 2; done\ndone",
    weight=0.8,
)
CONTROL.form(
    "recursion", "down() { (( $1 > 0 )) || return 0; python3 level $1; down $(( $1 - 1 )); }\ndown 2", weight=0.4
)
CONTROL.form("exit without a status", "(«test»; exit) || python3 e $?", weight=0.4)
CONTROL.form("exit in a subshell", "(python3 before; exit «digit»; python3 never) || python3 status $?", weight=0.7)
CONTROL.form("status of the last command", "«test» || python3 st $?", "! «test» || python3 not $?", weight=0.8)
CONTROL.form(
    "status of a pipe",
    "«true | false | true¦true | false; x=1¦{ true | false; }¦(true | false)¦! true | false¦x=$(false)¦! false»\n"
    'python3 pipe $? "${PIPESTATUS[@]}"',
    weight=0.5,
)
CONTROL.form("last command in a pipe", 'echo «spelled» | cat | { read -r x; python3 got "$x"; }', weight=0.5)
CONTROL.form("trap", "(trap 'python3 bye \"$?\" $i0' EXIT; s0=t; «true¦exit 3¦false») || :", weight=0.4)
CONTROL.form("errexit in a subshell", "(set -e; «test»; python3 went-on) || :\npython3 after $?", weight=0.7)
CONTROL.form(
    "errexit and conditions",
    "set +e\n(set -e; if false; then :; fi; false || true; ! true; python3 alive\n"
    "«false¦false && true¦(false)¦x=$(false)¦local_=1¦! false»\npython3 end)\npython3 ended $?",
    weight=0.5,
)
CONTROL.form(
    "nounset and empty arrays",
    'set +e\n(set -u; e=(); python3 "${e[@]}" ok; echo $never_was; python3 not-here) 2>/dev/null\npython3 after $?',
    weight=0.5,
)
CONTROL.form("required parameter", "(: ${never_was:?needed}; python3 no) 2>/dev/null || python3 refused $?", weight=0.4)
CONTROL.form("command not found", "nosuchprogram 2>/dev/null || python3 nf $?", weight=0.3)
CONTROL.form(
    "getopts",
    "opts() {\nlocal OPTIND=1 o\nwhile getopts «ab:¦:ab:» o; do\ncase $o in\na) python3 opt-a ;;\n"
    'b) python3 opt-b "$OPTARG" ;;\n*) python3 opt-bad "$o" "${OPTARG-}" ;;\nesac\ndone\nshift $((OPTIND - 1))\n'
    "python3 rest $# \"$@\"\n}\nopts «-a -b val rest¦-abval¦-b 'x y' -- -a¦-x -a¦plain -a¦» 2>/dev/null",
    weight=0.6,
)
CONTROL.form(
    "argument loop",
    'args() {\nLR=def FLAG=0 REST=()\nwhile [[ $# -gt 0 ]]; do\ncase "$1" in\n--lr) LR="$2"; shift 2 ;;\n'
    '--lr=*) LR="${1#*=}"; shift ;;\n--flag) FLAG=1; shift ;;\n--) shift; REST+=("$@"); break ;;\n'
    '*) REST+=("$1"); shift ;;\nesac\ndone\npython3 parsed "$LR" $FLAG "${REST[@]}"\n}\n'
    "args «--lr 1e-6 --flag rest¦--lr=2 x y¦--flag¦¦--lr 'a b' -- --flag»",
    weight=0.8,
)
CONTROL.form(
    "guarded source", "if [ -f ./no-such-file.sh ]; then . ./no-such-file.sh; fi",
    "[ -f /none/set_env.sh ] && source /none/set_env.sh || :", weight=0.4,
)  # fmt: skip


@CONTROL.add("C-style for")
def _counting(scene: Scene) -> str:
    name = scene.fresh("c_")
    return scene.fill(f"for (({name} = 0; {name} < «1¦2¦3»; {name}++)); do\npython3 c ${name}\n«perhaps»\ndone")


@CONTROL.add("case", 2.5)
def _case(scene: Scene) -> str:
    arms = []
    for _ in range(scene.chance.randint(1, 3)):
        patterns = "|".join(pattern_word(scene) for _ in range(scene.chance.randint(1, 2)))
        arms.append(scene.fill(f"  «¦(»{patterns})\n«body»\n  «;;¦;;¦;;¦;&¦;;&»\n"))
    return scene.fill("case «one_word» in\n" + "".join(arms) + "  *) «a0+=(other)¦python3 other¦:» ;;\nesac")


@CONTROL.add("function", 2)
def _function(scene: Scene) -> str:
    name = scene.fresh("f")
    call = scene.fill(f"{name} «words»")
    made = scene.fill(
        f"«{name}()¦function {name}¦function {name}()» {{\n"
        '«local s0=${1-}¦local s0= l=2¦local -a a0=(in "$@")¦local IFS=,¦declare s1=loc¦local i0=0¦local -i i1=2+3¦:»\n'
        "«perhaps»\n«perhaps»\n"
        "«return 0¦return 3¦return¦false; return¦[[ -n ${1-} ]] && return¦"
        'echo out "$@"¦printf "%s;" "$#" "${FUNCNAME[0]}"¦:»\n}\n'
        f"«{call}¦{call} || python3 failed $?¦if {call}; then python3 succeeded; fi¦{call} > /dev/null»"
    )
    if scene.depth == 1:
        scene.functions.append(name)
    return made


@CONTROL.add("source", 0.8)
def _source(scene: Scene) -> str:
    name = scene.fresh("lib") + ".sh"
    scene.files[name] = scene.fill(
        f"SOURCED=${{SOURCED-}}{scene.counter}\nLIB_ARGS=(--from {spell(scene)})\n"
        'python3 in-lib "${BASH_SOURCE[0]##*/}" "$#" «words»\n«¦return 4¦lib_f() { python3 lib-f $1; }; lib_f 1»\n'
    )
    path = scene.fill(
        f'«../{name}¦"$(dirname "$0")/{name}"¦"${{BASH_SOURCE%/*}}/{name}"¦./../{name}'
        f'¦"$(cd "$(dirname "${{BASH_SOURCE[0]}}")" && pwd)/{name}"»'
    )
    return scene.fill(f"«source¦.» {path}«¦¦ given 'p q'» || :\n" + 'python3 sourced "${LIB_ARGS[@]}" "$SOURCED"')


@CONTROL.add("source that comes back", 0.4)
def _cycle(scene: Scene) -> str:
    name = scene.fresh("cycle")
    guard = f"GUARD_{name}"
    scene.files[f"{name}.sh"] = f'[ -n "${{{guard}-}}" ] && return\n{guard}=1\n. ../{name}.sh\npython3 once\n'
    return f". ../{name}.sh || :"


@CONTROL.add("another script", 0.5)
def _script(scene: Scene) -> str:
    name = scene.fresh("sub") + ".sh"
    scene.files[name] = 'python3 sub "$#" "$@" "${0##*/}" "${PASSED-none}" "${n0-unexported}"\nexit 6\n'
    return scene.fill(f"PASSED=yes bash ../{name} «words» || python3 sub-status $?")
