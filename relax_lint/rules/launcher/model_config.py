"""A launch does not get the architecture of its model from the file that holds it.

## What

A reinforcement-learning launch of a recipe

- whose launcher sources no model file, neither `"${MODEL_CONFIG_DIR}/<model>.sh"` nor one by a path: `MODEL_ARGS` that
  are written out do not count,
- whose model file is not in the Relax checkout at hand, nor, without one, beside those of the repository or among those
  that Relax is known to have,
- that is not passed `"${MODEL_ARGS[@]}"`: an error where Megatron would refuse to start for want of sizes,
- that sets what Relax's check of the checkpoint is about (sizes, layers, heads, `--norm-epsilon`) to something else
  than the model file does,
- whose `MODEL_ARGS` do not fit the `config.json` of an `--hf-checkpoint` that is at hand (an error where Relax refuses
  it, which it does for `--norm-epsilon` alone), or that passes `--multimodal-keys` to one that neither sees nor hears.

Other flags of a model file may be set again behind it: that is how a launcher changes how the model is divided.

## Why

Megatron takes the architecture from flags. By a wrong size the checkpoint cannot be loaded, or, where Relax builds the
model from the checkpoint, the flag means nothing; other layers are left out without a word. And without the flags
Megatron's defaults are the model.

## Source

Guide: use `source "${MODEL_CONFIG_DIR}/<model>.sh"` in place of inline settings. Relax compares flags with the
checkpoint's config; its models are in `scripts/models`.

## Example

    source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"
    python3 relax/entrypoints/train.py --hidden-size 2560 --hf-checkpoint "${MODEL_DIR}/Qwen3-8B"

## Fix

Source the file of the model that `--hf-checkpoint` is, and pass `"${MODEL_ARGS[@]}"` in every launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relax_lint.catalog.model_configs import (
    COMPARED_BY_RELAX,
    UNTIED,
    numbers,
    perceives,
    refused_if_different,
    text_part,
)
from relax_lint.constraints.reporting import finding, judged, silences
from relax_lint.diagnostics import Finding, NotChecked, Place
from relax_lint.model_files import (
    MODELS,
    OF_RELAX,
    REFUSED_WITHOUT_A_MODEL,
    goes_without,
    sourced_models,
    unread_models,
)
from relax_lint.patterns import pattern
from relax_lint.project import Project
from relax_lint.recipe_kinds import trains
from relax_lint.rules import ERROR, WARNING, Example, rule
from relax_lint.shell.nodes import Assignment, Parameter, SimpleCommand, Word
from relax_lint.shell.queries import is_broken_off, is_part_of_another, place_of, start_of, why_not_whole, why_unknown
from relax_lint.shell.walk import commands_of, nodes_of
from relax_lint.sources.launcher import LauncherSource
from relax_lint.sources.script import ScriptFile
from relax_lint.unused_arrays import own_files

if TYPE_CHECKING:
    from relax_lint.shell.launch import Argument, Launch

_FILE_NAME = pattern(r"/(?P<name>[\w.+-]+\.sh)[\"']?\s*\Z")
_VARIABLE = pattern(r"\$(?P<brace>\{)?(?P<name>\w+)(?(brace)\})")
_CHECKPOINT, _MEDIA = "--hf-checkpoint", "--multimodal-keys"

_TRAIN = "python3 relax/entrypoints/train.py"
_SOURCE = 'source "${MODEL_CONFIG_DIR}/qwen3-8B.sh"\n'
_LAUNCH = f'{_TRAIN} "${{MODEL_ARGS[@]}}" --lr 1e-6'
_RUN, _MODEL = "examples/demo/run_demo.sh", "scripts/models/qwen3-8B.sh"
_ARGS = """\
MODEL_ARGS=(
    --num-layers 36
    --hidden-size 4096
    --num-attention-heads 32
    --ffn-hidden-size 12288
    --rotary-base 1000000
    --norm-epsilon 1e-6
    --tensor-model-parallel-size 2
)
"""
_CONFIG = (
    '{"hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32, "intermediate_size": 12288, '
    '"rope_theta": 1000000}'
)


def _tree(launcher: str, config: str = "", **files: str) -> dict[str, str]:
    configs = {"models/Qwen3-8B/config.json": config} if config else {}
    return {_RUN: launcher, _MODEL: _ARGS, "relax/entrypoints/train.py": "", **configs, **files}


VALID: list[Example | str] = [
    Example(_tree(f"{_SOURCE}{_LAUNCH}\n")),
    f"{_SOURCE}{_LAUNCH}\n",
    Example(_tree(f'source "$(dirname "$0")/../../scripts/models/qwen3-8B.sh"\n{_LAUNCH}\n')),
    Example(_tree(f'. scripts/models/qwen3-8B.sh\nARGS=("${{MODEL_ARGS[@]}}" --lr 1e-6)\n{_TRAIN} "${{ARGS[@]}}"\n')),
    Example(_tree(f"{_SOURCE}{_LAUNCH} --tensor-model-parallel-size 4 --rotary-base 5000000 --num-layers 36\n")),
    f'MODEL=${{1:?}}\nsource "${{MODEL_CONFIG_DIR}}/${{MODEL}}.sh"\n{_LAUNCH}\n',
    Example({_RUN: f'source "$(dirname "$0")/model.sh"\n{_LAUNCH}\n', "examples/demo/model.sh": _ARGS}),
    Example(_tree(f"{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B\n", _CONFIG)),
    Example(
        _tree(
            f'{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B --multimodal-keys \'{{"image": "images"}}\'\n',
            '{"text_config": {"hidden_size": 4096}, "vision_config": {"hidden_size": 1152}}',
        )
    ),
    Example(
        _tree(f"{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B --num-layers 30\n", _CONFIG.replace("36", "30"))
    ),
    Example(
        _tree(
            f"{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B --norm-epsilon 1e-5\n",
            _CONFIG.replace("}", ', "rms_norm_eps": 1e-05}'),
        )
    ),
    Example(_tree(f'{_SOURCE}run() {{ {_TRAIN} "$@"; }}\nrun --colocate "${{MODEL_ARGS[@]}}"\n')),
    f"{_TRAIN} --loss-type sft --num-layers 36\n",
    f"{_TRAIN} --debug-rollout-only\n",
    "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B\n",
    Example({"scripts/training/text/run-qwen3-8B.sh": f"{_TRAIN} --num-layers 36\n"}),
    f'source "$1"\n{_LAUNCH}\n',
]

INVALID = [
    Example(f"set -e\n{_TRAIN} --num-layers 36 --hidden-size 4096\n", findings=((2, 1),)),
    Example(f"{_ARGS}{_LAUNCH}\n", findings=((1, 1),)),
    Example(f"# {_SOURCE}{_LAUNCH}\n", findings=((2, 1),)),
    Example(
        f'if [ "$1" = async ]; then\n    {_TRAIN} --fully-async\nelse\n    {_TRAIN} --colocate\nfi\n',
        findings=((2, 5),),
    ),
    Example(_tree(f'source "${{MODEL_CONFIG_DIR}}/qwen3-8b.sh"\n{_LAUNCH}\n'), findings=((_RUN, 1, 1),)),
    Example(
        _tree(f'MODEL=qwen3-9B\n. "$(dirname "$0")/../../scripts/models/$MODEL.sh"\n{_LAUNCH}\n'),
        findings=((_RUN, 2, 1),),
    ),
    Example(_tree(f"{_SOURCE}{_TRAIN} --lr 1e-6\n"), findings=((_RUN, 2, 1, ERROR),)),
    Example(_tree(f"{_SOURCE}MODEL_ARGS=()\n{_LAUNCH}\n"), findings=((_RUN, 2, 1, ERROR),)),
    Example(
        f'{_SOURCE}if [ "$1" = async ]; then\n    {_TRAIN} --fully-async --lr 1e-6\n'
        f"else\n    {_LAUNCH} --colocate\nfi\n",
        findings=((3, 5, ERROR),),
    ),
    Example(_tree(f"{_SOURCE}{_LAUNCH} --hidden-size 2560 --num-layers=28\n"), findings=((_RUN, 2, 65), (_RUN, 2, 84))),
    Example(
        _tree(f'{_SOURCE}PERF_ARGS=(\n    --norm-epsilon 1e-5\n)\n{_LAUNCH} "${{PERF_ARGS[@]}}"\n'),
        findings=((_RUN, 3, 5),),
    ),
    Example(
        _tree(
            f"{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B\n",
            _CONFIG.replace("4096", "2560").replace("12288", "9728"),
        ),
        findings=((_RUN, 1, 1),),
    ),
    Example(
        _tree(
            f"{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B\n",
            _CONFIG.replace("}", ', "rms_norm_eps": 1e-05}'),
        ),
        findings=((_RUN, 1, 1, ERROR),),
    ),
    Example(
        _tree(
            f"{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B --norm-epsilon 1e-5\n",
            _CONFIG.replace("}", ', "rms_norm_eps": 1e-06}'),
        ),
        findings=((_RUN, 2, 97, ERROR),),
    ),
    Example(
        {
            _RUN: f'source "$(dirname "$0")/../../scripts/models/qwen3-8b.sh"\n{_LAUNCH}\n',
            _MODEL: _ARGS,
        },
        findings=((_RUN, 1, 1),),
    ),
    Example(
        _tree(f"{_SOURCE}{_LAUNCH} --hf-checkpoint models/Qwen3-8B --rotary-base 5000000\n", _CONFIG),
        findings=((_RUN, 2, 97),),
    ),
    Example(
        _tree(
            f'{_SOURCE}{_LAUNCH} --hf-checkpoint=models/Qwen3-8B --multimodal-keys \'{{"image": "images"}}\'\n', _CONFIG
        ),
        findings=((_RUN, 2, 97),),
    ),
]


@rule("RLX418", "model-config", WARNING, on="launcher", valid=VALID, invalid=INVALID)
def model_config(launcher: LauncherSource, project: Project) -> Iterator[Finding | NotChecked]:
    """See where the model of each launch comes from."""
    launches = [launch for launch in launcher.launches if launch.kind == "relax"]
    if not launches or is_part_of_another(launcher, project):
        return
    unread = why_not_whole(launcher)
    if unread is not None:
        yield NotChecked(start_of(launches[0]), unread)
        return
    models = sourced_models(launcher, project)
    yield from _by_the_guide([launch for launch in launches if trains(launch)], launcher, models, project)
    for launch in launches:
        if is_broken_off(launch):
            yield NotChecked(start_of(launch), "a broken continuation")
        else:
            yield from _refused(launch, models, project)


def _by_the_guide(
    launches: Sequence[Launch], launcher: LauncherSource, models: Sequence[ScriptFile], project: Project
) -> Iterator[Finding | NotChecked]:
    """What is to come from a model file in training by reinforcement learning."""
    if not launches:
        return
    unread = unread_models(launcher)
    if not models and not unread:
        yield _unsourced(launcher, launches[0], project)
        return
    for place in unread:
        yield from _not_there(place, project)
    for launch in launches:
        if not is_broken_off(launch):
            yield from _not_passed(launch, models, project)
            yield from _differing(launch, models, project)


def _written(place: Place) -> str:
    return place.source.text[place.start : place.end]


def _unsourced(launcher: LauncherSource, launch: Launch, project: Project) -> Finding | NotChecked:
    """No model file at all: if any other is not known, it may source one."""
    for place in launcher.evaluation.unresolved_sources:
        return NotChecked(place, _written(place))
    written = next(_assignments(launcher, project), None)
    wanted = 'source "${MODEL_CONFIG_DIR}/<model>.sh" and pass "${MODEL_ARGS[@]}"'
    if written is not None:
        return Finding(written, f"the model is written out here, not sourced: {wanted}", subject="MODEL_ARGS")
    return Finding(start_of(launch), f"no model file is sourced: {wanted}", launch=launch, subject="MODEL_ARGS")


def _assignments(launcher: LauncherSource, project: Project) -> Iterator[Place]:
    """Where a launcher's own files set the model's flags."""
    for source in own_files(launcher, project):
        for one in nodes_of(source, Assignment):
            if one.name == "MODEL_ARGS" and not one.append:
                yield Place(source, one.start, one.end)


def _replaced(launch: Launch, project: Project) -> Place | None:
    """Where the flags of the model file are replaced, if the launcher would pass them but for that."""
    launcher = project.launcher(launch.script)
    if launcher is None or not any(
        one.name == "MODEL_ARGS" for source in own_files(launcher, project) for one in nodes_of(source, Parameter)
    ):
        return None
    return next(_assignments(launcher, project), None)


def _not_there(place: Place, project: Project) -> Iterator[Finding | NotChecked]:
    """A model file that the checkout does not have. Without a checkout, one that neither Relax is known to have nor the
    repository, which has others."""
    directory = (project.relax_root or project.root) / MODELS
    present = [entry.name for entry in project.files.entries(directory)] if project.is_dir(directory) else []
    if project.relax_root is None:
        if not present:
            return
        present += OF_RELAX
    named = _FILE_NAME.search(_filled_in(place))
    if named is None:
        yield NotChecked(place, _written(place))
    elif named["name"] not in present:
        from difflib import get_close_matches

        close = get_close_matches(named["name"], present, n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
        yield Finding(place, f"Relax has no model file {MODELS}/{named['name']}{meant}", subject=named["name"])


def _filled_in(place: Place) -> str:
    """How a file is named, with the variables that the script sets once and for all."""
    values: dict[str, list[str | None]] = {}
    if isinstance(place.source, ScriptFile):
        for assigned in nodes_of(place.source, Assignment):
            text = assigned.value.literal if isinstance(assigned.value, Word) else None
            values.setdefault(assigned.name, []).append(text)
    constant = {name: given[0] for name, given in values.items() if len(given) == 1 and given[0] is not None}
    return _VARIABLE.sub(lambda match: constant.get(match["name"]) or match.group(), _written(place))


def _not_passed(launch: Launch, models: Sequence[ScriptFile], project: Project) -> Iterator[Finding | NotChecked]:
    if not goes_without(launch, models):
        return
    hidden = launch.hiding("--num-layers")
    if hidden is not None:
        yield NotChecked(place_of(launch, hidden), why_unknown(hidden))
        return
    refused = any(one.constraint.id in REFUSED_WITHOUT_A_MODEL for one in judged(launch, project).judgement.violations)
    replaced = _replaced(launch, project)
    message = 'the model file is sourced, but "${MODEL_ARGS[@]}" is not passed'
    if replaced is not None:
        message = "this takes the place of what the model file has put into MODEL_ARGS"
    message += ", and Megatron refuses a model without sizes" if refused else ": Megatron's defaults are the model"
    severity = ERROR if refused else None
    yield Finding(replaced or start_of(launch), message, severity=severity, launch=launch, subject="MODEL_ARGS")


def _differing(launch: Launch, models: Sequence[ScriptFile], project: Project) -> Iterator[Finding]:
    """Architecture that is not the checkpoint's, or, where that is not at hand, not the model file's."""
    config = _config(launch, project)
    known: dict[str, tuple[str, float]] = {}
    if config is not None:
        known = {flag: (key, number) for flag, key, number in numbers(config)}
        yield from _unlike(launch, known, models, project)
        if launch.has(_MEDIA) and not perceives(config):
            argument = launch.all(_MEDIA)[-1]
            message = f"{launch.value(_CHECKPOINT)} neither sees nor hears: its config.json has no part for {_MEDIA}"
            yield Finding(place_of(launch, argument.word), message, launch=launch, subject=_MEDIA)
    paths = {source.path for source in models}
    yield from _untied(launch, config, paths)
    for flag in sorted(COMPARED_BY_RELAX - set(known) - refused_if_different(config)):
        given = launch.all(flag)
        of_model = [one for one in given if _is_in(one, paths)]
        if len(given) < 2 or not of_model or _is_in(given[-1], paths):
            continue
        ours, theirs = _number(given[-1]), _number(of_model[-1])
        if ours is not None and theirs is not None and ours != theirs:
            name = of_model[-1].word.place.source.path.name if of_model[-1].word.place is not None else "the model file"
            yield Finding(
                place_of(launch, given[-1].word),
                f"{flag} {given[-1].value}: {name} has {of_model[-1].value}, and so has the checkpoint of that model",
                launch=launch,
                subject=flag,
            )


def _untied(launch: Launch, config: Mapping[str, Any] | None, paths: set[Path]) -> Iterator[Finding]:
    """Embeddings untied by the launcher, where the model file, or the checkpoint at hand, has them tied."""
    given = launch.all(UNTIED)
    if not given or any(_is_in(one, paths) for one in given) or not _passes(launch, paths):
        return
    if config is None or text_part(config).get("tie_word_embeddings", False):
        message = f"{UNTIED}: {'the checkpoint' if config is not None else 'the model file'} has them tied"
        yield Finding(place_of(launch, given[-1].word), message, launch=launch, subject=UNTIED)


def _config(launch: Launch, project: Project) -> Mapping[str, Any] | None:
    """The config of the launch's checkpoint, if it is at hand."""
    named = launch.value(_CHECKPOINT)
    if not named or not project.is_file(project.root / named / "config.json"):
        return None
    from relax_lint.constraints.on_disk import ProjectSurroundings

    config = ProjectSurroundings(project).checkpoint(named)
    return config if isinstance(config, Mapping) else None


def _unlike(
    launch: Launch, known: Mapping[str, tuple[str, float]], models: Sequence[ScriptFile], project: Project
) -> Iterator[Finding]:
    """What does not fit the config: at each flag, or at the model file as a whole where that sets it."""
    of_model: dict[Path, list[str]] = {}
    for flag, (key, number) in known.items():
        argument = launch.last(flag)
        ours = None if argument is None else _number(argument)
        if argument is None or ours is None or ours == number:
            continue
        difference = f"{flag} {argument.value} against {key} {number:.10g}"
        source = next((one for one in models if _is_in(argument, {one.path})), None)
        if source is not None:
            of_model.setdefault(source.path, []).append(difference)
        else:
            message = f"{difference} in the config.json of {launch.value(_CHECKPOINT)}"
            yield Finding(place_of(launch, argument.word), message, launch=launch, subject=flag)
    for path, differences in of_model.items():
        message = f"{path.name} is not the model of {launch.value(_CHECKPOINT)}: {', '.join(differences)}"
        yield Finding(_sourcing(launch, path, project), message, launch=launch, subject=path.name)


def _refused(launch: Launch, models: Sequence[ScriptFile], project: Project) -> Iterator[Finding | NotChecked]:
    """What Relax itself compares and refuses: at the flag, or where the model file that sets it is sourced."""
    about = judged(launch, project)
    for violation in about.violations("RLX418"):
        argument = violation.argument
        found = finding(violation, launch, argument)
        source = next((one for one in models if argument is not None and _is_in(argument, {one.path})), None)
        if source is not None:
            place = _sourcing(launch, source.path, project)
            message = f"{source.path.name} is not the model of {launch.value(_CHECKPOINT)}: {violation.message}"
            found = found._replace(place=place, message=message)
        yield found
    yield from silences(about, "RLX418")


def _sourcing(launch: Launch, path: Path, project: Project) -> Place:
    """Where a model file is sourced."""
    launcher = project.launcher(launch.script)
    for source in () if launcher is None else own_files(launcher, project):
        for command in commands_of(source):
            text = source.text[command.start : command.end]
            if text.startswith(("source", ".")) and path.stem in text and isinstance(command, SimpleCommand):
                return Place(source, command.start, command.end)
    return start_of(launch)


def _passes(launch: Launch, paths: set[Path]) -> bool:
    """Whether words of a model file are passed."""
    return any(_is_in(argument, paths) for argument in launch.arguments)


def _is_in(argument: Argument, paths: set[Path]) -> bool:
    return argument.word.place is not None and argument.word.place.source.path in paths


def _number(argument: Argument) -> float | None:
    try:
        return float(argument.value or "")
    except ValueError:
        return None
