"""Calls that keep a thread waiting, by their names in the call graph: what calling ``x`` gives is ``x()``."""

from __future__ import annotations

import re
from functools import cache

_VERBS = r"(?:get|post|put|patch|delete|head|options|request|send|stream)"
_ASKING = r"(?:create|parse|stream|retrieve|list|generate|generate_content|complete|run|poll|call|embed)"
_PROCESSES = r"(?:run|call|check_call|check_output|getoutput|getstatusoutput)"

_ASYNC_HTTP = "use httpx.AsyncClient, or `await asyncio.to_thread(…)`"

_KINDS: tuple[tuple[str, str], ...] = (
    (rf"requests\.(?:api\.)?{_VERBS}", _ASYNC_HTTP),
    (rf"requests\.(?:sessions\.)?[Ss]ession\(\)\.{_VERBS}", _ASYNC_HTTP),
    (r"urllib\.request\.(?:urlopen|urlretrieve)", _ASYNC_HTTP),
    (r"urllib\.request\.(?:build_opener|OpenerDirector)\(\)\.open", _ASYNC_HTTP),
    (r"urllib3\.request", _ASYNC_HTTP),
    (r"urllib3\.(?:\w+\.)?\w*(?:Pool|PoolManager|ProxyManager)\(\)\.(?:request|urlopen)", _ASYNC_HTTP),
    (r"http\.client\.HTTPS?Connection\(\)\.(?:request|getresponse|connect)", _ASYNC_HTTP),
    (rf"httpx\.{_VERBS}", "use httpx.AsyncClient"),
    (rf"httpx\.Client\(\)\.{_VERBS}", "use httpx.AsyncClient"),
    (rf"openai\.(?:\w+\.)*(?:Azure)?OpenAI\(\)\.(?:\w+\.|with_options\(\)\.)*{_ASKING}", "use openai.AsyncOpenAI"),
    (r"openai\.(?:ChatCompletion|Completion|Embedding)\.create", "use openai.AsyncOpenAI"),
    (rf"anthropic\.(?:\w+\.)*Anthropic\w*\(\)\.(?:\w+\.)*{_ASKING}", "use anthropic.AsyncAnthropic"),
    (r"time\.sleep", "use `await asyncio.sleep(…)`"),
    (rf"subprocess\.{_PROCESSES}", "use asyncio.create_subprocess_exec, or `await asyncio.to_thread(…)`"),
    (r"subprocess\.Popen\(\)\.(?:wait|communicate)", "use asyncio.create_subprocess_exec"),
    (r"os\.(?:system|popen|wait|waitpid)", "use asyncio.create_subprocess_shell, or `await asyncio.to_thread(…)`"),
    (r"socket\.(?:create_connection|getaddrinfo|gethostbyname)", "use asyncio.open_connection"),
    (
        r"socket\.(?:socket|create_connection)\(\)\.(?:connect|accept|recv|recv_into|recvfrom|send|sendall|sendto)",
        "use asyncio.open_connection",
    ),
)


@cache
def _of_package(package: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The kinds of a package: most files use few, and compiling all takes long."""
    return tuple((re.compile(text), advice) for text, advice in _KINDS if text.startswith(rf"{package}\."))


SLEEP = "time.sleep"
MAKES_A_FUTURE = re.compile(r"concurrent\.futures\.(?:\w+\.)*\w+Executor\(\)\.submit|asyncio\.run_coroutine_threadsafe")
"""What gives something whose ``result()`` holds the thread until another thread or process is done."""
WAIT_FOR_FUTURE = "use `await asyncio.wrap_future(…)`"
RUNS_A_LOOP = re.compile(r"(?:asyncio|anyio|uvloop)\.run|.*\.run_until_complete|asyncio\.Runner\(\)\.run")
"""What refuses to start an event loop where one runs already."""

MENTIONS = re.compile(
    r"requests|urllib|httpx|openai|anthropic|http\.client|\bsleep\b|subprocess|\bos\.(?:system|popen|wait)|\bsocket\b"
    r"|Executor|asyncio\.run\b|anyio|uvloop|run_until_complete|Runner|from asyncio import"
)
"""What a file that blocks holds, or one that makes what blocks."""


def advice_against(name: str) -> str | None:
    """What to do instead of a call that keeps the thread waiting; ``None`` for others."""
    kinds = _of_package(name.partition(".")[0])
    return next((advice for pattern, advice in kinds if pattern.fullmatch(name)), None)
