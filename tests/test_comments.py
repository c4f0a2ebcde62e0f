"""Which comments are real, and which lines each speaks for."""

from __future__ import annotations

import pytest

from relax_lint.comments import comments
from relax_lint.project import Project
from tests.cases import for_each

MARK = "#@"


def spoken_for(path: str, text: str) -> list[tuple[int, list[int]]]:
    """The line of every comment that begins with the mark, and the lines it speaks for."""
    project = Project.from_files({path: text})
    source = project.source(project.root / path)
    assert source is not None
    return [
        (source.position(comment.start)[0], list(comment.lines))
        for comment in comments(source)
        if source.text.startswith(MARK, comment.start)
    ]


PYTHON = {
    "behind a statement": ("import verl  #@\n", [(1, [1])]),
    "above a statement": ("#@\nimport verl\n", [(1, [2])]),
    "above a statement over lines": ("#@\nx = f(\n    1,\n)\ny = 2\n", [(1, [2, 3, 4])]),
    "above blank lines and other comments": ("#@\n\n# other\nimport verl\n", [(1, [4])]),
    "two above one": ("#@\n#@\nimport verl\n", [(1, [3]), (2, [3])]),
    "above a function: its header only": ("#@\ndef f(\n    a,\n):\n    # why\n    return a\n", [(1, [2, 3, 4])]),
    "above decorators": ("#@\n@a\n@b(1)\nasync def f():\n    pass\n", [(1, [2, 3, 4])]),
    "above a class": ("#@\nclass A(B):\n    x = 1\n", [(1, [2])]),
    "first in a body": ("def f():\n    #@\n    x = 1\n    y = 2\n", [(2, [3])]),
    "last in a body": ("def f():\n    x = 1\n    #@\ny = 2\n", [(3, [4])]),
    "at the end of the file": ("x = 1\n#@\n", [(2, [])]),
    "above an elif": ("if a:\n    pass\n#@\nelif verl:\n    pass\n", [(3, [4])]),
    "above an except": ("try:\n    pass\n#@\nexcept verl.E:\n    pass\n", [(3, [4])]),
    "above a case": ("match a:\n    #@\n    case verl.E:\n        pass\n", [(2, [3])]),
    "above a one-line compound": ("#@\nif a: import verl\n", [(1, [2])]),
    "behind one line of many": ("x = f(\n    1,  #@\n    2,\n)\n", [(2, [2])]),
    "behind a string over lines": ("x = '''\na\n'''  #@\n", [(3, [1, 2, 3])]),
    "behind a continued line": ("x = 1 + \\\n    2  #@\n", [(2, [1, 2])]),
    "inside brackets, on its own": ("x = f(\n    #@\n    1,\n    2,\n)\n", [(2, [3])]),
    "in a string": ("x = '#@'\ny = '''\n#@\n'''\n", []),
    "in an f-string": ("x = f'{a} #@'\n", []),
    "behind a byte-order mark": ("\ufeff#@\nimport verl\n", [(1, [2])]),
    "in a file with CRLF": ("#@\r\nimport verl  #@\r\n", [(1, [2]), (2, [2])]),
    "before a syntax error": ("x = 1  #@\ndef (\n", [(1, [1])]),
    "after characters outside of ASCII": ("x = 'äöü€😀'  #@\n", [(1, [1])]),
}


@for_each(("text", "expected"), PYTHON.values(), ids=PYTHON.keys())
def test_python(text: str, expected: list[tuple[int, list[int]]]) -> None:
    assert spoken_for("examples/demo/x.py", text) == expected


SHELL = {
    "behind a command": ("echo a #@\n", [(1, [1])]),
    "above a command": ("#@\necho a\necho b\n", [(1, [2])]),
    "above a continued command": ("#@\necho a \\\n    b \\\n    c\necho d\n", [(1, [2, 3, 4])]),
    "above a pipeline": ("#@\necho a \\\n    | tee b\n", [(1, [2, 3])]),
    "above a list": ("#@\ncd a && \\\n    echo b || \\\n    exit\n", [(1, [2, 3, 4])]),
    "behind a continued command": ("echo a \\\n    b #@\n", [(2, [1, 2])]),
    "above an array": ("#@\nA=(\n    --a 1\n    --b 2\n)\n", [(1, [2, 3, 4, 5])]),
    "above a declared array": ("#@\ndeclare -a A=(\n    --a 1\n)\n", [(1, [2, 3, 4])]),
    "above an element": ("A=(\n    #@\n    --a 1\n    --b 2\n)\n", [(2, [3])]),
    "above an element with its value below": ("A=(\n    #@\n    --a\n    1\n    --b 2\n)\n", [(2, [3, 4])]),
    "behind an element": ("A=(\n    --a 1 #@\n    --b 2\n)\n", [(2, [2])]),
    "behind the value of an element": ("A=(\n    --a\n    1 #@\n    --b 2\n)\n", [(3, [2, 3])]),
    "last in an array": ("A=(\n    --a 1\n    #@\n)\necho b\n", [(3, [4])]),
    "behind an array": ("A=(\n    --a 1\n) #@\n", [(3, [1, 2, 3])]),
    "above an if: its condition only": ("#@\nif [ a ] \\\n    && b; then\n    echo c\nfi\n", [(1, [2, 3])]),
    "first in a body": ("if a; then\n    #@\n    echo b\nfi\n", [(2, [3])]),
    "above a loop": ("#@\nfor x in a \\\n    b; do\n    echo $x\ndone\n", [(1, [2, 3])]),
    "above a function": ("#@\nf() {\n    echo a\n}\n", [(1, [2])]),
    "above a case": ("#@\ncase $a in\n    b) echo c ;;\nesac\n", [(1, [2])]),
    "in a case arm": ("case $a in\n    b)\n        #@\n        echo c ;;\nesac\n", [(3, [4])]),
    "behind a command in a function": ("f() {\n    echo a #@\n}\n", [(2, [2])]),
    "in strings": ("echo '#@' \"#@\" a#@\n", []),
    "in a here-document": ("cat <<EOF\n#@\nEOF\n", []),
    "swallowing no continuation": ("echo a #@ \\\necho b\n", [(1, [1])]),
}


@for_each(("text", "expected"), SHELL.values(), ids=SHELL.keys())
def test_shell(text: str, expected: list[tuple[int, list[int]]]) -> None:
    assert spoken_for("examples/demo/run.sh", text) == expected


YAML = {
    "behind a value": ("a: 1  #@\n", [(1, [1])]),
    "above a key": ("#@\n\n# other\na: 1\n", [(1, [4])]),
    "above a nested key": ("a:\n  #@\n  b: 1\n", [(2, [3])]),
    "in a quoted string": ("a: 'b #@'\nc: \"d #@\"\n", []),
    "in a block": ("a: |\n  text\n  #@\nb: 1\n", []),
    "touching a word": ("a: b#@\n", []),
    "before something broken": ("a: 1  #@\nb: [\n", [(1, [1])]),
    "in a file with CRLF": ("a: 1  #@\r\n", [(1, [1])]),
}


@pytest.mark.parametrize(("text", "expected"), YAML.values(), ids=YAML.keys())
def test_yaml(text: str, expected: list[tuple[int, list[int]]]) -> None:
    assert spoken_for("examples/demo/config.yaml", text) == expected
