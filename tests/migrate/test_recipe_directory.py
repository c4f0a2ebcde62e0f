"""What is said of the files of a recipe that nothing was made of."""

from __future__ import annotations

from relax_lint.migrate.migrated import Migrated
from relax_lint.migrate.recipe_directory import unused
from relax_lint.project import Project


def test_preprocessing_that_is_not_carried_over_is_not_said_to_be_of_no_need() -> None:
    files = {
        "recipe/prepare.py": "rows = {'reward_model': 1}\nframe.to_parquet('train.parquet')\n",
        "recipe/plot.py": "import pylab\n",
    }
    project = Project.from_files(files)
    directory = project.root / "recipe"
    migrated = Migrated(directory, project.root / "examples/demo", {}, [], [], [], [])
    assert {each.path.name: each.reason for each in unused(directory, migrated, project)} == {
        "prepare.py": "it makes the data that is converted, and is itself not carried over",
        "plot.py": "no reward, tool or conversion needs it",
    }
