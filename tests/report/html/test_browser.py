"""The report in a real browser: nothing complained of, nothing asked for, both themes, a phone, keys, no scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.report.html.browser import Page, browser, executable
from tests.report.html.making import VERL_RUN, copied, hostile, page_of, written

pytestmark = pytest.mark.xdist_group("browser")

DESK, PHONE = (1280, 900), (390, 844)
FORGET = """\
try { localStorage.clear() } catch {}
document.documentElement.removeAttribute('data-theme');
"""
WIDE = """\
[...document.querySelectorAll('body *')]
  .filter((one) => !one.closest('.scroll, svg') && !one.matches('.skip') && one.getClientRects().length
    && one.getBoundingClientRect().right > innerWidth + 0.5)
  .map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 40)}`)
"""
BROKEN = """\
[...document.querySelectorAll('code.whole')].filter((one) => one.getClientRects().length > 1)
  .map((one) => one.textContent)
"""
_REGIONS = "[...document.querySelectorAll('.scroll')].map((one, at) => [one, at])"
STOPS = f"{_REGIONS}.filter(([one]) => one.tabIndex === 0).map(([, at]) => at)"
SCROLLING = (
    f"{_REGIONS}.filter(([one]) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)"
    ".map(([, at]) => at)"
)
POOR = """\
(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const seen = new Map();
  const rgba = (colour) => {
    if (!seen.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      seen.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return seen.get(colour);
  };
  const light = (colour) => {
    const [red, green, blue] = rgba(colour).map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const under = (one) => {
    for (let above = one; above; above = above.parentElement) {
      const colour = getComputedStyle(above).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return 'white';
  };
  const poor = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || one.closest('svg, script') || !one.getClientRects().length) continue;
    const [dark, bright] = [light(getComputedStyle(one).color), light(under(one))].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5) poor.add(`${one.tagName}.${one.className} ${ratio.toFixed(2)}`);
  }
  return [...poor];
})()
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of a broken recipe, of a migration, and of a recipe that wants to be more than text."""
    scratch = tmp_path_factory.mktemp("reports")
    copied("broken_countdown", scratch / "broken")
    written({"run_qwen3.sh": VERL_RUN}, scratch / "verl")
    hostile(scratch / "hostile")
    page_of(scratch / "broken")
    page_of(scratch / "verl", "run_qwen3.sh")
    page_of(scratch / "hostile")
    return {name: scratch / name / "page.html" for name in ("broken", "verl", "hostile")}


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(tab: Page, pages: dict[str, Path]) -> Iterator[Page]:
    """A tab as a new user has it; whatever a test does, the page complains of nothing and asks for nothing."""
    tab.events.clear()
    tab.size(*DESK)
    tab.prefer("light")
    tab.scripts(True)
    yield tab
    assert tab.complaints == []
    assert set(tab.requests) <= {path.as_uri() for path in pages.values()}


def shown(page: Page, path: Path, fragment: str = "") -> None:
    page.open("about:blank")
    page.open(f"{path.as_uri()}{fragment}")


def visible(page: Page, selector: str) -> int:
    """How many elements are to be seen."""
    count = page.evaluate(f"[...document.querySelectorAll({selector!r})].filter((one) => one.checkVisibility()).length")
    assert isinstance(count, int)
    return count


@pytest.mark.parametrize("name", ["broken", "verl", "hostile"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_in_both_themes(page: Page, pages: dict[str, Path], name: str, scheme: str) -> None:
    page.prefer(scheme)
    shown(page, pages[name])
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(255, 255, 255)") is (scheme == "light")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert page.evaluate(POOR) == []


@pytest.mark.parametrize("name", ["broken", "verl", "hostile"])
def test_a_phone_shows_it_without_scrolling_sideways(page: Page, pages: dict[str, Path], name: str) -> None:
    page.size(*PHONE, phone=True)
    shown(page, pages[name])
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert page.evaluate("innerWidth") == PHONE[0]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
    assert page.evaluate(WIDE) == []
    assert page.evaluate(BROKEN) == []


def test_a_hostile_recipe_does_nothing(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["hostile"])
    assert page.evaluate("document.title") == "examples · relax-lint"
    assert page.evaluate("document.images.length + document.scripts.length") == 1
    assert not [event for event in page.events if event["method"] == "Page.javascriptDialogOpening"]
    assert "document.title='taken'" in page.evaluate("document.body.textContent")


def test_the_theme_is_chosen_and_remembered(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["broken"])
    page.evaluate(FORGET)
    shown(page, pages["broken"])
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    for said in ("light", "dark"):
        page.evaluate("document.getElementById('theme').click()")
        assert page.evaluate("document.getElementById('theme').textContent") == f"Theme: {said}"
    dark = page.evaluate(background)
    assert dark != light
    shown(page, pages["broken"])
    assert page.evaluate(background) == dark
    page.evaluate("document.getElementById('theme').click()")
    assert page.evaluate(background) == light
    page.evaluate(FORGET)


def test_without_storage_the_theme_holds_for_the_visit(page: Page, pages: dict[str, Path]) -> None:
    forbidden = page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        source="Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden') } })",
    )["identifier"]
    shown(page, pages["broken"])
    page.evaluate("document.getElementById('theme').click()")
    page.evaluate("document.getElementById('theme').click()")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.call("Page.removeScriptToEvaluateOnNewDocument", identifier=forbidden)


def test_findings_are_filtered_by_severity_and_words(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["broken"])
    every = visible(page, ".finding")
    page.evaluate("document.querySelector('.chip.error').click()")
    errors = visible(page, ".finding")
    assert 0 < errors < every
    assert visible(page, ".finding.warning") == 0
    assert page.evaluate("document.querySelector('.chip.error').getAttribute('aria-pressed')") == "true"
    assert page.evaluate("document.querySelector('.toolbar:has(.chip) output').textContent") == f"{errors} of {every}"
    page.evaluate("document.querySelector('.chip.error').click()")
    page.evaluate("document.querySelector('.toolbar:has(.chip) input').focus()")
    page.type("rlx407 128")
    assert visible(page, ".finding") == 1
    assert visible(page, ".of-file") == 1
    page.press("Escape")
    assert visible(page, ".finding") == every


def test_settings_are_filtered_by_their_fate(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["verl"])
    page.evaluate("document.querySelector('.chip.dropped').click()")
    assert visible(page, "[data-fate]:not([data-fate=dropped])") == 0
    assert visible(page, "[data-fate=dropped]") > 10
    page.evaluate("document.querySelector('.chip.dropped').click()")
    assert visible(page, "[data-fate=mapped]") > 5
    assert page.evaluate("document.querySelector('#settings-1 > details').open") is False


def test_a_search_finds_flags_that_are_folded_away(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["verl"])
    assert page.evaluate("document.querySelector('[id^=flags-] > details').open") is False
    page.evaluate("document.querySelector('.toolbar[data-for^=flags-] input').focus()")
    page.type("--lr")
    assert page.evaluate("document.querySelector('[id^=flags-] > details').open") is True
    assert visible(page, ".shared [data-item]") > 0
    page.press("Escape")
    assert page.evaluate("document.querySelector('[id^=flags-] > details').open") is False


def test_another_launch_is_chosen_to_compare_with(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["broken"])
    differing = "[...document.querySelector('.sides [data-item]').cells].map((one) => one.className)"
    assert page.evaluate(differing) == ["", "", "differs"]
    page.evaluate("document.querySelectorAll('button.base')[1].click()")
    assert page.evaluate(differing) == ["", "differs", ""]
    assert page.evaluate("document.querySelectorAll('button.base')[1].ariaPressed") == "true"


def test_values_lead_to_what_was_found_at_them(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["broken"])
    mark = "document.querySelector('[id^=flags-] .mark.warning')"
    assert page.evaluate(f"{mark}.ariaLabel.startsWith('warning RLX')")
    page.evaluate(f"{mark}.click()")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate("document.querySelector(location.hash).matches('.finding.warning')")


def test_links_open_what_they_lead_to(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["broken"], "#rule-RLX407")
    assert visible(page, "#rule-RLX407") == 1
    anchor = page.evaluate("document.querySelector('.finding .place').getAttribute('href')")
    page.evaluate("document.querySelector('.finding .place').click()")
    page.evaluate("new Promise(requestAnimationFrame)")
    line = f"document.querySelector({anchor!r}).getBoundingClientRect()"
    assert page.evaluate(f"{line}.top > 0 && {line}.bottom < innerHeight")
    page.evaluate("document.querySelector('.note').click()")
    page.evaluate("new Promise(requestAnimationFrame)")
    reached = "document.querySelector(location.hash)"
    assert page.evaluate(f"{reached}.classList.contains('finding')")
    assert page.evaluate(f"Math.abs({reached}.getBoundingClientRect().top) < innerHeight / 2")


def test_a_filter_does_not_hide_what_a_link_leads_to(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["broken"])
    page.evaluate("document.querySelector('.chip.advice').click()")
    page.evaluate("location.hash = document.querySelector('.finding.error').id")
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert visible(page, ".finding.error") == 1


def test_everything_is_reached_by_keys(page: Page, pages: dict[str, Path]) -> None:
    shown(page, pages["broken"])
    page.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left >= 0")
    for _ in range(40):
        page.press("Tab")
        if page.evaluate("document.activeElement.id") == "theme":
            break
    page.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate(FORGET)
    page.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    assert page.evaluate("document.activeElement.value") == ""
    page.evaluate("document.querySelector('.fix summary').focus()")
    page.press("Enter")
    assert page.evaluate("document.querySelector('.fix').open") is True
    assert page.evaluate(STOPS) == page.evaluate(SCROLLING) != []
    page.size(*PHONE, phone=True)
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert page.evaluate(STOPS) == page.evaluate(SCROLLING)


def test_it_can_be_read_without_scripts(page: Page, pages: dict[str, Path]) -> None:
    page.scripts(False)
    page.prefer("dark")
    shown(page, pages["broken"], "#rule-RLX407")
    assert visible(page, ".toolbar") == 0
    assert visible(page, "#theme") == 0
    assert visible(page, ".finding") > 10
    assert visible(page, "#rule-RLX407") == 1
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"


def test_on_paper_everything_is_there_but_what_is_for_the_screen(page: Page, pages: dict[str, Path]) -> None:
    page.prefer("dark", "print")
    shown(page, pages["broken"])
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert visible(page, ".bar") == visible(page, ".toolbar") == visible(page, "#files") == 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert visible(page, ".fix .diff") > 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelector('.fix').open") is False


def test_a_machine_without_a_browser_fails_the_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.report.html.browser.PLACES", ())
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        executable()
