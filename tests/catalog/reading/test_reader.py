"""The flags that small sources register, in all the ways of the real ones."""

from __future__ import annotations

from typing import Any

import pytest

from relax_lint.catalog.reading.reader import Reading, read_parsers
from relax_lint.catalog.reading.rows import Row, rows_of, unknown_parts
from tests.catalog.small_relax import EVERYTHING, RELAX, sources


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_parsers(sources(EVERYTHING))


@pytest.fixture(scope="module")
def rows(reading: Reading) -> dict[tuple[str, str], Row]:
    return {(row["parser"], row["name"]): row for row in rows_of(reading.parsers)}


def test_every_parser_is_found_and_known_by_what_it_holds(reading: Reading) -> None:
    abbreviating = {name: parser.allow_abbrev for name, parser in reading.named()}
    assert abbreviating == {"pre": False, "sglang": True, "sglang-tp": True, "teacher": True, "main": False}


def test_nothing_is_left_open(reading: Reading, rows: dict[tuple[str, str], Row]) -> None:
    assert unknown_parts(rows.values()) == []
    assert reading.doubts == []


def of(parser: str, name: str, owner: str, **more: Any) -> tuple[str, Row]:
    return f"{parser} {name}", {"name": name, "parser": parser, "owner": owner, **more}


def main(name: str, owner: str, **more: Any) -> tuple[str, Row]:
    return of("main", name, owner, **more)


def sglang(name: str, owner: str = "sglang", **more: Any) -> tuple[str, Row]:
    return of("sglang", name, owner, **more)


TOOLS = ["deepseek", "glm45_moe", "glm47_moe", "json", "kimik2", "llama", "minimax_m2", "mistral", "passthrough"]
STRICT = {"deprecated": "use --sglang-strict"}
POLICIES = ["random", "manual"]
TOOLS += ["pythonic", "qwen", "qwen_coder", "step3"]
EXPECTED = dict(
    [
        # Relax's own
        of("pre", "--debug-only", "pre", action="store_true", default=False),
        main("--layout", "relax", type="json", default="{}"),
        main("--colour", "relax", choices=["red", "green"], default="red"),
        main("--offload", "relax", more=["--no-offload"], action="boolean_optional"),
        main("--polling", "relax", type="bool-text", default=True),
        main("--actor-nodes", "relax", type="int", default=1),
        main("--critic-nodes", "relax", type="int"),
        main("--only-relax", "relax", type="int", default=3),
        # Megatron's; a reset changes the default and nothing else
        main("--lr", "megatron", type="float", default=1e-6, registered=None),
        main("--window", "megatron", type="int"),
        main("--no-bias", "megatron", more=["--disable-bias"], dest="bias", action="store_false", default=True),
        main("--tied", "megatron", action="store_true", default=False),
        main("--kind", "megatron", choices=["a", "b"], default="b"),
        main("--backend", "megatron", type="enum", choices=["flash", "fused"], default="fused"),
        main("--sizes", "megatron", type="int", nargs="+", default=[]),
        main("--rampup", "megatron", nargs=3),
        main("--hidden", "megatron", more=["--hidden-size"], type="int"),
        main("--act", "megatron", default="x"),
        main("--rank", "megatron", type="int", default=0),
        main("--freq", "megatron", type="freq", default=8),
        main("--scope", "megatron", type="enum", choices=["flash", "fused", "full"], nargs="+", default=[]),
        main("--old-size", "megatron", type="int", deprecated="use --hidden-size"),
        main("--help", "megatron", more=["-h"], action="help", suppressed=True),
        # the router's, twice
        main("--worker-urls", "router", nargs="*", default=[]),
        main("--router-policy", "router", choices=["random", "manual"], default="random"),
        main("--router-retries", "router", type="int", default=5),
        main("--router-tools", "router", choices=TOOLS),
        main("--router-decode", "router", action="append", nargs=1),
        sglang("--sglang-router-worker-urls", "router", dest="router_worker_urls", nargs="*", default=[]),
        sglang("--sglang-router-policy", "router", dest="router_policy", choices=POLICIES, default="random"),
        sglang("--sglang-router-retries", "router", dest="router_retries", type="int", default=7, registered=5),
        sglang("--sglang-router-tools", "router", dest="router_tools", choices=TOOLS),
        sglang("--sglang-router-decode", "router", dest="router_decode", action="append", nargs=1),
        # SGLang's
        sglang("--sglang-tp-size", more=["--sglang-tp"], type="int", default=2, registered=1),
        sglang("--sglang-mem-fraction", dest="sglang_mem", type="float"),
        sglang("--sglang-backend", choices=["triton", "fa3", "auto"]),
        sglang("--sglang-sampler", choices=["flashinfer", "pytorch"]),
        sglang("--sglang-parser", choices=["auto", "qwen", "llama"]),
        sglang("--sglang-length", type="human_readable_int"),
        sglang("--sglang-strict", more=["--no-sglang-strict"], action="boolean_optional", default=False),
        sglang("--sglang-old", action="ignored", deprecated="use --sglang-backend"),
        sglang("--sglang-older", dest="sglang_strict", action="store_true", default=False, **STRICT),
        sglang("--sglang-paths", nargs="*"),
        sglang("--sglang-config", type="json"),
        sglang("--sglang-extra", "relax", type="int", default=2),
        of("sglang-tp", "--actor-nodes", "relax", type="int", default=4),
    ]
)  # fmt: skip


@pytest.mark.parametrize("key", EXPECTED)
def test_a_flag_is_read_as_argparse_would_have_it(rows: dict[tuple[str, str], Row], key: str) -> None:
    parser, name = key.split()
    assert rows[parser, name] == EXPECTED[key]


def test_no_other_flag_is_found(rows: dict[tuple[str, str], Row]) -> None:
    found = {f"{parser} {name}" for parser, name in rows if parser != "teacher"}
    assert found == set(EXPECTED)


def test_the_teacher_mirrors_the_server_and_sets_nothing_by_itself(rows: dict[tuple[str, str], Row]) -> None:
    teacher = {name: row for (parser, name), row in rows.items() if parser == "teacher"}
    assert len(teacher) == 12
    assert teacher["--teacher-sglang-mem-fraction"] == {
        "name": "--teacher-sglang-mem-fraction",
        "parser": "teacher",
        "owner": "teacher",
        "dest": "teacher_sglang_mem",
        "type": "float",
        "suppressed": True,
    }
    assert all(row["suppressed"] for row in teacher.values())


def changed(old: str, new: str) -> Reading:
    path = "relax/utils/arguments.py"
    assert old in RELAX[path]
    return read_parsers(sources({**EVERYTHING, path: RELAX[path].replace(old, new)}))


def names(reading: Reading) -> set[str]:
    return {row["name"] for row in rows_of(reading.parsers)}


def test_what_only_a_machine_tells_may_be_registered() -> None:
    reading = changed(
        "        parser = add_plain(parser)\n",
        "        import torch\n"
        "        parser = add_plain(parser)\n"
        "        if torch.cuda.is_available():\n"
        "            parser.add_argument('--on-gpu')\n"
        "        else:\n"
        "            parser.add_argument('--on-cpu')\n",
    )
    assert {"--on-gpu", "--on-cpu", "--only-relax"} <= names(reading)


def test_a_statement_that_cannot_be_followed_costs_only_itself() -> None:
    reading = changed(
        "        parser = add_plain(parser)\n",
        "        parser = add_plain(parser)\n"
        "        parser.add_argument('--before')\n"
        "        parser.add_argument(**unheard_of)\n"
        "        parser.add_argument('--after', type=int, default=surprise())\n",
    )
    assert {"--before", "--after", "--only-relax"} <= names(reading)
    (doubt,) = reading.doubts
    assert doubt.startswith("relax.utils.arguments:")
    (part,) = unknown_parts(rows_of(reading.parsers))
    assert part.startswith("main --after default: ")


def test_a_value_that_the_sources_do_not_tell_is_named() -> None:
    reading = changed('"--layout", type=json.loads', '"--layout", type=__import__("x").y')
    (part,) = unknown_parts(rows_of(reading.parsers))
    assert part.startswith("main --layout type: ")


@pytest.mark.parametrize(
    "hostile",
    [
        "[x for a in range(10 ** 5) for b in range(10 ** 5) for x in [a]]",
        "list(range(10 ** 12))",
        "'x' * 10 ** 12",
        "10 ** 10 ** 10",
        "('%' + '9' * 9 + 'd') % 1",
        "('y' * 1000).replace('y', 'z' * 1000000)",
        "().__class__.__base__.__subclasses__()",
        "getattr((), '__class__')",
        "(lambda f: f(f))(lambda f: f(f))",
        "open('/etc/passwd').read()",
        "exec('import os')",
    ],
)
def test_hostile_sources_are_given_up_quickly(hostile: str) -> None:
    reading = changed('type=json.loads, default="{}"', f"default={hostile}")
    row = next((row for row in rows_of(reading.parsers) if row["name"] == "--layout"), {})
    assert not isinstance(row.get("default"), (str, int, list, type))
    assert reading.doubts or unknown_parts([row])
