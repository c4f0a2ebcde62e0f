"""What is wrong with the rewards of one function, as the rules say it."""

from __future__ import annotations

from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.shapes import SAMPLES_LENGTH, UNKNOWN, Arguments, Sample, Sequence, alternatives
from relax_lint.project import Project
from relax_lint.reward_values import CalledForm, fault, mixed, with_dicts


def faults(text: str, form: CalledForm) -> set[str]:
    """The faults of ``f(args, sample)`` or ``f(args, samples)``."""
    project = Project.from_files({"examples/demo/f.py": text})
    module = project.module("examples.demo.f")
    assert module is not None
    interpreter = interpreter_of(project)
    second = Sequence(Sample(), SAMPLES_LENGTH) if form == "batch" else Sample()
    exits = interpreter.outcomes(interpreter.named(module, "f"), Arguments((UNKNOWN, second)))
    assert exits is not None
    dicts = with_dicts(exits, form)
    said = {fault(part, form) for way in exits for part in alternatives(way.shape)}
    said |= {mixed(way, dicts, form) for way in exits}
    return {message for message in said if message is not None}
