"""One run of `relax-lint check`: from options to what is written and the exit status."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lint import looks, parallel
from relax_lint.commands import USAGE_ERROR, absolute, complain, given, pairs, say_unread
from relax_lint.config import ConfigError, Configuration, Settings, refuse_unusable, with_options
from relax_lint.diagnostics import Diagnostic
from relax_lint.discovery import is_launcher
from relax_lint.engine import Report, lint
from relax_lint.files import BEGUN, Files
from relax_lint.groups import Group, find, may_concern, take_named, unread
from relax_lint.outcomes import bytes_of, judged_by, repository_of, source_of, unmet
from relax_lint.project import Project
from relax_lint.report import FROM_ROOT, WITH_EDITS, Outcome, plural, shown_path
from relax_lint.report.output import Clock, put, render, shown_settings
from relax_lint.report.patch import Patch
from relax_lint.rules import Rule, load_rules
from relax_lint.selection import Layer, refuse_unknown

if TYPE_CHECKING:
    from relax_lint.baseline import Entry
    from relax_lint.fixing import Fixed
    from relax_lint.migrate.in_place import Bundle, Rewritten


class Checking:
    """The run; :meth:`run` does it all."""

    def __init__(self, options: Namespace) -> None:
        self.options = options
        self.clock = Clock()
        self.files = Files()
        self.failed = self.incomplete = self.restless = False
        self.changed: Sequence[Path] = ()
        self.hidden: Sequence[Path] = ()
        self.configuration = self._configuration()

    def run(self) -> int:
        """Check, fix, report; the exit status."""
        if self.options.show_settings is not None:
            print(shown_settings(self.configuration.settings_for(absolute(self.options.show_settings))), end="")
            return 0
        rules = load_rules()
        groups = self._groups()
        if not all(settings.cache for settings in self._all_settings(groups)):
            looks.stop()
        for settings in self._all_settings(groups):
            _validate(settings, rules)
            if self.options.prune_baseline and settings.baseline is None:
                raise ConfigError(
                    "--prune-baseline wants a baseline: --baseline FILE, or `baseline` in a configuration"
                )
        for group in groups:
            if group.settings.constraint:
                from relax_lint.constraints.team import refuse_unknown_names

                refuse_unknown_names(group.project)
        self.clock.lap("start and discovery")
        if self.options.add_suppressions is not None:
            return self._add_suppressions(groups, rules)
        return self._check(groups, rules)

    def _check(self, groups: Sequence[Group], rules: Mapping[str, Rule]) -> int:
        options = self.options
        total, changed = Report(), False
        fixed: list[Diagnostic] = []
        patch = Patch()
        with self._turn(groups) as groups:
            for group in groups:
                if not (options.fix or options.diff):
                    total.merge(self._judge(group, group.project, rules))
                    continue
                from relax_lint.fixing import take_back

                found = self._fixed(group, rules)
                result = found.fixed
                changed = changed or bool(result.changes)
                patch.take(group.project, found, deletes=not self.failed)
                left = {} if options.diff else self._write(group, found)
                fixed += [one for one in (*result.fixed, *result.along) if one.path not in left]
                if left:
                    # What is reported must be what is on disk, not what would be there.
                    files = Files()
                    take_named(self._named, files)
                    group.project = Project(group.project.root, group.settings, files)
                    group.targets = [path for path in group.targets if group.project.exists(path)]
                    report = self._judge(group, group.project, rules)
                    total.merge(take_back(report, group.project, result.restless))
                    continue
                group.project = result.project
                total.merge(result.report)
        total.keep_real_fixes(migrates=not options.no_migrate)
        total.sort()
        self.clock.lap("judging")
        if options.write_baseline is not None:
            return self._write_baseline(groups, total)
        outcome = self._outcome(groups, rules, total, () if options.diff else fixed)
        outcome.stale = self._stale(groups, rules, total)
        outcome.status = self._status(outcome, changed)
        self._report(outcome, groups, patch)
        if options.timings:
            self.clock.lap("reporting")
            print(self.clock.table(total.seconds), file=sys.stderr, end="")
        self._complain_of_failures(total)
        for demand in outcome.demands:
            complain(f"required: {demand}")
        return outcome.status

    def _fail(self, message: str) -> None:
        complain(message)
        self.failed = True

    # ------------------------------------------------------------ settings

    def _configuration(self) -> Configuration:
        options = self.options
        try:
            env = pairs(options.env)
        except ValueError as problem:
            raise ConfigError(str(problem)) from problem
        select = None if options.select is None else _selectors(options.select)
        layer = Layer(
            select,
            (*_selectors(options.ignore), *_selectors(options.extend_ignore)),
            _selectors(options.extend_select),
        )
        here = Path.cwd()
        excludes = tuple((here, pattern) for given in options.exclude for pattern in given.split(",") if pattern)

        def override(settings: Settings) -> Settings:
            return with_options(
                settings,
                selection=(*settings.selection, layer),
                exclude=(*settings.exclude, *excludes),
                env={**settings.env, **env},
                force_exclude=options.force_exclude,
                profile=options.profile,
                strict=options.strict,
                relax_root=given(options.relax_root),
                verl_root=given(options.verl_root),
                baseline=given(options.baseline),
                require_recipes=options.require_recipes,
                require_checked=options.require_checked,
                require_reasons=options.require_reasons,
                show_fixes=options.show_fixes,
                cache=False if options.no_cache else None,
            )

        return Configuration(override, explicit=given(options.config), isolated=options.isolated)

    def _all_settings(self, groups: Iterable[Group]) -> list[Settings]:
        """The settings of every group; those of the working directory when there is none."""
        return [group.settings for group in groups] or [self.configuration.settings_for(Path.cwd())]

    # ------------------------------------------------------------ files

    def _groups(self) -> list[Group]:
        options = self.options
        if options.stdin_filename is not None:
            path = absolute(options.stdin_filename)
            self.files = Files({path: sys.stdin.buffer.read()})
            paths = [path]
        else:
            paths = self._named
        for path in paths:
            if not self.files.exists(path):
                self._fail(f"no such file or directory: {shown_path(path)}")
            elif not path.suffix and (reason := self.files.why_closed(path)) is not None:
                # Whether it is a launcher stands in it; of the others the suffix says enough, and RLX001 the rest.
                self._fail(f"{shown_path(path)} cannot be read: {reason}")
        take_named(paths, self.files)
        if options.staged or options.since is not None:
            paths = self._changed(paths)
        groups = find(paths, self.configuration, self.files)
        for directory, reason in self.files.unlistable.items():
            self._fail(f"{shown_path(directory)} cannot be looked into: {reason}")
        return groups

    @property
    def _named(self) -> list[Path]:
        """The paths as the user gave them."""
        return [absolute(path) for path in self.options.paths or ["."]]

    def _changed(self, paths: list[Path]) -> list[Path]:
        from relax_lint import changes

        try:
            changed = changes.staged_paths() if self.options.staged else changes.paths_since(self.options.since)
            for path in changes.changed_since_staged(changed or ()) if self.options.staged else ():
                complain(f"{shown_path(path)} is judged as it is in the work tree, and that is not what is staged")
        except changes.GitError as problem:
            raise ConfigError(str(problem)) from problem
        if changed is None and "PRE_COMMIT" in os.environ:
            return paths  # `pre-commit run --all-files`: the whole tree is meant
        if changed is None:
            complain("nothing is staged")
            changed = []
        self.hidden = changes.not_there(changed, paths)
        for path in self.hidden:
            complain(f"{shown_path(path)} is a submodule that has changed and is not checked out: nobody looks into it")
        self.changed = changes.in_work_tree(changed)
        return changes.concerned(changed, paths, self.files, self.configuration)

    # ------------------------------------------------------------ judging

    def _judge(
        self, group: Group, project: Project, rules: Mapping[str, Rule], *, want_edits: bool | None = None
    ) -> Report:
        if want_edits is None:
            want_edits = self.options.format in WITH_EDITS
        remembered = self._remembered(group.settings)
        settled = {entry.path for entry in remembered}

        def run(targets: Sequence[Path]) -> Report:
            return lint(project, rules, group.settings, targets, group.targets, self.changed, settled)

        # What is rewritten must be what was judged, so one process does both.
        rewrites = self.options.fix or self.options.diff or self.options.add_suppressions is not None
        jobs = 1 if rewrites else self.options.jobs
        report = parallel.judge(project, group.targets, run, jobs=jobs, want_edits=want_edits)
        if remembered:
            from relax_lint.baseline import apply

            apply(report.diagnostics, frozenset(entry.fingerprint for entry in remembered))
        return report

    def _remembered(self, settings: Settings) -> Sequence[Entry]:
        """What the baseline holds, if there is one to go by."""
        if settings.baseline is None or self.options.write_baseline is not None:
            return ()
        from relax_lint.baseline import entries

        return entries(settings.baseline)

    def _stale(self, groups: Sequence[Group], rules: Mapping[str, Rule], report: Report) -> list[Entry]:
        """The entries of baselines that nothing needs any more; with ``--prune-baseline`` they are taken out."""
        used = {group.settings.baseline: group.settings.profile for group in groups}
        if self.options.stdin_filename is not None:
            return []
        from relax_lint.baseline import prune, stale

        left: list[Entry] = []
        for path, profile in used.items():
            found = [] if path is None else stale(path, report, rules, self._named, profile)
            if path is not None and found and self.options.prune_baseline:
                complain(f"{shown_path(path)}: {plural(prune(path, found), 'stale entry')} taken out")
            else:
                left += found
        return left

    # ------------------------------------------------------------ fixing

    def _turn(self, groups: Sequence[Group]) -> AbstractContextManager[Sequence[Group]]:
        """The groups once this run may write, if it does."""
        writes = (self.options.fix and not self.options.diff) or self.options.add_suppressions is not None
        if not writes or self.options.stdin_filename is not None:
            return nullcontext(groups)
        from relax_lint.turn import in_turn

        return in_turn(groups, self._groups_again, self._fail)

    def _groups_again(self) -> list[Group]:
        self.files = Files()
        return self._groups()

    def _fixed(self, group: Group, rules: Mapping[str, Rule]) -> Rewritten:
        """The group after its fixes."""
        from relax_lint.fixing import fix
        from relax_lint.migrate import in_place
        from relax_lint.report import fixes

        def judge(project: Project) -> Report:
            return self._judge(group, project, rules, want_edits=True)

        def single_edits(project: Project) -> Fixed:
            return fix(project, rules, group.settings, unsafe=self.options.unsafe_fixes, judge=judge)

        result = single_edits(group.project)
        done = in_place.Rewritten(result)
        if not self.options.no_migrate and in_place.concerns(result):
            on_disk = self.options.stdin_filename is None
            take_in = partial(self._take_in, group)
            unsafe = self.options.unsafe_fixes
            done = in_place.finished(
                group.project, result, single_edits, shown_path, take_in, unsafe=unsafe, on_disk=on_disk
            )
        self.incomplete = self.incomplete or done.incomplete
        self.restless = self.restless or bool(done.fixed.restless)
        for remark in fixes.remarks(done):
            complain(remark)
        return done

    def _take_in(self, group: Group, files: Mapping[Path, bytes | None]) -> None:
        """Judge new files, too, where they are below a path that was given, and none that are gone."""
        paths = [path for path, data in files.items() if data is not None]
        group.targets = [path for path in group.targets if files.get(path, b"") is not None]
        new = [path for path in paths if path not in group.targets and may_concern(path, self.files)]
        group.targets += [path for path in new if self._is_named(path)]

    def _write(self, group: Group, done: Rewritten) -> dict[Path, str]:
        """Write what changed; the files that were left, and why."""
        if self.options.stdin_filename is not None:
            return {}
        from relax_lint.report import fixes

        left: dict[Path, str] = {}
        changes = done.fixed.changes
        for bundle in done.bundles:
            reason = self._write_bundle(group, bundle, changes)
            if reason is None:
                complain(fixes.rewritten(bundle))
            else:
                left.update(dict.fromkeys(bundle.paths, reason))
        bundled = {path for bundle in done.bundles for path in bundle.paths}
        alone = {path: data for path, data in changes.items() if path not in bundled}
        return {**left, **self._write_changes(group, alone)}

    def _write_bundle(self, group: Group, bundle: Bundle, changes: Mapping[Path, bytes]) -> str | None:
        """Write files that belong together; why they are left, if they are."""
        from relax_lint.writing import LEADS_OUT, NotWritten, write_together

        files = {path: changes[path] for path in bundle.paths if path in changes}
        before = {path: group.project.read(path) for path in files}
        try:
            copies = {beside: path for path, beside in bundle.kept}
            gone = {path: group.project.read(path) or b"" for path in bundle.gone}
            write_together(files, before, group.project.root, copies, {} if self.failed else gone)
        except NotWritten as problem:
            say = complain if LEADS_OUT in str(problem) else self._fail
            say(f"{shown_path(bundle.launcher)} is not migrated, and nothing of it is written: {problem}")
            return str(problem)
        return None

    def _write_changes(self, group: Group, changes: Mapping[Path, bytes]) -> dict[Path, str]:
        from relax_lint.writing import LEADS_OUT, write_all

        before = {path: group.project.read(path) for path in changes}
        left = write_all(changes, before, group.project.root, self._named)
        for path, reason in left.items():
            say = complain if reason.startswith(LEADS_OUT) else self._fail
            say(f"{shown_path(path)} is left as it was: {reason}")
        return left

    def _add_suppressions(self, groups: Sequence[Group], rules: Mapping[str, Rule]) -> int:
        from relax_lint.fixing import apply_edits
        from relax_lint.suppression import additions

        reason = " ".join(self.options.add_suppressions.split())
        silenced, loud, unwritten, outside = 0, 0, 0, Counter[Path]()
        with self._turn(groups) as groups:
            for group in groups:
                report = self._judge(group, group.project, rules)
                changes: dict[Path, bytes] = {}
                for path, found in _by_path(report.standing).items():
                    if path not in group.targets and not self._is_named(path):
                        outside[path] += len(found)
                        continue
                    source = group.project.source(path)
                    edits = [] if source is None else additions(source, found, reason)
                    if source is not None and edits:
                        changes[path] = apply_edits(source, edits)
                left = self._write_changes(group, changes)
                after = self._standing(group, changes, rules)
                written = {path: data for path, data in changes.items() if path not in left}
                remaining = self._standing(group, written, rules) if left else after
                silenced += len(report.standing) - remaining
                unwritten += remaining - after
                loud += after
        loud -= outside.total()
        rest = f"; {plural(loud, 'finding')} cannot be silenced by a comment" if loud else ""
        if unwritten:
            rest += f"; the comments for {plural(unwritten, 'finding')} could not be written"
        for path, count in sorted(outside.items()):
            stays = "stays" if count == 1 else "stay"
            rest += f"; {plural(count, 'finding')} outside of the given paths, in {shown_path(path)}, {stays}"
        print(f"Silenced {plural(silenced, 'finding')}{rest}.")
        if self.failed:
            return USAGE_ERROR
        return 1 if loud or unwritten or outside else 0

    def _is_named(self, path: Path) -> bool:
        """Whether a file is one of the given paths, or below one."""
        return any(each == path or each in path.parents for each in self._named)

    def _standing(self, group: Group, changes: Mapping[Path, bytes], rules: Mapping[str, Rule]) -> int:
        """How many findings nothing silences once some files are changed."""
        return len(self._judge(group, group.project.with_changes(changes), rules).standing)

    # ------------------------------------------------------------ reporting

    def _write_baseline(self, groups: Sequence[Group], report: Report) -> int:
        from relax_lint.baseline import write

        path = absolute(self.options.write_baseline)
        count = write(path, report.standing, [target for group in groups for target in group.targets])
        print(f"{shown_path(path)} now remembers {plural(count, 'finding')}.")
        return self._complain_of_failures(report)

    def _outcome(
        self, groups: Sequence[Group], rules: Mapping[str, Rule], report: Report, fixed: Sequence[Diagnostic]
    ) -> Outcome:
        options, settings = self.options, self._all_settings(groups)
        on_terminal = options.output_file is None and sys.stdout.isatty()
        outcome = Outcome(
            report,
            bytes_of(groups),
            fixed=fixed,
            judged_by=judged_by(groups) if options.format in WITH_EDITS else {},
            show_suppressed=options.show_suppressed,
            show_fixes=any(item.show_fixes for item in settings),
            quiet=options.quiet,
            colour=on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
            unsafe=options.unsafe_fixes,
            strict=any(item.strict for item in settings),
            baselined=any(item.baseline is not None for item in settings),
            source=source_of(groups),
            checked=[path for group in groups for path in group.targets],
            rules=rules,
            root=repository_of(Path.cwd(), self.files) if options.format in FROM_ROOT else None,
        )
        outcome.demands = list(unmet(outcome, settings, groups, self.hidden))
        return outcome

    def _report(self, outcome: Outcome, groups: Sequence[Group], patch: Patch) -> None:
        options = self.options
        say_unread([group.project for group in groups])
        for root in {} if options.fix else dict.fromkeys(group.project.root for group in groups):
            if self.files.exists(root / BEGUN):
                from relax_lint.turn import say_begun

                say_begun(root)
        if options.stdin_filename is None:
            for path, reason in unread(self._named, self.configuration, self.files):
                complain(f"{shown_path(path)}: nothing in it is checked: {reason}")
        targets = [(group.project, path) for group in groups for path in group.targets]
        if not any(project.recipe_of(path) for project, path in targets):
            under = "touched" if options.staged or options.since else "under the given paths"
            elsewhere = sum(is_launcher(path, project.files) for project, path in targets)
            checked = f"; {plural(elsewhere, 'script')} outside recipes checked" if elsewhere else ""
            complain(f"no recipe is {under}{checked}")
        if options.diff:
            put(patch.render(), options.output_file)
            return
        if options.fix and options.stdin_filename is not None:
            sys.stdout.buffer.write(self._fixed_stdin(patch))
            sys.stdout.buffer.flush()
            sys.stderr.write(render(outcome, options.format, statistics=options.statistics))
            return
        put(render(outcome, options.format, statistics=options.statistics), options.output_file)

    def _fixed_stdin(self, patch: Patch) -> bytes:
        path = absolute(self.options.stdin_filename)
        fixed = patch.after(path)
        return self.files.read(path) or b"" if fixed is None else fixed

    def _status(self, outcome: Outcome, changed: bool) -> int:
        options, report = self.options, outcome.report
        if self.failed or self.restless or report.failures:
            return USAGE_ERROR
        if options.exit_zero:
            return 0
        if options.diff:
            return int(changed or bool(outcome.demands))
        failed = bool(outcome.grave or outcome.demands or self.incomplete)
        return int(failed or (options.exit_non_zero_on_fix and changed))

    def _complain_of_failures(self, report: Report) -> int:
        for failure in report.failures:
            complain(f"internal error: {failure}")
        return USAGE_ERROR if self.failed or report.failures else 0


def _selectors(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(part.strip() for item in given or () for part in item.split(",") if part.strip())


def _validate(settings: Settings, rules: Mapping[str, Rule]) -> None:
    """Refuse what fits no rule, and checkouts that are none."""
    *in_file, on_command_line = settings.selection
    refuse_unusable(settings, in_file, lambda: rules)
    refuse_unknown(on_command_line.selectors, rules)


def _by_path(diagnostics: Iterable[Diagnostic]) -> dict[Path, list[Diagnostic]]:
    found: dict[Path, list[Diagnostic]] = {}
    for item in diagnostics:
        found.setdefault(item.path, []).append(item)
    return found
