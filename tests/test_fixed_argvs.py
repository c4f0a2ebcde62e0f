"""What a launch passes before and after `--fix`, compared word by word: every difference is one that the rule says."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from relax_lint.cli import main
from relax_lint.fixing import fix
from relax_lint.project import Project
from relax_lint.rules import load_rules
from tests import test_rule_examples as harness
from tests.faulty_launchers import REWARDS, FaultyLauncher
from tools.rule_examples import tree_of

RECIPES = Path(__file__).parent / "recipes"
NUMBER = 30
ENTRY = "relax/entrypoints/train.py"
MODULE = "relax.entrypoints.train"
RUNTIME_ENV = "--runtime-env-json"
OPTIMIZER = ("--optimizer-cpu-offload", "--overlap-cpu-optimizer-d2h-h2d", "--use-precision-aware-optimizer")
SHORT = "--sglang-mem-frac"
FILTER_FILE, FILTER_MODULE = "examples/demo/rewards.py:plain", "examples.demo.rewards.plain"
BATCH = ("--rollout-batch-size", "--n-samples-per-prompt", "--global-batch-size", "--num-steps-per-rollout")

FOR_HYDRA = re.compile(r"[~+]{0,2}[a-z]\w*(?:\.\w+)+(?:=.*)?", re.DOTALL)
IN_PLACE_OF_THESE = (
    "--rollout-batch-size", "--global-batch-size", "--num-epoch", "--hf-checkpoint", "--n-samples-per-prompt",
    "--rollout-max-prompt-len", "--rollout-max-response-len", "--prompt-data", "--lambd", "--resource",
)  # fmt: skip

Argv = list[str]
Argvs = dict[str, list[Argv]]
Capture = pytest.CaptureFixture[str]


def without(argv: Argv, *flags: str, values: int) -> Argv:
    """An argv without some flags and the values of each."""
    kept: Argv = []
    at = 0
    while at < len(argv):
        flag, equals, _ = argv[at].partition("=")
        if flag in flags:
            at += 1 if equals else 1 + values
        else:
            kept.append(argv[at])
            at += 1
    return kept


def started_directly(argv: Argv) -> Argv:
    """The same launch without a submission, by the entry point's path."""
    if argv[:3] == ["ray", "job", "submit"]:
        argv = argv[argv.index("--") + 1 :]
        argv = argv[next(at for at, word in enumerate(argv) if word.startswith("python")) :]
    words: Argv = []
    for word in argv:
        if word == MODULE and words[-1] in ("-m", "-um"):
            words[-1:] = [*(["-u"] if words[-1] == "-um" else []), ENTRY]
        else:
            words.append(ENTRY if word == f"-m{MODULE}" else word)
    return words


def without_resource(argv: Argv) -> Argv:
    """An argv without ``--resource`` and all that follows it up to the next flag: bash may have taken it apart."""
    kept: Argv = []
    is_inside = False
    for word in argv:
        is_inside = word.partition("=")[0] == "--resource" or (is_inside and not word.startswith("-"))
        if not is_inside:
            kept.append(word)
    return kept


def rest_of(*flags: str, values: int) -> Callable[[Argv], Argv]:
    return lambda argv: without(argv, *flags, values=values)


def without_hydra(argv: Argv) -> Argv:
    """An argv without words for Hydra, its options, and the flags that stand in their place."""
    argv = without(argv, "--config-path", "--config-name", *IN_PLACE_OF_THESE, values=1)
    argv = without(argv, "--skip-eval-before-train", "--rollout-shuffle", values=0)
    return [word for word in argv if word == MODULE or not FOR_HYDRA.fullmatch(word)]


def taken_apart(argv: Argv) -> Argv:
    """An argv with the words that arrays were meant to be: 100 is what their examples hold behind the first."""
    return " ".join(argv).replace("[@]", " 100").split()


ALIKE: dict[str, Callable[[Argv], Argv]] = {
    "RLX204": rest_of("--group-rm", values=0),
    "RLX206": rest_of("--reward-key", values=1),
    "RLX207": rest_of("--reward-key", values=1),
    "RLX403": started_directly,
    "RLX404": rest_of(RUNTIME_ENV, values=1),
    "RLX406": rest_of(*OPTIMIZER, values=0),
    "RLX407": rest_of(*BATCH, values=1),
    "RLX411": rest_of("--ref-actor-config", values=1),
    "RLX412": without_resource,
    "RLX413": rest_of("--colocate", "--hybrid", "--balance-data", values=0),
    "RLX417": rest_of("--kl-loss-type", values=1),
    "RLX419": list,
    "RLX420": list,
    "RLX502": lambda argv: [word for word in argv if word != "true"],
    "RLX504": lambda argv: ["--sglang-mem-fraction-static" if word == SHORT else word for word in argv],
    "RLX506": lambda argv: without(without(argv, "--enable-cuda-graph", values=0), "--cuda-graph-impl", values=1),
    "RLX507": lambda argv: [FILTER_MODULE if word == FILTER_FILE else word for word in argv],
    "RLX801": list,
}
"""For each rule whose safe fixes edit launchers: what its fixes must leave as it is."""
WITH_MORE_FILES: dict[str, Callable[[Argv], Argv]] = {
    "RLX214": lambda argv: without(
        without(argv, "--label-key", "--metadata-key", "--input-key", values=1), "--apply-chat-template", values=0
    ),
    "RLX307": rest_of("--custom-generate-function-path", "--custom-config-path", values=1),
    "RLX402": without_hydra,
    "RLX410": rest_of("--multimodal-keys", values=1),
    "RLX421": taken_apart,
}
"""The same for rules that need data, code, words for Hydra, or arrays; their own examples have it."""


def alike(argv: Argv) -> Argv:
    """What no fix of any rule may change."""
    for keep in ALIKE.values():
        argv = keep(argv)
    return argv


def shown(launchers: Iterable[str], capsys: Capture) -> Argvs:
    """Every launch of every launcher, alone and in both modes. What was shown of a text, among the same files, is not
    asked again: the thirty launchers are the same in each test, and a fix leaves most of them as they are."""
    files = {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}
    texts = [(launcher, files.pop(launcher)) for launcher in launchers]
    known = SHOWN.setdefault(frozenset(files.items()), {})
    new = [(launcher, text) for launcher, text in texts if (launcher, text) not in known]
    if new:
        found = asked([launcher for launcher, _ in new], capsys)
        for launcher, text in new:
            known[launcher, text] = {name: argvs for name, argvs in found.items() if name.partition(" ")[0] == launcher}
    return {name: argvs for each in texts for name, argvs in known[each].items()}


SHOWN: dict[frozenset[tuple[str, bytes]], dict[tuple[str, bytes], Argvs]] = {}


def asked(launchers: Iterable[str], capsys: Capture) -> Argvs:
    """What `relax-lint show` says."""
    found: Argvs = {}
    for mode in ([], ["--", "sync"], ["--", "async"]):
        site = ("PATH=/bin", "MODEL_DIR=/m", "DATA_DIR=/d", "RELAX_ENTRYPOINT_MODE=ray-job")
        environment = [*(word for value in site for word in ("--env", value)), "--clean-env"]
        assert main(["show", "--all", "--format", "json", *environment, *launchers, *mode]) == 0
        for script in json.loads(capsys.readouterr().out)["scripts"]:
            found[" ".join([script["path"], *mode])] = [launch["argv"] for launch in script["launches"]]
    return found


def fixed(launchers: list[str], capsys: Capture, *options: str) -> Argvs:
    assert main(["check", "--fix", *options, "examples"]) in (0, 1)
    capsys.readouterr()
    return shown(launchers, capsys)


def differing(before: Argvs, after: Argvs, keep: Callable[[Argv], Argv]) -> dict[str, tuple[list[Argv], list[Argv]]]:
    return {
        script: (argvs, after[script])
        for script, argvs in before.items()
        if [keep(argv) for argv in argvs] != [keep(argv) for argv in after[script]]
    }


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A recipe of generated launchers in the working directory."""
    monkeypatch.chdir(tmp_path)
    return written(lambda launcher: launcher.text)


def written(text: Callable[[FaultyLauncher], str]) -> list[str]:
    recipe = Path("examples/demo")
    recipe.mkdir(parents=True, exist_ok=True)
    (recipe / "rewards.py").write_text(REWARDS)
    for seed in range(NUMBER):
        (recipe / f"run_{seed:03}.sh").write_text(text(FaultyLauncher(seed)), newline="")
    return [str(path) for path in sorted(recipe.glob("run_*.sh"))]


def test_every_rule_with_a_safe_fix_for_launchers_is_compared() -> None:
    """RLX405's is no single edit; the mode that a launcher had before is compared in test_half_migrated."""
    of_launchers = {
        rule.code
        for rule in load_rules().values()
        if rule.fixable == "safe" and (rule.on in ("launcher", "launch") or rule.code in ("RLX204", "RLX206", "RLX207"))
    }
    assert of_launchers == {*ALIKE, *WITH_MORE_FILES, "RLX422", "RLX405"} - {"RLX801"}


@pytest.mark.parametrize("code", WITH_MORE_FILES)
def test_a_fix_by_other_files_adds_what_its_rule_says(code: str) -> None:
    rule = harness.RULES[code]
    compared = 0
    for example in rule.invalid:
        before = Project.from_files(tree_of(rule, example))
        after = fix(before, harness.RULES, harness.settings_for(rule, example)).project
        compared += before is not after
        assert [WITH_MORE_FILES[code](argv) for argv in argvs_of(before)] == [
            WITH_MORE_FILES[code](argv) for argv in argvs_of(after)
        ]
    assert compared


def argvs_of(project: Project) -> list[Argv]:
    return [[word.text for word in launch.argv] for recipe in project.recipes for launch in recipe.launches]


@pytest.mark.parametrize("code", ALIKE)
def test_a_safe_fix_changes_of_an_argv_what_its_rule_says(code: str, faulty: list[str], capsys: Capture) -> None:
    files = {path: Path(path).read_bytes() for path in faulty}
    before = shown(faulty, capsys)
    after = fixed(faulty, capsys, "--select", code)
    assert differing(before, after, ALIKE[code]) == {}
    if code == "RLX801":
        assert Path("examples/__init__.py").exists()
    else:
        assert any(Path(path).read_bytes() != data for path, data in files.items())
    assert (before != after) == (code not in ("RLX419", "RLX420", "RLX801"))


def test_what_is_added_is_what_was_missing(faulty: list[str], capsys: Capture) -> None:
    fixed(faulty, capsys)
    for script, argvs in shown(faulty, capsys).items():
        for argv in argvs:
            assert [argv.count(flag) for flag in OPTIMIZER] == [1, 1, 1], script
            assert argv.count("--ref-actor-config") == argv.count("--fully-async"), script


def test_a_joined_command_is_what_was_meant(faulty: list[str], capsys: Capture) -> None:
    before = shown(faulty, capsys)
    joined = fixed(faulty, capsys, "--select", "RLX422")
    meant = shown(written(lambda launcher: launcher.whole), capsys)
    assert differing(meant, joined, list) == {}
    assert len(differing(meant, before, list)) > NUMBER / 3


def test_all_fixes_together_change_no_more_than_each(faulty: list[str], capsys: Capture) -> None:
    after = fixed(faulty, capsys)
    meant = shown(written(lambda launcher: launcher.whole), capsys)
    assert differing(meant, after, alike) == {}


@pytest.mark.parametrize("name", sorted(path.name for path in RECIPES.iterdir() if path.is_dir()))
def test_the_launches_of_the_bundled_recipes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(shutil.copytree(RECIPES / name, tmp_path / name))
    launchers = [str(path) for path in sorted(Path("examples").glob("*/run_*.sh"))]
    before = shown(launchers, capsys)
    for code in ALIKE:
        after = fixed(launchers, capsys, "--select", code)
        assert differing(before, after, ALIKE[code]) == {}
        before = after
    if name.startswith("good"):
        assert fixed(launchers, capsys) == before
