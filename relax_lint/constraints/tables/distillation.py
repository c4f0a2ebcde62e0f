"""Relax's checks of on-policy distillation."""

from __future__ import annotations

from relax_lint.constraints.schema import RL, Constraint, section

_S = section("validate", "relax/utils/opd/opd_utils.py")
_ON = "use_opd and not is_sft and "
_SGLANG = _ON + 'opd_type == "sglang" and '

DISTILLATION: tuple[Constraint, ...] = (
    _S.ignores(
        "opd-flags-unused",
        '(not use_opd or is_sft) and given("--opd-type", "--opd-teacher-load", "--opd-teacher-url", '
        '"--opd-teacher-routes", "--opd-teacher-key", "--opd-teacher-ckpt-step", "--opd-teacher-timeout-s", '
        '"--opd-kl-coef", "--opd-loss-coef", "--opd-kl-type", "--opd-jsd-alpha", "--opd-norm-mode", '
        '"--opd-token-selection", "--opd-log-prob-top-k", "--opd-per-token-clip", "--opd-is-clip", '
        '"--teacher-hf-checkpoint", "--teacher-num-gpus-per-engine")',
        "distillation is off: it needs --use-opd, and is none in supervised fine-tuning",
        677,
    ),
    _S.refuses("opd-type-missing", _ON + "opd_type is None", "--use-opd needs --opd-type", 680, modes=RL),
    _S.refuses(
        "opd-timeout", _ON + "opd_teacher_timeout_s <= 0", "--opd-teacher-timeout-s is not above 0", 682, modes=RL
    ),
    _S.refuses("opd-top-k-negative", _ON + "opd_log_prob_top_k < 0", "--opd-log-prob-top-k is below 0", 684, modes=RL),
    _S.refuses(
        "opd-selection-needs-top-k",
        _ON + 'opd_token_selection != "student_sampled" and opd_log_prob_top_k <= 0',
        "--opd-token-selection {opd_token_selection} needs --opd-log-prob-top-k above 0",
        688,
        modes=RL,
        flags=("--opd-token-selection",),
    ),
    _S.refuses(
        "opd-kl-type-sampled",
        _ON + 'opd_token_selection == "student_sampled" and opd_kl_type not in ("reverse_kl", "low_var_kl")',
        "--opd-kl-type {opd_kl_type} does not fit sampled tokens: reverse_kl and low_var_kl do",
        692,
        modes=RL,
        flags=("--opd-kl-type",),
    ),
    _S.refuses(
        "opd-one-coef",
        _ON + "(opd_kl_coef != 0) == (opd_loss_coef != 0)",
        "exactly one of --opd-kl-coef ({opd_kl_coef}) and --opd-loss-coef ({opd_loss_coef}) must be other than 0",
        704,
        modes=RL,
        flags=("--opd-loss-coef", "--opd-kl-coef", "--use-opd"),
    ),
    _S.refuses(
        "opd-prompt-key-type",
        _ON + 'opd_teacher_prompt_key is not None and opd_type != "sglang"',
        "--opd-teacher-prompt-key needs --opd-type sglang",
        713,
        modes=RL,
        flags=("--opd-teacher-prompt-key",),
    ),
    _S.refuses(
        "opd-image-key-type",
        _ON + 'opd_teacher_image_key is not None and opd_type != "sglang"',
        "--opd-teacher-image-key needs --opd-type sglang",
        721,
        modes=RL,
        flags=("--opd-teacher-image-key",),
    ),
    _S.refuses(
        "opd-image-key-multimodal",
        _SGLANG + "opd_teacher_image_key is not None and not multimodal_keys",
        "--opd-teacher-image-key needs --multimodal-keys",
        723,
        modes=RL,
        flags=("--opd-teacher-image-key",),
    ),
    _S.refuses(
        "opd-token-clip",
        _ON + "opd_per_token_clip is not None and opd_per_token_clip <= 0",
        "--opd-per-token-clip is not above 0",
        732,
        modes=RL,
        flags=("--opd-per-token-clip",),
    ),
    _S.refuses(
        "opd-is-clip",
        _ON + "opd_is_clip is not None and opd_is_clip <= 0",
        "--opd-is-clip is not above 0",
        737,
        modes=RL,
        flags=("--opd-is-clip",),
    ),
    _S.ignores(
        "opd-is-clip-adv-mode",
        _ON + "opd_is_clip is not None and opd_loss_coef == 0",
        "--opd-is-clip acts on the loss only, which needs --opd-loss-coef",
        738,
        modes=RL,
        flags=("--opd-is-clip",),
    ),
    _S.refuses(
        "opd-megatron-load",
        _ON + 'opd_type == "megatron" and opd_teacher_load is None',
        "--opd-type megatron needs --opd-teacher-load",
        746,
        modes=RL,
        flags=("--opd-type",),
    ),
    _S.refuses(
        "opd-megatron-load-missing",
        _ON + 'opd_type == "megatron" and opd_teacher_load is not None and not teacher_load_exists',
        "--opd-teacher-load {opd_teacher_load} does not exist",
        751,
        modes=RL,
        flags=("--opd-teacher-load",),
    ),
    _S.refuses(
        "opd-sglang-load",
        _SGLANG + "opd_teacher_load is not None",
        "--opd-teacher-load belongs to --opd-type megatron",
        760,
        modes=RL,
        flags=("--opd-teacher-load",),
    ),
    _S.refuses(
        "opd-routes-json",
        _SGLANG + "opd_teacher_routes is not None and not is_json(opd_teacher_routes)",
        "--opd-teacher-routes is no JSON",
        775,
        modes=RL,
        flags=("--opd-teacher-routes",),
    ),
    _S.refuses(
        "opd-routes-object",
        _SGLANG + "opd_teacher_routes is not None and is_json(opd_teacher_routes) "
        "and (not is_object(routes) or not routes)",
        "--opd-teacher-routes is an object with at least one teacher",
        777,
        modes=RL,
        flags=("--opd-teacher-routes",),
    ),
    _S.refuses(
        "opd-routes-vs-checkpoint",
        _SGLANG + "opd_teacher_routes is not None and teacher_hf_checkpoint is not None",
        "--opd-teacher-routes and --teacher-hf-checkpoint exclude each other",
        785,
        modes=RL,
        flags=("--teacher-hf-checkpoint",),
    ),
    _S.refuses(
        "opd-routes-resource",
        _SGLANG + 'opd_teacher_routes is not None and "teacher" not in roles',
        "--opd-teacher-routes needs a teacher in --resource",
        790,
        modes=RL,
        flags=("--opd-teacher-routes",),
        behind=(
            "resource-missing",
            "resource-not-object",
        ),
        rule="RLX412",
    ),
    _S.refuses(
        "opd-no-teacher",
        _SGLANG + "opd_teacher_url is None and not managed_teacher",
        "no teacher: --opd-teacher-url, or --teacher-hf-checkpoint with a teacher in --resource",
        806,
        modes=RL,
        flags=("--opd-type",),
    ),
    _S.overwrites(
        "opd-url-overwritten",
        "managed_teacher and teacher_hf_checkpoint is not None and opd_teacher_url is not None",
        "the teacher that Relax starts replaces --opd-teacher-url",
        237,
        modes=RL,
        flags=("--opd-teacher-url",),
    ),
    _S.ignores(
        "opd-checkpoint-unmanaged",
        _SGLANG + 'teacher_hf_checkpoint is not None and opd_teacher_url is not None and "teacher" not in roles',
        "without a teacher in --resource no teacher is started, and --opd-teacher-url is asked",
        64,
        modes=RL,
        flags=("--teacher-hf-checkpoint",),
    ),
    _S.ignores(
        "teacher-entry-idle",
        '"teacher" in roles and not managed_teacher',
        "the teacher in --resource belongs to nobody: no managed teacher is asked for",
        64,
        flags=("--resource",),
    ),
)
