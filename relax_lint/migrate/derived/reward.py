"""What scores a response: a function of the user's, one of verl's by data source, or a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relax_lint.migrate.carrying.closure import Problem
from relax_lint.migrate.config_names import free_name
from relax_lint.migrate.data_files import files_of
from relax_lint.migrate.derived.carried_reward import (
    CUSTOM,
    CUSTOM_NOW,
    KWARGS,
    MODEL,
    MODEL_NOW,
    OF_MANAGER,
    OVERLONG,
    Asked,
    Option,
    asked_of,
    carried,
    penalizes,
)
from relax_lint.migrate.derived.data import FILES
from relax_lint.migrate.derived.intervals import evaluates
from relax_lint.migrate.derived.multi_turn import takes_turns
from relax_lint.migrate.derived.strange_manager import StrangeManager, strange_manager
from relax_lint.migrate.environment.files import shown_path
from relax_lint.migrate.plan import Fate, Need, Obstacle, Passed, RecipeFile, Step, Todo, YamlEntry
from relax_lint.migrate.readings import below, fates, first_key, is_on, shown, text
from relax_lint.migrate.reward.request import CarriedReward
from relax_lint.migrate.texts import REWARD
from relax_lint.migrate.values import is_known
from relax_lint.migrate.withheld import secrets_in
from relax_lint.records import changed, node

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings

_MANAGER, _MANAGER_NOW = "reward_manager", "reward.reward_manager"
_OLD_MANAGER = tuple(
    f"{MODEL}.{name}"
    for name in ("reward_manager", "reward_loop_source", "reward_loop_module_path", "reward_loop_class_name")
)
_RM_TYPE, _RM_PATH, _KEY, _GROUP = "--rm-type", "--custom-rm-path", "--reward-key", "--group-rm"
_SCORED_ALIKE = {
    "geo3k": re.compile(r"geo(?:metry)?_?3k", re.I),
    "dapo": re.compile(r"dapo[-_]?math|math[-_]dapo|aime", re.I),
}
"""Rewards of Relax that score as verl does, and the data sets that verl scores so, by their names."""
_DICT = ("dapo",)
_GROUP_MANAGERS = ("batch",)
_PLAIN_MANAGERS = ("naive", "dapo", None)
_LIMITED = ("rate_limited",)
_BUFFERS = (f"{MODEL}.{OVERLONG}", f"{MODEL_NOW}.{OVERLONG}")
_OF_RELAX = frozenset(
    "PIL datasets huggingface_hub httpx math_verify mathruler mpmath numpy omegaconf pydantic pylatexenc ray requests "
    "sympy torch transformers yaml".split()
)
"""Packages that a Relax environment has."""


@node
class _Made:
    """The reward that was carried over: what it reads of the config, and its files; none where there are problems.
    ``strange`` is the manager that it stands in for."""

    asked: Asked | None
    reward: CarriedReward
    strange: StrangeManager | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is a reward."""
        return bool(self.reward.files)


def steps(settings: Settings, choices: Choices) -> Iterator[Step]:
    """The flags, files and fates of the reward."""
    path = first_key(settings, f"{CUSTOM}.path", f"{CUSTOM_NOW}.path")
    builtin = _builtin(settings, choices) if settings.value(path) is None else None
    made = _Made(None, CarriedReward())
    if builtin is not None:
        yield Passed(_RM_TYPE, (builtin,), "rollout", (FILES,), "scores as verl does with this data")
        if builtin in _DICT:
            yield Passed(_KEY, ("score",), "rollout")
        flags: tuple[str, ...] = (_RM_TYPE,)
    else:
        made = _made(settings, choices)
        yield from _function(settings, choices, path, made)
        flags = (_RM_PATH, _KEY)
    yield from _read_as_in_verl(settings, choices, builtin is None and not made.is_done)
    yield from _fates_of_function(settings, path, flags, made)
    yield from _arguments(settings, choices, builtin is None, made)
    yield from _managed(settings, choices, made)
    yield from _judged(settings, choices)
    yield from _rest(settings, made)


def _made(settings: Settings, choices: Choices) -> _Made:
    """What can be carried over of the scoring; nothing for a model that scores by itself."""
    path = first_key(settings, f"{CUSTOM}.path", f"{CUSTOM_NOW}.path")
    manager = _manager(settings)
    strange = strange_manager(settings, choices, manager)
    if settings.value(path) is None and _asks_model(settings):
        return _Made(None, CarriedReward(), strange)
    asked = asked_of(settings, choices, manager, "" if strange is None else strange.called)
    if isinstance(asked, Problem):
        return _Made(None, CarriedReward(problems=(asked,)), strange)
    return _Made(asked, CarriedReward() if asked is None else carried(asked, choices), strange)


def _builtin(settings: Settings, choices: Choices) -> str | None:
    """The reward of Relax that scores as verl's does; ``None`` when none is known to. The one for DAPO's data takes
    answers for whole numbers, which verl does not: it is for who has no verl at hand."""
    if penalizes_length(settings) or _asks_model(settings) or _manager(settings) not in _PLAIN_MANAGERS:
        return None
    files = files_of(settings.value(FILES))
    if evaluates(settings):
        files += files_of(settings.value("data.val_files"))
    kinds = {next((kind for kind, name in _SCORED_ALIKE.items() if name.search(file.known)), None) for file in files}
    kind = kinds.pop() if len(kinds) == 1 else None
    has_code = choices.verl is not None and choices.verl.package is not None
    return None if kind == "dapo" and has_code else kind


def _manager(settings: Settings) -> str | None:
    old, now, newest = _OLD_MANAGER[0], f"{_MANAGER}.name", f"{_MANAGER_NOW}.name"
    key = first_key(settings, old, now, newest)
    return text(settings, key)


def penalizes_length(settings: Settings) -> bool:
    """Whether verl's reward manager takes something off for long responses."""
    return penalizes(settings) is not None


def _asks_model(settings: Settings) -> bool:
    return is_on(settings, f"{MODEL}.enable") or is_on(settings, f"{MODEL_NOW}.enable")


def _function(settings: Settings, choices: Choices, path: str, made: _Made) -> Iterator[Step]:
    name = choices.name
    module = f"reward_{name}"
    yield Passed(_RM_PATH, (f"{choices.module(module)}.reward_func",), "rollout", (path,))
    yield Passed(_KEY, ("score",), "rollout", (path,))
    for problem in made.reward.problems:
        yield Todo(f"{_shown(problem, choices)}: {problem.message}", (path,))
        if settings.value(path) is not None or (choices.verl is not None and choices.verl.has_scoring):
            yield Obstacle(problem.path, problem.line, problem.message)
    for note in made.reward.notes:
        yield Todo(f"{module}.py: {note}", (path,))
    if made.is_done:
        if made.reward.group:
            yield Passed(_GROUP, (), "rollout", (path,), "the reward takes all responses to a prompt")
        yield from (changed(file, because=(path,)) for file in made.reward.files)
        yield from _required(choices, path, made)
        return
    if settings.value(path) is not None:
        function = text(settings, path.replace(".path", ".name")) or "compute_score"
        file = _file(settings, choices, path, made)
        origin = f"{function} in {file}"
        todo = f"copy {function} from {file} into {module}.py, without imports of verl"
    elif _asks_model(settings):
        origin = "reward model"
        todo = f"{module}.py: ask the reward model, which verl ran itself, for a score"
    elif made.reward.problems:
        origin, todo = "run", f"write the scoring of verl's run into {module}.py"
    else:
        origin = "reward_score, by the source of the data"
        todo = (
            f"{module}.py: copy the scoring from verl/utils/reward_score, which goes by the data's column data_source"
        )
    yield RecipeFile(f"{module}.py", REWARD.format(name=name, module=name, origin=_plain(origin)), (path,))
    yield Todo(todo, (path,))


def _required(choices: Choices, path: str, made: _Made) -> Iterator[Step]:
    """The packages that the carried code wants and Relax does not install by itself."""
    for each in made.reward.requires:
        at_hand = each.package in _OF_RELAX
        yield Need(each.package, each.path, each.line, "reward", each.optional, at_hand)
        if not at_hand:
            wanted = "would like" if each.optional else "needs"
            where = _shown(Problem(each.path, each.line, ""), choices)
            yield Todo(f"the reward {wanted} the package {each.package} (imported at {where}): install it", (path,))


def _file(settings: Settings, choices: Choices, path: str, made: _Made) -> str:
    """The file of the function: where it is, or as it is written where that is not known."""
    asked = None if made.asked is None else made.asked.request.function
    if asked is None or choices.verl is None:
        return shown(settings.value(path))
    return shown_path(asked.path, choices.verl)


def _shown(problem: Problem, choices: Choices) -> str:
    """A place as the reader of the page knows it."""
    path = problem.path.as_posix() if choices.verl is None else shown_path(problem.path, choices.verl)
    return f"{path}:{problem.line}" if problem.line else path


def _read_as_in_verl(settings: Settings, choices: Choices, has_stub: bool) -> Iterator[Step]:
    """verl's managers decode a response without special tokens; Relax leaves ``<|im_end|>`` at its end."""
    if not takes_turns(settings):
        note = "the reward reads responses without special tokens, as in verl"
        yield Passed("--rollout-skip-special-tokens", (), "rollout", (), note)
    elif has_stub:
        yield Todo(
            f"reward_{choices.name}.py: sample.response of several turns holds special tokens (<|im_end|>), which verl "
            "leaves out before it scores; take them out",
            (FILES,),
        )


def _plain(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")


def _fates_of_function(settings: Settings, path: str, flags: tuple[str, ...], made: _Made) -> Iterator[Step]:
    prefix = path.removesuffix(".path")
    if settings.value(path) is None:
        yield Fate(path, "derived", flags, "verl scores by data source")
        yield Fate(f"{prefix}.name", "no effect", (), "there is no file that it could be in")
    elif made.is_done:
        yield Fate(path, "derived", flags, f"carried over into {made.reward.files[0].name}")
        yield Fate(f"{prefix}.name", "derived", flags, f"carried over into {made.reward.files[0].name}")
    else:
        yield Fate(path, "by hand", flags, "the function is for you to copy", "copy it into the recipe's reward")
        yield Fate(f"{prefix}.name", "by hand", flags, "the function is for you to copy")
    for other in (CUSTOM, CUSTOM_NOW):
        if other != prefix:
            yield from fates(settings, (f"{other}.path", f"{other}.name"), "no effect", f"{prefix} counts")


def _arguments(settings: Settings, choices: Choices, has_function: bool, made: _Made) -> Iterator[Step]:
    """What the function is told: into the config, where it reads it as ``getattr(args, …)``. The first fate that is
    given to a setting counts."""
    if made.is_done and made.asked is not None:
        for option in made.asked.options:
            yield from _option(settings, option)
        for key in below(settings, *KWARGS, *OF_MANAGER, *_BUFFERS):
            yield _of_manager(settings, key)
        return
    names: dict[str, str] = {}
    unread: dict[str, str] = {}
    for prefix in (*KWARGS, *OF_MANAGER, *_BUFFERS):
        for key in below(settings, prefix):
            name = key.removeprefix(prefix.removesuffix(OVERLONG) if prefix in _BUFFERS else f"{prefix}.")
            if name not in names:
                project = None if choices.verl is None else choices.verl.project
                names[name] = free_name(name.replace(".", "_"), names.values(), project)
            for step in _argument(settings, key, names[name], has_function):
                if isinstance(step, Fate) and step.reason == _UNREAD:
                    unread[key] = names[name]
                yield step
    if unread:
        listed = ", ".join(unread.values())
        wanted = f"have the reward read {listed} of args, and set them in a config for --custom-config-path"
        yield Todo(f"reward_{choices.name}.py: {wanted}, as far as it needs them", tuple(unread))


_UNREAD = "the reward is for you to write, and nothing reads it yet"


def _of_manager(settings: Settings, key: str) -> Fate:
    """The fate of a setting that the reward does not read, though it may do what it says."""
    if settings.value(key) in (None, {}):
        return Fate(key, "same", (), "nothing")
    if OVERLONG in key and not is_on(settings, f"{key.rpartition('.')[0]}.enable"):
        return Fate(key, "no effect", (), "verl takes nothing off for long responses, enable is off")
    if key.endswith((".enable", ".log")):
        return Fate(key, "derived", (_RM_PATH,), "the reward does as verl's manager")
    return Fate(key, "no effect", (), "neither the manager nor the function reads it")


def _option(settings: Settings, option: Option) -> Iterator[Step]:
    """An entry of the config that the reward reads."""
    if is_known(option.value):
        yield YamlEntry(option.name, option.value, option.keys)
        for key in option.keys:
            yield Fate(key, "derived", ("--custom-config-path",), f"{option.name}, which the reward reads")
        return
    todo = f"{option.keys[0]}={shown(option.value)}: set {option.name} in the config, which bash does not fill in"
    for key in option.keys:
        yield Fate(key, "by hand", (), "only bash knows it", todo)
    yield Todo(todo, option.keys)


def _argument(settings: Settings, key: str, name: str, has_function: bool) -> Iterator[Step]:
    value = settings.value(key)
    if value in (None, {}):
        yield Fate(key, "same", (), "nothing")
    elif OVERLONG in key and not is_on(settings, f"{key.rpartition('.')[0]}.enable"):
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
        todo = f"have the reward read args.{name}, and set {name} in a config for --custom-config-path"
        yield Fate(key, "by hand", (), _UNREAD, todo)


def _managed(settings: Settings, choices: Choices, made: _Made) -> Iterator[Step]:
    keys = tuple(key for key in below(settings, _MANAGER, _MANAGER_NOW, *_OLD_MANAGER))
    manager = _manager(settings)
    if made.strange is not None:
        yield from _strange(choices, made, made.strange, keys)
    elif made.is_done:
        yield from fates(settings, keys, "derived", "the reward does as this manager of verl's", (_RM_PATH,))
        if manager in _LIMITED:
            yield from _rates(settings)
    elif manager in _GROUP_MANAGERS:
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


def _strange(choices: Choices, made: _Made, strange: StrangeManager, keys: tuple[str, ...]) -> Iterator[Step]:
    """A manager whose ways are not known: what scores instead is a substitute."""
    file = f"reward_{choices.name}.py"
    what = f"{strange.called}, is not carried over"
    if made.is_done:
        what += f": {file} is a substitute, which scores as verl's naive manager would"
    todo = f"{what}; carry over to {file} what it does"
    for key in keys:
        yield Fate(key, "by hand", (_RM_PATH,), "the reward manager is not carried over", todo)
    yield Todo(todo, keys)
    yield Obstacle(strange.path, strange.line, what)


def _rates(settings: Settings) -> Iterator[Step]:
    """Limits of calls and tokens a minute, which a judge's own service can keep as well."""
    for key in settings.leaves:
        if key.endswith(("max_rpm", "max_tpm")) and settings.value(key) is not None:
            value = shown(settings.value(key))
            yield Todo(
                f"{key}={value}: the reward does not count its calls a minute; let the service limit them", (key,)
            )


def _judged(settings: Settings, choices: Choices) -> Iterator[Step]:
    """A model that scores."""
    for prefix in (MODEL, MODEL_NOW):
        key = f"{prefix}.enable"
        if not is_on(settings, key):
            yield Fate(key, "same", (), "no model scores")
            continue
        reason = "Relax serves no model that scores; the reward function asks one that is served elsewhere"
        model = first_key(settings, f"{MODEL}.model.path", f"{MODEL_NOW}.model_path")
        todo = f"{model}={shown(settings.value(model))}: serve it (SGLang can), and ask it in reward_{choices.name}.py"
        yield Fate(key, "by hand", (_RM_PATH,), reason, todo)
        yield Todo(todo, (key, model))
    own = tuple(key for key in below(settings, MODEL, MODEL_NOW) if key not in _OLD_MANAGER and not _is_other(key))
    asked = _asks_model(settings)
    reason = "for where the model is served" if asked else "verl reads it with reward_model.enable only"
    yield from fates(settings, own, "by hand" if asked else "no effect", reason)


def _is_other(key: str) -> bool:
    """Whether a setting below ``reward_model`` says nothing of the model."""
    others = (f"{MODEL}.reward_kwargs", f"{MODEL}.sandbox_fusion", f"{MODEL}.{OVERLONG}")
    return key.startswith((*others, f"{MODEL_NOW}.{OVERLONG}")) or key.endswith(".enable")


def _rest(settings: Settings, made: _Made) -> Iterator[Step]:
    url = first_key(settings, f"{MODEL}.sandbox_fusion.url", "reward.sandbox_fusion.url")
    keys = tuple(below(settings, f"{MODEL}.sandbox_fusion", "reward.sandbox_fusion", "sandbox_fusion"))
    if settings.value(url) is None:
        yield from fates(settings, keys, "no effect", "there is no sandbox")
    elif made.is_done and made.asked is not None and made.asked.request.sandbox:
        yield from fates(settings, keys, "derived", "the reward asks the sandbox", (_RM_PATH,))
    else:
        todo = f"{url}={shown(settings.value(url))}: ask the sandbox in the reward, of which Relax knows nothing"
        for key in keys:
            yield Fate(key, "by hand", (), "the reward asks the sandbox", todo)
        yield Todo(todo, (url,))
