"""What Relax refuses in the YAML files that a launch names."""

from __future__ import annotations

from collections.abc import Iterable

DATASET_KEYS = frozenset(
    "name path rm_type input_key label_key tool_key metadata_key n_samples_per_eval_prompt temperature top_p top_k "
    "max_response_len stop stop_token_ids min_new_tokens custom_generate_function_path metadata_overrides".split()
)
"""The keys of a data set in ``--eval-config``; any other ends in a TypeError."""


def eval_config_fault(document: object) -> str | None:
    """Why Relax cannot evaluate by a config; ``None`` when it can."""
    if not isinstance(document, dict):
        return "its root is no mapping"
    inner = document.get("eval", document)
    if not isinstance(inner, dict):
        return "`eval` is no mapping"
    if inner.get("defaults") and not isinstance(inner["defaults"], dict):
        return "`defaults` is no mapping"
    datasets = inner.get("datasets")
    if datasets is not None and not isinstance(datasets, dict | list):
        return "`datasets` is neither a list nor a mapping"
    if not datasets:
        return "it has no data sets"
    entries = list(datasets.values()) if isinstance(datasets, dict) else datasets
    return next(filter(None, (_dataset_fault(entry, isinstance(datasets, list)) for entry in entries)), None)


def _dataset_fault(entry: object, needs_name: bool) -> str | None:
    if entry is not None and not isinstance(entry, dict):
        return "a data set is no mapping"
    keys: Iterable[object] = entry or {}
    if needs_name and "name" not in keys:
        return "a data set has no name"
    unknown = [str(key) for key in keys if key not in DATASET_KEYS]
    if unknown:
        return f"a data set has {unknown[0]}, which Relax does not know"
    if "path" not in keys:
        return "a data set has no path"
    overrides = (entry or {}).get("metadata_overrides")
    return None if overrides is None or isinstance(overrides, dict) else "`metadata_overrides` is no mapping"


def custom_config_fault(document: object) -> str | None:
    """Why Relax cannot read further arguments from a file; ``None`` when it can."""
    if document and not isinstance(document, dict):
        return "its root is no mapping"
    if isinstance(document, dict) and (odd := [key for key in document if not isinstance(key, str)]):
        return f"its key {odd[0]} is no text"
    return None
