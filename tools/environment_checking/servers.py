"""Servers on this machine that network tools talk to: what they answer depends on nothing but what they are asked."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

_MCP = """\
import sys

sys.path[:0] = sys.argv[2:]
from fastmcp import FastMCP

server = FastMCP("search")


@server.tool
def tavily_search_tool(what: str, count: int = 1) -> str:
    "Search."
    if what == "fail":
        raise ValueError("nothing found")
    results = [{"title": f"{what} {number}", "url": "http://x"} for number in range(count)]
    return str({"query": what, "results": results})


@server.tool
def other(what: str) -> str:
    "Not selected."
    return what


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
"""


class _Answering(BaseHTTPRequestHandler):
    """Search and sandbox in one."""

    def do_POST(self) -> None:
        """Answer a request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, answer = _search(asked) if self.path == "/retrieve" else _run(asked)
        data = answer.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads a log."""


def _search(asked: dict[str, object]) -> tuple[int, str]:
    queries = asked["queries"]
    assert isinstance(queries, list)
    if "refuse" in queries:
        return 404, "no"
    if "garble" in queries:
        return 200, "{no JSON"
    if "nothing" in queries:
        return 200, json.dumps({"result": []})
    if "odd" in queries:
        return 200, json.dumps({"result": [{"document": 3}]})
    found = [
        [
            {"document": {"contents": f'"{query}"\ntext {number} of {query} ü'}, "score": 1 / (number + 1)}
            for number in range(int(str(asked["topk"])))
        ]
        for query in queries
    ]
    return 200, json.dumps({"result": found})


def _run(asked: dict[str, object]) -> tuple[int, str]:
    code = str(asked["code"])
    if "refuse" in code:
        return 400, "no"
    result = {"status": "Finished", "execution_time": 0.1, "return_code": 0, "stdout": f"{code}\n", "stderr": ""}
    if "raise" in code:
        result = {**result, "return_code": 1, "stdout": "", "stderr": "Traceback: no"}
        return 200, json.dumps({"status": "Failed", "message": "", "compile_result": None, "run_result": result})
    if "slow" in code:
        result = {**result, "status": "TimeLimitExceeded"}
        return 200, json.dumps({"status": "Failed", "message": "", "compile_result": None, "run_result": result})
    if "broken" in code:
        return 200, json.dumps(
            {"status": "SandboxError", "message": "broken", "compile_result": None, "run_result": None}
        )
    return 200, json.dumps({"status": "Success", "message": "", "compile_result": None, "run_result": result})


class Servers:
    """The servers, as long as the block lasts; that of MCP begins when it is asked for."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
        self.mcp: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Servers:
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.shutdown()
        self.http.server_close()
        if self.mcp is not None:
            self.mcp.terminate()
            self.mcp.wait()

    @property
    def url(self) -> str:
        """Where search and sandbox are."""
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    def mcp_config(self) -> Path:
        """The file that names the MCP server, which answers by now."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        script = self.scratch / "mcp_server.py"
        script.write_text(_MCP)
        quiet = subprocess.DEVNULL
        self.mcp = subprocess.Popen([sys.executable, str(script), str(port), *sys.path], stdout=quiet, stderr=quiet)
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        config = self.scratch / "mcp_server.json"
        config.write_text(json.dumps({"mcpServers": {"local": {"url": f"http://127.0.0.1:{port}/mcp"}}}))
        return config
