"""Neovim itself, set up as docs/editors.md has it, without its window."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from .conftest import LAUNCHER, REWARD, ROOT

SESSION = """
local told = {}
local function wait(what) assert(vim.wait(20000, what, 20), 'nothing came') end
local function codes(buffer) return vim.tbl_map(function(found) return found.code end, vim.diagnostic.get(buffer)) end
wait(function() return #codes(0) > 0 end)
told.launcher = codes(0)
told.reward = codes(vim.fn.bufnr('reward_countdown.py'))
vim.api.nvim_win_set_cursor(0, { vim.fn.search('--advantage-estimator'), 6 })
local params = vim.lsp.util.make_position_params(0, vim.lsp.get_clients()[1].offset_encoding)
told.hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 20000)[1].result.contents.value
local before = vim.b.changedtick
vim.cmd.RelaxLintFix()
wait(function() return vim.b.changedtick > before end)
vim.cmd.wall()
wait(function() return not vim.tbl_contains(codes(0), 'RLX801') end)
told.left = codes(0)
vim.fn.writefile({ vim.json.encode(told) }, 'told.json')
vim.cmd.qall()
"""


def test_neovim_shows_findings_and_fixes_the_recipe(tree: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/editors.md").read_text()
    (found,) = re.findall(r"```lua\n(.*?)```", page, re.DOTALL)
    (tmp_path / "init.lua").write_text(found)
    (tmp_path / "session.lua").write_text(SESSION)
    program = tmp_path / "bin/relax-lint"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}:$PYTHONPATH" exec "{sys.executable}" -m relax_lint "$@"\n')
    program.chmod(0o755)
    directories = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
    environment = {**os.environ, **directories, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    nvim = Path(sys.executable).parent / "nvim"
    words = [
        str(nvim),
        "--headless",
        "-u",
        f"{tmp_path}/init.lua",
        str(LAUNCHER),
        "-c",
        f"luafile {tmp_path}/session.lua",
    ]
    done = subprocess.run(words, cwd=tree, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (tree / "told.json").exists(), done.stderr
    told = json.loads((tree / "told.json").read_text())
    assert {"RLX206", "RLX404", "RLX422"} <= set(told["launcher"])
    assert "RLX202" in told["reward"]
    assert told["hover"].startswith("**`--advantage-estimator`**")
    assert set(told["left"]) == {"RLX407"}
    assert "async def reward_func" in (tree / REWARD).read_text()
    assert (tree / "examples/countdown/__init__.py").read_bytes() == b""
