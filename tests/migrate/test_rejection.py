"""verl's rejection by the ratio to the rollout, as the function of a recipe."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from relax_lint.migrate.plan import Plan
from tests.migrate.planned import fate, flags, planned, todos

RS = "algorithm.rollout_correction.rollout_rs"
IS = "algorithm.rollout_correction.rollout_is=token"
BYPASS = "algorithm.rollout_correction.bypass_mode=True"
FUNCTION = "examples.demo.tis_demo.reject"
STAND_INS = {
    "cp_utils": "def all_gather_with_cp(tensor, total_length, response_length):\n    return tensor\n",
    "loss": "def vanilla_tis_function(args, *, loss_masks, **kwargs):\n    return 'weighted', loss_masks, {}\n",
}


class Numbers(list[float]):
    """As much of a tensor as the function needs; torch is not installed here."""

    def _with(self, other: Any, by: Callable[[Any, Any], Any]) -> Numbers:
        return Numbers(map(by, self, other if isinstance(other, list) else [other] * len(self)))

    def __add__(self, other: Any) -> Numbers:  # type: ignore[override]
        return self._with(other, operator.add)

    def __sub__(self, other: Any) -> Numbers:
        return self._with(other, operator.sub)

    def __mul__(self, other: Any) -> Numbers:
        return self._with(other, operator.mul)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Numbers:
        return self._with(other, operator.truediv)

    def __ge__(self, other: Any) -> Numbers:  # type: ignore[override]
        return self._with(other, operator.ge)

    def __le__(self, other: Any) -> Numbers:  # type: ignore[override]
        return self._with(other, operator.le)

    def __neg__(self) -> Numbers:
        return self * -1

    def exp(self) -> Numbers:
        return Numbers(map(math.exp, self))

    def clamp(self, least: float, greatest: float = math.inf) -> Numbers:
        return Numbers(min(max(each, least), greatest) for each in self)

    def sum(self) -> Number:
        return Number(sum(self))

    def max(self) -> Number:
        return Number(max(self))


class Number(float):
    """A tensor of one number."""

    def clamp(self, least: float) -> Number:
        return Number(max(self, least))


@pytest.fixture(autouse=True)
def relax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules of Relax's that the function asks."""
    package = tmp_path / "relax/backends/megatron"
    package.mkdir(parents=True)
    for name, text in STAND_INS.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name == "relax" or name.startswith("relax.")]:
        del sys.modules[name]


def module_of(made: Plan) -> dict[str, Any]:
    (file,) = [file for file in made.files if file.name == "tis_demo.py"]
    names: dict[str, Any] = {}
    exec(file.text, names)
    return names


def kept(kinds: str, bounds: str, ratios: list[float], mask: list[int] | None = None) -> list[float]:
    """What is left of a response whose tokens the trainer finds so many times as likely as the rollout did."""
    function = module_of(planned(f"{RS}='{kinds}'", f"{RS}_threshold='{bounds}'"))["reject"]
    given = Numbers(mask or [1] * len(ratios))
    loss, (left,), _ = function(
        SimpleNamespace(use_tis=False),
        pg_loss="loss",
        train_log_probs=[Numbers(map(math.log, ratios))],
        rollout_log_probs=[Numbers([0.0] * len(ratios))],
        loss_masks=[given],
        total_lengths=[9],
        response_lengths=[len(ratios)],
    )
    assert loss == "loss"
    return list(left)


@pytest.mark.parametrize(
    ("kinds", "bounds", "ratios", "left"),
    [
        # The bounds of k1 are those of the rollout's probability over the trainer's.
        ("token_k1", "0.5_4.0", [1.9, 2.1, 0.3, 0.2], [1, 0, 1, 0]),
        ("token_k1", "2", [1.9, 2.1, 0.6, 0.4], [1, 0, 1, 0]),
        ("token_k2", "0.5", [2.7, 2.8, 1], [1, 0, 1]),
        ("token_k3", "0.5", [2.0, 2.5, 1], [1, 0, 1]),
        ("seq_sum_k1", "0.5_2.0", [3, 0.5, 1.2], [1, 1, 1]),
        ("seq_sum_k1", "0.5_2.0", [3, 0.9, 1.2], [0, 0, 0]),
        ("seq_mean_k1", "0.5_2.0", [3, 0.9, 1.2], [1, 1, 1]),
        ("seq_mean_k3", "0.1", [1, 1, 2.0], [0, 0, 0]),
        ("seq_max_k2", "0.5", [1, 1, 2.7], [1, 1, 1]),
        ("seq_max_k2", "0.5", [1, 1, 2.8], [0, 0, 0]),
        ("token_k1,seq_max_k2", "0.6_1.6,2.5", [1, 2.0, 1.1], [1, 0, 1]),
        ("token_k1, seq_max_k2", "0.6_1.6,0.1", [1, 2.0, 1.1], [0, 0, 0]),
    ],
)
def test_the_same_is_kept_as_in_verl(kinds: str, bounds: str, ratios: list[float], left: list[float]) -> None:
    assert kept(kinds, bounds, ratios) == left


def test_what_is_masked_counts_for_nothing() -> None:
    assert kept("seq_max_k2", "0.5", [1, 9, 1], [1, 0, 1]) == [1, 0, 1]
    assert kept("seq_mean_k1", "0.5_2.0", [1.5, 9, 9], [1, 0, 0]) == [1, 0, 0]
    assert kept("seq_mean_k1", "0.5_2.0", [9, 9], [0, 0]) == [0, 0]


def test_the_loss_is_weighted_only_with_tis() -> None:
    function = module_of(planned(f"{RS}=token_k2", f"{RS}_threshold=1"))["reject"]
    nothing: dict[str, Any] = dict.fromkeys(
        ("train_log_probs", "rollout_log_probs", "loss_masks", "total_lengths", "response_lengths"), ()
    )
    assert function(SimpleNamespace(use_tis=True), pg_loss="loss", **nothing)[0] == "weighted"
    assert function(SimpleNamespace(use_tis=False), pg_loss="loss", **nothing)[0] == "loss"


@pytest.mark.parametrize(("more", "weighted"), [((), False), ((IS,), True), ((BYPASS,), False), ((BYPASS, IS), False)])
def test_the_function_is_called_in_both_modes(more: tuple[str, ...], weighted: bool) -> None:
    made = planned(f"{RS}=token_k2", f"{RS}_threshold=1", *more)
    for mode in ("sync", "async"):
        assert flags(made, mode)["--custom-tis-function-path"] == FUNCTION
    assert ("--use-tis" in flags(made, "sync"), "--get-mismatch-metrics" in flags(made, "sync")) == (
        weighted, not weighted,
    )  # fmt: skip
    assert "--use-tis" in flags(made, "async")
    assert {fate(made, RS).kind, fate(made, f"{RS}_threshold").kind} == {"derived"}
    assert ("before the step" in fate(made, RS).reason) == (BYPASS in more)


@pytest.mark.parametrize(
    ("kinds", "bounds"),
    [
        ("geometric", "1.001"),
        ("seq_max_k1", "2"),
        ("token_k2", "0.5_2.0"),
        ("token_k1", "0.0_2.0"),
        ("token_k1", "much"),
        ("token_k1", "1.0_2.0_3.0"),
        ("token_k1,token_k2,token_k3", "1,2"),
        ("token_k1", "null"),
    ],
)
def test_what_verl_would_not_take_is_left_to_the_user(kinds: str, bounds: str) -> None:
    made = planned(f"{RS}='{kinds}'", f"{RS}_threshold={bounds}")
    assert fate(made, RS).kind == "unsupported"
    assert f"{RS}={kinds}: write a function for --custom-tis-function-path" in todos(made)
    assert "--custom-tis-function-path" not in flags(made)
