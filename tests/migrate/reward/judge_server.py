"""A judge that answers over HTTP, and counts who asks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar


class Judge(BaseHTTPRequestHandler):
    """Tells the length of a text and what else it was asked; one that begins with "no" it refuses once."""

    protocol_version = "HTTP/1.1"
    refused: ClassVar[set[str]] = set()
    connections = 0

    def setup(self) -> None:
        super().setup()
        type(self).connections += 1

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = 503 if asked["t"].startswith("no") and asked["t"] not in self.refused else 200
        self.refused.add(asked["t"])
        told = {"n": len(asked["t"]), "key": self.headers.get("X-Key"), "cookie": self.headers.get("Cookie")}
        answer = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.send_header("Content-Type", "application/json")
        self.send_header("Set-Cookie", "a=b")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *told: object) -> None:
        """Nothing is logged."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True


def judge_server() -> Iterator[str]:
    """The address of a judge that is there until it is asked for another one."""
    Judge.refused, Judge.connections = set(), 0
    server = _Server(("127.0.0.1", 0), Judge)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
