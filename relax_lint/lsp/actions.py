"""Code actions: the fixes of findings, all of them at once, and comments that silence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from relax_lint.diagnostics import Diagnostic, Fix
from relax_lint.lsp import repairs
from relax_lint.lsp.edits import EditWriter
from relax_lint.lsp.uris import path_of
from relax_lint.lsp.workspace import Findings, Workspace
from relax_lint.rules import load_rules

if TYPE_CHECKING:
    from relax_lint.lsp.server import Server

log = logging.getLogger("relax_lint")

FIX_ALL = "source.fixAll.relax-lint"
"""The kind of the action that fixes a recipe; editors can be told to apply it on saving."""
FIX_ALL_COMMAND = "relax-lint.fixAll"
SHOW_RULE_COMMAND = "relax-lint.showRule"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)


class Actions:
    """Answers what can be done."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._running: set[asyncio.Task[None]] = set()
        options = types.CodeActionOptions(list(KINDS), resolve_provider=True)
        server.register(types.TEXT_DOCUMENT_CODE_ACTION, self._offer, options)
        server.register(types.CODE_ACTION_RESOLVE, self._resolve)
        server.command(FIX_ALL_COMMAND)(partial(self._fix_all))
        server.command(SHOW_RULE_COMMAND)(partial(self._show_rule))

    # ------------------------------------------------------------ offering

    async def _offer(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        document = self._server.documents.named(params.text_document.uri)
        if document is None:
            return None
        await self._server.checks.current()
        findings = self._server.shown.findings(document.path)
        wanted = params.context.only
        offered: list[types.CodeAction] = []
        if _is_wanted(types.CodeActionKind.QuickFix, wanted):
            start, end = document.lines.offset(params.range.start), document.lines.offset(params.range.end)
            pairs = zip(findings.diagnostics, self._server.translator.all_of(document.path, findings), strict=True)
            touched = [pair for pair in pairs if pair[0].start <= end and start <= pair[0].end]
            writer = self._writer()
            offered += await self._server.checks.ask(
                lambda _: [action for pair in touched for action in self._quick(*pair, findings, writer)]
            )
        if _is_wanted(FIX_ALL, wanted) and findings.group is not None:
            offered += await self._whole(document.path, wanted)
        return offered

    def _quick(
        self, found: Diagnostic, diagnostic: types.Diagnostic, findings: Findings, writer: EditWriter
    ) -> Iterator[types.CodeAction]:
        """What can be done about one finding."""
        if findings.group is None:
            return
        project = findings.group.project
        offers = [(_title(found, found.fix), bool(found.fix.safe), repairs.fixed(project, found))] if found.fix else []
        offers.append((f"{found.code}: silence with a comment", False, repairs.silenced(project, found)))
        for title, preferred, changes in offers:
            if changes:
                yield types.CodeAction(
                    title,
                    types.CodeActionKind.QuickFix,
                    [diagnostic],
                    is_preferred=preferred or None,
                    edit=writer.edit(project, changes),
                )
        if self._server.can_show_documents:
            title = f"{found.code}: show the rule's page"
            command = types.Command(title, SHOW_RULE_COMMAND, arguments=[found.code])
            yield types.CodeAction(title, types.CodeActionKind.QuickFix, [diagnostic], command=command)

    async def _whole(self, path: Path, wanted: Sequence[types.CodeActionKind | str] | None) -> list[types.CodeAction]:
        """The action that fixes a recipe: worked out at once only where nobody would ask again."""
        fixes = (found.fix for found in self._in_recipe(path) if found.fix is not None)
        if not any(fix.safe and not fix.migrates for fix in fixes):
            return []
        uri = self._server.documents.uri_of(path)
        action = types.CodeAction("Fix all of the recipe that is safe to fix", FIX_ALL, data={"fix_all": uri})
        if self._resolves:
            return [action]
        if wanted:
            return [await self._resolve(action)]
        action.command = types.Command(action.title, FIX_ALL_COMMAND, arguments=[uri])
        return [action]

    def _in_recipe(self, path: Path) -> Iterator[Diagnostic]:
        """The findings of a file and of all others that its recipe is judged with."""
        group = self._server.shown.findings(path).group
        for each in self._server.shown.checked.files.values():
            if each.group is group:
                yield from each.diagnostics

    @property
    def _resolves(self) -> bool:
        """Whether the editor asks for the edit of an action when it is chosen."""
        text_document = self._server.client_capabilities.text_document
        takes = None if text_document is None else text_document.code_action
        return bool(
            takes and takes.data_support and takes.resolve_support and "edit" in takes.resolve_support.properties
        )

    # ------------------------------------------------------------ doing

    async def _resolve(self, action: types.CodeAction) -> types.CodeAction:
        data: Any = action.data
        path = path_of(data["fix_all"]) if isinstance(data, dict) and "fix_all" in data else None
        if path is not None:
            action.edit = await self._edit_of_all(path)
        return action

    async def _edit_of_all(self, path: Path) -> types.WorkspaceEdit | None:
        await self._server.checks.current()
        group, writer = self._server.shown.findings(path).group, self._writer()
        if group is None:
            return None

        def edit(workspace: Workspace) -> types.WorkspaceEdit:
            changes, restless = repairs.all_fixed(workspace, group, path)
            said.extend(restless)
            return writer.edit(group.project, changes)

        said: list[str] = []
        made = await self._server.checks.ask(edit)
        for each in said:
            self._server.say(each)
        return made

    def _fix_all(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self._begin(self._apply_all(path))

    async def _apply_all(self, path: Path) -> None:
        edit = await self._edit_of_all(path)
        if edit is not None:
            self._server.workspace_apply_edit(types.ApplyWorkspaceEditParams(edit, "relax-lint: fix all"))

    def _show_rule(self, code: str) -> None:
        if code not in load_rules():
            raise JsonRpcInvalidParams(f"no rule is called {code!r}")
        page = self._server.pages.page_of(code)
        if page is not None:
            self._server.window_show_document(types.ShowDocumentParams(page.as_uri(), take_focus=True))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work of a command, which is answered at once: whatever the editor is asked meanwhile, it may never
        answer, and pygls cannot end while a command is under way."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        problem = None if task.cancelled() else task.exception()
        if problem is not None:
            log.error("a command failed", exc_info=problem)
            self._server.say(f"internal error: {problem}")

    def _writer(self) -> EditWriter:
        return EditWriter(self._server.documents, self._server.client_capabilities)


def _title(found: Diagnostic, fix: Fix) -> str:
    if fix.safe:
        return f"{found.code}: {fix.title}"
    return f"{found.code}: {fix.title} (unsafe{f': {fix.reason}' if fix.reason else ''})"


def _is_wanted(kind: str, wanted: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether an editor that asks for some kinds wants this one, too; kinds are nested by their dots."""
    named = [each.value if isinstance(each, types.CodeActionKind) else each for each in wanted or ()]
    return not named or any(not each or kind == each or kind.startswith(f"{each}.") for each in named)
