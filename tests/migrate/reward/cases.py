"""Responses and labels, a thousand for most scorers and always the same, honest ones and those that try it on. Where a
score takes a process, there are as many odd ones, and fewer of the others."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

Case = tuple[str, object]
_WORDS = "we so then the answer is therefore apples total sum hence got left each a an step think".split()
_ODD = (
    "",
    " ",
    "\n\n",
    "\x00",
    "####",
    "#### ",
    "#### .",
    "#### ,",
    "\\boxed",
    "\\boxed{",
    "\\boxed{}",
    "\\boxed {1}",
    "\\boxed 7$",
    "\\fbox{3}",
    "\\boxed{\\boxed{4}}",
    "\\boxed{{{{5",
    "}}}}\\boxed{6}",
    "\\boxed{\\frac12}",
    "\\boxed{\\frac1}",
    "\\boxed{\\frac}",
    "\\boxed{\\sqrt}",
    "\\boxed{\\sqrt2}",
    "\\boxed{x=5}",
    "\\boxed{50\\%}",
    "\\boxed{.5}",
    "\\boxed{\\text{ cm} 3}",
    "\\boxed{3\\text{ cm}}",
    "\\boxed{１２}",
    "Answer:",
    "Answer: ",
    "answer : 5",
    "Answer: 5\nAnswer: 6",
    "Answer: \\boxed{7}",
    "Answer: $\\frac12$",
    "Answer: 1,000",
    "<answer></answer>",
    "<answer>",
    "</answer><answer>",
    "<answer>The  Paris!</answer>",
    "<answer>a</answer>" * 12,
    "<think></think>\\boxed{1}",
    "<think>x</think> \\boxed{2} <think>",
    "None",
    "nan",
    "inf",
    "-0",
    "1e309",
    "٣",
    "²",
    "\ud800".encode("utf-8", "replace").decode(),
    "💥" * 40,
    "9" * 400,
    "(" * 300,
    "{" * 300,
    "$" * 50,
    "__import__('os')",
    "1/0",
)


def _prose(random: random.Random) -> str:
    return " ".join(random.choices(_WORDS, k=random.randrange(0, 12)))


def _number(random: random.Random) -> str:
    whole = random.choice([0, 1, 2, 7, 18, 72, 100, 1000, 12345, 1234567, random.randrange(10**6)])
    return random.choice(["{}", "-{}", "{:,}", "{}.0", "{}.5", "{}.", "+{}", " {} "]).format(whole)


def _latex(random: random.Random) -> str:
    a, b, c = (random.randrange(1, 13) for _ in range(3))
    return random.choice(
        [
            str(a),
            f"-{a}",
            f"{a}.5",
            f"\\frac{{{a}}}{{{b}}}",
            f"\\dfrac{a}{b}",
            f"\\tfrac{{{a}}}{b}",
            f"{a}/{b}",
            f"\\sqrt{{{a}}}",
            f"{a}\\sqrt{b}",
            f"x={a}",
            f"({a},{b})",
            f"[{a}, {b})",
            f"{a}\\%",
            f"\\${a}",
            f"{a}^\\circ",
            f"\\text{{{random.choice('ABCD')}}}",
            f"{a}\\text{{ cm}}",
            f"{{{a}}}",
            f"{a},{b}{c}0",
            f"\\left({a}\\right)",
            f"{a}\\!{b}",
        ]
    )


def gsm8k() -> Iterator[Case]:
    """Numbers after ####."""
    random_ = random.Random(8)
    for _ in range(1000):
        label = _number(random_).strip()
        answer = random_.choice([label, label, label.replace(",", ""), _number(random_), _number(random_)])
        tail = random_.choice(["", ".", "\n", "$", " dollars", "!" * 300, "!" * 310])
        mark = random_.choice(["#### ", "####", "#### $", "The answer is ", "#### -", "#### 3 #### "])
        yield _mixed(random_, f"{_prose(random_)} {mark}{answer}{tail}", label.replace(",", ""))


def boxed() -> Iterator[Case]:
    """Answers in LaTeX, in boxes."""
    random_ = random.Random(500)
    for _ in range(1000):
        label = _latex(random_)
        answer = random_.choice([label, label, label, f" {label}", label.replace("frac", "dfrac"), _latex(random_)])
        box = random_.choice(["\\boxed{%s}", "$\\boxed{%s}$.", "\\boxed %s$", "\\fbox{%s}", "%s", "\\boxed{%s"])
        again = random_.choice(["", "", f"\\boxed{{{_latex(random_)}}}"])
        yield _mixed(random_, f"{_prose(random_)} {again} {box % answer}{random_.choice(['', '.', ' ok'])}", label)


def dapo() -> Iterator[Case]:
    """Answers after "Answer:", or in boxes."""
    random_ = random.Random(17)
    for _ in range(1000):
        label = random_.choice([_number(random_).strip(), _latex(random_)])
        answer = random_.choice([label, label, f"${label}$", f"\\boxed{{{label}}}", f"{label} units", _latex(random_)])
        said = random_.choice(["Answer: %s", "ANSWER :%s", "\\boxed{%s}", "Answer is %s", "Answer: x = %s", "%s"])
        tail = random_.choice(["", "\n", " degrees", "." * 90, "." * 310, f"\nAnswer: {_latex(random_)}"])
        yield _mixed(random_, f"{_prose(random_)}\n{said % answer}{tail}", label)


def geo3k() -> Iterator[Case]:
    """Thoughts, then a box."""
    random_ = random.Random(3)
    for response, label in boxed():
        thought = random_.choice(["<think>%s</think>", "<think>%s", "%s", "<think>\n%s\n</think>\n"])
        # An integer against another is simplified by sympy: what it takes is the same on both sides.
        yield thought % _prose(random_) + response, label


def search() -> Iterator[Case]:
    """Answers in tags, to be one of several."""
    random_ = random.Random(7)
    names = ["Paris", "the Paris", "New York", "An apple", "U.S.A.", "42", "Ångström", "O'Neil", ""]
    for _ in range(1000):
        targets = random_.choices(names, k=random_.randrange(1, 4))
        answer = random_.choice([targets[0], targets[-1].upper(), f"  {targets[0]}. ", random_.choice(names), "none"])
        tags = random_.choice(["<answer>%s</answer>", "<answer>\n%s\n</answer>", "%s", "<answer>%s"])
        response = f"{_prose(random_)} {tags % answer}" * random_.choice([1, 1, 1, 2, 12])
        label: object = {"target": random_.choice([targets, targets[0]])}
        if random_.random() < 0.03:
            label = random_.choice([{}, {"target": []}, {"target": None}, {"target": [None]}, [], "text"])
        yield random_.choice([response, response, response, random_.choice(_ODD)]), label


def prime_math() -> Iterator[Case]:
    """Answers that mostly are decided as texts and numbers; the rest has to be worked out."""
    random_ = random.Random(23)
    for number in range(500):
        a, b = random_.randrange(2, 99), random_.randrange(2, 99)
        label, answer = random_.choice(
            [
                (str(a), str(a)),
                (f"{a}", f"{a}.5"),
                (f"{a}.25", f"{b}"),
                (f"\\frac{{{a}}}{{{b}}}", f"\\dfrac{{{a}}}{{{b}}}"),
                (f"{a}/{b}", f"{a}/{b}"),
                (f"{a},000", f"{a}000"),
                (f"{a}\\%", f"{a}"),
                (f"\\text{{{a} cm}}", f"{a}"),
                (f"({a}, {b})", f"({a},{b})"),
                (f"{a}.5", f"{a}.50"),
            ]
        )
        if number % 12 == 0:
            label, answer = random_.choice(
                [
                    (f"{a}", f"{b}"),
                    (f"x+{a}", f"{a}+x"),
                    (f"\\sqrt{{{a * a}}}", f"{a}"),
                    (f"{a}\\pi", f"{a * 3.14}"),
                    (f"[{a},{b}]", f"[{b},{a}]"),
                    ("\\begin{pmatrix}1\\\\2\\end{pmatrix}", "[1,2]"),
                    (f"{a}_2", f"{a}"),
                ]
            )
        said = random_.choice(["the answer is %s.", "\\boxed{%s}", "Step 2: \\boxed{%s}", "answer: %s", "%s"])
        odd = number % 20 == 7
        yield (random_.choice(_ODD[:40]) if odd else f"{_prose(random_)} {said % answer}"), label


def math_verify() -> Iterator[Case]:
    """What a verifier with signals has to tell apart."""
    random_ = random.Random(29)
    odd = tuple(filter(None, _ODD))
    for number, (response, label) in enumerate(boxed()):
        if number % (4 if number % 3 else 2) and not (response in _ODD or response.startswith(odd)):
            continue
        if number % 3:
            # Plain numbers are parsed at once; what LaTeX there is takes its time.
            label = str(random_.randrange(40))
            answer = random_.choice([label, f"{label}.0", f"{label}/1", str(random_.randrange(40)), "x"])
            response = random_.choice(["\\boxed{%s}", "it is %s", "$%s$", "%s"]) % answer
        yield response[:120], str(label)


_PROGRAMS = (
    ("print(int(input()) + 1)", True),
    ("n = int(input())\nprint(n + 1)", True),
    ("def main():\n    print(1 + int(input()))\n\n\nmain()", True),
    ("import sys\nprint(int(sys.stdin.readline()) + 1)", True),
    ("print(int(input()) + 2)", False),
    ("print('x'", False),
    ("raise SystemExit", False),
    ("import os\nos._exit(3)", False),
    ("print(1 / 0)", False),
    ("", False),
)


def prime_code() -> Iterator[Case]:
    """Programs and tests for them: a right one is run once, a wrong one again for each test. Each is a process, or two:
    of right ones with the usual tests there are a few for each way of writing them."""
    random_ = random.Random(5)
    for number in range(1000):
        n = random_.randrange(1000)
        right = [program for program, is_right in _PROGRAMS if is_right]
        wrong = [program for program, is_right in _PROGRAMS if not is_right]
        program = random_.choice(wrong) if number % 16 == 0 else random_.choice(right)
        fence = random_.choice(["```python\n%s\n```", "so:\n```python\n%s\n``` done", "%s", "```\n%s\n```"])
        tests = {"inputs": [f"{n}\n"], "outputs": [f"{n + 1}\n"]}
        label: object = json.dumps(tests) if number % 3 else tests
        if number % 5 == 1:
            label = random_.choice(["", "{", "[]", "{}", "null", '{"inputs": []}', "3", [], 7])
        if number % 16 == 2:
            calls = {"fn_name": "f", "inputs": [[n]], "outputs": [n + 1]}
            label, program = (
                json.dumps(calls),
                random_.choice(["def f(x):\n    return x + 1", "def g(x):\n    return x"]),
            )
            fence = "```python\n%s\n```"
        if number % 100 == 4:
            label, program = json.dumps({"inputs": ["1\n", "2\n"], "outputs": ["2\n", "9\n"]}), right[0]
        is_usual = number % 16 not in (0, 2) and number % 5 != 1 and number % 100 != 4
        if not is_usual or number % 10 == 2:
            yield fence % program, label


def tools() -> Iterator[tuple[str, object, dict[str, object]]]:
    """Calls of tools, with the name of an experiment that says how the model writes."""
    random_ = random.Random(11)
    for _ in range(1000):
        call = {"name": random_.choice("fg"), "parameters": {"x": random_.randrange(3)}}
        other = {"name": random_.choice("fgh"), "parameters": {random_.choice("xy"): random_.randrange(3)}}
        made = random_.choice([json.dumps(call), json.dumps(other), "{", f"{json.dumps(call)}\n{json.dumps(other)}"])
        label = f"<think>t</think>\n<tool_call>\n{json.dumps(call)}\n</tool_call>"
        response = f"<think>{_prose(random_)}</think>\n<tool_call>\n{made}\n</tool_call>"
        if random_.random() < 0.3:
            label, response = label + "\n<response>r</response>", response + "\n<response>s</response>"
        if random_.random() < 0.1:
            response = random_.choice(_ODD)
        name = random_.choice(["qwen-a", "llama-b", "qwen", "other"])
        yield f"<|im_start|>assistant{response}<|im_end|>", label, {"experiment_name": name}


def _mixed(random_: random.Random, response: str, label: object) -> Case:
    """A case, one in eight of them odd."""
    if random_.random() < 0.125:
        return random_.choice(_ODD) + random_.choice(["", response, response * 30]), label
    return response, label if random_.random() > 0.03 else random_.choice(["", "None", " ", "\\frac", "{", "$"])


SCORERS: dict[str, tuple[str, Callable[[], Iterator[Case]]]] = {
    "gsm8k": ("openai/gsm8k", gsm8k),
    "math": ("lighteval/MATH", boxed),
    "dapo": ("math_dapo", dapo),
    "aime": ("aime2025", dapo),
    "geo3k": ("hiyouga/geometry3k", geo3k),
    "search": ("searchR1_nq", search),
    "prime_math": ("numina_olympiads", prime_math),
    "prime_code": ("codecontests", prime_code),
}
"""The scorers that verl's own dispatch knows, by a source that each is for."""
