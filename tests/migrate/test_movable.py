"""Where a script was evaluated is nowhere in what is written."""

from __future__ import annotations

from pathlib import Path

from relax_lint.migrate.movable import HERE, movable
from relax_lint.migrate.settings import Setting
from relax_lint.migrate.values import Data, Template, with_default
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown
from tests.migrate.plans import launches_of, plan_of


def moved(value: Data) -> Data:
    settings = changed(plan_of().settings, leaves={"a": Setting("a", value, "command line")})
    return movable(settings, Path("/root/verl")).value("a")


def test_the_directory_becomes_a_variable_wherever_it_stands() -> None:
    home = Unknown("$X")
    assert moved("/root/verl/data/a.parquet") == Template((HERE, "/data/a.parquet"))
    assert moved("/root/verl") == Template((HERE,))
    assert moved(["/root/verl/a", 1]) == [Template((HERE, "/a")), 1]
    assert moved({"a": "file:///root/verl/a"}) == {"a": Template(("file://", HERE, "/a"))}
    assert moved(Template((home, ":/root/verl/b"))) == Template((home, ":", HERE, "/b"))


def test_a_variable_whose_default_is_the_directory_stands_for_that() -> None:
    assert moved(Template((with_default("ROOT", "/root/verl/x"), "/b"))) == Template((HERE, "/x", "/b"))
    elsewhere = Template((with_default("ROOT", "/data"), "/b"))
    assert moved(elsewhere) == elsewhere


def test_other_values_stay_as_they_are() -> None:
    values: list[Data] = ["/root/verlx/a", "/x/root/verl2", "root/verl/a", 3, None, True, ["a"]]
    for value in values:
        assert moved(value) == value


def test_a_directory_that_the_script_names_itself_is_meant() -> None:
    launch, *_ = launches_of("python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=/root/verl/models/x\n")
    settings = changed(
        plan_of().settings, launch=launch, leaves={"a": Setting("a", "/root/verl/models/x", "command line")}
    )
    assert movable(settings, Path("/root/verl")).value("a") == "/root/verl/models/x"
    assert movable(settings, Path("/root/verl/models")).value("a") == "/root/verl/models/x"
    assert movable(settings, Path("/root/ver")).value("a") == "/root/verl/models/x"
    assert movable(settings, Path("/root")).value("a") == "/root/verl/models/x"
