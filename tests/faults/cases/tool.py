"""RLX0: the tool itself."""

from __future__ import annotations

from tests.faults.cases.places import CONFIG, ENV, REWARD, ROLLOUT, RUN, SFT_RUN, instead
from tests.faults.trees import Fault, Maker, append, swap, write

LETTERS = "ABCDEFGHIJKLMNOP"
FORKS = "".join(f'if [ -n "${{TRY_{letter}:-}}" ]; then EXP_NAME="${{EXP_NAME}}-{letter}"; fi\n' for letter in LETTERS)
CASES = "".join(
    f'case "${{TRY_{letter}:-}}" in one) TAG+=1;; two) TAG+=2;; three) TAG+=3;; *) TAG+=0;; esac\n'
    for letter in LETTERS[:10]
)
SHORT = "".join(f'[[ -z "${{TRY_{letter}:-}}" ]] || EXP_NAME+="{letter}"\n' for letter in LETTERS)


def _unreadable() -> list[Fault]:
    text = Maker("RLX001", "text", REWARD, may=("RLX201", "RLX202", "RLX802"))
    text(
        "unclosed-bracket",
        "async def reward_func(args",
        swap(REWARD, "sample: Sample, **kwargs):", "sample: Sample, **kwargs:"),
    )
    text("no-colon", "if not found", swap(REWARD, "    if not found:", "    if not found"))
    text("python-2-print", 'print "right"', append(REWARD, '\n\nprint "right"\n'))
    text("indent", "     return {}", swap(REWARD, "    right = found", "     return {}\n    right = found"))
    text("merge-conflict", "<<<<<<< HEAD", swap(REWARD, ENTRY_OLD, "<<<<<<< HEAD\n" + ENTRY_OLD))
    text(
        "no-utf-8",
        "",
        write(REWARD, b"# caf\xe9\n" + b"async def reward_func(args, sample, **kwargs):\n    return {'score': 1.0}\n"),
    )
    text("nul", "X = '\x00'", append(REWARD, "X = '\0'\n"))
    text("unclosed-string", "PATTERN = ", append(REWARD, "\n\nPATTERN = 'a\n"))
    text(
        "helper-module",
        "return (",
        write("examples/arith/tables.py", "def table():\n    return (\n"),
        path="examples/arith/tables.py",
    )
    text(
        "others-still-checked",
        "return (",
        write("examples/arith/tables.py", "def table():\n    return (\n"),
        swap(REWARD, "async def", "def"),
        path="examples/arith/tables.py",
        also=("RLX202",),
    )
    bash = Maker("RLX001", "text", RUN, may=("RLX423", "RLX405", "RLX802", "RLX421", "RLX422"))
    bash("missing-fi", 'if [ "${MODE}" = "async" ]', swap(RUN, '.log"\nfi\n', '.log"\n'))
    bash("unclosed-quote", 'echo "done', append(RUN, 'echo "done\n'))
    bash("unclosed-array", "MORE_ARGS=(", append(RUN, "MORE_ARGS=(\n    --log-passrate\n"))
    bash("stray-done", "done", append(RUN, "done\n"))
    bash("missing-then", "else", swap(RUN, '= "async" ]; then', '= "async" ];'))
    sft = Maker("RLX001", "sft", SFT_RUN)
    sft("stray-brace", "}  # end", append(SFT_RUN, "}  # end\n"))
    turns = Maker("RLX001", "turns", ENV, may=("RLX304", "RLX507", "RLX605", "RLX802"))
    turns(
        "environment",
        "def step(self, response_text: str)",
        swap(ENV, "def step(self, response_text: str):", "def step(self, response_text: str)"),
    )
    turns("rollout", "await = 1", append(ROLLOUT, "\n\nawait = 1\n"), path=ROLLOUT, may=("RLX306",))
    turns("yaml", "broken: [1, 2", append(CONFIG, "  broken: [1, 2\n"), path=CONFIG, may=("RLX604", "RLX605", "RLX213"))
    turns(
        "yaml-tab", "turns: 3", append(CONFIG, "limits:\n\tturns: 3\n"), path=CONFIG, may=("RLX604", "RLX605", "RLX213")
    )
    return [*text.made, *bash.made, *sft.made, *turns.made]


ENTRY_OLD = "async def reward_func"


def _unused() -> list[Fault]:
    text = Maker("RLX002", "text", REWARD, "warning")
    text("noqa-python", "noqa: RLX202", swap(REWARD, "**kwargs):\n", "**kwargs):  # noqa: RLX202\n"))
    text("noqa-two-codes", "noqa: RLX202,RLX203", swap(REWARD, "**kwargs):\n", "**kwargs):  # noqa: RLX202,RLX203\n"))
    text(
        "noqa-one-of-two",
        "noqa: RLX202, RLX203",
        swap(
            REWARD,
            "async def reward_func(args, sample: Sample, **kwargs):\n",
            "def reward_func(args, sample: Sample, **kwargs):  # noqa: RLX202, RLX203\n",
        ),
    )
    text(
        "comment-python",
        "ignore[RLX205]",
        swap(REWARD, ENTRY_OLD, "# relax-lint: ignore[RLX205] both are dicts\n" + ENTRY_OLD),
    )
    text(
        "comment-by-name",
        "ignore[reward-not-async]",
        swap(REWARD, ENTRY_OLD, "# relax-lint: ignore[reward-not-async] old\n" + ENTRY_OLD),
    )
    text(
        "file-python",
        "file-ignore[RLX210]",
        swap(REWARD, "import re\n", "# relax-lint: file-ignore[RLX210] offline\nimport re\n"),
    )
    text(
        "noqa-array",
        "noqa: RLX407",
        instead("--global-batch-size 256", "--global-batch-size 256  # noqa: RLX407"),
        path=RUN,
    )
    text(
        "comment-array",
        "ignore[RLX406]",
        swap(RUN, "OPTIMIZER_ARGS=(", "# relax-lint: ignore[RLX406] all there\nOPTIMIZER_ARGS=("),
        path=RUN,
    )
    text(
        "comment-flag",
        "ignore[RLX501 --lr]",
        swap(RUN, "OPTIMIZER_ARGS=(", "# relax-lint: ignore[RLX501 --lr] known\nOPTIMIZER_ARGS=("),
        path=RUN,
    )
    text(
        "comment-command",
        "ignore[RLX403]",
        swap(RUN, "else\n    python3", "else\n    # relax-lint: ignore[RLX403] by hand\n    python3"),
        path=RUN,
    )
    text(
        "file-bash",
        "file-ignore[RLX419]",
        swap(RUN, "set -ex\n", "# relax-lint: file-ignore[RLX419] by hand\nset -ex\n"),
        path=RUN,
    )
    text(
        "other-flag",
        "ignore[RLX501 --lr]",
        swap(
            RUN,
            "OPTIMIZER_ARGS=(\n",
            "# relax-lint: ignore[RLX501 --lr] ours\nOPTIMIZER_ARGS=(\n    --learning-pace 1\n",
        ),
        path=RUN,
        also=("RLX501",),
    )
    turns = Maker("RLX002", "turns", CONFIG, "warning")
    turns("noqa-yaml", "noqa: RLX605", swap(CONFIG, "max_turns: 5\n", "max_turns: 5  # noqa: RLX605\n"))
    turns("noqa-env", "noqa: RLX302", swap(ENV, "def reset(self):\n", "def reset(self):  # noqa: RLX302\n"), path=ENV)
    return [*text.made, *turns.made]


def _complex() -> list[Fault]:
    made = Maker("RLX003", "text", RUN, "advice")
    # At which fork there are too many ways is the tool's own affair.
    forks = tuple(f"${{TRY_{letter}:-" for letter in LETTERS)
    made("ifs", forks, swap(RUN, "mkdir -p logs\n", FORKS + "mkdir -p logs\n"))
    made("cases", forks[:10], swap(RUN, "mkdir -p logs\n", "TAG=\n" + CASES + 'EXP_NAME+="${TAG}"\nmkdir -p logs\n'))
    made("short-circuits", forks, swap(RUN, "mkdir -p logs\n", SHORT + "mkdir -p logs\n"))
    made("in-function", forks, swap(RUN, "mkdir -p logs\n", "name_it() {\n" + FORKS + "}\nname_it\nmkdir -p logs\n"))
    return made.made


FAULTS = [*_unreadable(), *_unused(), *_complex()]
