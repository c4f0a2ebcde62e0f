"""The head of a launcher: what it trains, what must be done first, which variables it needs, how it is run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from relax_lint.catalog.relax_defaults import KNOWN_ENVIRONMENT
from relax_lint.migrate.data_files import SOMEWHERE, TOOLS
from relax_lint.migrate.machines import how_to_start
from relax_lint.migrate.surroundings import variables_in
from relax_lint.migrate.values import Template
from relax_lint.migrate.written import WIDTH, comment, likely

if TYPE_CHECKING:
    from relax_lint.migrate.launcher_text import Facts, Mode
    from relax_lint.migrate.plan import Passed, Plan

_MEANINGS = {
    "MODEL_DIR": "directory of the checkpoints in Hugging Face's form",
    "DATA_DIR": "directory of the converted parquet files",
    "SAVE_DIR": "directory for checkpoints",
}
_SECRET = "a secret, which is written in the launcher of verl, or read there"
_DATA_FLAGS = {"--prompt-data", "--eval-prompt-data"}
_DEFAULTED = re.compile(r"\$\{(\w+):?[-=?+]")
_BARE = re.compile(r"\$(?P<brace>\{)?(?P<name>[A-Za-z_]\w*)(?(brace)\})")
_ARITHMETIC = re.compile(r"\$\(\([^()]*\)\)|\$\{\w+\[[^\]@*]+\]")
"""Where bash calculates, as it does for the index of an array."""
OF_A_JOB = re.compile(r"(?:SLURM|PBS|LSB|SGE)_\w+")
"""What only a job scheduler sets."""
_GIVEN = re.compile(r"\$\{(\w+):?[-=]")


def header(plans: Sequence[Plan], facts: Facts) -> Iterator[str]:
    """The comments below the first line."""
    yield from comment(f"{_title(plans)}, migrated from {facts.origin} of verl.")
    yield f"# {facts.page} says what became of each setting, and what is left to be done."
    yield "#"
    yield "# Before the first run:"
    yield from _conversions(facts)
    wanted = needed_variables(plans, facts)
    yield from _variables(wanted)
    called = f"{facts.path} [sync|async{' [FLAG OF RELAX...]' if facts.forwards else ''}]"
    last = f"#   {3 if wanted else 2}. "
    if facts.machines is None:
        yield f"{last}From the checkout:  bash {called}"
    else:
        yield from how_to_start(facts.machines, called, last)
    carried = _GIVEN.findall("\n".join(statement for _, statement in facts.assignments))
    given = list(dict.fromkeys([*overridable(plans), *carried]))
    if given:
        yield "#"
        yield from comment(f"The environment may also set {', '.join(_with_number(name, facts) for name in given)}.")
    for difference in facts.differences:
        yield "#"
        yield from comment(f"Not as in {facts.origin}: {difference}.")


def _conversions(facts: Facts) -> Iterator[str]:
    ahead = "#   1. Convert the data:   "
    indent = "#" + " " * 28
    for script, source, made in facts.conversions or (
        (f"{TOOLS}/process_{facts.name}.py", SOMEWHERE, '"${DATA_DIR}"'),
    ):
        yield f"{ahead}python3 {script} \\"
        if len(indent) + len(source) + len(made) + len("--input-dir --output-dir") < WIDTH:
            yield f"{indent}--input-dir {source} --output-dir {made}"
        else:
            yield f"{indent}--input-dir {source} \\"
            yield f"{indent}--output-dir {made}"
        ahead = f"#{' ' * (len(ahead) - 1)}"


def _variables(wanted: Mapping[str, str]) -> Iterator[str]:
    width = max(map(len, wanted), default=0)
    ahead = "  2. Set the variables:  "
    for name, meaning in wanted.items():
        yield from comment(meaning, first=f"{ahead}{name:<{width}}  ")
        ahead = " " * len(ahead)


def _title(plans: Sequence[Plan]) -> str:
    models = dict.fromkeys(_last_name(plan, "--hf-checkpoint") or plan.model for plan in plans)
    estimators = dict.fromkeys(_value(plan, "--advantage-estimator").upper() for plan in plans)
    what = " and ".join(filter(None, estimators)) or "Training"
    runs = "" if len(plans) == 1 else f", {len(plans)} runs"
    return f"{what} with {' and '.join(models)}{runs}"


def _value(plan: Plan, flag: str) -> str:
    values = [value for passed in plan.passed if passed.flag == flag for value in passed.values]
    first = values[0] if values else ""
    return first if isinstance(first, str) else first.quoted


def _last_name(plan: Plan, flag: str) -> str:
    """The name at the end of a path; a variable that is the whole path, or its end, stays what it is."""
    name = likely(_value(plan, flag)).rstrip("/").rpartition("/")[2]
    return name if name.count("{") == name.count("}") else name.rstrip("}")


def templates_of(plans: Sequence[Plan]) -> Iterator[Template]:
    """Every value that bash completes."""
    for plan in plans:
        for passed in plan.passed:
            yield from (value for value in passed.values if isinstance(value, Template))


def read_by(plans: Sequence[Plan]) -> list[str]:
    """What bash completes in the arguments of launches. A variable with a default where it is read is open, and nothing
    must set it before."""
    texts = [part.text for template in templates_of(plans) for part in template.parts if not isinstance(part, str)]
    return [_GIVEN.sub("", text) for text in texts]


def changed_by_loops(plans: Sequence[Plan]) -> Iterator[str]:
    """The variables of which nobody can tell what a loop of the verl script, as one over its options, leaves in them:
    no assignment is theirs."""
    for template in templates_of(plans):
        for part in template.parts:
            if not isinstance(part, str) and part.variable is None and (found := _BARE.fullmatch(part.text)):
                yield found["name"]


def overridable(plans: Sequence[Plan]) -> list[str]:
    """The variables that have a default where they are read."""
    return list(dict.fromkeys(match for template in templates_of(plans) for match in _GIVEN.findall(template.quoted)))


def needed_variables(plans: Sequence[Plan], facts: Facts) -> Mapping[str, str]:
    """The variables that a user must set, with what they are."""
    carried = {name for name, _ in (*facts.assignments, *facts.exports)}
    texts = [template.quoted for template in templates_of(plans)]
    texts += [statement.partition("=")[2] for _, statement in (*facts.assignments, *facts.exports)]
    defaulted = {name for text in texts for name in _DEFAULTED.findall(text)}
    read = dict.fromkeys(name for text in texts for name in variables_in(text))
    wanted = [name for name in read if name not in carried and name not in defaulted]
    known = sorted(name for name in wanted if name in _MEANINGS)
    counted = _counted_with(plans)
    others = [name for name in wanted if name not in known and (name in counted or not _is_of_the_system(name))]
    needed = {name: _MEANINGS.get(name, _used_by(name, plans, facts)) for name in (*known, *others)}
    return {**needed, **dict.fromkeys(facts.secrets, _SECRET)}


def _is_of_the_system(name: str) -> bool:
    return KNOWN_ENVIRONMENT.fullmatch(name) is not None and OF_A_JOB.fullmatch(name) is None


def _counted_with(plans: Sequence[Plan]) -> set[str]:
    """The variables that bash calculates with, to which one that is not set is 0."""
    texts = (_ARITHMETIC.findall(template.quoted) for template in templates_of(plans))
    return {name for found in texts for text in found for name in variables_in(text)}


def required_variables(plans: Sequence[Plan], facts: Facts) -> Iterator[str]:
    """Those without which there is no run: what bash calculates with, what is a whole value, or the directory that a
    path begins with, and what the verl script asks for, by ``set -u``, too. Others may be empty, as the end of a name
    may."""
    decided = _counted_with(plans)
    for plan in plans:
        asks = "nounset" in plan.settings.launch.options
        for parts in (value.parts for value in templates_of([plan])):
            for part in parts:
                alone = part is parts[0] and (len(parts) == 1 or str(parts[1]).startswith("/"))
                if isinstance(part, str) or not (asks or part.checked or alone):
                    continue
                if found := _BARE.fullmatch(part.text):
                    decided.add(found["name"])
    for name in needed_variables(plans, facts):
        if name in decided and name not in _MEANINGS and name not in facts.secrets:
            yield name


def _with_number(name: str, facts: Facts) -> str:
    return f"{name} ({facts.arguments[name]} there)" if name in facts.arguments else name


def _used_by(name: str, plans: Sequence[Plan], facts: Facts) -> str:
    """What a variable of the verl launcher is for: the flags that read it."""
    flags = dict.fromkeys(
        passed.flag
        for plan in plans
        for passed in plan.passed
        if any(isinstance(value, Template) and name in variables_in(value.quoted) for value in passed.values)
    )
    there = "as in the launcher of verl"
    if name in facts.arguments:
        there = f"{facts.arguments[name]} in {facts.origin.rpartition('/')[2]}"
    if not flags:
        return there
    what = "converted data" if flags.keys() <= _DATA_FLAGS else there
    return f"{what}; for {', '.join(flags)}"


def resource_of(passed: Iterable[Passed], mode: Mode) -> dict[str, int]:
    """The GPUs of each role in a mode; empty when they are not known."""
    for each in passed:
        if each.flag == "--resource" and each.modes in ("both", mode) and each.values:
            value = each.values[0]
            try:
                given = json.loads(value) if isinstance(value, str) else {}
                return {str(role): int(entry[1]) for role, entry in given.items()}
            except (ValueError, TypeError, LookupError, AttributeError):
                return {}
    return {}
