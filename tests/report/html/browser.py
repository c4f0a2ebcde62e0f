"""A real browser without a window, driven over a pipe by the DevTools protocol: no driver to install, no port."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
MISSING = (
    "these tests open the HTML report in a real browser and there is none: apt-get install chromium, or name a "
    "Chromium or Chrome by the variable CHROMIUM"
)
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe",
)  # fmt: skip
_PATIENCE = 60.0


def executable() -> str:
    """The browser; the test fails where there is none."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    found = found or next((place for place in PLACES if Path(place).exists()), None)
    if found is None:
        pytest.fail(MISSING)
    return found


class Page:
    """A tab: what it shows, what it was asked for, and what it complains of."""

    def __init__(self, inlet: BinaryIO, outlet: BinaryIO) -> None:
        self._inlet, self._outlet = inlet, outlet
        self._last = 0
        self._rest = b""
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    # ------------------------------------------------------------ protocol

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser something and wait for its answer."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._inlet.write(json.dumps(message).encode() + b"\0")
        self._inlet.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._outlet.fileno(), 1 << 20)
            if not data:
                raise AssertionError("the browser has gone away")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def _wait_for(self, method: str, since: int) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not any(event["method"] == method for event in self.events[since:]):
            assert time.monotonic() < deadline, f"no {method}"
            self._read()

    # ------------------------------------------------------------ what a user does

    def open(self, url: str) -> None:
        """Go somewhere and wait until it is there."""
        since = len(self.events)
        self.call("Page.navigate", url=url)
        self._wait_for("Page.loadEventFired", since)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """The size of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def prefer(self, scheme: str, media: str = "") -> None:
        """What the user's system prefers, light or dark; and the medium, such as print."""
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def scripts(self, allowed: bool) -> None:
        """Whether the user lets scripts run."""
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def press(self, key: str, text: str = "") -> None:
        """A key down and up."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        number = codes.get(key, ord(key[0].upper()))
        parameters: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": number}
        typed = text or ("\r" if key == "Enter" else key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters, **({"text": typed} if typed else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def type(self, text: str) -> None:
        """Text into what has the focus."""
        self.call("Input.insertText", text=text)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """A screenshot."""
        clip = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **clip)
        path.write_bytes(base64.b64decode(answer["data"]))

    # ------------------------------------------------------------ what it complains of

    @property
    def complaints(self) -> list[str]:
        """Whatever stands in its console: errors, warnings, violations of the policy, exceptions."""
        found = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Log.entryAdded":
                found.append(f"{parameters['entry']['level']}: {parameters['entry']['text']}")
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(f"{parameters['type']}: {parameters['args']}")
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"]))
        return found

    @property
    def requests(self) -> list[str]:
        """All that it asked for."""
        return [
            event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"
        ]


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A browser with a profile of its own, gone at the end."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    # The browser reads from its descriptor 3 and writes to 4; which numbers the pipes have here is chance.
    start = f'exec "$@" 3<&{to_read} 4>&{from_write}'
    command = ["bash", "-c", start, "bash", executable(), *_FLAGS, f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        command, pass_fds=(to_read, from_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(to_read)
    os.close(from_write)
    with os.fdopen(to_write, "wb") as inlet, os.fdopen(from_read, "rb") as outlet:
        try:
            page = Page(inlet, outlet)
            yield page
            page._session = ""
            with suppress(AssertionError):
                page.call("Browser.close")
        finally:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
