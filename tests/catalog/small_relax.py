"""A Relax, a Megatron, an SGLang and a router of a few flags each, registered in all the ways of the real ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from relax_lint.catalog.reading.modules import Sources

RELAX = {
    "relax/entrypoints/train.py": "",
    "relax/utils/arguments.py": """\
import argparse
import json

from sglang_router.launch_router import RouterArgs

from relax.backends.sglang.arguments import sglang_parse_args
from relax.utils.teacher import teacher_parse_args

COLOURS = ["red", "green"]


def reset_arg(parser, name, **kwargs):
    for action in parser._actions:
        if name in action.option_strings:
            if "default" in kwargs:
                action.default = kwargs["default"]
            break
    else:
        parser.add_argument(name, **kwargs)


def provider(more=None):
    def add_all(parser):
        def add_plain(parser):
            parser.add_argument("--layout", type=json.loads, default="{}")
            parser.add_argument("--colour", type=str, choices=COLOURS, default=COLOURS[0])
            parser.add_argument("--offload", action=argparse.BooleanOptionalAction)
            parser.add_argument("--polling", type=bool, default=True)
            for role in ("actor", "critic"):
                parser.add_argument(f"--{role}-nodes", type=int, default=1 if role == "actor" else None)
            return parser

        parser = add_plain(parser)
        RouterArgs.add_cli_args(parser, use_router_prefix=True, exclude_host_port=True)
        reset_arg(parser, "--lr", type=str, default=1e-6)
        reset_arg(parser, "--only-relax", type=int, default=3)
        if more is not None:
            parser = more(parser)
        return parser

    return add_all


def _before():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--debug-only", action="store_true", default=False)
    args, _ = parser.parse_known_args()
    return args


def parse_args(more=None):
    extra = provider(more)
    first = _before()
    if not first.debug_only:
        sglang_parse_args()
        teacher_parse_args()
    from relax.backends.megatron.arguments import megatron_parse_args

    return megatron_parse_args(extra_args_provider=extra)
""",
    "relax/backends/megatron/arguments.py": """\
from megatron.training.arguments import parse_args as _parse


def megatron_parse_args(extra_args_provider):
    return _parse(extra_args_provider=extra_args_provider, ignore_unknown_args=True)
""",
    "relax/backends/sglang/arguments.py": """\
import argparse

from sglang.srt.server_args import ServerArgs


def _router(parser):
    from sglang_router.router_args import RouterArgs

    old = argparse._ActionsContainer.add_argument

    def add(*names, **given):
        dest = given.get("dest")
        if not dest:
            for name in names:
                if isinstance(name, str) and name.startswith("--"):
                    dest = name[2:].replace("-", "_")
                    break
        if dest in {"host", "port"}:
            return
        given = given.copy()
        given["dest"] = f"router_{dest}"
        old(*[f"--sglang-router-{n[2:]}" if isinstance(n, str) else n for n in names], **given)

    argparse._ActionsContainer.add_argument = add
    try:
        RouterArgs.add_cli_args(parser, use_router_prefix=False, exclude_host_port=False)
    finally:
        argparse._ActionsContainer.add_argument = old


def add_sglang_arguments(parser):
    _router(parser)
    parser.set_defaults(router_retries=7)
    old = parser.add_argument
    skipped = ["model_path"]

    def add(*names, **given):
        dest = given["dest"] if "dest" in given else names[0].lstrip("-").replace("-", "_")
        if dest in skipped:
            return
        if "dest" in given:
            given["dest"] = "sglang_" + given["dest"]
        old(*["--sglang-" + name.lstrip("-") for name in names], **given)

    parser.add_argument = add
    ServerArgs.add_cli_args(parser)
    parser.add_argument = old
    parser.add_argument("--sglang-extra", type=int, default=2)


def sglang_parse_args():
    parser = argparse.ArgumentParser(add_help=False)
    add_sglang_arguments(parser)
    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--actor-nodes", type=int, default=4)
    known, _ = early.parse_known_args()
    parser.set_defaults(sglang_tp_size=known.actor_nodes // 2)
    args, _ = parser.parse_known_args()
    return args
""",
    "relax/utils/teacher.py": """\
import argparse


def teacher_parse_args():
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser(add_help=False)
    old = parser.add_argument

    def add(*names, **given):
        if "dest" in given:
            given["dest"] = "teacher_sglang_" + given["dest"]
        given["default"] = argparse.SUPPRESS
        old(*[f"--teacher-sglang-{name.lstrip('-')}" for name in names], **given)

    parser.add_argument = add
    try:
        ServerArgs.add_cli_args(parser)
    finally:
        parser.add_argument = old
    return parser.parse_known_args()[0]
""",
}

MEGATRON = {
    "megatron/training/factory.py": """\
import enum
import types
import typing
from dataclasses import MISSING, fields


class NotInferred(Exception):
    pass


class Factory:
    def __init__(self, kind, exclude=None):
        self.kind = kind
        self.exclude = set(exclude) if exclude is not None else set()

    def _name(self, name, prefix=None):
        return "--" + (f"{prefix}_{name}" if prefix else name).replace("_", "-")

    def _inferred(self, kind):
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            def member(word):
                return kind[word]

            return {"type": member, "choices": list(kind)}
        if origin is None:
            return {"type": kind}
        if origin in [types.UnionType, typing.Union]:
            if parts[1] == type(None):
                return self._inferred(parts[0])
            raise NotInferred(kind)
        if origin is list:
            return {**self._inferred(parts[0]), "nargs": "+"}
        if origin is typing.Literal:
            assert all([type(part) == type(parts[0]) for part in parts])
            return {"type": type(parts[0]), "choices": parts}
        raise NotInferred(kind)

    def build(self, parser):
        group = parser.add_argument_group(title="t", description=self.kind.__doc__)
        for field in fields(self.kind):
            if field.name in self.exclude or field.init is False:
                continue
            names = [self._name(field.name)]
            default = field.default_factory() if isinstance(field.default, type(MISSING)) else field.default
            given = {"dest": field.name, "default": default}
            meta = field.metadata.get("argparse_meta")
            try:
                given.update(self._inferred(field.type))
                if given["type"] == bool:
                    given["action"] = "store_true" if field.default == False else "store_false"
                    given.pop("type")
                    if given["action"] == "store_false":
                        names = [self._name(field.name, "no"), self._name(field.name, "disable")]
            except NotInferred as problem:
                if meta is None:
                    raise problem
            if meta is not None:
                given.update(meta)
            names = given.pop("names", names)
            group.add_argument(*names, **given)
        return group
""",
    "megatron/training/config.py": """\
import enum
from dataclasses import dataclass, field
from typing import Callable, ClassVar, Literal, Optional


class Backend(enum.Enum):
    flash = 1
    fused = enum.auto()


@dataclass
class Base:
    registry: ClassVar[dict] = {}
    hidden: int = 0
    window: Optional[int] = None
    internal: int = 1


@dataclass(kw_only=True)
class Config(Base):
    bias: bool = True
    tied: bool = False
    kind: Literal["a", "b"] = "b"
    backend: Backend = Backend.fused
    sizes: list[int] = field(default_factory=list)
    rampup: list[str] | None = field(default=None, metadata={"argparse_meta": {"nargs": 3}})
    hidden: int = field(
        default=0, metadata={"argparse_meta": {"default": None, "names": ["--hidden", "--hidden-size"]}}
    )
    act: int | str = field(default="x", metadata={"argparse_meta": {"type": str}})
    derived: int = field(init=False, default=4)
""",
    "megatron/training/arguments.py": """\
import argparse
import os

from megatron.training.config import Backend, Config
from megatron.training.factory import Factory


def freq(x):
    if isinstance(x, int):
        return x
    return int(x)


def add_arguments(parser):
    Factory(Config, exclude=["internal"]).build(parser)
    group = parser.add_argument_group(title="more")
    group.add_argument("--lr", type=float, default=None)
    group.add_argument("--rank", type=int, default=int(os.getenv("RANK", "0")))
    group.add_argument("--freq", type=freq, default=2 ** 3)
    group.add_argument("--scope", nargs="+", type=lambda name: Backend[name] if name != "full" else name, default=[])
    group.add_argument("--old-size", type=int, help="Deprecated: use --hidden-size instead.")
    try:
        from nvidia_kitchen import HAVE
    except ImportError:
        HAVE = False
    if HAVE:
        group.add_argument("--kitchen")
    return parser


def parse_args(extra_args_provider=None, ignore_unknown_args=False):
    parser = argparse.ArgumentParser(description="Megatron", allow_abbrev=False)
    parser = add_arguments(parser)
    if extra_args_provider is not None:
        parser = extra_args_provider(parser)
    args, _ = parser.parse_known_args()
    raise SystemExit(args.nothing.here.counts)
""",
}

SGLANG = {
    "sglang/srt/server_args.py": """\
from __future__ import annotations

import argparse
import dataclasses
import json

from sglang.srt.parsers import Parser
from sglang.srt.utils import human_readable_int

BACKENDS = ["triton", "fa3"]
SAMPLERS = {"pytorch", "flashinfer"}


@dataclasses.dataclass
class ServerArgs:
    model_path: str
    tp_size: int = 1
    mem: float | None = None
    seed: bool = True

    @staticmethod
    def add_cli_args(parser: argparse.ArgumentParser):
        parser.add_argument("--model-path", "--model", type=str, required=True)
        parser.add_argument("--tp-size", "--tp", type=int, default=ServerArgs.tp_size)
        parser.add_argument("--mem-fraction", type=float, dest="mem", default=ServerArgs.mem)
        parser.add_argument("--backend", choices=BACKENDS + ["auto"])
        parser.add_argument("--sampler", choices=SAMPLERS)
        parser.add_argument("--parser", choices=["auto"] + list(Parser.known.keys()))
        parser.add_argument("--length", type=human_readable_int)
        parser.add_argument("--strict", action=argparse.BooleanOptionalAction, type=bool, default=False)
        parser.add_argument("--old", action=Gone, help="Note: --old is deprecated now. Please use --backend instead.")
        parser.add_argument("--older", dest="strict", action=Renamed, new_flag="--strict")
        parser.add_argument("--paths", nargs="*", action=Paths)
        parser.add_argument("--config", type=json.loads)


class Gone(argparse.Action):
    def __init__(self, option_strings, dest, nargs=0, **kwargs):
        super(Gone, self).__init__(option_strings, dest, nargs=nargs, **kwargs)

    def __call__(self, parser, namespace, values, option_string=None):
        pass


class Renamed(argparse.Action):
    def __init__(self, option_strings, dest, new_flag=None, nargs=0, const=True, default=False, **kwargs):
        self.new_flag = new_flag
        super().__init__(option_strings, dest, nargs=nargs, const=const, default=default, **kwargs)


class Paths(argparse.Action):
    pass
""",
    "sglang/srt/parsers.py": """\
class Parser:
    known = {"qwen": None, "llama": None}
""",
    "sglang/srt/utils.py": """\
import torch


def human_readable_int(value):
    return int(value)
""",
}

ROUTER = {
    "sglang_router/launch_router.py": "from sglang_router.router_args import RouterArgs\n",
    "sglang_router/router_args.py": """\
import dataclasses
import os

from sglang_router.sglang_router_rs import get_available_tool_call_parsers


@dataclasses.dataclass
class RouterArgs:
    host: str = "0.0.0.0"
    retries: int = 5

    @staticmethod
    def add_cli_args(parser, use_router_prefix=False, exclude_host_port=False):
        prefix = "router-" if use_router_prefix else ""
        group = parser.add_argument_group("Routing", "how")
        if not exclude_host_port:
            group.add_argument("--host", type=str, default=RouterArgs.host)
        group.add_argument("--worker-urls", type=str, nargs="*", default=[])
        group.add_argument(f"--{prefix}policy", choices=["random", "manual"], default="random")
        group.add_argument(f"--{prefix}retries", type=int, default=int(os.getenv("RETRIES", RouterArgs.retries)))
        group.add_argument(f"--{prefix}tools", choices=get_available_tool_call_parsers())
        group.add_argument(f"--{prefix}decode", nargs=1, action="append", metavar=("URL",))
""",
}

EVERYTHING = {**RELAX, **MEGATRON, **SGLANG, **ROUTER}


def sources(tree: Mapping[str, str]) -> Sources:
    """Modules that exist in memory only."""
    root = Path("/small")
    return Sources(
        [root], lambda path: tree[key].encode() if (key := path.relative_to(root).as_posix()) in tree else None
    )
