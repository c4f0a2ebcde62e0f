"""The catalogue's builder, on small checkouts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from relax_lint.catalog.reading.patches import added_flags
from tests.catalog.small_relax import MEGATRON, RELAX, ROUTER, SGLANG
from tools import build_catalog
from tools.catalog_builder.patches import DoesNotApply, Patch

SERVER = "sglang/srt/server_args.py"
PATCH = """\
diff --git a/python/sglang/srt/server_args.py b/python/sglang/srt/server_args.py
index 1..2 100644
--- a/python/sglang/srt/server_args.py
+++ b/python/sglang/srt/server_args.py
@@ -27,3 +27,8 @@ class ServerArgs:
         parser.add_argument("--mem-fraction", type=float, dest="mem", default=ServerArgs.mem)
+        parser.add_argument(
+            "--patched-in",
+            type=int,
+            default=6,
+        )
         parser.add_argument("--backend", choices=BACKENDS + ["auto"])
         parser.add_argument("--sampler", choices=SAMPLERS)
"""
OLDER = PATCH.replace("--patched-in", "--patched-once")


def write(root: Path, tree: Mapping[str, str]) -> Path:
    for path, text in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def checkouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    monkeypatch.setattr(build_catalog, "CATALOG", catalog)
    patches = {
        "docker/patch/latest/sglang.patch": PATCH,
        "docker/patch/sglang/v2.patch": PATCH,
        "docker/patch/sglang/v1.patch": OLDER,
    }
    trees = {
        "relax": {**RELAX, **patches},
        "megatron": {**MEGATRON, "megatron/core/package_info.py": "MAJOR = 0\nMINOR = 9\nPATCH = 1\n"},
        "sglang": {**SGLANG, "sglang/_version.py": "__version__ = version = '2.0'\n"},
        "router": {**ROUTER, "sglang_router/version.py": '__version__ = "0.4"\n'},
    }
    return [str(write(tmp_path / name, tree)) for name, tree in trees.items()]


def built(checkouts: list[str]) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((Path(checkouts[0]).parent / "catalog/flags.json").read_text())
    return loaded


def names(data: Mapping[str, object]) -> set[str]:
    rows = data["flags"]
    assert isinstance(rows, list)
    return {row["name"] for row in rows}


def test_everything_is_read_and_written(checkouts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert build_catalog.main(checkouts) == 0
    data = built(checkouts)
    assert {"--lr", "--only-relax", "--sglang-backend", "--router-policy", "--teacher-sglang-backend"} <= names(data)
    assert data["left_out"] == ["--sglang-model", "--sglang-model-path", "--sglang-router-host"]
    assert data["versions"] == {
        "relax": "unknown",
        "megatron": "core 0.9.1, not patched",
        "sglang": "2.0, patch v2",
        "router": "0.4",
    }
    assert "flags.json, servers.json changed" in capsys.readouterr().out


def test_the_patch_in_force_counts_and_an_older_one_is_remembered(checkouts: list[str]) -> None:
    build_catalog.main(checkouts)
    data = built(checkouts)
    assert {"--sglang-patched-in", "--teacher-sglang-patched-in"} <= names(data)
    assert data["earlier"] == {
        "--sglang-patched-once": "Relax's sglang patch v1",
        "--teacher-sglang-patched-once": "Relax's sglang patch v1",
    }


def test_sources_that_are_patched_already_give_the_same(checkouts: list[str]) -> None:
    build_catalog.main(checkouts)
    path = Path(checkouts[2]) / SERVER
    path.write_bytes(Patch(PATCH, "python/")(SERVER, path.read_bytes()))
    assert "--patched-in" in path.read_text()
    assert build_catalog.main([*checkouts, "--check"]) == 0


def test_check_tells_a_difference_and_writes_nothing(checkouts: list[str]) -> None:
    build_catalog.main(checkouts)
    before = built(checkouts)
    path = Path(checkouts[0]) / "relax/utils/arguments.py"
    path.write_text(path.read_text().replace("--only-relax", "--renamed"))
    assert build_catalog.main([*checkouts, "--check"]) == 1
    assert built(checkouts) == before


def test_what_cannot_be_found_out_is_an_error(checkouts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(checkouts[0]) / "relax/utils/arguments.py"
    path.write_text(path.read_text().replace("type=json.loads", "type=nowhere.to.be.seen"))
    assert build_catalog.main(checkouts) == 1
    assert "main --layout type" in capsys.readouterr().err


def test_flags_of_earlier_commits_are_remembered(checkouts: list[str]) -> None:
    relax = Path(checkouts[0])

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *words], cwd=relax, check=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    path = relax / "relax/utils/arguments.py"
    path.write_text(path.read_text().replace("--only-relax", "--renamed"))
    git("commit", "-q", "-a", "-m", "second")
    build_catalog.main(checkouts)
    earlier = built(checkouts)["earlier"]
    assert isinstance(earlier, dict)
    assert earlier["--only-relax"].startswith("Relax of 20")


def test_a_patch_that_does_not_fit_is_refused() -> None:
    with pytest.raises(DoesNotApply, match="server_args"):
        Patch(PATCH, "python/")(SERVER, b"something else\n")


def test_flags_that_the_added_lines_of_a_patch_register() -> None:
    assert added_flags(PATCH) == ["--patched-in"]
    assert added_flags(PATCH.replace("+", "-", 1)) == ["--patched-in"]
    assert added_flags("no patch at all\n+    parser.add_argument('--x')\n") == []
