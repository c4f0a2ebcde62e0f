"""What scores a response: a function of the user's, one of verl's by data source, or a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.data_files import files_of
from relax_lint.migrate.derived.data import FILES
from relax_lint.migrate.derived.intervals import evaluates
from relax_lint.migrate.derived.multi_turn import takes_turns
from relax_lint.migrate.plan import Fate, Passed, RecipeFile, Step, Todo, YamlEntry
from relax_lint.migrate.readings import below, fates, first_key, is_on, shown, text
from relax_lint.migrate.texts import REWARD
from relax_lint.migrate.values import is_known
from relax_lint.migrate.withheld import secrets_in

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_CUSTOM, _CUSTOM_NOW = "custom_reward_function", "reward.custom_reward_function"
_MODEL, _MODEL_NOW = "reward_model", "reward.reward_model"
_MANAGER, _MANAGER_NOW = "reward_manager", "reward.reward_manager"
_OLD_MANAGER = tuple(
    f"{_MODEL}.{name}"
    for name in ("reward_manager", "reward_loop_source", "reward_loop_module_path", "reward_loop_class_name")
)
_RM_TYPE, _RM_PATH, _KEY, _GROUP = "--rm-type", "--custom-rm-path", "--reward-key", "--group-rm"
_SCORED_ALIKE = {
    "geo3k": re.compile(r"geo(?:metry)?_?3k", re.I),
    "dapo": re.compile(r"dapo[-_]?math|math[-_]dapo|aime", re.I),
}
"""Rewards of Relax that score as verl does, and the data sets that verl scores so, by their names."""
_DICT = ("dapo",)
_OVERLONG = "overlong_buffer"
_PENALTIES = (f".{_OVERLONG}_cfg.enable", f".{_OVERLONG}.enable")
"""The penalty for long responses, as verl's managers and as the recipe DAPO call it."""
_GROUP_MANAGERS = ("batch",)
_PLAIN_MANAGERS = ("naive", "dapo", None)


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags, files and fates of the reward."""
    path = first_key(settings, f"{_CUSTOM}.path", f"{_CUSTOM_NOW}.path")
    builtin = _builtin(settings) if settings.value(path) is None else None
    if builtin is not None:
        yield Passed(_RM_TYPE, (builtin,), "rollout", (FILES,), "scores as verl does with this data")
        if builtin in _DICT:
            yield Passed(_KEY, ("score",), "rollout")
        flags: tuple[str, ...] = (_RM_TYPE,)
    else:
        yield from _function(settings, choices, path)
        flags = (_RM_PATH, _KEY)
    yield from _read_as_in_verl(settings, choices, builtin is None)
    yield from _fates_of_function(settings, path, flags)
    yield from _arguments(settings, builtin is None)
    yield from _managed(settings, choices)
    yield from _judged(settings, choices)
    yield from _rest(settings)


def _builtin(settings: Settings) -> str | None:
    """The reward of Relax that scores as verl's does; ``None`` when none is known to."""
    if penalizes_length(settings) or _asks_model(settings) or _manager(settings) not in _PLAIN_MANAGERS:
        return None
    files = files_of(settings.value(FILES))
    if evaluates(settings):
        files += files_of(settings.value("data.val_files"))
    kinds = {next((kind for kind, name in _SCORED_ALIKE.items() if name.search(file.known)), None) for file in files}
    return kinds.pop() if len(kinds) == 1 else None


def _manager(settings: Settings) -> str | None:
    old, now, newest = _OLD_MANAGER[0], f"{_MANAGER}.name", f"{_MANAGER_NOW}.name"
    key = first_key(settings, old, now, newest)
    return text(settings, key)


def penalizes_length(settings: Settings) -> bool:
    """Whether verl's reward manager takes something off for long responses."""
    return any(key.endswith(_PENALTIES) and is_on(settings, key) for key in settings.leaves)


def _asks_model(settings: Settings) -> bool:
    return is_on(settings, f"{_MODEL}.enable") or is_on(settings, f"{_MODEL_NOW}.enable")


def _function(settings: Settings, choices: Choices, path: str) -> Iterator[Step]:
    name = choices.name
    module = f"reward_{name}"
    yield Passed(_RM_PATH, (f"{choices.module(module)}.reward_func",), "rollout", (path,))
    yield Passed(_KEY, ("score",), "rollout", (path,))
    if settings.value(path) is not None:
        function = text(settings, path.replace(".path", ".name")) or "compute_score"
        origin = f"{function} in {shown(settings.value(path))}"
        todo = f"{path}={shown(settings.value(path))}: copy {function} into {module}.py, without imports of verl"
    elif _asks_model(settings):
        origin = "reward model"
        todo = f"{module}.py: ask the reward model, which verl ran itself, for a score"
    else:
        origin = "reward_score, by the source of the data"
        todo = (
            f"{module}.py: copy the scoring from verl/utils/reward_score, which goes by the data's column data_source"
        )
    yield RecipeFile(f"{module}.py", REWARD.format(name=name, module=name, origin=_plain(origin)), (path,))
    yield Todo(todo, (path,))


def _read_as_in_verl(settings: Settings, choices: Choices, has_function: bool) -> Iterator[Step]:
    """verl's managers decode a response without special tokens; Relax leaves ``<|im_end|>`` at its end."""
    if not takes_turns(settings):
        note = "the reward reads responses without special tokens, as in verl"
        yield Passed("--rollout-skip-special-tokens", (), "rollout", (), note)
    elif has_function:
        yield Todo(
            f"reward_{choices.name}.py: sample.response of several turns holds special tokens (<|im_end|>), which verl "
            "leaves out before it scores; take them out",
            (FILES,),
        )


def _plain(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")


def _fates_of_function(settings: Settings, path: str, flags: tuple[str, ...]) -> Iterator[Step]:
    prefix = path.removesuffix(".path")
    if settings.value(path) is None:
        yield Fate(path, "derived", flags, "verl scores by data source")
        yield Fate(f"{prefix}.name", "no effect", (), "there is no file that it could be in")
    else:
        yield Fate(path, "by hand", flags, "the function is for you to copy", "copy it into the recipe's reward")
        yield Fate(f"{prefix}.name", "by hand", flags, "the function is for you to copy")
    for other in (_CUSTOM, _CUSTOM_NOW):
        if other != prefix:
            yield from fates(settings, (f"{other}.path", f"{other}.name"), "no effect", f"{prefix} counts")


def _arguments(settings: Settings, has_function: bool) -> Iterator[Step]:
    """What the function is told: into the config, where it reads it as ``getattr(args, …)``."""
    for prefix in (
        f"{_CUSTOM}.reward_kwargs",
        f"{_CUSTOM_NOW}.reward_kwargs",
        f"{_MODEL}.reward_kwargs",
        "reward.reward_kwargs",
    ):
        for key in below(settings, prefix):
            yield from _argument(settings, key, key.removeprefix(f"{prefix}.").replace(".", "_"), has_function)
    for prefix in (_MODEL, _MODEL_NOW):
        for key in below(settings, f"{prefix}.{_OVERLONG}"):
            yield from _argument(settings, key, key.removeprefix(f"{prefix}.").replace(".", "_"), has_function)


def _argument(settings: Settings, key: str, name: str, has_function: bool) -> Iterator[Step]:
    value = settings.value(key)
    if value in (None, {}):
        yield Fate(key, "same", (), "nothing")
    elif _OVERLONG in key and not is_on(settings, f"{key.rpartition('.')[0]}.enable"):
        yield Fate(key, "no effect", (), "verl takes nothing off for long responses, enable is off")
    elif not has_function:
        yield Fate(key, "no effect", (), "the length of a response is not judged")
    elif not is_known(value):
        reason, way = "only bash knows it", f"set {name} in the config, which bash does not fill in"
        secret = " and ".join(secrets_in(value))
        if secret:
            reason = "a secret has no place in a config"
            way = f"have the reward read {secret} from its environment; {reason}"
        todo = f"{key}={shown(value)}: {way}"
        yield Fate(key, "by hand", (), reason, todo)
        yield Todo(todo, (key,))
    else:
        yield YamlEntry(name, value, (key,))
        yield Fate(key, "derived", ("--custom-config-path",), f"{name}, which the reward reads as args.{name}")


def _managed(settings: Settings, choices: Choices) -> Iterator[Step]:
    keys = tuple(key for key in below(settings, _MANAGER, _MANAGER_NOW, *_OLD_MANAGER))
    manager = _manager(settings)
    if manager in _GROUP_MANAGERS:
        todo = f"the reward manager {manager} scores whole batches: pass {_GROUP}, and let reward_func take samples"
        for key in keys:
            yield Fate(key, "by hand", (_GROUP,), "a reward of a whole group", todo)
        yield Todo(todo, keys)
    elif manager in _PLAIN_MANAGERS:
        penalty = "; the penalty for long responses is for the reward to take off" if penalizes_length(settings) else ""
        yield from fates(settings, keys, "dropped", f"Relax asks the reward for each sample{penalty}")
        if penalty:
            yield Todo(
                f"reward_{choices.name}.py: take the penalty for long responses off, as verl's manager does: add "
                "min(0, -(sample.response_length - (longest - len)) / len * penalty_factor), where longest is "
                "args.rollout_max_response_len",
                keys,
            )
    else:
        todo = f"what verl's reward manager {manager} adds has to be carried over to reward_{choices.name}.py"
        for key in keys:
            yield Fate(key, "by hand", (), "Relax has no reward managers", todo)
        yield Todo(todo, keys)


def _judged(settings: Settings, choices: Choices) -> Iterator[Step]:
    """A model that scores."""
    for prefix in (_MODEL, _MODEL_NOW):
        key = f"{prefix}.enable"
        if not is_on(settings, key):
            yield Fate(key, "same", (), "no model scores")
            continue
        reason = "Relax serves no model that scores; the reward function asks one that is served elsewhere"
        model = first_key(settings, f"{_MODEL}.model.path", f"{_MODEL_NOW}.model_path")
        todo = f"{model}={shown(settings.value(model))}: serve it (SGLang can), and ask it in reward_{choices.name}.py"
        yield Fate(key, "by hand", (_RM_PATH,), reason, todo)
        yield Todo(todo, (key, model))
    own = tuple(key for key in below(settings, _MODEL, _MODEL_NOW) if key not in _OLD_MANAGER and not _is_other(key))
    asked = _asks_model(settings)
    reason = "for where the model is served" if asked else "verl reads it with reward_model.enable only"
    yield from fates(settings, own, "by hand" if asked else "no effect", reason)


def _is_other(key: str) -> bool:
    """Whether a setting below ``reward_model`` says nothing of the model."""
    others = (f"{_MODEL}.reward_kwargs", f"{_MODEL}.sandbox_fusion", f"{_MODEL}.{_OVERLONG}")
    return key.startswith((*others, f"{_MODEL_NOW}.{_OVERLONG}")) or key.endswith(".enable")


def _rest(settings: Settings) -> Iterator[Step]:
    url = first_key(settings, f"{_MODEL}.sandbox_fusion.url", "reward.sandbox_fusion.url")
    keys = tuple(below(settings, f"{_MODEL}.sandbox_fusion", "reward.sandbox_fusion", "sandbox_fusion"))
    if settings.value(url) is None:
        yield from fates(settings, keys, "no effect", "there is no sandbox")
    else:
        todo = f"{url}={shown(settings.value(url))}: ask the sandbox in the reward, of which Relax knows nothing"
        for key in keys:
            yield Fate(key, "by hand", (), "the reward asks the sandbox", todo)
        yield Todo(todo, (url,))
