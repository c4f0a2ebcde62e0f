"""The grammar of bash: a recursive-descent parser that goes on after what it cannot read.

bash reads one complete command after another and runs each before it reads the next, so a mistake on line 50 does not
undo lines 1 to 49. The parser does the same: a command that cannot be read becomes a :class:`Problem`, and reading goes
on with the line after the one it began on.
"""

from __future__ import annotations

import re

from relax_lint.shell.nodes import (
    AndOr, ArithmeticCommand, ArithmeticFor, ArrayElement, ArrayLiteral, Assignment, Background, BinaryTest, Case,
    CaseItem, Command, Conditional, For, Function, Group, If, Literal, LogicalTest, Loop, Pipeline, Problem, Redirect,
    Script, SimpleCommand, Test, UnaryTest, Word,
)  # fmt: skip
from relax_lint.shell.words import METACHARACTERS, PLAIN_WORD, ShellSyntaxError, WordScanner

MAXIMUM_PROBLEMS = 20

_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|while|until|for|do|done|case|esac|select|function|time|coproc|in|\{|\}|!|\[\[)"
    r"(?=[\s;&|()<>]|\\\n|\Z)"
)
_CLOSERS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", "in"})
_OPENERS = frozenset({"if", "while", "until", "for", "case", "select", "function", "{", "[[", "coproc"})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")
_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?=[\s;&|)]|\Z)")
_FUNCTION = re.compile(r"([^\s;&|()<>$'\"`\\#={][^\s;&|()<>$'\"`\\=]*)[ \t]*\([ \t]*\)")
_FUNCTION_NAME = re.compile(r"[^\s;&|()<>]+")
_REDIRECT = re.compile(r"(\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||<|>)")
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
_UNARY = frozenset("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -z -n -o -v -R".split())
_BINARY = frozenset("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split())
_NO_STOP: frozenset[str] = frozenset()
_TEST_ENDS = METACHARACTERS


class Parser(WordScanner):
    """Reads commands."""

    problems: list[Problem]

    # ------------------------------------------------------------ scripts

    def parse_script(self) -> Script:
        """The whole text."""
        self.problems = []
        commands: list[Command] = []
        while True:
            self.skip_empty(_NO_STOP)
            if self.position >= self.limit:
                break
            start = self.position
            comments = len(self.comments)
            try:
                commands.append(self.parse_line())
            except ShellSyntaxError as error:
                self.recover(error.message, error.offset, start, comments)
            except RecursionError:
                self.recover("nested too deeply", start, start, comments)
            if len(self.problems) >= MAXIMUM_PROBLEMS:
                break
        return Script(tuple(commands), self.problems, self.comments, self.continuations)

    def parse_line(self) -> Command:
        """One complete command with its separator."""
        command = self.parse_and_or()
        command = self.parse_separator(command)
        return command

    def recover(self, message: str, offset: int, start: int, comments: int) -> None:
        """Note a mistake and go on with the line after the one that the command began on."""
        self.problems.append(Problem(message, offset, min(offset + 1, self.limit)))
        del self.comments[comments:]
        self.pending_documents.clear()
        self.depth = 0
        end = self.text.find("\n", start, self.limit)
        self.position = self.limit if end < 0 else end + 1

    def parse_commands(self, stop: frozenset[str]) -> tuple[Command, ...]:
        """Commands up to a word or character of ``stop``."""
        commands: list[Command] = []
        while True:
            self.skip_empty(stop)
            if self.position >= self.limit or self.at_stop(stop):
                return tuple(commands)
            commands.append(self.parse_line())

    def at_stop(self, stop: frozenset[str]) -> bool:
        """Whether the list ends here."""
        char = self.text[self.position]
        if char == ")":
            return ")" in stop
        if char == ";":
            return self.text[self.position + 1 : self.position + 2] in (";", "&") and ";;" in stop
        word = self.reserved()
        return word is not None and word in stop

    def reserved(self) -> str | None:
        """The reserved word at the position, not consumed."""
        match = _RESERVED.match(self.text, self.position, self.limit)
        return match.group() if match else None

    def skip_empty(self, stop: frozenset[str]) -> None:
        """Blanks, comments and empty lines."""
        while True:
            self.skip_blanks()
            if self.position >= self.limit:
                return
            char = self.text[self.position]
            if char == "#":
                self.skip_comment()
            elif char == "\n":
                self.take_newline()
            else:
                return

    def skip_comment(self) -> None:
        """Up to the line's end."""
        end = self.text.find("\n", self.position, self.limit)
        end = self.limit if end < 0 else end
        self.comments.append((self.position, end))
        self.position = end

    def take_newline(self) -> None:
        """A line's end, and the here documents that begin behind it."""
        self.position += 1
        if self.pending_documents:
            pending, self.pending_documents = self.pending_documents, []
            for redirect in pending:
                self.read_document(redirect)

    def read_document(self, redirect: Redirect) -> None:
        """The body of a here document."""
        quoted = any(part.quoted for part in redirect.target.parts)
        delimiter = "".join(part.text for part in redirect.target.parts if isinstance(part, Literal))
        strip = redirect.operator == "<<-"
        start = at = self.position
        while True:
            end = self.text.find("\n", at, self.limit)
            line_end = self.limit if end < 0 else end
            line = self.text[at:line_end]
            if (line.lstrip("\t") if strip else line) == delimiter and at < self.limit:
                body_end, after = at, min(line_end + 1, self.limit)
                break
            if end < 0:
                body_end = after = self.limit
                break
            at = end + 1
        redirect.body = self.document_word(start, body_end, quoted=quoted, strip_tabs=strip)
        self.position = after

    def parse_separator(self, command: Command) -> Command:
        """``;``, ``&`` or a line's end after a command."""
        self.skip_blanks()
        if self.position >= self.limit:
            return command
        char = self.text[self.position]
        if char == "#":
            self.skip_comment()
            if self.position >= self.limit:
                return command
            char = "\n"
        if char == "\n":
            self.take_newline()
        elif char == "&" and not self.looking_at("&&"):
            self.position += 1
            return Background(command, command.start, self.position)
        elif char == ";":
            if self.peek(1) not in (";", "&"):
                self.position += 1
        elif char != ")":
            raise ShellSyntaxError(f"unexpected {char!r}", self.position)
        return command

    # ------------------------------------------------------------ lists and pipelines

    def parse_and_or(self) -> Command:
        """Pipelines joined by ``&&`` and ``||``."""
        left = self.parse_pipeline()
        while True:
            self.skip_blanks()
            if self.looking_at("&&") or self.looking_at("||"):
                operator = self.text[self.position : self.position + 2]
                self.position += 2
                self.skip_empty(_NO_STOP)
                right = self.parse_pipeline()
                left = AndOr(operator, left, right, left.start, right.end)
            else:
                return left

    def parse_pipeline(self) -> Command:
        """Commands joined by ``|``, with ``!`` and ``time`` in front."""
        start = self.position
        negated = False
        while True:
            word = self.reserved()
            if word == "!":
                negated = not negated
                self.position += 1
            elif word == "time":
                self.position += 4
                self.skip_blanks()
                if re.compile(r"-p(?=\s)").match(self.text, self.position, self.limit):
                    self.position += 2
            elif self.looking_at("!("):
                negated = not negated
                self.position += 1
            else:
                break
            self.skip_blanks()
        if self.position >= self.limit or self.text[self.position] in "\n;":
            empty = SimpleCommand((), (), (), start, self.position)
            return Pipeline((empty,), negated, start, self.position) if negated else empty
        commands = [self.parse_command()]
        stderr_too: list[bool] = []
        while True:
            self.skip_blanks()
            if not self.looking_at("|") or self.looking_at("||"):
                break
            both = self.looking_at("|&")
            stderr_too.append(both)
            self.position += 2 if both else 1
            self.skip_empty(_NO_STOP)
            commands.append(self.parse_command())
        if len(commands) == 1 and not negated:
            return commands[0]
        return Pipeline(tuple(commands), negated, start, commands[-1].end, tuple(stderr_too))

    # ------------------------------------------------------------ commands

    def parse_command(self) -> Command:
        """One command of a pipeline."""
        if self.position >= self.limit:
            raise ShellSyntaxError("unexpected end of the script", self.limit)
        start = self.position
        char = self.text[start]
        if char == "(":
            command = self.parse_double_parenthesis() or self.parse_subshell()
            return self.with_redirects(command)
        word = self.reserved()
        if word in _OPENERS:
            self.nested(start)
            command = self.parse_compound(word or "")
            self.depth -= 1
            return command
        if word in _CLOSERS:
            raise ShellSyntaxError(f"unexpected {word!r}", start)
        function = _FUNCTION.match(self.text, start, self.limit)
        if function is not None:
            self.position = function.end()
            return self.parse_function(function.group(1), start)
        return self.parse_simple()

    def parse_compound(self, word: str) -> Command:
        """A command that begins with a reserved word."""
        start = self.position
        self.position += len(word)
        if word == "function":
            self.skip_blanks()
            name = _FUNCTION_NAME.match(self.text, self.position, self.limit)
            if name is None:
                raise ShellSyntaxError("a function without a name", self.position)
            self.position = name.end()
            self.skip_blanks()
            if self.looking_at("("):
                self.position += 1
                self.skip_blanks()
                self.expect(")", start)
            return self.parse_function(name.group(), start)
        if word == "coproc":
            self.skip_blanks()
            inner = self.parse_command()
            return Background(inner, start, inner.end)
        command: Command
        if word == "{":
            body = self.parse_commands(frozenset({"}"}))
            self.expect("}", start)
            command = Group(body, False, start, self.position)
        elif word == "[[":
            command = self.parse_conditional(start)
        elif word == "if":
            command = self.parse_if(start)
        elif word in ("while", "until"):
            condition = self.parse_commands(frozenset({"do"}))
            body = self.parse_do(start)
            command = Loop(condition, body, word == "until", start, self.position)
        elif word == "case":
            command = self.parse_case(start)
        else:
            command = self.parse_for(start, select=word == "select")
        return self.with_redirects(command)

    def with_redirects(self, command: Command) -> Command:
        """The redirections behind a compound command."""
        redirects: list[Redirect] = []
        while True:
            self.skip_blanks()
            redirect = self.parse_redirect()
            if redirect is None:
                break
            redirects.append(redirect)
        if redirects:
            command.redirects = tuple(redirects)  # type: ignore[union-attr]
            command.end = self.position
        return command

    def expect(self, word: str, opened: int) -> None:
        """Consume ``word`` or say what is missing."""
        if self.position >= self.limit:
            raise ShellSyntaxError(f"the script ends before the {word!r} that closes this", opened)
        if not self.looking_at(word):
            raise ShellSyntaxError(f"expected {word!r}", self.position)
        self.position += len(word)

    def parse_subshell(self) -> Command:
        """``( … )``."""
        start = self.position
        self.position += 1
        self.nested(start)
        body = self.parse_commands(frozenset(")"))
        self.expect(")", start)
        self.depth -= 1
        return Group(body, True, start, self.position)

    def parse_double_parenthesis(self) -> Command | None:
        """``(( … ))``; None when these are subshells in a subshell."""
        start = self.position
        if not self.looking_at("(("):
            return None
        self.position += 2
        try:
            expression = self.scan_expression(")", start)
        except ShellSyntaxError:
            expression = None
        if expression is None or not self.looking_at("))"):
            self.position = start
            return None
        self.position += 2
        return ArithmeticCommand(expression, start, self.position)

    def parse_if(self, start: int) -> Command:
        """After ``if``."""
        branches = []
        otherwise = None
        while True:
            condition = self.parse_commands(frozenset({"then"}))
            self.expect("then", start)
            body = self.parse_commands(frozenset({"elif", "else", "fi"}))
            branches.append((condition, body))
            if self.reserved() == "elif":
                self.position += 4
                continue
            if self.reserved() == "else":
                self.position += 4
                otherwise = self.parse_commands(frozenset({"fi"}))
            self.expect("fi", start)
            return If(tuple(branches), otherwise, start, self.position)

    def parse_do(self, start: int) -> tuple[Command, ...]:
        """``do … done``, or the braces that bash takes instead after ``for``."""
        self.expect("do", start)
        body = self.parse_commands(frozenset({"done"}))
        self.expect("done", start)
        return body

    def parse_for(self, start: int, *, select: bool) -> Command:
        """After ``for`` or ``select``."""
        self.skip_blanks()
        if self.looking_at("(("):
            return self.parse_arithmetic_for(start)
        name = _FUNCTION_NAME.match(self.text, self.position, self.limit)
        if name is None:
            raise ShellSyntaxError("a loop without a variable", self.position)
        self.position = name.end()
        self.skip_empty(_NO_STOP)
        words: tuple[Word, ...] | None = None
        if self.reserved() == "in":
            self.position += 2
            words = self.parse_words()
        self.skip_blanks()
        if self.looking_at(";"):
            self.position += 1
        body = self.parse_loop_body(start)
        return For(name.group(), words, body, start, self.position, select)

    def parse_loop_body(self, start: int) -> tuple[Command, ...]:
        """``do … done`` or ``{ … }``."""
        self.skip_empty(_NO_STOP)
        if self.reserved() == "{":
            self.position += 1
            body = self.parse_commands(frozenset({"}"}))
            self.expect("}", start)
            return body
        return self.parse_do(start)

    def parse_words(self) -> tuple[Word, ...]:
        """Words up to a separator."""
        words = []
        while True:
            self.skip_blanks()
            if self.position >= self.limit or self.text[self.position] in "\n;#":
                if self.peek() == "#":
                    self.skip_comment()
                return tuple(words)
            if self.text[self.position] in METACHARACTERS and not self.peek(1) == "(":
                raise ShellSyntaxError(f"unexpected {self.peek()!r}", self.position)
            words.append(self.scan_word())

    def parse_arithmetic_for(self, start: int) -> Command:
        """``for ((a; b; c))``."""
        self.position += 2
        expressions = []
        for end in (";", ";", ")"):
            expressions.append(self.scan_expression(end, start))
            self.position += 1
        self.expect(")", start)
        self.skip_blanks()
        if self.looking_at(";"):
            self.position += 1
        initial, condition, step = expressions
        body = self.parse_loop_body(start)
        return ArithmeticFor(initial, condition, step, body, start, self.position)

    def parse_case(self, start: int) -> Command:
        """After ``case``."""
        self.skip_blanks()
        subject = self.scan_word()
        self.skip_empty(_NO_STOP)
        self.expect("in", start)
        items: list[CaseItem] = []
        while True:
            self.skip_empty(_NO_STOP)
            if self.position >= self.limit:
                raise ShellSyntaxError("the script ends before the 'esac' that closes this", start)
            if self.reserved() == "esac":
                self.position += 4
                return Case(subject, tuple(items), start, self.position)
            items.append(self.parse_case_item(start))

    def parse_case_item(self, opened: int) -> CaseItem:
        """``a|b) …;;``."""
        start = self.position
        if self.looking_at("("):
            self.position += 1
        patterns = []
        while True:
            self.skip_blanks()
            if self.peek() in ("|", ")", "", "\n", ";"):
                raise ShellSyntaxError("a pattern is missing", self.position)
            patterns.append(self.scan_word())
            self.skip_blanks()
            if self.looking_at("|"):
                self.position += 1
                continue
            break
        self.expect(")", opened)
        body = self.parse_commands(frozenset({";;", "esac"}))
        terminator = ";;"
        for candidate in (";;&", ";;", ";&"):
            if self.looking_at(candidate):
                terminator = candidate
                self.position += len(candidate)
                break
        else:
            if self.reserved() != "esac":
                raise ShellSyntaxError("the script ends before the 'esac' that closes this", opened)
        return CaseItem(tuple(patterns), body, terminator, start, self.position)

    def parse_function(self, name: str, start: int) -> Command:
        """The body of a function."""
        self.skip_empty(_NO_STOP)
        body = self.parse_command()
        if isinstance(body, SimpleCommand):
            raise ShellSyntaxError(f"the function {name!r} has no body", start)
        return Function(name, body, start, body.end)

    # ------------------------------------------------------------ [[ … ]]

    def parse_conditional(self, start: int) -> Command:
        """After ``[[``."""
        expression = self.parse_test_or(start)
        self.skip_empty(_NO_STOP)
        self.expect("]]", start)
        return Conditional(expression, start, self.position)

    def parse_test_or(self, start: int) -> Test:
        """``a || b``."""
        left = self.parse_test_and(start)
        while True:
            self.skip_empty(_NO_STOP)
            if not self.looking_at("||"):
                return left
            self.position += 2
            left = LogicalTest("||", left, self.parse_test_and(start))

    def parse_test_and(self, start: int) -> Test:
        """``a && b``."""
        left = self.parse_test_term(start)
        while True:
            self.skip_empty(_NO_STOP)
            if not self.looking_at("&&"):
                return left
            self.position += 2
            left = LogicalTest("&&", left, self.parse_test_term(start))

    def parse_test_term(self, start: int) -> Test:
        """``! a``, ``( a )``, ``-z a``, ``a = b``."""
        self.skip_empty(_NO_STOP)
        if self.position >= self.limit:
            raise ShellSyntaxError("the script ends before the ']]' that closes this", start)
        if self.reserved() == "!":
            self.position += 1
            return LogicalTest("!", self.parse_test_term(start))
        if self.looking_at("("):
            self.position += 1
            self.nested(start)
            inner = self.parse_test_or(start)
            self.skip_empty(_NO_STOP)
            self.expect(")", start)
            self.depth -= 1
            return inner
        first = self.scan_test_word()
        self.skip_blanks()
        if first.literal in _UNARY and not self.at_test_end():
            before = self.position
            operand = self.scan_test_word()
            self.skip_blanks()
            if operand.literal not in _BINARY or self.at_test_end():
                return UnaryTest(first.literal or "", operand)
            self.position = before
        operator = self.test_operator()
        if operator is None:
            return UnaryTest("-n", first)
        self.skip_empty(_NO_STOP)
        if operator == "=~":
            return BinaryTest(operator, first, self.scan_word(regex=True, pattern=False))
        return BinaryTest(operator, first, self.scan_test_word())

    def at_test_end(self) -> bool:
        """Whether an operand cannot follow."""
        return any(self.looking_at(end) for end in ("]]", "&&", "||", ")", "\n"))

    def test_operator(self) -> str | None:
        """A binary operator at the position."""
        for operator in (
            "==",
            "=~",
            "!=",
            "=",
            "<",
            ">",
            "-eq",
            "-ne",
            "-lt",
            "-le",
            "-gt",
            "-ge",
            "-nt",
            "-ot",
            "-ef",
        ):
            if self.looking_at(operator):
                self.position += len(operator)
                return operator
        return None

    def scan_test_word(self) -> Word:
        """An operand."""
        at = self.position
        if self.peek() in METACHARACTERS:
            raise ShellSyntaxError("an operand is missing in [[ ]]", at)
        return self.scan_word()

    # ------------------------------------------------------------ simple commands

    def parse_simple(self) -> Command:
        """Assignments, words and redirections up to a separator."""
        start = end = self.position
        assignments: list[Assignment] = []
        words: list[Word | Assignment] = []
        redirects: list[Redirect] = []
        declaring = False
        text = self.text
        while True:
            self.skip_blanks()
            if self.position >= self.limit:
                break
            char = text[self.position]
            if char in "\n;|)" or char == "#":
                break
            if char == "&" and not self.looking_at("&>"):
                break
            if char in "<>&0123456789{":
                redirect = self.parse_redirect()
                if redirect is not None:
                    redirects.append(redirect)
                    end = self.position
                    continue
            if char == "(":
                raise ShellSyntaxError("unexpected '('", self.position)
            if not words or declaring:
                assignment = self.parse_assignment(bare=declaring)
                if assignment is not None:
                    (words if declaring else assignments).append(assignment)
                    end = self.position
                    continue
            word = self.scan_word()
            words.append(word)
            end = self.position
            if len(words) == 1 or (len(words) == 2 and _is_prefix(words[0])):
                declaring = word.literal in _DECLARING
        if not (words or assignments or redirects):
            raise ShellSyntaxError(f"unexpected {text[start : start + 1]!r}", start)
        return SimpleCommand(tuple(assignments), tuple(words), tuple(redirects), start, end)

    def parse_assignment(self, *, bare: bool) -> Assignment | None:
        """``name=…`` at the position; with ``bare`` a lone name too."""
        start = self.position
        match = _ASSIGNMENT.match(self.text, start, self.limit)
        if match is None:
            if bare:
                name = _BARE_NAME.match(self.text, start, self.limit)
                if name is not None:
                    self.position = name.end()
                    return Assignment(name.group(), start, self.position)
            return None
        subscript = None
        operator = match.group(2)
        self.position = match.end()
        if operator == "[":
            try:
                subscript = self.scan_subscript(start)
            except ShellSyntaxError:
                self.position = start
                return None
            operator = "+=" if self.looking_at("+=") else "="
            if not self.looking_at(operator):
                self.position = start
                return None
            self.position += len(operator)
        value: Word | ArrayLiteral
        if self.looking_at("(") and subscript is None:
            value = self.parse_array()
        else:
            value = self.scan_assigned()
        return Assignment(match.group(1), start, self.position, value, subscript, operator == "+=")

    def scan_assigned(self) -> Word:
        """The word on the right of ``=``, perhaps empty."""
        at = self.position
        if at >= self.limit or (
            self.text[at] in METACHARACTERS and not (self.text[at] in "<>" and self.peek(1) == "(")
        ):
            return Word((), at, at, "")
        return self.scan_word()

    def parse_array(self) -> ArrayLiteral:
        """``( … )`` over any number of lines, with comments."""
        start = self.position
        self.position += 1
        elements: list[ArrayElement] = []
        text, limit = self.text, self.limit
        while True:
            at = self.position
            if at >= limit:
                raise ShellSyntaxError("an array that is never closed", start)
            char = text[at]
            if char in " \t":
                self.position += 1
            elif char == "\n":
                self.take_newline()
            elif char == "#":
                self.skip_comment()
            elif char == "\\" and text.startswith("\\\n", at, limit):
                self.continuations.append(at)
                self.position += 2
            elif char == ")":
                self.position += 1
                return ArrayLiteral(tuple(elements), start, self.position)
            elif char in ";&|(" or (char in "<>" and self.peek(1) != "("):
                raise ShellSyntaxError(f"unexpected {char!r} in an array", at)
            elif char == "[":
                elements.append(self.parse_keyed_element())
            else:
                plain = PLAIN_WORD.match(text, at, limit)
                if plain is None:
                    elements.append(ArrayElement(self.scan_word()))
                else:
                    self.position = plain.end()
                    value = plain.group()
                    literal = Literal(value, False, at, self.position)
                    elements.append(ArrayElement(Word((literal,), at, self.position, value)))

    def parse_keyed_element(self) -> ArrayElement:
        """``[key]=value``, or a word that merely begins with a bracket."""
        start = self.position
        self.position += 1
        try:
            key = self.scan_subscript(start)
        except ShellSyntaxError:
            key = None
        if key is not None and (self.looking_at("=") or self.looking_at("+=")):
            append = self.looking_at("+=")
            self.position += 2 if append else 1
            return ArrayElement(self.scan_assigned(), key, append)
        self.position = start
        return ArrayElement(self.scan_word())

    def parse_redirect(self) -> Redirect | None:
        """A redirection at the position, if there is one."""
        start = self.position
        match = _REDIRECT.match(self.text, start, self.limit)
        if match is None:
            return None
        operator = match.group(2)
        if operator in ("<", ">") and self.text.startswith("(", match.end(), self.limit):
            return None
        self.position = match.end()
        self.skip_blanks()
        if self.position >= self.limit or (self.peek() in "\n;&|)" and operator != "<<<"):
            raise ShellSyntaxError("a redirection without a target", start)
        target = self.scan_word()
        redirect = Redirect(operator, match.group(1) or "", target, start, self.position)
        if operator in ("<<", "<<-"):
            raw = self.text[target.start : target.end]
            target.parts = (_delimiter(raw, target.start),)
            self.pending_documents.append(redirect)
        return redirect


def _delimiter(raw: str, start: int) -> Literal:
    """The delimiter of a here document: quotes removed, nothing expanded."""
    quoted = any(char in raw for char in "'\"\\")
    text = re.sub(r"\\(.)|['\"]", lambda match: match.group(1) or "", raw)
    return Literal(text, quoted, start, start + len(raw))


def _is_prefix(word: Word | Assignment) -> bool:
    return isinstance(word, Word) and word.literal in ("builtin", "command")


def parse(text: str) -> Script:
    """Parse a script. Never raises: what cannot be read is in ``problems``."""
    return Parser(text).parse_script()


def parse_at(text: str, position: int = 0) -> Script:
    """Parse what stands in ``text`` from ``position`` on; for strings that a script evaluates."""
    return Parser(text, position).parse_script()
