"""Launches to judge, from the words after the entry point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from relax_lint.catalog.flags import embedded
from relax_lint.catalog.namespace import Namespace, Parsers
from relax_lint.constraints.facts import Facts
from relax_lint.constraints.surroundings import Surroundings
from relax_lint.project import Project
from relax_lint.shell.launch import Launch

SCRIPT = "examples/demo/run_demo.sh"

MODEL = "--num-layers 36 --hidden-size 2560 --num-attention-heads 32 --group-query-attention --num-query-groups 8"
RUN = (
    "--colocate --hf-checkpoint /m/Demo-4B --ref-load /m/Demo-4B --megatron-to-hf-mode bridge --prompt-data /d/a.jsonl "
    "--rm-type dapo --num-rollout 100 --rollout-batch-size 32 --n-samples-per-prompt 8 --global-batch-size 256 "
    "--rollout-max-response-len 4096 --tensor-model-parallel-size 2 --sequence-parallel --optimizer-cpu-offload "
    "--overlap-cpu-optimizer-d2h-h2d --use-precision-aware-optimizer"
)
RESOURCE = """--resource '{"actor": [1, 8], "rollout": [1, 8]}'"""
GOOD = f"{MODEL} {RUN} {RESOURCE}"
"""Flags with which nothing is wrong."""


@cache
def parsers() -> Parsers:
    return Parsers(embedded())


def launch_of(flags: str, before: str = "") -> Launch:
    project = Project.from_files({SCRIPT: f"{before}\npython3 relax/entrypoints/train.py {flags}\n"})
    source = project.launcher(project.root / SCRIPT)
    assert source is not None
    return source.launches[0]


def namespace_of(flags: str, before: str = "") -> Namespace:
    return Namespace(launch_of(flags, before), parsers())


class Known(Surroundings):
    """Surroundings of which everything is known."""

    def __init__(
        self,
        variables: Mapping[str, str] | None = None,
        documents: Mapping[str, object] | None = None,
        missing: tuple[str, ...] = (),
        config: object = None,
    ) -> None:
        self.variables = {"CUDA_DEVICE_MAX_CONNECTIONS": "1", **(variables or {})}
        self.documents = documents or {}
        self.missing = missing
        self.config = {} if config is None else config

    def variable(self, name: str) -> object:
        return self.variables.get(name)

    def exists(self, path: str) -> object:
        return path not in self.missing

    def is_directory(self, path: str) -> object:
        return path not in self.missing

    def is_readable(self, path: str) -> object:
        return path in self.documents

    def document(self, path: str) -> object:
        return self.documents.get(path)

    def checkpoint(self, path: str) -> object:
        return self.config


def facts_of(flags: str, before: str = "", around: Surroundings | None = None) -> Facts:
    return Facts(namespace_of(flags, before), around or Known())
