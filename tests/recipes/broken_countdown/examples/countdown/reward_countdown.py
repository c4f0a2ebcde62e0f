"""Countdown: reach the target with the given numbers, each used once."""

import ast
import operator
import re

OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def value_of(node):
    """The value of an arithmetic expression; any other expression is refused."""
    if isinstance(node, ast.BinOp):
        return OPERATIONS[type(node.op)](value_of(node.left), value_of(node.right))
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    raise ValueError("not arithmetic")


def compute_score(response, target, numbers):
    """Full marks for reaching the target, a little for using the right numbers."""
    found = re.findall(r"<answer>(.*?)</answer>", response, re.DOTALL)
    if not found:
        return {"score": 0.0, "format": 0.0}
    used = sorted(int(number) for number in re.findall(r"\d+", found[-1]))
    if used != sorted(numbers):
        return {"score": 0.0, "format": 1.0}
    try:
        reached = value_of(ast.parse(found[-1].strip(), mode="eval").body)
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError):
        return {"score": 0.1, "format": 1.0}
    return {"score": 1.0 if abs(reached - float(target)) < 1e-6 else 0.1, "format": 1.0}


def reward_func(args, sample):
    return compute_score(sample.response, sample.label, sample.metadata["numbers"])
