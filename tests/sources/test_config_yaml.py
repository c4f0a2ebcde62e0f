from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from relax_lint.catalog.hidden import UNKNOWN
from relax_lint.engine import lint
from relax_lint.project import Project
from relax_lint.rules import load_rules
from relax_lint.sources.config_yaml import Node, NotLoaded, YamlSource, value_of
from tests.cases import for_each

TEXT = """\
# a config
name: &n demo  # said here
numbers:
  - 1
  - 'two'

nested: {deep: [3, *n]}
text: |
  several
  lines

typed: !!int '7'
last:
"""


def source(text: str) -> YamlSource:
    return YamlSource(Path("/project/demo.yaml"), text.encode())


def written(of: YamlSource, at: Any) -> str:
    place = of.place(at)
    return of.text[place.start : place.end]


@pytest.mark.parametrize("text", [TEXT, "\ufeff" + TEXT, TEXT.replace("\n", "\r\n"), TEXT.replace("a config", "ä é")])
def test_values_are_where_they_are_written(text: str) -> None:
    config = source(text)
    top = config.top
    assert list(top) == ["name", "numbers", "nested", "text", "typed", "last"]
    assert written(config, top["name"].key) == "name"
    assert written(config, top["name"]) == "demo"
    assert written(config, top["numbers"]).split() == ["-", "1", "-", "'two'"]
    assert written(config, top["nested"]) == "{deep: [3, *n]}"
    assert written(config, top["nested"].value.own["deep"]) == "[3, *n]"
    assert written(config, top["nested"].value.own["deep"].value.items[1]) == "*n"
    assert written(config, top["text"]).split() == ["|", "several", "lines"]
    assert written(config, top["typed"]) == "'7'"
    assert written(config, top["last"]) == ""
    assert top["nested"].value.own["deep"].value.items[1].value is top["name"].value


@for_each(
    "text",
    [
        TEXT,
        "",
        "# nothing\n",
        "---\n",
        "[]\n",
        "3\n",
        "a: 1\na: 2\n",
        "base: &b {alpha: 1, beta: 2}\nuse:\n  <<: *b\n  beta: 3\n",
        "one: &o {alpha: 1}\ntwo: &t {beta: 2}\nuse: {<<: [*o, *t], gamma: 3}\n",
        "a: [yes, no, on, ~, null, .inf, 1e-6, 1.0e-6, 0x10, 010, 1_000, 1:30, 2001-01-02]\n",
        "1: a\n'1': b\ntrue: c\n",
        "? a\n: - b\n? c\n",
        "a: ! 12\nb: !!str 12\nc: !!float 3\n",
        "a: '='\n",
        "a: |\n  x\n\n\nb: >-\n  y\n  z\n",
        "a: &x [1]\nb: [*x, *x]\n",
        "a: !!binary aGk=\n",
    ],
)
def test_it_loads_what_safe_load_does(text: str) -> None:
    assert source(text).load() == yaml.safe_load(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: !thing 1\n",
        "a: !!python/name:os.system x\n",
        "a: 1\n---\nb: 2\n",
        "? [a]\n: 1\n",
        "<<: 3\n",
        "<<: [{a: 1}, 3]\n",
        "a: !!int x\n",
        "a: 2024-13-45\n",
        "a: !own {b: 1}\n",
    ],
)
def test_it_refuses_what_safe_load_does(text: str) -> None:
    with pytest.raises((yaml.YAMLError, ValueError)):
        yaml.safe_load(text)
    config = source(text)
    assert config.error is None
    with pytest.raises(NotLoaded):
        config.load()


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("a: [1\nb: 2\n", "did not find expected ',' or ']'", (2, 2)),
        ("a: 1\nb: *none\n", "found undefined alias *none", (2, 4)),
        ("a: &x 1\nb: &x 2\n", "found the anchor &x twice", (2, 4)),
        ("é: ok\nb: \x01\n", "control characters are not allowed", (2, 4)),
        ("a: @x\n", "found character that cannot start any token", (1, 4)),
    ],
)
def test_broken_text_is_reported_where_it_breaks(text: str, message: str, position: tuple[int, int]) -> None:
    for prefix in ("", "\ufeff"):
        config = source(prefix + text)
        assert config.error is not None
        assert config.error.message == message
        assert config.position(config.error.offset) == position
        assert config.root is None
        assert not config.top


def bomb(line: str, first: str) -> str:
    levels = [f"a0: &a0 {first}"]
    levels += [f"a{n}: &a{n} {line.replace('@', f'*a{n - 1}')}" for n in range(1, 60)]
    return "\n".join(levels) + "\n"


def test_aliases_that_multiply_cost_nothing() -> None:
    config = source(bomb("[@, @, @, @, @, @, @, @, @]", "[x]"))
    assert config.error is None
    root = config.root
    assert root is not None
    assert sum(1 for _ in root.walk()) < 1000
    assert set(config.load()) == {f"a{n}" for n in range(60)}


def test_merges_that_multiply_cost_little() -> None:
    config = source(bomb("{<<: [@, @, @, @]}", "{x: 1, y: 2}"))
    assert config.load()["a59"] == {"x": 1, "y": 2}


def test_more_merges_than_are_followed_are_an_error() -> None:
    keys = ", ".join(f"k{n}: 0" for n in range(1000))
    config = source(f"a: &a {{{keys}}}\n" + "".join(f"b{n}: {{<<: *a}}\n" for n in range(200)))
    assert config.error is not None
    assert "merges more keys" in config.error.message


def test_a_node_may_hold_itself() -> None:
    config = source("a: &a [*a, 1]\nb: &b {<<: *b, c: *b}\n")
    loaded = config.load()
    assert loaded["a"][0] is loaded["a"]
    assert loaded["b"]["c"] is loaded["b"]


def test_own_keys_count_before_merged_ones_and_the_last_of_equal_ones() -> None:
    config = source("base: &base {a: 1, b: 2, c: 3}\nuse:\n  b: 4\n  <<: *base\n  c: 5\n  c: 6\n")
    use = config.top["use"].value
    assert {name: entry.value.text for name, entry in use.effective.items()} == {"a": "1", "b": "4", "c": "6"}
    assert [entry.value.text for entry in use.all("c")] == ["5", "6"]
    found = use.get("a")
    assert found is not None
    assert config.position(config.place(found).start)[0] == 1


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    for text in ("[" * 100_000, "- " * 100_000, "{a: " * 50_000):
        assert source(text).error is not None


def test_collections_of_rare_kinds_are_not_told() -> None:
    assert source("a: !!set {b, c}\n").load() == {"a": UNKNOWN}


def test_a_part_can_be_loaded_alone() -> None:
    entry = source("a: {b: [1, 2.5]}\nc: !odd 1\n").top["a"]
    assert isinstance(entry.value, Node)
    assert value_of(entry.value) == {"b": [1, 2.5]}


def test_templates_are_no_errors() -> None:
    report = lint(
        Project.from_files({"examples/demo/a.yaml": "a: {{ name }}\n{% if b %}\n", "examples/demo/b.yaml": "a: *x\n"}),
        load_rules(),
    )
    assert [(found.code, found.path.name) for found in report.diagnostics if found.code == "RLX001"] == [
        ("RLX001", "b.yaml")
    ]
