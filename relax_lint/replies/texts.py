"""Expressions as text, which is how facts name them."""

from __future__ import annotations

import ast


def text_of(node: ast.AST) -> str:
    """An expression's text, however it is laid out."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{text_of(node.value)}.{node.attr}"
    return ast.unparse(node)
