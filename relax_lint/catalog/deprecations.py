"""What takes the place of deprecated flags, as far as a launch can be rewritten without a change in what it does."""

from __future__ import annotations

from relax_lint.records import record


@record
class Replacement:
    """What to write: another flag with the same value, or other words; nothing at all for what has no effect.

    ``only`` is the one value that the old flag takes.
    """

    flag: str = ""
    words: str = ""
    only: str | None = None


DROPPED = Replacement()
REPLACEMENTS: dict[str, Replacement] = {
    "--ckpt-fully-parallel-save": DROPPED,
    "--use-dist-ckpt": DROPPED,
    "--dist-ckpt-format": DROPPED,
    "--use-mcore-models": DROPPED,
    "--tokenizer-hf-include-special-tokens": DROPPED,
    "--tokenizer-hf-use-fast": DROPPED,
    "--enable-cuda-graph": Replacement(words="--cuda-graph-impl local"),
    "--external-cuda-graph": Replacement(words="--cuda-graph-impl transformer_engine"),
    "--hybrid-override-pattern": Replacement(flag="--hybrid-layer-pattern"),
    "--no-weight-decay-cond-type": Replacement(words="--apply-wd-to-qk-layernorm", only="apply_wd_to_qk_layernorm"),
    "--tiktoken-special-tokens": Replacement(flag="--tokenizer-special-tokens"),
    "--use-rotary-position-embeddings": Replacement(words="--position-embedding-type rope"),
    "--sglang-stream-output": Replacement(flag="--sglang-incremental-streaming-output"),
    "--teacher-sglang-stream-output": Replacement(flag="--teacher-sglang-incremental-streaming-output"),
}
"""By flag. Flags whose action does nothing may be dropped, too."""

SILENT = frozenset({"--no-position-embedding", "--use-mcore-models", "--use-rotary-position-embeddings"})
"""Flags that are deprecated in their help text only: nothing warns when they are used."""

WARNED = {
    "--tiktoken-special-tokens": "use --tokenizer-special-tokens",
    "--tokenizer-hf-include-special-tokens": "see --tokenizer-hf-no-include-special-tokens",
    "--tokenizer-hf-use-fast": "see --tokenizer-hf-no-use-fast",
}
"""Flags that Megatron's validation warns about and whose help text says nothing."""

HINTS = {
    f"--{prefix}sglang-enable-nan-detection": "set SGLANG_SPEC_NAN_DETECTION=1 and SGLANG_SPEC_OOB_DETECTION=1"
    for prefix in ("", "teacher-")
}
"""What to do instead where it is no flag."""
