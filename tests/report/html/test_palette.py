"""The colours of the page have the contrast that WCAG 2.2 AA asks for, in both themes."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

CSS = files("relax_lint.report.html").joinpath("page.css").read_text(encoding="utf-8")
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
}
SURFACES = ("paper", "raised", "sunken")
ROLES = ("actor", "rollout", "reference", "actor-fwd", "genrm", "teacher", "critic", "other")
WASHES = [(name, f"{name}-wash") for name in ("error", "warning", "advice", "good")]
PAIRS = [
    *(
        (text, surface)
        for text in ("ink", "soft", "link", "error", "warning", "advice", "good")
        for surface in SURFACES
    ),
    *((text, "differs") for text in ("ink", "soft", "link", "error", "warning", "advice")),
    ("ink", "mark"),
    *WASHES,
    *(("ink", role) for role in ROLES),
]


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "surface"), PAIRS)
def test_text_can_be_read(text: str, surface: str, theme: int) -> None:
    assert contrast(COLOURS[text][theme], COLOURS[surface][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_the_focus_can_be_seen(theme: int) -> None:
    assert contrast(COLOURS["focus"][theme], COLOURS["paper"][theme]) >= 3


def test_no_colour_is_written_beside_the_palette() -> None:
    rules = CSS[CSS.index("*, *::before") :]
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)", rules) == []
