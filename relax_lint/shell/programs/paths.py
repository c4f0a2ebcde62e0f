"""``dirname``, ``basename``, ``realpath``, ``readlink``."""

from __future__ import annotations

import posixpath

from relax_lint.shell.programs.result import Call, Result, Unsupported, joined


def dirname(call: Call) -> Result:
    """The path without its last component."""
    _, operands = call.options("")
    if not operands:
        return Result("", 1)
    return Result(joined([_parent(path) for path in operands]))


def _parent(path: str) -> str:
    bare = path.rstrip("/")
    if not bare:
        return "/" if path else "."
    parent, slash, _ = bare.rpartition("/")
    return parent.rstrip("/") or slash or "."


def basename(call: Call) -> Result:
    """The last component, without a suffix if one is given."""
    found, operands = call.options("as:", ["multiple", "suffix="])
    if not operands:
        return Result("", 1)
    suffix = found.get("-s", found.get("--suffix"))
    if suffix is None and not {"-a", "--multiple"} & found.keys():
        if len(operands) > 2:
            return Result("", 1)
        suffix = operands.pop() if len(operands) == 2 else None
    return Result(joined([_base(path, suffix or "") for path in operands]))


def _base(path: str, suffix: str) -> str:
    bare = path.rstrip("/")
    if not bare:
        return "/" if path else ""
    name = bare.rpartition("/")[2]
    return name if name == suffix else name.removesuffix(suffix)


def realpath(call: Call) -> Result:
    """The path without links, dots and doubled slashes; by default all but the last component must be there."""
    found, operands = call.options("mesqL", ["canonicalize-missing", "canonicalize-existing", "no-symlinks", "strip"])
    if not operands or "-L" in found:
        raise Unsupported("realpath")
    needs = "parent"
    for option in found:
        needs = {"-m": "nothing", "--canonicalize-missing": "nothing"}.get(option, needs)
        needs = {"-e": "all", "--canonicalize-existing": "all"}.get(option, needs)
    keep_links = bool({"-s", "--no-symlinks", "--strip"} & found.keys())
    return _canonical(call, operands, needs, keep_links)


def readlink(call: Call) -> Result:
    """``readlink -f``, ``-m`` and ``-e``; what a link holds is not known."""
    found, operands = call.options(
        "fmenqsv", ["canonicalize", "canonicalize-missing", "canonicalize-existing", "no-newline"]
    )
    needs = None
    for option in found:
        needs = {"-f": "parent", "--canonicalize": "parent", "-m": "nothing", "-e": "all"}.get(option, needs)
        needs = {"--canonicalize-missing": "nothing", "--canonicalize-existing": "all"}.get(option, needs)
    if needs is None or not operands:
        raise Unsupported("readlink")
    result = _canonical(call, operands, needs, keep_links=False)
    if {"-n", "--no-newline"} & found.keys() and len(operands) == 1:
        return Result(result.output.removesuffix("\n"), result.status)
    return result


def _canonical(call: Call, operands: list[str], needs: str, keep_links: bool) -> Result:
    found = []
    for operand in operands:
        if not operand:
            continue
        path = posixpath.join(call.cwd, operand)
        path = posixpath.normpath(path) if keep_links else call.resolve(path)
        path = "/" + path.lstrip("/")
        must_exist = {"all": path, "parent": posixpath.dirname(path), "nothing": "/"}[needs]
        if must_exist == "/" or call.exists(must_exist):
            found.append(path)
    return Result(joined(found), int(len(found) < len(operands)))
