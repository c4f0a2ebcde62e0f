"""Words: whatever can stand where bash takes an argument, with command substitutions and all expansions of words."""

from __future__ import annotations

from tests.shell.generator.expansions import quoted_expansion
from tests.shell.generator.scene import Pool, Scene, hole
from tests.shell.generator.values import PLAIN, spell

WORDS = Pool("word")
"""Each may become none, one or several words."""
SUBSTITUTIONS = Pool("substitution", otherwise=lambda scene: scene.fill("$(echo «operand»)"))
"""Commands whose output is known."""


@hole
def words(scene: Scene) -> str:
    """Up to four words with blanks and continuations between them."""
    return _in_a_row(scene, scene.chance.randint(0, 4))


@hole
def some_words(scene: Scene) -> str:
    """The same, at least one."""
    return _in_a_row(scene, scene.chance.randint(1, 4)) or "x"


def _in_a_row(scene: Scene, count: int) -> str:
    row = "".join(
        scene.chance.choice([" ", " ", " ", "  ", " \\\n  ", "\t"]) + WORDS.write(scene) for _ in range(count)
    )
    return row.lstrip(" \t")


@hole
def one_word(scene: Scene) -> str:
    """A word that stays one whatever it holds."""
    roll = scene.chance.random()
    if roll < 0.4:
        return spell(scene)
    return quoted_expansion(scene) if roll < 0.75 else scene.fill('"«substitution»"')


WORDS.form("spelled", "«spelled»", weight=4)
WORDS.form("plain", *PLAIN, weight=3)
WORDS.form("quoted expansion", "«quoted_expansion»", weight=4)
WORDS.form("unquoted expansion", "«expansion»", weight=3)
WORDS.form("expansion with text around", "«operand»«expansion»'z'", "«operand»«expansion»\\z", weight=2)
WORDS.form("quoted list with text around", '"pre-«list»-post"')
WORDS.form("quoted substitution", '"«substitution»"', weight=2)
WORDS.form("unquoted substitution", "«substitution»", weight=1.5)
WORDS.form("flag and value", "--«lr¦n¦a.b»« ¦=»«one_word»", weight=2)
WORDS.form("tilde", "~", "~/x", '~"/x"', "a~", "~+", "x=~/y", "--d=~/z", '"~"', "\\~/x", "~/'a b'", "~/*")
WORDS.form("empty", "''", '""', "$''", "\"\"''")
WORDS.form("glob", "*.nope", "a[bc]d*", "?x?", "[!a]*.none", "'*'.none", "no/such/*", "*", "a]", "\\*", weight=1.5)
WORDS.form("JSON", "'{\"actor\": [1, 8]}'", '"{\\"a\\": \\"$HOME\\"}"', "'{\"a\": 1}'\\\n")
WORDS.form(
    "punctuation", "a=b", "-", "--", "%d", "a@b.c", "1,2", "+x", "@[0:5000]", "^a", "x!", "a\\ b", "a#b", "=", "[]"
)
WORDS.form("locale string", '$"text"', '$"a b"', weight=0.3)
WORDS.form("braces", "«¦p¦--f=»{«brace_item»,«brace_item»}«¦s»", "{«brace_item»,«brace_item»,«brace_item»}", weight=1.3)
WORDS.form("sequence", "«¦p¦--f=»«{1..4}¦{a..e}¦{5..1..2}¦{01..03}¦{-1..1}¦{c..a}»«¦s»", "{1..3}{a,b}", weight=0.7)
WORDS.form("braces that stay", "{x}", "{}", "{a,b", "{1..a}", "a{b}c", "{1..}x", "a,b}", weight=0.5)


@hole
def brace_item(scene: Scene) -> str:
    """What can stand between the commas of braces."""
    return scene.fill("«a¦b¦1¦x.y¦'q r'¦\"$i0\"¦¦--k=v¦{1,2}¦${i1}»")


SUBSTITUTIONS.form("echo", "$(echo «words»)", weight=2)
SUBSTITUTIONS.form("echo with options", "$(echo «-n¦-e¦-E¦-ne» «spelled»)")
SUBSTITUTIONS.form(
    "printf", "$(printf «'%s\\n'¦'%s,'¦'<%s>'¦'%q '¦'%b'¦'%5s|%-5s|'» «some_words»)", "$(printf '%.2s|' abc d ef)",
    weight=2,
)  # fmt: skip
SUBSTITUTIONS.form("printf of numbers", "$(printf '%03d %x %o %e %.2f %g' «digit»4 255 8 12.5 3.14159 1e-6)")
SUBSTITUTIONS.form("pwd", "$(pwd)", "`pwd`", "$(pwd -P)")
SUBSTITUTIONS.form(
    "cd and pwd", "$(cd .. && pwd)", '$(cd "$(dirname "$0")" && pwd)', "$(cd / && pwd)",
    '$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)',
)  # fmt: skip
SUBSTITUTIONS.form("dirname", "$(dirname «a/b/c.sh¦/x¦plain¦-- /p/q/»)")
SUBSTITUTIONS.form(
    "basename", '$(basename "$0")', '$(basename "$0" .sh)', "$(basename /a/b.gz .gz)", "$(basename -s .py x.py)"
)
SUBSTITUTIONS.form(
    "realpath", "$(realpath -m a/../b)", "$(realpath -m /x//y/.)", "$(realpath /)", "$(readlink -m ../q)"
)
SUBSTITUTIONS.form(
    "seq", "$(seq 3)", "$(seq 2 2 8)", "$(seq -s , 3)", "$(seq 16 8 40)", "$(seq -w 9 11)", "$(seq 3 -1 1)"
)
SUBSTITUTIONS.form(
    "tr", "$(echo aBc | tr a-z A-Z)", "$(echo a:b | tr : ' ')", "$(printf 'a\\nb\\n' | tr '\\n' ,)",
    "$(echo 'a  b' | tr -s ' ')", "$(tr -d x <<< axbx)",
)  # fmt: skip
SUBSTITUTIONS.form(
    "cut", "$(echo a:b:c | cut -d: -f2)", "$(echo abcdef | cut -c2-4)", '$(cut -d" " -f1 <<< "p q")',
    "$(echo 1,2,3 | cut -d, -f1,3)",
)  # fmt: skip
SUBSTITUTIONS.form(
    "other programs", "$(echo b a | wc -w)", "$(printf 'b\\na\\n' | sort | head -n 1)", "$(echo x=1 | sed 's/x/y/')",
    "$(echo 1 2 | awk '{print $2}')", "$(echo ab | rev)", "$(printf '1\\n2\\n' | paste -sd+)", "$(expr 3 + 4)",
    "$(echo aXb | grep -o X)",
)  # fmt: skip
SUBSTITUTIONS.form(
    "here-document",
    "$(cat <<EOF\nline «operand» «plain_scalar» ${s1-}\n  \\$kept \\\\ \"quoted\" 'single' $((1+2)) «operand»\nEOF\n)",
    "$(cat <<-EOF\n\tindented «operand»\n\t\tmore\n\tEOF\n)",
)
SUBSTITUTIONS.form("quoted here-document", "$(cat <<'EOF'\nraw $HOME `x` \\ «operand»\nEOF\n)", weight=0.7)
SUBSTITUTIONS.form("here-string", '$(cat <<< "${s0-}")', "$(cat <<< 'a b')", "$(read -r x y <<< 'p q r'; echo \"$y\")")
SUBSTITUTIONS.form(
    "backquotes", "`echo a b`", "`echo \\`echo in\\``", '`echo "${s0-}"`', "`echo \\$HOME`",
    "`echo '\\\\'`", "`echo \\\\\\\\`"
)  # fmt: skip
SUBSTITUTIONS.form("nested", '$(echo "«substitution»" x)')
SUBSTITUTIONS.form("isolated assignment", '$(«any_scalar»=changed; i0=99; echo "in $i0")')
SUBSTITUTIONS.form("joined array", '$(IFS=«,¦:¦-+»; echo "${«array»[*]}")', weight=1.5)
SUBSTITUTIONS.form("status", "$(false; echo $?)", weight=0.7)
SUBSTITUTIONS.form(
    "several commands", "$(echo a; echo b)", "$(echo a && echo b || echo c)", "$(true; { echo g; })", "$( (echo sub) )",
    "$(if true; then echo t; fi)", "$(for x in 1 2; do echo $x; done)", "$(\n  echo nl\n)", "$(echo a # comment\n)",
)  # fmt: skip
SUBSTITUTIONS.form("nothing", "$()", "$(true)", "$(: ignored)", "$(echo)", "$(echo '' '')")
SUBSTITUTIONS.form("trailing newlines", "$(printf 'a\\n\\n\\n')", "$(printf '\\n\\na')", "$(echo a; echo)")


@SUBSTITUTIONS.add("function")
def _function(scene: Scene) -> str:
    return scene.fill(f"$({scene.chance.choice(scene.functions)} «a¦b c¦»)") if scene.functions else "$(:)"
