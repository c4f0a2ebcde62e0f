"""The grammar of bash: a recursive-descent parser that goes on after what it cannot read.

bash reads one complete command after another and runs each before it reads the next, so a mistake on line 50 does not
undo lines 1 to 49. The parser does the same: a command that cannot be read becomes a :class:`Problem`, and reading goes
on with the line after the one it began on.
"""

from __future__ import annotations

from relax_lint.patterns import pattern
from relax_lint.shell.double_brackets import DoubleBracketParser
from relax_lint.shell.nodes import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Background,
    Case,
    CaseItem,
    Command,
    Compound,
    For,
    Function,
    Group,
    If,
    Loop,
    Pipeline,
    Problem,
    Redirect,
    Script,
    SimpleCommand,
    Word,
)  # fmt: skip
from relax_lint.shell.scanner import ShellSyntaxError

MAXIMUM_PROBLEMS = 20

_CLOSERS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", "in"})
_OPENERS = frozenset({"if", "while", "until", "for", "case", "select", "function", "{", "[[", "coproc"})
_FUNCTION = pattern(r"([^\s;&|()<>$'\"`\\#={][^\s;&|()<>$'\"`\\=]*)[ \t]*\([ \t]*\)")
_COPROCESS_NAME = pattern(r"[A-Za-z_]\w*[ \t]+(?=[{(]|\[\[|(?:while|until|for|if|case|select)\s)")
_FUNCTION_NAME = pattern(r"[^\s;&|()<>]+")
_PORTABLE_TIME = pattern(r"-p(?=\s)")
_NO_STOP: frozenset[str] = frozenset()


class Parser(DoubleBracketParser):
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
        return Script(tuple(commands), self.problems, sorted(set(self.comments)), sorted(set(self.continuations)))

    def parse_line(self) -> Command:
        """One complete command with its separator."""
        return self.parse_separator(self.parse_and_or())

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
                if _PORTABLE_TIME.match(self.text, self.position, self.limit):
                    self.position += 2
            elif self.looking_at("!("):
                negated = not negated
                self.position += 1
            else:
                break
            self.skip_blanks()
        if self.position > start and (self.position >= self.limit or self.text[self.position] in "\n;"):
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
            return self.with_redirects(self.parse_double_parenthesis() or self.parse_subshell())
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
            name = _COPROCESS_NAME.match(self.text, self.position, self.limit)
            if name is not None:
                self.position = name.end()
            inner = self.parse_command()
            return Background(inner, start, inner.end)
        command: Compound
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

    def with_redirects(self, command: Compound) -> Compound:
        """The redirections behind a compound command."""
        redirects: list[Redirect] = []
        while True:
            self.skip_blanks()
            redirect = self.parse_redirect()
            if redirect is None:
                break
            redirects.append(redirect)
        if redirects:
            command.redirects = tuple(redirects)
            command.end = self.position
        return command

    def parse_subshell(self) -> Compound:
        """``( … )``."""
        start = self.position
        self.position += 1
        self.nested(start)
        body = self.parse_commands(frozenset(")"))
        self.expect(")", start)
        self.depth -= 1
        return Group(body, True, start, self.position)

    def parse_double_parenthesis(self) -> Compound | None:
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

    def parse_if(self, start: int) -> Compound:
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

    def parse_for(self, start: int, *, select: bool) -> Compound:
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

    def parse_arithmetic_for(self, start: int) -> Compound:
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

    def parse_case(self, start: int) -> Compound:
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


def parse(text: str, *, is_file: bool = True) -> Script:
    """Parse a file, or a string that a script evaluates. Never raises: what cannot be read is in ``problems``."""
    parser = Parser(text)
    parser.is_file = is_file
    return parser.parse_script()
