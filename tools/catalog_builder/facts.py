"""What no local source tells, each with its reason; the tables of the catalogue that people keep."""

from __future__ import annotations

from relax_lint.catalog.reading.rows import Row

FORK_POLICIES = ("consistent_hashing", "prefix_hash")
"""Routing policies of the router fork that Relax's image installs over the official wheel; its source is not public,
its compiled module names them."""

FORK_FLAGS: tuple[Row, ...] = (
    {"stem": "json-log", "action": "store_true", "default": False},
    # The module's start-up arguments have it; no source shows its flag, and a launch that uses it is no mistake.
)
"""Flags that the same fork has and the official router has not."""

POLICY_FLAGS = ("policy", "prefill-policy", "decode-policy")
ROUTER_PREFIXES = {"--router-": "main", "--sglang-router-": "sglang"}

JSON_SHAPES: dict[str, str] = {
    "--resource": "object of role: [1, gpus]",
    "--ref-actor-config": "object of setting: value",
    "--train-env-vars": "object of name: text",
    "--apply-chat-template-kwargs": "object",
    "--multimodal-keys": "object of medium: column",
    "--conversation-key-map": "object of name: name",
    "--genrm-engine-config": "object of setting: value",
    "--genrm-sampling-config": "object of setting: value",
    "--opd-teacher-routes": "object of source: checkpoint",
    "--sglang-extra-metric-labels": "object of label: text",
    "--sglang-preferred-sampling-params": "object",
    "--sglang-mm-process-config": "object of medium: object",
    "--sglang-limit-mm-data-per-request": "object of medium: number",
    "--sglang-remote-instance-weight-loader-send-weights-group-ports": "list of numbers",
    "--sglang-forward-hooks": "list of objects",
    "--sglang-json-model-override-args": "object",
    "--sglang-kv-events-config": "object",
    "--sglang-hisparse-config": "object",
    "--sglang-modelexpress-config": "object",
}
"""The JSON that flags take; a parser only asks that it is JSON. Those of type ``str`` are read as JSON later."""

DEPRECATED_VALUES: dict[str, dict[str, str]] = {
    "--loss-type": {"sft-loss": "sft", "sft_loss": "sft"},
    "--optimizer": {"dist_muon": "muon"},
    **{f"{prefix}-tool-call-parser": {"glm45": "glm", "qwen25": "qwen"} for prefix in ("--sglang", "--teacher-sglang")},
    **{
        f"{prefix}-{phase}attention-backend": {"compressed": "dsv4"}
        for prefix in ("--sglang", "--teacher-sglang")
        for phase in ("", "prefill-", "decode-", "speculative-draft-")
    },
}
"""Values that the checks behind a parser warn about, with what they want instead."""
