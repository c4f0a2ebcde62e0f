"""Secrets of a verl script: no file and no report has them, the launcher reads the environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from relax_lint.migrate.values import Data, Template
from relax_lint.records import changed
from relax_lint.shell.launch import Unknown

if TYPE_CHECKING:
    from relax_lint.migrate.settings import Setting, Settings
    from relax_lint.sources.launcher import LauncherSource

_NAMED = re.compile(
    r"(?:\A|_)(?:(?:API|ACCESS|SECRET|PRIVATE|AUTH)_?KEYS?(?:_ID)?|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?"
    r"|(?:WANDB|SWANLAB|OPENAI|AZURE|ANTHROPIC|GEMINI|DEEPSEEK|DASHSCOPE|SERPER|TAVILY|HF|GITHUB)_KEY)(?:_\d+)?\Z",
    re.IGNORECASE,
)
_OF_TEXT = re.compile(
    r"(?:\A|_)(?:EOS|EOT|BOS|PAD|UNK|CLS|SEP|MASK|STOP|MAX|MIN|NUM|PER|LAST|FIRST|BEGIN|START|END|EACH|NEW|PREFIX|SUFFIX"
    r"|THINK|THINKING|ANSWER|TOOL|SEARCH|IMAGE|VIDEO|AUDIO|VISION|SPECIAL|CHAT|TEXT|PROMPT|RESPONSE|SYSTEM|ASSISTANT)"
    r"_TOKEN\Z",
    re.IGNORECASE,
)
"""Tokens that a tokenizer makes."""
_COUNTED = re.compile(r"TOKEN\Z", re.IGNORECASE)
_PERHAPS = re.compile(r"(?:\A|_)KEY\Z", re.IGNORECASE)
"""A column or an entry as a rule (``image_key``); a secret when nobody would call one so."""
_RANDOM = re.compile(r"(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])[a-zA-Z0-9]{16,}")
_STAND_INS = frozenset(("empty", "none", "null", "true", "false", "dummy", "~"))
_SHAPES = re.compile(
    r"(?<![\w-])(?:sk-[\w-]{8,}|hf_[A-Za-z0-9]{8,}|gh[pousr]_\w{16,}|xox[abprs]-[\w-]{8,}|AKIA[0-9A-Z]{12,})"
    r"|(?<=\bBearer )[\w.~+/=-]{6,}|(?<=://)[^/\s:@\"'$]+:[^/\s@\"'$]+(?=@)"
)
"""What nobody takes for anything else, whatever it is called."""
_OPTION = re.compile(r"(?<!\S)--?(?P<name>[\w-]+)[= ]\s*[\"']?(?P<text>(?!-)[^\s\"'$`;&|)]+)")
_LOGIN = re.compile(
    r"\b(?:wandb|swanlab|huggingface-cli|hf)\s+(?:auth\s+)?login\s+(?:--?[\w-]+\s+)*[\"']?(?P<text>(?!-)[^\s\"'$`;&|)]+)"
)
_ASSIGNED = re.compile(
    r"(?<![\w.$-])(?P<key>(?:[A-Za-z_]\w*\.)*(?P<name>[A-Za-z_]\w*))(?:=|:[-=]|\\?[\"']\s*:\s*(?=\\?[\"']))"
    r"(?:\\?\"(?P<double>[^\"$`\\]+)\\?\"|'(?P<single>[^'$]+)'|(?P<bare>[^\s\"'$`;&|)(}{,\\]+))"
)
"""``NAME=text``, ``${NAME:-text}``, ``some.name=text`` of an override, ``"NAME": "text"`` of JSON."""
_READ_IN = re.compile(r"[\"']?\$\(")
_SHORTEST, _SHORTEST_WORD = 6, 10
"""What is shorter may stand anywhere for something else; so may a longer one of letters only."""
_HIDDEN = "…"
_NAMELESS = "SECRET"


def is_secret(name: str) -> bool:
    """Whether a variable or setting of this name holds what nobody else may know."""
    return _NAMED.search(name) is not None and _OF_TEXT.search(name) is None


def secrets_in(data: Data) -> list[str]:
    """The secret variables that a value is made of."""
    if isinstance(data, Template):
        return sorted(name for name in data.variables if is_secret(name))
    items = data if isinstance(data, list) else data.values() if isinstance(data, dict) else ()
    return [name for item in items for name in secrets_in(item)]


class Secrets:
    """The secrets that a script writes down: ``names`` has the variable for each."""

    def __init__(self, written: Iterable[tuple[str, str, str]]) -> None:
        self.names: Mapping[str, str] = {text: _variable(key) for key, name, text in written if _is_one(name, text)}
        longest_first = sorted(filter(_is_telling, self.names), key=len, reverse=True)
        known = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)|" if longest_first else ""
        self._anywhere = re.compile(known + _SHAPES.pattern)
        self._invented: dict[str, str] = {}

    @property
    def invented(self) -> frozenset[str]:
        """The variables that stand for secrets of settings that the script gives no name."""
        return frozenset(self._invented.values())

    @classmethod
    def of(cls, launcher: LauncherSource) -> Secrets:
        """Those of a script, of the files that it sources, and of the variables that it is given."""
        texts = [launcher.text, *(source.text for source in launcher.evaluation.sourced)]
        given = ((name, name, text) for name, text in launcher.project.settings.env.items())
        return cls([*(found for text in texts for found in _assigned(text)), *given])

    def hidden(self, text: str) -> str:
        """A text in which each secret is the variable that has it, or left out."""
        text = self._anywhere.sub(self._shown, text)
        for pattern in (_ASSIGNED, _OPTION):
            text = pattern.sub(_without_secret, text)
        return _LOGIN.sub(_without_text, text)

    def given_away_by(self, name: str, statement: str) -> bool:
        """Whether ``NAME=…`` is for nobody else: it holds a secret, or passes one on."""
        value = statement.partition("=")[2]
        if is_secret(name):
            return not _is_stand_in(value.strip("\"'")) and _READ_IN.match(value) is None
        return self.hidden(statement) != statement

    def without(self, settings: Settings) -> Settings:
        """The settings with variables of the environment for secrets."""
        leaves = {key: self._read(setting) for key, setting in settings.leaves.items()}
        return changed(settings, leaves=leaves)

    def _shown(self, found: re.Match[str]) -> str:
        return f"${{{self.names[found[0]]}}}" if found[0] in self.names else _HIDDEN

    def _read(self, setting: Setting) -> Setting:
        value = self._of_entry(setting.key, setting.value)
        variable = self.names.get(value, "") if isinstance(value, str) else ""
        if variable and _reads(setting, variable):
            value = Template((_read_from(variable),))
        if value == setting.value:
            return setting
        key, equals, _ = setting.given.partition("=")
        given, problem = f"{key}={_HIDDEN}" if equals else "", self.hidden(setting.problem)
        return changed(setting, value=value, given=given, variable=None, problem=problem)

    def _of_entry(self, key: str, data: Data) -> Data:
        """What becomes of the value of a dotted key."""
        if isinstance(data, dict):
            return {name: self._of_entry(f"{key}.{name}", item) for name, item in data.items()}
        if isinstance(data, list):
            return [self._of_entry(key, item) for item in data]
        if isinstance(data, Template):
            return Template(tuple(piece for part in data.parts for piece in self._parts_of(key, part)))
        if not isinstance(data, str):
            return data
        if _is_one(key.rpartition(".")[2], data):
            return Template((_read_from(self.names.get(data) or _variable(key)),))
        parts = tuple(self._parts(key, data))
        return Template(parts) if any(not isinstance(part, str) for part in parts) else data

    def _parts_of(self, key: str, part: str | Unknown) -> Iterable[str | Unknown]:
        """A part of a template; of ``${NAME:-secret}`` only the variable is left."""
        if isinstance(part, str):
            return self._parts(key, part)
        if self.hidden(part.text) == part.text:
            return (part,)
        return (_read_from(part.variable or self._of(key, part.text)),)

    def _parts(self, key: str, text: str) -> Iterator[str | Unknown]:
        """A text, with its secrets as what bash puts in."""
        end = 0
        for found in self._anywhere.finditer(text):
            if found.start() > end:
                yield text[end : found.start()]
            yield _read_from(self._of(key, found[0]))
            end = found.end()
        if end < len(text):
            yield text[end:]

    def _of(self, key: str, text: str) -> str:
        """The variable for a secret that is a part of a setting, each its own."""
        if text in self.names:
            return self.names[text]
        if text not in self._invented:
            name = f"{_variable(key)}_{_NAMELESS}"
            numbered = (f"{name}_{number}" for number in range(2, len(self._invented) + 3))
            self._invented[text] = next(one for one in (name, *numbered) if one not in self.invented)
        return self._invented[text]


def _read_from(variable: str) -> Unknown:
    return Unknown(f"${{{variable}}}", variable)


def _variable(key: str) -> str:
    """The variable for the secret of a name or dotted key: one word alone would say too little."""
    above, _, name = key.rpartition(".")
    if not above:
        return name
    told = name if "_" in name else f"{above.rpartition('.')[2]}_{name}"
    return re.sub(r"\W", "_", told).upper()


def _assigned(text: str) -> Iterator[tuple[str, str, str]]:
    """What a script gives to names: key, its last name, text."""
    for found in _ASSIGNED.finditer(text):
        yield found["key"], found["name"], _value(found)


def _value(found: re.Match[str]) -> str:
    return found["double"] or found["single"] or found["bare"] or ""


def _without_secret(found: re.Match[str]) -> str:
    """What is given to a name, unless that is a secret's."""
    name = found["name"].replace("-", "_")
    written = _value(found) if found.re is _ASSIGNED else found["text"]
    return _without_text(found) if _is_one(name, written) else found[0]


def _without_text(found: re.Match[str]) -> str:
    last = found.lastgroup or "text"
    start, end = (at - found.start() for at in found.span(last))
    return f"{found[0][:start]}{_HIDDEN}{found[0][end:]}"


def _reads(setting: Setting, variable: str) -> bool:
    """Whether a setting is written down with a variable."""
    if setting.place is None:
        return False
    source, start, end = setting.place
    return re.search(rf"\$\{{?{variable}\b", source.text[start:end]) is not None


def _is_telling(text: str) -> bool:
    """Whether a secret's text says nothing else wherever it stands."""
    return len(text) >= (_SHORTEST_WORD if text.isalpha() else _SHORTEST)


def _is_stand_in(text: str) -> bool:
    """Whether a text only stands where a secret could, or tells where one is."""
    return text.strip().lower() in ("", *_STAND_INS) or text.startswith(("/", "./", "~/"))


def _is_one(name: str, text: str) -> bool:
    """Whether a text is the secret that its name promises."""
    text = text.strip()
    if _is_stand_in(text):
        return False
    if is_secret(name):
        names_a_variable = text.isupper() and is_secret(text)
        is_of_text = _COUNTED.search(name) is not None and (text.isdecimal() or any(sign in text for sign in "<>[]| "))
        return not names_a_variable and not is_of_text
    return _PERHAPS.search(name) is not None and _RANDOM.fullmatch(text) is not None
