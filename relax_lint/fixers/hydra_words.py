"""Words of a Relax launch that only Hydra understands: which they are, and the flags that they become."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from relax_lint.attached import attached
from relax_lint.diagnostics import Diagnostic, Edit, Fix, Place, Severity
from relax_lint.fixers.launcher_edits import is_word, remove, whole
from relax_lint.fixers.reward_words import registered
from relax_lint.patterns import pattern
from relax_lint.records import changed, record
from relax_lint.shell.launch import Argument, Launch, Word
from relax_lint.shell.queries import is_own, start_of
from relax_lint.sources.script import ScriptFile

if TYPE_CHECKING:
    from pathlib import Path

    from relax_lint.migrate.leftovers import Left
    from relax_lint.project import Project
    from relax_lint.sources.launcher import LauncherSource

_OVERRIDE = pattern(r"(?P<root>[A-Za-z_]\w*)(?:\.[\w-]+(?:\[\d+\])?)+=")
_PREFIXED = pattern(r"\+{1,2}[A-Za-z_][\w./@-]*=|~[A-Za-z_][\w-]*(?:\.[\w-]+)+(?:=|\Z)")
_GROUPS = frozenset(
    {
        "actor", "actor_rollout_ref", "algorithm", "checkpoint", "critic", "custom_reward_function", "data", "engine",
        "global_profiler", "hydra", "model", "optim", "ray_init", "ray_kwargs", "reward", "reward_manager",
        "reward_model", "rollout", "trainer", "transfer_queue",
    }
)  # fmt: skip
"""Where verl's settings live. A flag may take a dotted word as its value, but not one of these."""
_OPTIONS = pattern(r"(--config-path|--config-name|--config-dir)(?:=|\Z)")
_BARE = pattern(r"""[^\s"'\\;|&<>()]+|"(?:[^"\\]|\\.)*"|'[^']*'""")
_WRITTEN = pattern(r"(?P<quote>[\"']?)(?P<signs>[+~]*)(?P<key>[^=\"'$`\s]+)=(?P<rest>.*)", re.DOTALL)
_PLAIN_WORDS = pattern(r"[\w@%+~=:,./\[\]{}$ -]*")


@record
class HydraWord:
    """A word for Hydra: ``option`` is the name of one of its options, else it is the override of ``key``."""

    word: Word
    key: str = ""
    given: str = ""
    option: str = ""
    value: Word | None = None


def hydra_words(launch: Launch) -> Iterator[HydraWord]:
    """What of a launch only Hydra would read."""
    may_be_a_value = False
    words = launch.argv[launch.entry + 1 :]
    for at, word in enumerate(words):
        if word.text.startswith("--"):
            option = _OPTIONS.match(word.text)
            if option:
                takes_next = "=" not in word.text and at + 1 < len(words) and not words[at + 1].text.startswith("-")
                yield HydraWord(word, option=option.group(1), value=words[at + 1] if takes_next else None)
            may_be_a_value = "=" not in word.text
        elif _is_override(word.text, may_be_a_value):
            given = word.text.partition("=")[0]
            yield HydraWord(word, given.lstrip("+~"), given)
            may_be_a_value = False


def _is_override(text: str, may_be_a_value: bool) -> bool:
    """Whether a word is an override; where it may be a flag's value, only if it is one of verl's."""
    if _PREFIXED.match(text):
        return True
    if "=" not in text:
        return False
    match = _OVERRIDE.match(text)
    return match is not None and (match.group("root") in _GROUPS or not may_be_a_value)


def in_relax(found: HydraWord, launch: Launch, project: Project) -> Fix:
    """The repair: the flags in the place of the word, or nothing where Relax needs none. What it is is looked up when
    somebody wants it, as the mapping takes its time to be read."""
    repair = _Repair(found, launch, project, _words_of(project, launch.script))
    title = f"take {found.option} out" if found.option else f"write {found.key} as Relax takes it"
    return Fix(title, repair.edits, why_not=repair.why_not, note=repair.note)


class _Repair:
    """The edits of one word, worked out once."""

    def __init__(self, found: HydraWord, launch: Launch, project: Project, words: _Words) -> None:
        self.found, self.launch, self.project, self.words = found, launch, project, words
        self._answer: Sequence[Edit] | str | None = None
        self._gone = ""

    @property
    def identity(self) -> tuple[str, Place | None]:
        """What names the word in its script, whichever launch it is seen in."""
        return self.found.key or self.found.option, self.found.word.place

    def edits(self) -> Sequence[Edit]:
        answer = self._known()
        return () if isinstance(answer, str) or self._fault() else answer

    def why_not(self) -> str:
        answer = self._known()
        return answer if isinstance(answer, str) else self._fault()

    def alone(self) -> Sequence[Edit]:
        """The edits, whatever the rules say of them."""
        answer = self._known()
        return () if isinstance(answer, str) else answer

    def _fault(self) -> str:
        return self.words.faults.get(self.identity, "")

    def note(self) -> str:
        """What goes with the word, though nothing says the same."""
        answer = self._known()
        return "" if isinstance(answer, str) else self._gone

    def _known(self) -> Sequence[Edit] | str:
        if self._answer is None:
            self._answer = self._worked_out()
        return self._answer

    def _worked_out(self) -> Sequence[Edit] | str:
        place = self.found.word.place
        script = self.project.launcher(self.launch.script)
        if place is None or script is None or not is_own(self.project, self.launch, place):
            return "the word is not written in the recipe's own files"
        if self.found.option:
            return self._without_option(script)
        # A word of a string is the same word wherever the string is used.
        elsewhere = () if _spelling(self.found) else (self.found.word.text,)
        uses = [
            (each, other)
            for other in script.launches
            if other.kind == "relax"
            for each in hydra_words(other)
            if each.key == self.found.key and (each.word.place == place or each.word.text in elsewhere)
        ]
        answers = [_items(each, other, self.project) for each, other in uses]
        advice = next((answer for answer in answers if isinstance(answer, str)), None)
        if advice is not None:
            return advice
        items = [answer for answer in answers if isinstance(answer, list)]
        if any(answer != items[0] for answer in items):
            return "the launches that it goes to say this by other flags, or do not: write it where it is needed"
        if not items[0]:
            overruled = next(filter(None, (_overruling(each, other, self.project) for each, other in uses)), "")
            if overruled and _without(script, [other for _, other in uses]):
                return (
                    f"only some ways of the script pass it, and {overruled} in all: decide what these ways are to have"
                )
            self._gone = overruled or _why_gone(*uses[0], self.project)
        return _edits(self.found.word, items[0], script)

    def _without_option(self, script: LauncherSource) -> Sequence[Edit] | str:
        """Hydra's options say where a configuration is; one of the recipe's own has something in it."""
        word, value = self.found.word, self.found.value
        named = value.text if value is not None else word.text.partition("=")[2]
        if self._is_there(named):
            return f"{named} is a configuration of the recipe: Relax takes what it says as flags"
        argument = Argument(word.text, () if value is None else (value,), word)
        edit = remove(argument)
        self._gone = "Relax has no configuration tree"
        if edit is None and value is None:
            return _in_text(word, (), script)
        return [edit] if edit is not None else "it is not written where it could be taken out"

    def _is_there(self, named: str) -> bool:
        names = {named, f"{named}.yaml", f"{named}.yml"}
        recipe = self.project.recipe_of(self.launch.script)
        around = [self.launch.script.parent, self.project.root, *([] if recipe is None else [recipe.directory])]
        if any(self.project.exists(directory / name) for directory in around for name in names):
            return True
        return recipe is not None and any(path.name in names for path in recipe.yaml)


class _Words:
    """The words of one script, whose flags are judged together: alone, one may lack what another brings."""

    def __init__(self, project: Project, script: Path) -> None:
        self.project, self.script = project, script

    @cached_property
    def faults(self) -> Mapping[tuple[str, Place | None], str]:
        """What would be wrong with the script after the edits of a word, for the words that are better left."""
        repairs = list(self._repairs())
        before = self._errors(())
        faults: dict[tuple[str, Place | None], str] = {}
        after = self._errors(repairs)
        for repair in list(repairs) if _new(before, after) else ():
            # An error that only this word brings, even where another one goes meanwhile.
            without = self._errors([other for other in repairs if other is not repair])
            if len(without) < len(after):
                faults[repair.identity] = _told(_new(without, after) or _new(before, after))
                repairs.remove(repair)
                after = without
        if not _worse(before, after):
            return faults
        taken: list[_Repair] = []
        for repair in repairs:
            worse = _worse(before, self._errors([*taken, repair]))
            if worse:
                faults[repair.identity] = _told(worse)
            else:
                taken.append(repair)
        return faults

    def _repairs(self) -> Iterator[_Repair]:
        """One for each word that any edits are known for."""
        script = self.project.launcher(self.script)
        found: dict[tuple[str, Place | None], _Repair] = {}
        for launch in () if script is None else script.launches:
            for each in hydra_words(launch) if launch.kind == "relax" else ():
                repair = _Repair(each, launch, self.project, self)
                found.setdefault(repair.identity, repair)
        return (repair for repair in found.values() if repair.alone())

    def _errors(self, repairs: Sequence[_Repair]) -> list[Diagnostic]:
        """The errors of the script after some edits, and the warnings at what they write; but for what other fixes
        mend, and for words of Hydra. A warning elsewhere may only be seen now that an error before it is gone."""
        from relax_lint.engine import lint
        from relax_lint.fixing import apply_edits
        from relax_lint.rules import load_rules

        edits: dict[Path, list[Edit]] = {}
        for repair in repairs:
            own = repair.alone()
            taken = [other for edit in own for other in edits.get(edit.path, ())]
            if not any(one.start < other.end and other.start < one.end for one in own for other in taken):
                for edit in own:
                    edits.setdefault(edit.path, []).append(edit)
        changes = {
            path: apply_edits(source, each)
            for path, each in edits.items()
            if (source := self.project.source(path)) is not None
        }
        after = self.project.with_changes(changes) if changes else self.project
        written = {word for each in edits.values() for edit in each for word in edit.text.split() if word[:2] == "--"}
        recipe = after.recipe_of(self.script)
        rewards = [] if recipe is None else [source.path for source in recipe.python]
        report = lint(after, load_rules(), targets=[self.script, *rewards])
        return [
            found
            for found in report.standing
            if found.severity is not Severity.ADVICE
            and (found.fix is None or not (found.fix.safe or found.fix.why_not))
            and (found.severity is Severity.ERROR or _stands_at(found, after) in written)
        ]


def _stands_at(found: Diagnostic, project: Project) -> str:
    """The word that a finding is at."""
    source = project.source(found.path)
    return next(iter("" if source is None else source.text[found.start : found.end].split()), "")


def _words_of(project: Project, script: Path) -> _Words:
    launcher = project.launcher(script)
    launches = () if launcher is None else launcher.launches
    return _words_from(launches[0], project) if launches else _Words(project, script)


@attached
def _words_from(first: Launch, project: Project) -> _Words:
    """The words of the script of a launch: they stay as long as what the script launches does."""
    return _Words(project, first.script)


def _worse(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> str:
    """A new error, if there are more than before: where one error has taken the place of another, nothing is lost."""
    return "" if len(after) <= len(before) else _new(before, after)


def _new(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> str:
    """The first error that was not there."""
    known = {(found.code, found.message) for found in before}
    return next((f"{one.code} {one.message}" for one in after if (one.code, one.message) not in known), "")


def _told(fault: str) -> str:
    return f"the launcher would have another fault, {fault}"


# ---------------------------------------------------------------- what it becomes


def _items(found: HydraWord, launch: Launch, project: Project) -> list[str] | str:
    """The flags of a word in one launch. Where two words become one flag, the later one says it, as to Hydra."""
    words, flags = [each for each in hydra_words(launch) if each.key], _flags_of(launch)
    lefts = [_left(each) for each in words]
    others: Mapping[str, Left] = {left.key: left for left in lefts}
    behind = False
    taken: set[str] = set()
    own: list[str] | str = []
    for each, left in reversed(list(zip(words, lefts, strict=True))):
        answer = [] if others[left.key] is not left else _becomes(left, flags, others, project)
        if each.word == found.word and not behind:
            own, behind = answer, True
            break
        if not isinstance(answer, str):
            taken.update(item.partition(" ")[0] for item in answer)
    if isinstance(own, str):
        return own
    return [item for item in own if item.partition(" ")[0] not in taken]


def _becomes(left: Left, flags: Launch, others: Mapping[str, Left], project: Project) -> list[str] | str:
    """What a setting becomes beside the flags of a launch."""
    from relax_lint.migrate.leftovers import becomes

    found = registered(left, flags, others, project)
    return becomes(left, flags, others, project.catalogue) if found is None else found


def _flags_of(launch: Launch) -> Launch:
    """The launch without words for Hydra, which are values of the flags before them otherwise."""
    theirs = {id(each.word) for each in hydra_words(launch) if each.key}
    return changed(launch, argv=tuple(word for word in launch.argv if id(word) not in theirs))


def _why_gone(found: HydraWord, launch: Launch, project: Project) -> str:
    """What is told of a word in whose place nothing stands."""
    from relax_lint.migrate.overruled import AGAIN, why_gone

    word, left, others = _last(found, launch)
    if word != found.word:
        return AGAIN
    flags = _flags_of(launch)
    written = _becomes(left, flags, others, project)
    if written and not isinstance(written, str):
        return f"a word behind it becomes {written[0].partition(' ')[0]}, too, and counts"
    return why_gone(left, flags, others, project.catalogue)


def _overruling(found: HydraWord, launch: Launch, project: Project) -> str:
    """The flag of the launch that says something else than a word does."""
    from relax_lint.migrate.overruled import overruling

    word, left, others = _last(found, launch)
    return overruling(left, _flags_of(launch), others, project.catalogue) if word == found.word else ""


def _last(found: HydraWord, launch: Launch) -> tuple[Word, Left, Mapping[str, Left]]:
    """The word that counts for a setting, what it says, and all that the launch has of the kind."""
    words = {each.key: each.word for each in hydra_words(launch) if each.key}
    lefts = {each.key: _left(each) for each in hydra_words(launch) if each.key}
    return words[found.key], lefts[found.key], lefts


def _without(script: LauncherSource, launches: Sequence[Launch]) -> bool:
    """Whether the script starts one of the launches in another way, too, in which it is not the same."""
    starts = {start_of(launch) for launch in launches}
    return any(start_of(other) in starts and other not in launches for other in script.launches)


def _left(found: HydraWord) -> Left:
    """The setting with its value, and the spelling of that value."""
    from relax_lint.migrate.leftovers import Left, plain_value
    from relax_lint.migrate.overrides import Hidden
    from relax_lint.migrate.values import Template, is_known
    from relax_lint.migrate.written import word as spelled

    if found.given.startswith("~"):
        return Left(found.key, None, deleted=True)
    hidden = Hidden()
    text = hidden.hide(found.word).partition("=")[2]
    value = hidden.data(plain_value(text))
    written = _spelling(found)
    unquoted = (
        isinstance(value, (str, Template))
        and (value if isinstance(value, str) else hidden.shown(text.strip("'\""))) != found.word.text.partition("=")[2]
    )
    if not written or unquoted:
        is_literal = is_known(value) and not found.word.defaults and not isinstance(value, (list, dict))
        literal = found.word.text.partition("=")[2] if not isinstance(value, (str, Template)) else value
        written = spelled(literal) if (is_literal or isinstance(value, Template)) else ""
    return Left(found.key, value, written)


def _spelling(found: HydraWord) -> str:
    """How the value stands in the script, in the quotes that were around the whole word; empty when the word is put
    together elsewhere."""
    place = found.word.place
    if place is None:
        return ""
    match = _WRITTEN.fullmatch(place.source.text[place.start : place.end])
    if match is None or match["key"] != found.key:
        return ""
    written = match["quote"] + match["rest"]
    return written if _BARE.fullmatch(written) else ""


# ---------------------------------------------------------------- where it stands


def _edits(word: Word, items: Sequence[str], script: LauncherSource) -> Sequence[Edit] | str:
    """Put flags in the place of a word."""
    place = word.place
    assert place is not None
    source = place.source
    argument = Argument(word.text, (), word)
    stands = whole(argument) is not None and _WRITTEN.match(source.text[place.start : place.end]) is not None
    if stands or source.text[place.start : place.end].startswith("~"):
        keys = {each.text.partition("=")[0] for launch in script.launches for each in _at(launch, place)}
        if len(keys) > 1:
            return "several words are written as one here: take them apart"
        if items and is_word(place):
            return [Edit.at(place, " ".join(items))]
        removed = remove(argument) if not items else None
        if removed is not None:
            return [removed]
    return _in_text(word, items, script)


def _at(launch: Launch, place: Place) -> Iterator[Word]:
    return (word for word in launch.argv if word.place == place)


def _in_text(word: Word, items: Sequence[str], script: LauncherSource) -> Sequence[Edit] | str:
    """In a string that bash takes apart later, a document, a command for another shell: the only place of the file
    where the word is spelt, if the launches are what they should be after the edit."""
    hard = "it is put together where no edit is certain"
    if not _PLAIN_WORDS.fullmatch(word.text) or not all(_PLAIN_WORDS.fullmatch(item) for item in items):
        return hard
    source = word.place.source if word.place is not None else script
    if not isinstance(source, ScriptFile):
        return hard
    written = re.compile(rf"(?<![\w./=+~-]){re.escape(word.text)}(?![\w./=:-])")
    comments = source.script.comments
    places = [
        match
        for match in written.finditer(source.text)
        if not any(start <= match.start() < end for start, end in comments)
    ]
    if len(places) != 1:
        return hard
    start, end = places[0].span()
    if not items:
        start, end = _with_blanks(source.text, start, end)
    edit = Edit(source.path, start, end, " ".join(items))
    return [edit] if _does(edit, word, items, script) else hard


def _with_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """The word with its line when it has one of its own, else with the blanks before it."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if not text[line_start:start].strip() and text[end:line_end].strip() in ("", "\\"):
        return line_start, min(line_end + 1, len(text))
    while start > line_start and text[start - 1] in " \t":
        start -= 1
    if start == line_start or text[start - 1] in "\"'(":
        while end < len(text) and text[end] in " \t":
            end += 1
    return start, end


def _does(edit: Edit, word: Word, items: Sequence[str], script: LauncherSource) -> bool:
    """Whether an edit changes this word of the launches into some flags, and nothing else."""
    from relax_lint.fixing import apply_edits

    source = script.project.source(edit.path)
    if source is None:
        return False
    after = script.project.with_changes({edit.path: apply_edits(source, [edit])}).launcher(script.path)
    wanted = [item for text in items for item in text.split()]
    expected = [
        [text for each in launch.argv for text in (wanted if each.text == word.text else [each.text])]
        for launch in script.launches
    ]
    return after is not None and [[each.text for each in launch.argv] for launch in after.launches] == expected
