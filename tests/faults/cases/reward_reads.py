"""RLX212 to RLX214: what code reads of a sample and of args, and whether the launch gives it."""

from __future__ import annotations

from tests.faults.cases.places import (
    CHARTS_REWARD,
    CHARTS_RUN,
    CONFIG,
    ENTRY,
    ENV,
    REWARD,
    ROLLOUT,
    RUN,
    TEST,
    TRAIN,
    flags,
    rows,
    without,
)
from tests.faults.clean.shared import sums
from tests.faults.trees import Edit, Fault, Maker, append, swap, write

SCORED = "compute_score(sample.response, sample.label)"
ARITH_CONFIG = "examples/arith/arith_config.yaml"


def before(*lines: str) -> Edit:
    """Lines at the top of the entry point's body."""
    return swap(REWARD, ENTRY, ENTRY + "".join(f"    {line}\n" for line in lines))


def configured(text: str) -> tuple[Edit, ...]:
    """A config YAML for the text recipe, passed by its launcher."""
    return write(ARITH_CONFIG, text), flags(f"--custom-config-path {ARITH_CONFIG}")


def _sample() -> list[Fault]:
    made = Maker("RLX212", "text", REWARD)
    made("misspelt", "sample.reponse", swap(REWARD, "sample.response, sample.label", "sample.reponse, sample.label"))
    made(
        "of-verl",
        "sample.ground_truth",
        swap(REWARD, "sample.response, sample.label", "sample.response, sample.ground_truth"),
    )
    made("answer", "sample.answer", before("assert sample.answer"))
    made("solution-str", "solution_str", before("text = sample.solution_str", "assert text"))
    made("extra-info", "sample.extra_info", before("info = sample.extra_info or {}", "assert info"))
    made("method", "sample.as_dict()", before("assert sample.as_dict()"))
    made("status", "Status.DONE", before("assert sample.status != Sample.Status.DONE"))
    made(
        "status-comparison",
        "Status.FINISHED",
        before("if sample.status == Sample.Status.FINISHED:", "    return {'score': 0.0, 'acc': 0.0}"),
    )
    made("nested-class", "Sample.State", before("assert sample.status is not Sample.State.PENDING"))
    made("alias", "one.truth", before("one = sample", "assert one.truth"))
    made(
        "helper",
        ".ground_truth",
        append(REWARD, "\n\ndef truth(item: Sample):\n    return item.ground_truth\n"),
        before("assert truth(sample)"),
    )
    made(
        "helper-unannotated",
        ".ground_truth",
        append(REWARD, "\n\ndef truth(item):\n    return item.ground_truth\n"),
        before("assert truth(sample)"),
    )
    made("getattr-without-default", "getattr(sample, 'truth')", before("assert getattr(sample, 'truth')"))
    made("nested-function", "sample.labels", before("def inner():", "    return sample.labels", "", "assert inner()"))
    made("comprehension", "sample.answers", before("texts = [text for text in sample.answers]", "assert texts"))
    made("augmented", "sample.rewards", before("sample.rewards += 1"))
    made("f-string", "sample.question", before("print(f'{sample.question}')"))
    made(
        "prompt-as-list",
        ("sample.prompt[-1]", "sample.prompt"),
        before("question = sample.prompt[-1]['content']", "assert question"),
    )
    made(
        "prompt-as-list-loop",
        "sample.prompt",
        before("texts = [message['content'] for message in sample.prompt]", "assert texts"),
    )
    made(
        "prompt-as-text",
        "assert sample.prompt.strip()",
        before("assert sample.prompt.strip()"),
        without("--apply-chat-template"),
        may=("RLX214", "RLX704", "RLX505"),
    )
    made(
        "batch",
        "one.answer",
        swap(
            REWARD,
            ENTRY + "    return compute_score(sample.response, sample.label, extra_info=sample.metadata)\n",
            "async def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return [compute_score(one.response, one.answer) for one in samples]\n",
        ),
        flags("--group-rm"),
    )
    turns = Maker("RLX212", "turns", ENV)
    turns(
        "build-env",
        "sample.image",
        swap(ENV, "    return DeskEnv(max_turns", "    print(sample.image)\n    return DeskEnv(max_turns"),
    )
    turns(
        "build-env-guarded-by-truth",
        "sample.multimodal_input ",
        swap(
            ENV,
            "    return DeskEnv(max_turns",
            "    if sample and sample.multimodal_input :\n        print('picture')\n    return DeskEnv(max_turns",
        ),
    )
    turns(
        "generate",
        "sample.token_ids",
        swap(ROLLOUT, "    asked = len(sample.tokens)", "    asked = len(sample.token_ids)"),
        path=ROLLOUT,
    )
    turns(
        "rollout-helper",
        "sample.masks",
        swap(ROLLOUT, "    sample.response_length += len(tokens)", "    sample.response_length += len(sample.masks)"),
        path=ROLLOUT,
    )
    vision = Maker("RLX212", "vision", CHARTS_REWARD)
    vision("images", "sample.images", swap(CHARTS_REWARD, "    said =", "    assert sample.images\n    said ="))
    return [*made.made, *turns.made, *vision.made]


def _arguments() -> list[Fault]:
    made = Maker("RLX213", "text", REWARD)
    made("unset", "args.judge_url", before("assert args.judge_url"))
    made("misspelt-flag", "args.rollout_batchsize", before("assert args.rollout_batchsize"))
    made("getattr", "getattr(args, 'judge_model')", before("assert getattr(args, 'judge_model')"))
    made(
        "helper",
        ".penalty",
        append(REWARD, "\n\ndef penalty(args):\n    return args.penalty\n"),
        before("assert penalty(args)"),
    )
    made(
        "helper-other-name",
        ".penalty",
        append(REWARD, "\n\ndef penalty(config):\n    return config.penalty\n"),
        before("assert penalty(args)"),
    )
    made("vars", "vars(args)", before("assert vars(args)['judge_url']"))
    made(
        "yaml-lacks-it",
        "args.judge_url",
        *configured("judge_model: small\n"),
        before("assert args.judge_url and args.judge_model"),
    )
    made("yaml-misspelt", "args.judge_url", *configured("judge_ur: http://judge\n"), before("assert args.judge_url"))
    made(
        "yaml-nested",
        "args.judge_url",
        *configured("judge:\n  judge_url: http://judge\n"),
        before("assert args.judge_url"),
    )
    made("flag-spelling", "args.n_samples", before("assert args.n_samples"))
    made("alias", "settings.bonus", before("settings = args", "assert settings.bonus"))
    made(
        "batch",
        "args.weight",
        swap(
            REWARD,
            ENTRY + "    return compute_score(sample.response, sample.label, extra_info=sample.metadata)\n",
            "async def reward_func(args, samples: list[Sample], **kwargs):\n"
            "    return [{'score': args.weight} for one in samples]\n",
        ),
        flags("--group-rm"),
    )
    made(
        "object",
        "args.margin",
        swap(
            REWARD,
            ENTRY,
            "class Scorer:\n    async def __call__(self, args, sample, **kwargs):\n"
            "        return {'score': args.margin}\n\n\nreward_func = Scorer()\n\n\n"
            "async def unused(args, sample: Sample, **kwargs):\n",
        ),
    )
    turns = Maker("RLX213", "turns", ROLLOUT)
    turns(
        "generate",
        "range(args.max_turn)",
        swap(ROLLOUT, "range(args.max_turns)", "range(args.max_turn)"),
        may=("RLX213",),
    )
    turns(
        "generate-helper",
        "args.env_path",
        swap(ROLLOUT, "args.rollout_interaction_env_path or", "args.env_path or"),
        may=("RLX213",),
    )
    turns(
        "environment",
        "args.max_steps",
        swap(ENV, "max_turns=args.max_turns if args", "max_turns=args.max_steps if args"),
        path=ENV,
    )
    turns(
        "yaml-key-removed",
        (
            "examples/desk/env_desk.py|return DeskEnv(max_turns=args.max_turns if args else 5)",
            "for _ in range(args.max_turns):",
        ),
        swap(CONFIG, "max_turns: 5\n", ""),
        path=ROLLOUT,
        also=("RLX605",),
        may=("RLX213",),
    )
    advice = Maker("RLX213", "text", ARITH_CONFIG, "advice")
    advice("nobody-reads", "bonus", *configured("bonus: 0.5\n"))
    advice(
        "dash",
        "judge-url",
        *configured("judge-url: http://judge\n"),
        before("assert getattr(args, 'judge_url', None) is None"),
    )
    advice("flow-style", "bonus", *configured("{judge_model: small, bonus: 0.5}\n"), before("assert args.judge_model"))
    advice(
        "nested",
        "judge:",
        *configured("judge:\n  url: http://judge\n"),
        before("assert getattr(args, 'url', None) is None"),
    )
    more = Maker("RLX213", "turns", CONFIG, "advice")
    more("nobody-reads-one-of-three", "temperature_decay", append(CONFIG, "temperature_decay: 0.9\n"))
    return [*made.made, *turns.made, *advice.made, *more.made]


def _wired() -> list[Fault]:
    made = Maker("RLX214", "text", RUN, may=("RLX703",))
    made("no-label-key", '--prompt-data "${PROMPT_SET}"', without("--label-key label"))
    made(
        "label-key-commented-out",
        '--prompt-data "${PROMPT_SET}"',
        swap(RUN, "    --label-key label\n", "    # --label-key label\n"),
    )
    made(
        "label-key-in-eval-only",
        '--prompt-data "${PROMPT_SET}"',
        without("--label-key label"),
        flags("--eval-label-key label", below="    --eval-interval 100\n"),
    )
    made(
        "label-read-by-helper",
        '--prompt-data "${PROMPT_SET}"',
        without("--label-key label"),
        append(REWARD, "\n\ndef truth(item):\n    return item.label\n"),
        swap(REWARD, "sample.response, sample.label,", "sample.response, truth(sample),"),
    )
    plain = [{key: value for key, value in row.items() if key != "data_source"} for row in sums()]
    made(
        "no-metadata-column",
        '--prompt-data "${PROMPT_SET}"',
        without("--metadata-key extra_info"),
        rows(TRAIN, *plain),
        rows(TEST, *plain),
        before("assert sample.metadata['split']"),
        may=("RLX707",),
    )
    made(
        "metadata-get",
        '--prompt-data "${PROMPT_SET}"',
        without("--metadata-key extra_info"),
        rows(TRAIN, *plain),
        rows(TEST, *plain),
        before("assert sample.metadata.get('index') is not None"),
        may=("RLX707",),
    )
    made("no-input-key", '--prompt-data "${PROMPT_SET}"', without("--input-key prompt"), may=("RLX702", "RLX704"))
    made("no-chat-template", "--input-key prompt", without("--apply-chat-template"), may=("RLX704", "RLX505"))
    made(
        "only-async-lacks-the-label",
        '--prompt-data "${PROMPT_SET}"',
        without("--label-key label"),
        swap(RUN, "        --balance-data \\\n", "        --balance-data --label-key label \\\n"),
    )
    turns = Maker("RLX214", "turns", "examples/desk/run_desk.sh", may=("RLX703", "RLX702", "RLX704", "RLX505"))
    turns(
        "no-label-key",
        '--prompt-data "${PROMPT_SET}"',
        swap("examples/desk/run_desk.sh", "    --label-key label\n", ""),
    )
    turns(
        "no-input-key",
        '--prompt-data "${PROMPT_SET}"',
        swap("examples/desk/run_desk.sh", "    --input-key prompt\n", ""),
    )
    vision = Maker("RLX214", "vision", CHARTS_RUN, may=("RLX703", "RLX702", "RLX704", "RLX505", "RLX705"))
    vision("no-label-key", '--prompt-data "${PROMPT_SET}"', swap(CHARTS_RUN, "    --label-key label\n", ""))
    return [*made.made, *turns.made, *vision.made]


FAULTS = [*_sample(), *_arguments(), *_wired()]
