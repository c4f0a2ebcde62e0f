from __future__ import annotations

from relax_lint.flow.interpreter import interpreter_of
from relax_lint.flow.shapes import Function
from relax_lint.project import Project
from relax_lint.reward_forms import form_of
from tests.cases import for_each


def form(signature: str, body: str = "return 1.0") -> str | None:
    text = f"async def f({signature}):\n    {body}\n"
    project = Project.from_files({"examples/demo/f.py": text})
    module = project.module("examples.demo.f")
    assert module is not None
    function = interpreter_of(project).named(module, "f")
    assert isinstance(function, Function)
    return form_of(function)


@for_each(
    ("signature", "body", "expected"),
    [
        ("args, sample", "return 1.0", "single"),
        ("args, samples", "return judge(samples)", "batch"),
        ("args, s: Sample", "return 1.0", "single"),
        ("args, s: 'types.Sample'", "return 1.0", "single"),
        ("args, s: Optional[Sample] = None", "return 1.0", "single"),
        ("args, s: list[Sample]", "return 1.0", "batch"),
        ("args, s: 'typing.Sequence[Sample]'", "return 1.0", "batch"),
        ("args, sample: list", "return 1.0", "batch"),
        ("args, s: Sample | list[Sample]", "return 1.0", "both"),
        ("args, s: Union[Sample, List[Sample]]", "return 1.0", "both"),
        ("args, s: Any", "return [1.0 for x in s]", "batch"),
        ("args, s", "return s.response == s.label", "single"),
        ("args, s", "return [float(len(x)) for x in s]", "batch"),
        ("args, s", "return [0.0] * len(s)", "batch"),
        ("args, s", "return s[0].response", "batch"),
        ("args, s", "return s['response']", None),
        ("args, s", "return await judge(s)", None),
        ("args, samples", "return samples.response", None),
        ("args, sample", "return [1.0 for s in sample]", "batch"),
        ("args, s", "return [1.0 for x in s] if isinstance(s, list) else s.response", "both"),
        ("args, s", "if not isinstance(s, Sample):\n        raise TypeError\n    return judge(s)", "single"),
        ("args, s", "if not isinstance(s, list):\n        raise TypeError\n    return judge(s)", "batch"),
        ("args, s", "if isinstance(s, (list, tuple)):\n        raise TypeError\n    return judge(s)", "single"),
        ("args, s", "return judge(s) if type(s) is list else s.response", "both"),
        ("args, samples", "return [1.0 for s in samples] if type(samples) in (list, tuple) else 1.0", "both"),
        (
            "args, s",
            "match s:\n        case list():\n            return []\n        case _:\n            return 1",
            "both",
        ),
        (
            "args, s",
            "match s:\n        case [*many]:\n            return []\n        case one:\n            return 1",
            "both",
        ),
        ("args, sample", "return 1.0 if type(sample.label) is list else 0.0", "single"),
        ("*args, **kwargs", "return 1.0", None),
        ("args, s: '['", "return 1.0", None),
    ],
)
def test_form(signature: str, body: str, expected: str | None) -> None:
    assert form(signature, body) == expected
