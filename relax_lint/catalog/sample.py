"""What a Relax sample has: the names that ``sample.x`` may read. Of a checkout its own class is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.project import Project
    from relax_lint.sources.python import PythonSource

MODULE = "relax.utils.types"
CLASS = "Sample"
_FILE = "relax/utils/types.py"

FIELDS = (
    *("group_index", "index", "prompt", "tokens", "rollout_tokens", "multimodal_inputs", "multimodal_train_inputs"),
    *("response", "response_length", "label", "reward", "loss_mask", "weight_versions", "rollout_log_probs"),
    *("rollout_routed_experts", "remove_sample", "abort_count", "teacher_log_probs", "student_topk_token_ids"),
    *("student_topk_log_probs", "teacher_at_student_topk_log_probs", "teacher_topk_token_ids"),
    *("teacher_topk_log_probs", "student_at_teacher_topk_log_probs", "opd_topk_token_ids"),
    *("opd_topk_student_log_probs", "opd_topk_teacher_log_probs", "opd_topk_ksz", "teacher_prompt"),
    *("teacher_multimodal_inputs", "teacher_tokens", "teacher_prompt_length", "teacher_image_data"),
    *("teacher_image_b64_list", "teacher_image_grid_thw", "status", "metadata", "generate_function_path"),
    *("train_metadata", "session_id", "non_generation_time", "spec_info", "prefix_cache_info"),
)
METHODS = ("to_dict", "from_dict", "get_reward_value", "update_from_meta_info", "effective_response_length")
NESTED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Status": ("PENDING", "COMPLETED", "TRUNCATED", "ABORTED", "FAILED"),
        "SpecInfo": (
            *("spec_accept_token_num", "spec_draft_token_num", "spec_verify_ct", "completion_token_num"),
            *("spec_accept_rate", "spec_accept_length", "add", "to_dict", "from_dict"),
        ),
        "PrefixCacheInfo": (
            *("cached_tokens", "total_prompt_tokens", "prefix_cache_hit_rate", "add", "to_dict", "from_dict"),
        ),
    }
)
FIELD_KINDS: Mapping[str, str] = MappingProxyType(
    {"status": "Status", "spec_info": "SpecInfo", "prefix_cache_info": "PrefixCacheInfo"}
)
"""Fields that hold an object of a nested class."""
SET_BY_RELAX = frozenset({"_pre_encoded_mm", "_pre_encoded_mm_elapsed"})
"""Attributes that Relax's rollout puts on samples besides."""
OF_ENUMS = frozenset({"name", "value", "__members__", "_missing_"})


@record
class SampleClass:
    """The class: its names, those of its nested classes, and which are enums. ``closed`` unless it may have others."""

    names: frozenset[str]
    nested: Mapping[str, frozenset[str]]
    enums: frozenset[str]
    field_kinds: Mapping[str, str]
    closed: bool = True

    def of_field(self, field: str) -> frozenset[str] | None:
        """What the value of a field has, where that is an object of a nested class."""
        kind = self.field_kinds.get(field)
        if kind is None or kind not in self.nested:
            return None
        return self.nested[kind] | OF_ENUMS if kind in self.enums else self.nested[kind]


def sample_class(project: Project) -> SampleClass:
    """The class of the Relax at hand; the one of July 2026 where there is none, or it cannot be read."""
    source = project.python(project.relax_root / _FILE) if project.relax_root is not None else None
    known = None if source is None else _read(source)
    return known or embedded()


@lru_cache(maxsize=1)
def embedded() -> SampleClass:
    """The class of the Relax that this program was built with."""
    nested = {name: frozenset(members) for name, members in NESTED.items()}
    names = frozenset((*FIELDS, *METHODS, *NESTED)) | SET_BY_RELAX
    return SampleClass(names, nested, frozenset({"Status"}), FIELD_KINDS)


@lru_cache(maxsize=4)
def _read(source: PythonSource) -> SampleClass | None:
    classes = [node for node in source.tree.body if isinstance(node, ast.ClassDef)] if source.tree is not None else []
    by_name = {node.name: node for node in classes}
    if CLASS not in by_name:
        return None
    lineage, closed = _lineage(by_name[CLASS], by_name)
    nested = {part.name: part for node in lineage for part in node.body if isinstance(part, ast.ClassDef)}
    names = frozenset(name for node in lineage for name in names_of_class(node)) | SET_BY_RELAX
    members = {name: frozenset(names_of_class(node)) for name, node in nested.items() if not _is_open(node)}
    enums = frozenset(name for name, node in nested.items() if any("Enum" in ast.unparse(base) for base in node.bases))
    kinds = {name: kind for node in lineage for name, kind in _kinds(node) if kind in members}
    return SampleClass(names, members, enums, kinds, closed)


def _lineage(node: ast.ClassDef, by_name: Mapping[str, ast.ClassDef]) -> tuple[list[ast.ClassDef], bool]:
    """A class with its bases of the same file, and whether these are all and none makes attributes up."""
    found, pending, closed = [], [node], True
    while pending:
        here = pending.pop()
        if here in found:
            continue
        found.append(here)
        closed = closed and not _makes_up_attributes(here)
        for base in here.bases:
            known = by_name.get(base.id) if isinstance(base, ast.Name) else None
            if known is not None:
                pending.append(known)
            elif ast.unparse(base) != "object":
                closed = False
    return found, closed


def _is_open(node: ast.ClassDef) -> bool:
    return _makes_up_attributes(node) or any(not ast.unparse(base).endswith("Enum") for base in node.bases)


def _makes_up_attributes(node: ast.ClassDef) -> bool:
    return any(getattr(part, "name", "") in ("__getattr__", "__getattribute__") for part in node.body)


def names_of_class(node: ast.ClassDef) -> Iterator[str]:
    """What objects of a class have by its own body: fields, methods, nested classes, and what methods store."""
    for part in node.body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield part.name
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id
        elif isinstance(part, ast.Assign):
            yield from (target.id for target in part.targets if isinstance(target, ast.Name))
    methods = [part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for inner in (inner for method in methods for inner in ast.walk(method)):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and isinstance(inner.value, ast.Name):
            if inner.value.id == "self":
                yield inner.attr


def _kinds(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id, ast.unparse(part.annotation)
