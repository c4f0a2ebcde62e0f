"""The syntax of ``$``: parameters, commands, arithmetic."""

from __future__ import annotations

import re

from relax_lint.patterns import pattern
from relax_lint.shell.nodes import (
    ArithmeticExpansion,
    BadSubstitution,
    Command,
    CommandSubstitution,
    Literal,
    Parameter,
    Part,
    ProcessSubstitution,
    Word,
)  # fmt: skip
from relax_lint.shell.scanner import Scanner, ShellSyntaxError, append_literal, literal_value

_EXPRESSION_RUN = pattern(r"[A-Za-z0-9_ +*/%<>=!&|^~,.#@-]+")
_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_PARAMETER = pattern(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_DEFAULTING = pattern(r":?[-=?+]")
_TRIMMING = pattern(r"##?|%%?")
_CASE = pattern(r"\^\^?|,,?|~~?")


class ExpansionScanner(Scanner):
    """Reads expansions."""

    def scan_dollar(self, parts: list[Part], *, quoted: bool) -> None:
        """Whatever begins with ``$``."""
        start = self.position
        following = self.peek(1)
        if following == "{":
            self.scan_braced(parts, quoted)
        elif following == "(":
            if not (self.peek(2) == "(" and self.scan_arithmetic(parts, quoted)):
                self.scan_command(parts, quoted)
        elif following == "'" and not quoted:
            self.scan_ansi_c(parts)
        elif following == '"' and not quoted:
            self.position += 1
            self.scan_double(parts)
        elif following == "[":
            self.position += 2
            expression = self.scan_expression("]", start)
            self.position += 1
            parts.append(ArithmeticExpansion(expression, quoted, start, self.position))
        else:
            name = _NAME.match(self.text, start + 1, self.limit)
            if name is not None:
                self.position = name.end()
                parts.append(Parameter(name.group(), quoted, start, self.position))
            elif following and following in "0123456789@*#?$!-":
                self.position = start + 2
                parts.append(Parameter(following, quoted, start, self.position))
            else:
                append_literal(parts, "$", quoted, start, start + 1)
                self.position = start + 1

    def scan_ansi_c(self, parts: list[Part]) -> None:
        """``$'…'``."""
        from relax_lint.shell.escapes import ansi_c

        start = self.position
        at = start + 2
        while at < self.limit and self.text[at] != "'":
            at += 2 if self.text[at] == "\\" else 1
        if at >= self.limit:
            raise ShellSyntaxError("a single quote that is never closed", start)
        parts.append(Literal(ansi_c(self.text[start + 2 : at]), True, start + 2, at))
        self.position = at + 1

    def scan_command(self, parts: list[Part], quoted: bool) -> None:
        """``$( … )``."""
        start = self.position
        found = self.substitutions.get(start)
        if found is None:
            self.position += 2
            body = self.scan_parenthesised(start)
            found = self.substitutions[start] = (body, self.position)
        body, self.position = found
        parts.append(CommandSubstitution(body, quoted, start, self.position))

    def scan_process(self, parts: list[Part]) -> None:
        """``<( … )``."""
        start = self.position
        self.position += 2
        body = self.scan_parenthesised(start)
        parts.append(ProcessSubstitution(body, start, self.position))

    def scan_parenthesised(self, start: int) -> tuple[Command, ...]:
        """Commands up to and past ``)``."""
        self.nested(start)
        outer, self.pending_documents = self.pending_documents, []
        body = self.parse_commands(frozenset(")"))
        if self.peek() != ")":
            raise ShellSyntaxError("a parenthesis that is never closed", start)
        self.position += 1
        self.pending_documents = outer
        self.depth -= 1
        return body

    def scan_backquote(self, parts: list[Part], quoted: bool) -> None:
        """Backquotes: their text is unescaped, then parsed."""
        start = self.position
        at = start + 1
        while at < self.limit and self.text[at] != "`":
            at += 2 if self.text[at] == "\\" else 1
        if at >= self.limit:
            raise ShellSyntaxError("a backquote that is never closed", start)
        self.nested(start)
        raw = self.text[start + 1 : at]
        if "\\" in raw:
            raw = re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", raw)
            text = " " * (start + 1) + raw
            inner = self.sub_parser(text, start + 1, len(text))
        else:
            inner = self.sub_parser(self.text, start + 1, at)
        body = inner.parse_commands(frozenset())
        self.depth -= 1
        self.position = at + 1
        parts.append(CommandSubstitution(body, quoted, start, self.position))

    def scan_arithmetic(self, parts: list[Part], quoted: bool) -> bool:
        """``$(( … ))``; false, with nothing consumed, when it turns out to be a command in parentheses."""
        start = self.position
        if start not in self.arithmetic:
            self.position += 3
            try:
                expression = self.scan_expression(")", start)
                self.arithmetic[start] = (expression, self.position + 2) if self.looking_at("))") else None
            except ShellSyntaxError:
                self.arithmetic[start] = None
        found = self.arithmetic[start]
        if found is None:
            self.position = start
            return False
        expression, self.position = found
        parts.append(ArithmeticExpansion(expression, quoted, start, self.position))
        return True

    def scan_expression(self, ends: str, opened: int) -> Word:
        """An arithmetic expression up to a character of ``ends`` outside of its own brackets (not consumed)."""
        start = self.position
        parts: list[Part] = []
        self.nested(start)
        closers: list[str] = []
        while True:
            at = self.position
            if at >= self.limit:
                raise ShellSyntaxError("an arithmetic expression that is never closed", opened)
            char = self.text[at]
            if not closers and char in ends:
                break
            if char == "\\" and self.peek(1) == "\n":
                self.position += 2
            elif char == "\\" and self.peek(1) in ("$", "`", '"', "\\"):
                append_literal(parts, self.text[at + 1], True, at + 1, at + 2)
                self.position += 2
            elif char == '"':
                self.position += 1
            elif char == "$":
                self.scan_dollar(parts, quoted=True)
            elif char == "`":
                self.scan_backquote(parts, quoted=True)
            elif (run := _EXPRESSION_RUN.match(self.text, at, self.limit)) is not None:
                append_literal(parts, run.group(), True, at, run.end())
                self.position = run.end()
            else:
                if char in "([{":
                    closers.append({"(": ")", "[": "]", "{": "}"}[char])
                elif closers and char == closers[-1]:
                    closers.pop()
                append_literal(parts, char, True, at, at + 1)
                self.position += 1
        self.depth -= 1
        return Word(tuple(parts), start, self.position, literal_value(parts, quoted_too=True))

    def scan_braced(self, parts: list[Part], quoted: bool) -> None:
        """``${…}``."""
        start = self.position
        self.nested(start)
        self.position += 2
        text = self.text
        length = indirect = False
        if self.peek() == "#" and self.peek(1) not in ("}", ""):
            following = _PARAMETER.match(text, self.position + 1, self.limit)
            if following and text[following.end() : following.end() + 1] in ("}", "["):
                length = True
                self.position += 1
        elif self.peek() == "!" and self.peek(1) not in ("}", "") and _PARAMETER.match(text, self.position + 1):
            if not (self.peek(1) in "-#?@*$!" and self.peek(1) not in "@*#"):
                indirect = True
                self.position += 1
        name = _PARAMETER.match(text, self.position, self.limit)
        if name is None:
            self.bad_substitution(parts, start, quoted)
            return
        parameter = Parameter(name.group(), quoted, start, start, length=length, indirect=indirect)
        self.position = name.end()
        if self.peek() == "[" and (name.group()[0].isalpha() or name.group()[0] == "_"):
            self.position += 1
            parameter.subscript = self.scan_subscript(start)
            if indirect and parameter.subscript.literal in ("@", "*") and self.peek() == "}":
                parameter.operator = "keys" + parameter.subscript.literal
                parameter.indirect = False
        if not self.scan_operator(parameter, quoted) or self.peek() != "}":
            self.bad_substitution(parts, start, quoted)
            return
        self.position += 1
        self.depth -= 1
        parameter.end = self.position
        parts.append(parameter)

    def bad_substitution(self, parts: list[Part], start: int, quoted: bool) -> None:
        """Skip a ``${…}`` that bash would refuse."""
        self.scan_braced_word(quoted, start)
        if self.peek() != "}":
            raise ShellSyntaxError("a brace that is never closed", start)
        self.position += 1
        self.depth -= 1
        parts.append(BadSubstitution(self.text[start : self.position], quoted, start, self.position))

    def scan_subscript(self, opened: int) -> Word:
        """What stands between brackets, past the closing one."""
        start = self.position
        parts: list[Part] = []
        depth = 0
        while True:
            at = self.position
            if at >= self.limit:
                raise ShellSyntaxError("a bracket that is never closed", opened)
            char = self.text[at]
            if char == "]" and depth == 0:
                break
            if char == "\\":
                self.scan_backslash(parts)
            elif char == "'":
                self.scan_single(parts)
            elif char == '"':
                self.scan_double(parts)
            elif char == "$":
                self.scan_dollar(parts, quoted=False)
            elif char == "`":
                self.scan_backquote(parts, quoted=False)
            else:
                depth += {"[": 1, "]": -1}.get(char, 0)
                append_literal(parts, char, False, at, at + 1)
                self.position += 1
        word = Word(tuple(parts), start, self.position, literal_value(parts, quoted_too=True))
        self.position += 1
        return word

    def scan_operator(self, parameter: Parameter, quoted: bool) -> bool:
        """The operator of a ``${…}`` and its words, up to ``}``; false when there is no such operator."""
        text, at, limit = self.text, self.position, self.limit
        char = self.peek()
        if char == "}" or char == "":
            return char == "}"
        if parameter.length:
            return False
        if parameter.indirect and char in "@*" and self.peek(1) == "}":
            parameter.operator = "prefix" + char
            parameter.indirect = False
            self.position += 1
            return True
        for operators, scan in (
            (_DEFAULTING, self.scan_default_argument),
            (_TRIMMING, self.scan_pattern_argument),
            (_CASE, self.scan_pattern_argument),
        ):
            match = operators.match(text, at, limit)
            if match:
                parameter.operator = match.group()
                self.position = match.end()
                parameter.arguments = (scan(quoted),)
                return True
        if char == "/":
            kind = self.peek(1)
            parameter.operator = "/" + kind if kind in ("/", "#", "%") else "/"
            self.position += len(parameter.operator)
            # Behind `//` a slash begins the pattern, behind `/#` and `/%` it ends an empty one.
            earliest_end = self.position + (kind == "/")
            pattern = self.scan_braced_word(False, self.position, "/", earliest_end)
            if self.peek() == "/":
                self.position += 1
                parameter.arguments = (pattern, self.scan_pattern_argument(quoted))
            else:
                parameter.arguments = (pattern,)
            return True
        if char == "@" and self.peek(1) and self.peek(2) == "}":
            parameter.operator = "@" + self.peek(1)
            self.position += 2
            return self.text[self.position - 1] in "QEPAKakuUL"
        if char == ":":
            parameter.operator = ":"
            self.position += 1
            parameter.arguments = self.scan_substring(at)
            return True
        return False

    def scan_substring(self, opened: int) -> tuple[Word, ...]:
        """``offset`` and perhaps ``:length``."""
        offset = self.scan_offset(opened)
        if self.peek() != ":":
            return (offset,)
        self.position += 1
        return (offset, self.scan_expression("}", opened))

    def scan_offset(self, opened: int) -> Word:
        """An expression up to ``:`` or ``}``; the colons of its own ``?:`` belong to it."""
        start = self.position
        parts: list[Part] = []
        questions = 0
        while True:
            piece = self.scan_expression("?:}", opened)
            parts.extend(piece.parts)
            char = self.peek()
            if char == "}" or (char == ":" and questions == 0):
                break
            questions += 1 if char == "?" else -1
            append_literal(parts, char, True, self.position, self.position + 1)
            self.position += 1
        return Word(tuple(parts), start, self.position, literal_value(parts, quoted_too=True))

    def scan_default_argument(self, quoted: bool) -> Word:
        """The word after ``:-`` and its like: inside double quotes only double quotes still quote."""
        return self.scan_braced_word(quoted, self.position)

    def scan_pattern_argument(self, quoted: bool) -> Word:
        """A pattern or replacement: all quotes count, wherever the expansion stands."""
        return self.scan_braced_word(False, self.position)

    def scan_braced_word(self, quoted: bool, opened: int, end: str = "", earliest_end: int = 0) -> Word:
        """A word inside ``${…}`` up to its ``}`` (or ``end``), which is not consumed."""
        start = self.position
        parts: list[Part] = []
        inside = False  # within double quotes nested in a quoted expansion
        while True:
            at = self.position
            if at >= self.limit:
                raise ShellSyntaxError("a brace that is never closed", opened)
            char = self.text[at]
            if char == "}" or (end and char == end and at >= earliest_end):
                break
            if char == '"':
                if quoted:
                    inside = not inside
                    self.position += 1
                    if inside and self.peek() == '"':
                        parts.append(Literal("", True, at, at))
                else:
                    self.scan_double(parts)
            elif char == "'" and not quoted:
                self.scan_single(parts)
            elif char == "\\":
                self.scan_braced_backslash(parts, quoted, inside)
            elif char == "$":
                self.scan_dollar(parts, quoted=quoted)
            elif char == "`":
                self.scan_backquote(parts, quoted)
            elif char in "<>" and self.peek(1) == "(" and not quoted:
                self.scan_process(parts)
            else:
                append_literal(parts, char, quoted, at, at + 1)
                self.position += 1
        return Word(tuple(parts), start, self.position, None)

    def scan_braced_backslash(self, parts: list[Part], quoted: bool, inside: bool) -> None:
        """A backslash in a word of ``${…}``."""
        at = self.position
        following = self.peek(1)
        if not quoted:
            self.scan_backslash(parts)
        elif following == "\n":
            self.position = at + 2
        elif following and following in ('$`"\\' if inside else '$`"\\}'):
            parts.append(Literal(following, True, at + 1, at + 2))
            self.position = at + 2
        else:
            append_literal(parts, "\\", True, at, at + 1)
            self.position = at + 1
