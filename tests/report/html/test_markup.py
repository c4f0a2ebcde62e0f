from __future__ import annotations

from html.parser import HTMLParser

import pytest

from relax_lint.report.html.markup import Html, element, join, plain, prose, text


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.said += data


def read(markup: str) -> _Read:
    parser = _Read()
    parser.feed(markup)
    parser.close()
    return parser


@pytest.mark.parametrize(
    "value",
    ["</script><script>alert(1)</script>", "a & b &amp; c", "\"quoted\" and 'quoted'", "<!-- -->", "]]>", "é 漢 🙂"],
)
def test_text_comes_back_as_it_was(value: str) -> None:
    assert read(text(value)).said == value
    assert read(text(value)).tags == []
    assert read(element("p", value, title=value)).tags == ["p"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\0b", "a\\x00b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("cr\r", "cr\\r"),
        ("\x7f", "\\x7f"),
        ("evil\u202egpj.sh", "evilU+202Egpj.sh"),
        ("zero\u200bwidth", "zeroU+200Bwidth"),
        ("\ufeffbom", "U+FEFFbom"),
        (b"\xff\xfe".decode("utf-8", "surrogateescape"), "\\xff\\xfe"),
        ("\ud800", "U+D800"),
        ("a\u00a0b", "aU+00A0b"),
        ("全角\u3000空白", "全角\u3000空白"),
    ],
)
def test_what_cannot_be_seen_is_named(value: str, shown: str) -> None:
    assert read(text(value)).said == shown
    assert plain(value) == shown
    text(value).encode("utf-8")


def test_markup_is_not_escaped_twice() -> None:
    inner = element("b", "a & b")
    assert element("p", inner, " < ", inner) == "<p><b>a &amp; b</b> &lt; <b>a &amp; b</b></p>"
    assert join(["<", Html("<br>")], ", ") == "&lt;, <br>"


def test_attributes_are_quoted_and_absent_ones_left_out() -> None:
    assert element("a", "x", href='#"><script>', hidden=True, id=None, open=False, data_of=1, class_="c") == (
        '<a href="#&quot;&gt;&lt;script&gt;" hidden data-of="1" class="c">x</a>'
    )
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_flags_in_sentences_are_code() -> None:
    assert prose("write --lr 1 <b>") == "write <code>--lr</code> 1 &lt;b&gt;"
    assert prose("a--b is none") == "a--b is none"
