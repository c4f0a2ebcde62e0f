"""What is installed only where somebody wants it, and the command that installs it where it is not.

Nothing here imports what it asks for: to ask costs a look at the disk.
"""

from __future__ import annotations

import sys
from pathlib import Path

from relax_lint.commands import complain

EXTRAS: dict[str, tuple[str, ...]] = {
    "data": ("pyarrow",),
    "migrate": ("hydra", "omegaconf", "libcst"),
    "flake8": ("flake8",),
    "lsp": ("pygls", "lsprotocol"),
    "ray": ("ray", "pyarrow"),
}
"""The modules that each extra brings; `all` brings all of them."""


class ExtraMissing(Exception):
    """Something needs an extra that is not installed; the message says which, and the command that installs it."""


def lacking(extra: str) -> str | None:
    """The first module of an extra that cannot be imported; ``None`` when the extra is there."""
    from importlib.util import find_spec

    return next((name for name in EXTRAS[extra] if find_spec(name) is None), None)


def require(extra: str, what: str) -> None:
    """Raise :class:`ExtraMissing` unless an extra is there. ``what`` needs it: the subject of a sentence."""
    missing = lacking(extra)
    if missing is not None:
        raise ExtraMissing(f"{what} needs {missing}: {how_to_install(extra)}")


def is_there(extra: str, what: str) -> bool:
    """Whether an extra is there; when it is not, the user is told."""
    try:
        require(extra, what)
    except ExtraMissing as missing:
        complain(str(missing))
        return False
    return True


def how_to_install(extra: str) -> str:
    """The command that adds an extra to the environment that this program runs in."""
    wanted = f"'relax-lint[{extra}]'"
    home = Path(sys.prefix)
    if (home / "pipx_metadata.json").exists():
        return f"pipx inject {home.name} {wanted}"
    if home.parent.name.startswith(("archive-v", "environments-v")):  # in uv's cache: made for one run
        return " ".join(["uvx", *(f"--with {package}" for package in _packages(extra)), "…"])
    if _is_of_uv(home):
        return f"uv pip install --python {home} {wanted}"
    return f"pip install {wanted}"


def _is_of_uv(home: Path) -> bool:
    """Whether uv made this environment, and left pip out as it does."""
    from importlib.util import find_spec

    try:
        lines = (home / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return any(line.startswith("uv = ") for line in lines) and find_spec("pip") is None


def _packages(extra: str) -> list[str]:
    """What an extra is made of, as the metadata of this package have it."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        needed = requires("relax-lint") or ()
    except PackageNotFoundError:
        needed = ()
    ours = (line for line in needed if re.search(rf"extra == ['\"]{extra}['\"]", line))
    return [match[0] for match in (re.match(r"[\w.-]+(\[[\w,-]+\])?", line) for line in ours) if match]
