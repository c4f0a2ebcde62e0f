"""Every row is also written by real bash, which has the last word."""

from __future__ import annotations

import itertools
import shlex

import pytest

from relax_lint.shell.escapes import ansi_c
from relax_lint.shell.formatting import Printed, Unpredictable, echo, printf
from relax_lint.shell.quoting import transform
from tests.shell.real_bash import outputs

PRINTF = [
    ["%s"], ["%s", "a"], ["%s\\n", "a", "b c", ""], ["%s %s\\n", "a", "b", "c"], ["plain"], ["plain", "x", "y"],
    ["%%"], ["100%%"], ["%5s|%-5s|%.2s", "abc", "abc", "abc"], ["%*s|%-*s|", "5", "a", "4", "b"],
    ["%.*s", "2", "abcdef"], ["%*s|", "-5", "a"], ["%d", "42"], ["%d", "-0x1F"], ["%d", "010"], ["%d", "abc"],
    ["%d", "12abc"], ["%d", ""], ["%d", "'A"], ["%d", '"é'], ["%d", "'"], ["%d", " 7"], ["%d", "7 "],
    ["%d", "99999999999999999999"], ["%i", "+5"], ["%05d|%-5d|%+d|% d", "42", "42", "42", "42"],
    ["%.3d|%5.3d|%05.3d", "7", "7", "7"], ["%.0d|", "0"], ["%u", "-1"], ["%o", "8"], ["%#o", "8"], ["%#o", "0"],
    ["%x", "255"], ["%X", "255"], ["%#x|%#X", "255", "255"], ["%#x", "0"], ["%08x", "-1"], ["%#06x", "10"],
    ["%#.4o", "8"], ["%ld %lld", "1", "2"], ["%c%c", "abc", "x"], ["%c|", ""], ["%3c|", "a"], ["%b", "a\\tb\\n"],
    ["%b|", "\\0101\\101\\x41\\u00e9"], ["%b", "a\\cb", "c"], ["%b", "\\\\ \\' \\q"], ["%q", "a b"],
    ["%q|%q", "", "a'b"], ["%q", "a\nb"], ["%10q|", "a b"], ["%f", "1.5"], ["%.2f", "3.14159"], ["%.0f", "2.5"],
    ["%.0f", "3.5"], ["%e", "12345.678"], ["%g", "0.0001"], ["%g", "100000"], ["%g", "1000000"], ["%g", "1e-5"],
    ["%.3g", "1234.5"], ["%#g", "1"], ["%G", "1e-10"], ["%E", "0"], ["%.1f", "0.15"], ["%.1f", "0.25"],
    ["%.20f", "0.1"], ["%f", "-0"], ["%08.2f|%-8.2f|%+.1f", "3.14159", "3.14159", "2"], ["%f", ""], ["%f", "abc"],
    ["%f", "1.5x"], ["%f"], ["%.3f", "1e3"], ["%d %s\\n", "1", "a", "2", "b", "3"], ["\\x41\\101\\u00e9\\e[0m"],
    ["\\'\\\"\\?\\q\\"], ["\\0101"], ["a\\cb"], ["%s"], ["%z", "a"], ["a%"], ["a%5"], ["--%s", "x"],
    ["%s,", "1", "2", "3"], ["%s=%s;", "a", "1", "b"], ["%5d|", ""], ["%-+5d|", "3"], ["é%3s|", "é"], ["%.1s", "é"],
    ["%(x"], ["%'d", "1000"], ["%5%|"], ["%-05d|", "4"], ["%+5s|", "a"], ["%.d|", "0"],
    ["%#q", "a b"], ["%.3Q", "a bcd"], ["%.3q", "a bcd"], ["\\1\\12\\123\\1234"], ["\\xg"], ["\\ug"], ["%d", "0x"],
    ["%d", "08"], ["%s", "-"], ["%d", "--5"], ["%.2e", "999.99"], ["%.2e", "0.000999999"], ["%g", "123456789"],
    ["%.10g", "0.1"],
]  # fmt: skip
ECHO = [
    [], ["a"], ["a", "b  c"], ["-n", "a"], ["-e", "a\\tb"], ["-E", "a\\tb"], ["-ne", "a\\n"], ["-n", "-e", "a\\x41"],
    ["-x"], ["-"], ["--"], ["-nx", "a"], ["-e", "a\\cb", "c"], ["-e", "\\0101\\101\\0"], ["-e", "\\u00e9\\U1F600"],
    ["-e", "\\'\\\"\\q\\\\"], ["a", "-n"], ["-eE", "\\t"], ["-Ee", "\\t"], ["-e", "\\x"], ["-e", "\\x{41}"],
    ["-e", "\\e[1m"], ["-e", "tail\\"], ["-e", "\\ud800"], ["-e", "\\07"],
]  # fmt: skip
ANSI = [
    "", "a\\nb", "\\t\\v\\f\\r\\a\\b\\e\\E", "\\'\\\"\\?\\\\", "\\101\\1012\\7", "\\x41\\x4a4\\xzz", "\\x{41}b\\x{}c",
    "\\u00e9\\u41g", "\\U0001F600", "\\uzz", "\\ca\\c?\\c\\\\x", "\\q\\", "é\\xc3\\xa9", "a\\0b", "\\xff", "\\400",
    "\\c", "\\U110000", "\\u7ff\\u800\\uffff",
]  # fmt: skip
QUOTED = [
    "", "a", "a b", "a'b", "'", "a\nb", "\t", "é", "~a", "a~", "{a,b}", "a=~b", "~", "#a", "a#", "a:~b", "!x", "a!b",
    '"', "$x`y`", "\\", "a\\b", "\x01", "\udcff", "*?[x]", "-n", "a,b", "%^@:/+", "\x7f", "\x1b[0m", "é\n", "\u200b",
    "😀", "\x85", "a&b|c;(d)<e>", "''",
]  # fmt: skip


def shown(printed: Printed) -> str:
    return f"{printed.text}|{printed.status}"


def words(arguments: list[str]) -> str:
    return " ".join(map(shlex.quote, arguments))


def test_printf() -> None:
    snippets = [f"printf -- {words(row)}; printf '|%d' $?" for row in PRINTF]
    for row, expected in zip(PRINTF, outputs(snippets), strict=True):
        assert shown(printf(row[0], row[1:])) == expected, row


def test_printf_of_many_numbers() -> None:
    formats = [
        "%f",
        "%.0f",
        "%.1f",
        "%.3f",
        "%e",
        "%.2e",
        "%g",
        "%.3g",
        "%#.4g",
        "%10.2f|",
        "%-10.1e|",
        "%+g",
        "%010.3f",
    ]
    numbers = [
        "0",
        "1",
        "-1",
        "0.5",
        "1.5",
        "2.5",
        "0.1",
        "0.05",
        "1e-6",
        "123456",
        "1234567",
        "9.995",
        "0.00012345",
        "1e20",
        "-0.0",
    ]
    rows = list(itertools.product(formats, numbers))
    expected = outputs([f"printf '{template}' {number}" for template, number in rows])
    for (template, number), text in zip(rows, expected, strict=True):
        assert printf(template, [number]).text == text, (template, number)


@pytest.mark.parametrize("template", ["%(%F)T", "%n", "%a", "%f"])
def test_what_cannot_be_foretold(template: str) -> None:
    with pytest.raises(Unpredictable):
        printf(template, ["0x10"])


def test_echo() -> None:
    snippets = [f"echo {words(row)}; printf '|%d' $?" for row in ECHO]
    for row, expected in zip(ECHO, outputs(snippets), strict=True):
        assert shown(echo(row)) == expected, row


def test_ansi_c_strings() -> None:
    snippets = [f'v={shlex.quote(text)}; printf %s "${{v@E}}"' for text in ANSI]
    for text, expected in zip(ANSI, outputs(snippets), strict=True):
        assert ansi_c(text) == expected, text


def test_quoting() -> None:
    uses = '"${v@Q}" "$(printf %q "$v")" "${v@U}" "${v@u}" "${v@L}" "${v@E}"'
    snippets = [f"v={shlex.quote(value)}; printf '%s\\037' {uses}" for value in QUOTED]
    for value, expected in zip(QUOTED, outputs(snippets), strict=True):
        ours = [transform(value, "Q"), printf("%q", [value]).text]
        ours += [transform(value, operator) for operator in "UuLE"]
        assert ours == expected.split("\x1f")[:-1], value


def test_transformations_that_need_more_than_the_value() -> None:
    assert transform("x", "P") is None
    assert transform("x", "A") is None
