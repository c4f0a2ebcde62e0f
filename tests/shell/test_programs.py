"""Every call is also made with the real program, which has the last word."""

from __future__ import annotations

import os
import shlex

import pytest

from relax_lint.shell.programs import PROGRAMS, run
from tests.shell.real_bash import outputs

TEXT = "b 2\na 10\nb 2\n\nc,d,e\nx=1 y=2\n  indented\tline\nüber café\nA.B/C\nb 2"
NUMBERS = "10\n9\n-1\n1.5\n010\nabc\n\n-1.25\n-1.2\n2\n2\n"
WITHOUT_INPUT = """
dirname /a/b/c | dirname a | dirname /a | dirname a/b/ | dirname / | dirname // | dirname a//b | dirname ""
dirname a/b c/d | dirname | dirname -- -x/y | basename /a/b.sh | basename /a/b.sh .sh | basename /a/b/ | basename /
basename "" | basename .sh .sh | basename a b c | basename -a a/b c/d | basename -s .sh a.sh b/c.sh
basename --suffix=.sh a.sh | basename "/a b/c d" | basename a.tar.gz .gz | realpath -m /a/../b//c/./d
realpath -m x/y | realpath -ms ../z | realpath / | realpath /nonexistent/x | realpath -m "" | readlink -f /nonexistent
readlink -f /usr | readlink -m /a/b/.. | readlink -e /nonexistent | readlink -nf /usr | realpath -e /usr /nonexistent
realpath /usr/../etc | seq 5 | seq 2 5 | seq 0 2 10 | seq 5 1 | seq 5 -2 1 | seq 0 | seq 1 0 | seq -2 2 | seq 16 8 64
seq -w 8 11 | seq -s , 3 | seq -s: 1 3 | seq 0 0.1 0.5 | seq 1 .5 3 | seq 0.5 3 | seq 1.0 3 | seq -w 0 0.25 1
seq -f %.2f 3 | seq -f "n%g!" 2 4 | seq 0 0.000001 0.000003 | seq -f %03g 9 11 | seq 1 0 3 | seq | seq -w -5 5 5
seq 3 -1 -1 | seq -s "" 3 | seq 1.5 | seq 1 1 1 | seq 10 10 30 | seq -w 1 1.5 | expr 1 + 2 | expr 7 / 2 | expr -7 % 3
expr 3 \\* 4 | expr 0 | expr 1 - 1 | expr a : a | expr abc : "a\\(.*\\)" | expr abc : ab | expr "" \\| x
expr length abcd | expr substr hello 2 3 | expr index hello l | expr 2 \\> 1 | expr a \\< b | expr 10 \\> 9
expr 1 \\& 2 | expr 0 \\& 2 | expr 1 + | expr 1 / 0 | expr a + 1 | expr \\( 1 + 2 \\) \\* 3 | expr 1 + 2 \\* 3
expr 5 = 5 | expr a = b | expr x : "\\(y\\)" | expr match abc "[a-b]*" | expr + length
""".replace("\n", " | ").split(" | ")
ON_TEXT = """
cat | cat - | tac | rev | tee | head | head -n 2 | head -2 | head -n -3 | head -c 7 | head -n 0 | head -n 100
head -n -100 | tail -n 2 | tail -n +3 | tail -1 | tail -c 5 | tail -c +5 | tail -n 0 | wc -l | wc -w | wc -c | sort
sort -r | sort -u | sort -ur | sort -f | uniq | uniq -c | uniq -d | uniq -u | sort -n | paste -s | paste -sd,
paste -d, - - | paste -sd ",;" | paste - - - | paste -d "\\n" - - | tr a-z A-Z | tr "[:lower:]" "[:upper:]"
tr -d "\\n" | tr "\\n" , | tr -s " " | tr -d "[:space:]" | tr -cd "[:alnum:]" | tr -c "[:alnum:]" _
tr -s "[:alnum:]" x | tr abc x | tr -t abc x | tr a-c 1-3 | tr ü u | tr "\\142" z | tr -ds b " " | tr abc "[-*]"
tr ,= "  " | tr -d | tr a | tr "a-" "-a" | tr -C a b | tr -cs "[:alnum:]" "\\n" | tr "\\t" " " | tr /. __
tr -s "\\n" | cut -d" " -f1 | cut -d " " -f 2 | cut -d, -f2- | cut -d, -f1,3 | cut -d, -f-2 | cut -sd, -f2 | cut -c1-3
cut -c 2- | cut -b1,3-4 | cut -d= -f2 --output-delimiter=: | cut -d, -f1,3 --output-delimiter "-"
cut -c1-2,4 --output-delimiter=: | cut -f1 | cut -d, -f2 --complement | cut | cut -d ab -f1 | cut -c -2
cut -d, -f3,1 | grep b | grep -c b | grep -v b | grep -o "[a-z]*" | grep -q zzz | grep -q b | grep -E "a|c"
grep -F . | grep -i B | grep -x "b 2" | grep -n b | grep -m 1 b | grep -o "[0-9][0-9]*" | grep -E "[0-9]+" | grep "^$"
grep "b\\|c" | grep -e a -v | grep "^ *i" | grep -oE "[a-z]=[0-9]" | grep -c zzz | grep "x=\\(1\\)" | grep -vFx "b 2"
grep "*" | grep -F -e a | grep "." -c | grep -E "^(a|b) [0-9]{1,2}$" | grep "[[:space:]]" | grep "caf." | sed s/b/X/
sed "s/b/X/g" | sed -n 2p | sed -n "2,3p" | sed 1d | sed "s/[0-9]*/<&>/" | sed "s/\\(.\\) \\(.\\)/\\2 \\1/" | sed '$d'
sed -E "s/([a-z])=([0-9])/\\2=\\1/g" | sed -r "s/ +/_/g" | sed "s|/|:|g" | sed -n "s/b/X/p" | sed "s/b/X/;s/2/Y/"
sed -e "s/^/> /" | sed 's/$/ <;/' | sed 2q | sed "/^b/d" | sed -n "/a/p" | sed "s/ /\\n/g" | sed "s/b/X/2"
sed "s/B/q/I" | sed "/a/s/1/9/" | sed "s,/,\\,,g" | sed -n '$p' | sed "s/./&&/3" | sed 's/[[:space:]]*$//'
sed "s/^[ \\t]*//" | sed "s/caf./X/" | sed '2,$d' | sed "s/\\./-/g" | sed "s/a\\|b/Z/g" | sed "" | sed "3!d"
awk '{print $1}' | awk '{print $2}' | awk '{print $NF}' | awk -F, '{print $2}' | awk -F= '{print $1, $2}'
awk "NR==2{print}" | awk '{ print $1 "-" $2 }' | awk '/b/ {print $2}' | awk "{print}" | awk "{print NF}"
awk -F"[,=]" '{print $2}' | awk 'NR==1 {print $1;}' | awk '{print $0}' | awk -F "\\t" '{print $2}' | awk "{print NR}"
""".replace("\n", " | ").split(" | ")
ON_NUMBERS = """
sed s/[0-9]*/\\<\\&\\>/g | sed s/x*/-/g | sed s/1*/X/2 | sed s/1*/X/g | sort -n | sort -rn | sort -nu | sort | uniq
paste -sd+ | tail -n 3 | awk {print} | grep -c 1 | sort -nr
""".replace("\n", " | ").split(" | ")
UNKNOWN = """
cat file | sort -k2 | sed -i s/a/b/ | sed y/a/b/ | grep a file | awk "BEGIN{print 1}" | head -v | wc | wc -lc
grep -P a | nosuch | sed "s/a/\\U&/" | sed "s/x*/-/g" | readlink /usr | grep -w a | sort -t, | grep -E "a|ab"
tr "[:foo:]" x | tr "[x*]" y | sed -e s/a/b/ -e s/c/d/
""".replace("\n", " | ").split(" | ")


def check(calls: list[str], stdin: str) -> None:
    calls = [call for call in calls if call]
    snippets = [f"cd /usr; printf %s {shlex.quote(stdin)} | {call}; printf '|%d' ${{PIPESTATUS[1]}}" for call in calls]
    different = []
    for call, expected in zip(calls, outputs(snippets), strict=True):
        name, *arguments = shlex.split(call)
        ours = run(name, arguments, stdin, "/usr", exists=os.path.exists, resolve=os.path.realpath)
        output, _, status = expected.rpartition("|")
        if ours is None or (ours.output, str(ours.status)) != (output, status):
            different.append((call, ours, output, status))
    assert not different


def test_calls_without_input() -> None:
    check(WITHOUT_INPUT, "")


@pytest.mark.parametrize(
    "stdin", [TEXT, TEXT + "\n", "", "\n", "one"], ids=["open", "closed", "empty", "newline", "word"]
)
def test_calls_on_text(stdin: str) -> None:
    check(ON_TEXT, stdin)


def test_calls_on_numbers() -> None:
    check(ON_NUMBERS, NUMBERS)


def test_what_is_not_modelled_is_not_known() -> None:
    for call in UNKNOWN:
        if call:
            name, *arguments = shlex.split(call)
            assert run(name, arguments, TEXT) is None, call


def test_without_known_input_nothing_that_reads_is_known() -> None:
    assert run("tr", ["a", "b"], None) is None
    assert run("basename", ["/a/b"], None) == ("b\n", 0)


def test_every_program_is_compared() -> None:
    compared = {call.split()[0] for call in [*WITHOUT_INPUT, *ON_TEXT] if call}
    assert compared >= PROGRAMS
