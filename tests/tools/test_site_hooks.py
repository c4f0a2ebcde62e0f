"""The site fetches nothing from anywhere else."""

from __future__ import annotations

import logging

import pytest

from tools import site_hooks


@pytest.mark.parametrize(
    "html",
    [
        '<script defer src="https://elsewhere.test/a.js"></script>',
        "<img alt=x src=//elsewhere.test/a.png>",
        '<link rel="stylesheet" href="http://elsewhere.test/a.css">',
        "<style>@font-face { src: url('https://elsewhere.test/a.woff2') }</style>",
    ],
)
def test_what_a_browser_would_fetch_is_a_warning(html: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert site_hooks.on_post_page(html, "a page", None) == html
    assert "a page would fetch" in caplog.text
    assert "elsewhere.test" in caplog.text


def test_links_to_follow_and_files_of_the_site_are_none(caplog: pytest.LogCaptureFixture) -> None:
    html = '<a href="https://elsewhere.test/">x</a><script src="../a.js"></script><link rel=icon href="icon.png">'
    site_hooks.on_post_page(html, "a page", None)
    assert caplog.text == ""
