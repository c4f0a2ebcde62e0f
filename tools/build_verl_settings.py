"""Build the embedded configuration of verl from local copies.

    python tools/build_verl_settings.py RECIPES VERL[=VERSION] VERL[=VERSION]... [--check]

RECIPES is a checkout of verl's recipes, each VERL a directory that holds the package ``verl``, the newest first; the
version is the one in ``verl/version/version`` unless it is given. Only names, values and the composition of the
configuration are taken: what a file holds once YAML has read it. Nothing is imported. Exit status 1 with ``--check``
when the committed file differs.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import yaml

from relax_lint.migrate.config_directories import package_of, yaml_loader
from relax_lint.migrate.mains import hydra_main
from relax_lint.migrate.verl_defaults import DATA

_DEPTH_OF_FILES = 3
_NO_RL = ("sft", "generation", "evaluation", "eval")
"""Configurations of mains that train nothing by rewards."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build or check; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", type=Path)
    parser.add_argument("verl", nargs="+")
    parser.add_argument("--check", action="store_true", help="write nothing, compare with the committed file")
    options = parser.parse_args(arguments)
    text = build(options.recipes, [_named(verl) for verl in options.verl])
    differs = not DATA.is_file() or DATA.read_text(encoding="utf-8") != text
    if differs and not options.check:
        DATA.write_text(text, encoding="utf-8")
    print(f"{DATA.name}: {len(text)} bytes, {'differs' if differs and options.check else 'up to date'}")
    return int(differs and options.check)


def _named(verl: str) -> tuple[Path, str]:
    path, _, version = verl.partition("=")
    return Path(path), version or (Path(path) / "verl/version/version").read_text(encoding="utf-8").strip()


def build(recipes: Path, verls: Sequence[tuple[Path, str]]) -> str:
    """The text of the data."""
    versions: list[dict[str, Any]] = []
    base: dict[str, Any] = {}
    for root, version in verls:
        files = dict(_trainer_configs(root))
        mains = dict(_mains(root / "verl", "verl"))
        for directory, _ in mains.values():
            files.update(_configs(root, root / directory))
        versions.append({"version": version, "mains": mains, "files": difference(base, files)})
        base = files
    # A recipe with a copy of all of verl's configuration is not worth its bytes.
    recipe_mains = {
        module: [directory, name]
        for module, (directory, name) in _mains(recipes, "recipe")
        if not (recipes / directory.removeprefix("recipe/") / "ppo_trainer.yaml").is_file()
    }
    recipe_files: dict[str, Any] = {}
    for directory, name in recipe_mains.values():
        if directory.startswith("recipe/"):
            path = recipes / directory.removeprefix("recipe/") / f"{name}.yaml"
            for sibling in sorted(path.parent.glob("*_trainer.yaml")):
                if _builds_on_ppo(sibling):
                    recipe_files[f"{directory}/{sibling.name}"] = _file(sibling)
            if path.is_file():
                recipe_files[f"{directory}/{path.name}"] = _file(path)
    return _written({"mains": recipe_mains, "recipes": recipe_files, "versions": versions}) + "\n"


def _written(value: Any, depth: int = 0) -> str:
    """JSON with a line for each file, so that a diff shows which have changed."""
    if depth < _DEPTH_OF_FILES and isinstance(value, dict) and value:
        rows = [f"{json.dumps(key)}:{_written(value[key], depth + 1)}" for key in sorted(value)]
        return "{\n" + ",\n".join(rows) + "\n}"
    if depth < _DEPTH_OF_FILES and isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(_written(item, depth) for item in value) + "\n]"
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _builds_on_ppo(path: Path) -> bool:
    defaults = _file(path)["config"].get("defaults", [])
    return any(isinstance(item, str) and item.startswith("ppo_") for item in defaults)


def _trainer_configs(root: Path) -> Iterator[tuple[str, Any]]:
    yield from _configs(root, root / "verl/trainer/config")


def _configs(root: Path, directory: Path) -> Iterator[tuple[str, Any]]:
    for path in sorted(directory.rglob("*.yaml")):
        generated = path.name.startswith("_")
        if not generated and path.name != "runtime_env.yaml" and not path.name.startswith(_NO_RL):
            yield path.relative_to(root).as_posix(), _file(path)


def _file(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    package = package_of(text)
    content = yaml.load(text, yaml_loader()) or {}
    return {"config": content} if package is None else {"config": content, "package": package}


def _mains(directory: Path, package: str) -> Iterator[tuple[str, list[str]]]:
    """The modules that Hydra runs, with the directory and the name of their configuration."""
    for path in sorted(directory.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "hydra.main" not in text:
            continue
        found = hydra_main(ast.parse(text))
        if found is None or found.name.startswith(_NO_RL) or "generation" in path.stem:
            continue
        inside = Path(package) / path.parent.relative_to(directory) / found.directory
        parts: list[str] = []
        for part in inside.parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        module = ".".join([package, *path.relative_to(directory).with_suffix("").parts])
        yield module, ["/".join(parts), found.name]


def difference(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """What makes ``other`` of ``base``, as the reader of the data applies it."""
    found: dict[str, Any] = {key: {"-": 0} for key in base if key not in other}
    for key, value in other.items():
        if key in base and base[key] == value and _same_types(base[key], value):
            continue
        if isinstance(value, dict) and isinstance(base.get(key), dict) and value:
            found[key] = difference(base[key], value)
        else:
            found[key] = {"=": value}
    return found


def _same_types(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


if __name__ == "__main__":
    sys.exit(main())
