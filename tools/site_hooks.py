"""What the site is held to beyond mkdocs' own strict checks: a page fetches nothing from anywhere else."""

from __future__ import annotations

import logging
import re

LOG = logging.getLogger("mkdocs.hooks.relax_lint")
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\ssrc=["']?(?P<source>(?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b[^>]*?\shref=["']?(?P<link>(?:https?:)?//[^"'\s>]+)"""
    r"""|url\(["']?(?P<style>(?:https?:)?//[^"')]+)""",
    re.IGNORECASE,
)
"""What a browser loads by itself; a link that somebody follows is none of it."""


def fetched(html: str) -> list[str]:
    """The addresses that a browser would fetch to show a page."""
    return [next(filter(None, match.groups())) for match in FETCHED.finditer(html)]


def on_post_page(output: str, page: object, config: object) -> str:
    """Warn, which is an error in a strict build, of what would be fetched."""
    for address in fetched(output):
        LOG.warning("%s would fetch %s", page, address)
    return output
