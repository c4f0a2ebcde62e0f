"""The server: what the editor says, and who answers it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from relax_lint import __version__
from relax_lint.lsp.actions import Actions
from relax_lint.lsp.checks import Checks, refreshed
from relax_lint.lsp.diagnostics import SOURCE, Translator
from relax_lint.lsp.documents import Document, Documents
from relax_lint.lsp.pages import Pages
from relax_lint.lsp.reading import Reading
from relax_lint.lsp.shown import Shown
from relax_lint.lsp.uris import path_of
from relax_lint.lsp.workspace import Checked
from relax_lint.records import record

log = logging.getLogger("relax_lint")

WATCHED = (
    "**/{*.py,*.sh,*.bash,*.slurm,*.sbatch,*.yaml,*.yml,*.json,*.jsonl,*.parquet,"
    "relax-lint.toml,pyproject.toml,.gitignore}"
)
"""Files outside of the editor that findings depend on."""


_MISSHAPEN = "relax-lint/misshapen"


@record
class Misshapen:
    """A request that is none of the protocol, in the place of what it would be; ``params`` is what is wrong with it."""

    id: str | int
    params: JsonRpcException
    method: str = _MISSHAPEN
    jsonrpc: str = "2.0"


class Protocol(LanguageServerProtocol):
    """The protocol with texts of our own: pygls cuts lines where no editor does, at form feeds for instance. And
    with an answer to every request, to those with parameters of the wrong shape, too."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as what it is."""
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            if "method" in data and isinstance(data.get("id"), (str, int)):
                return Misshapen(data["id"], problem)
            raise

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A file is shown."""
        _of(self).opened(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Something was typed."""
        _of(self).changed(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A file is shown no more."""
        _of(self).closed(params)


class Server(LanguageServer):
    """The state of one editor's session. Features that need the recipes ask ``checks``."""

    def __init__(self) -> None:
        super().__init__(SOURCE, __version__, protocol_cls=Protocol)
        self.documents = Documents()
        self.pages = Pages()
        self.checks = Checks(self._checked)
        self.translator = Translator(self.documents, self.pages, types.ClientCapabilities())
        self.shown = Shown(self, self.documents, self.translator, pulls=False)
        self.is_shut_down = False
        self._watches = False
        self._problems: tuple[str, ...] = ()
        self.register(types.INITIALIZE, self._initialize)
        self.register(types.INITIALIZED, self._initialized)
        self.register(types.SHUTDOWN, self._shutdown)
        self.register(_MISSHAPEN, _refused)
        self.register(types.TEXT_DOCUMENT_DID_SAVE, self._saved)
        self.register(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._changed_on_disk)
        options = types.DiagnosticOptions(True, False, identifier=SOURCE)
        self.register(types.TEXT_DOCUMENT_DIAGNOSTIC, self._diagnostic, options)
        Actions(self)
        Reading(self)

    def register(self, method: str, handler: Callable[..., Any], options: Any = None) -> None:
        """Have a method answered."""
        self.feature(method, options)(partial(handler))  # pygls writes on what it is given, which methods refuse

    # ------------------------------------------------------------ the session

    def _initialize(self, params: types.InitializeParams) -> None:
        capabilities = params.capabilities
        self.documents.encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        self.translator = Translator(self.documents, self.pages, capabilities)
        text_document, workspace = capabilities.text_document, capabilities.workspace
        pulls = text_document is not None and text_document.diagnostic is not None
        self.shown = Shown(self, self.documents, self.translator, pulls=pulls)
        watching = None if workspace is None else workspace.did_change_watched_files
        self._watches = bool(watching and watching.dynamic_registration)

    def _initialized(self, _: types.InitializedParams) -> None:
        if self._watches:
            options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(WATCHED)])
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration("relax-lint-files", method, options)
            self.client_register_capability(types.RegistrationParams([registration]))

    def _shutdown(self, _: None) -> None:
        self.is_shut_down = True
        self.checks.stop()
        self.pages.remove()

    # ------------------------------------------------------------ files

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """A file is shown."""
        document = self.documents.open(params.text_document)
        if document is not None:
            self.shown.opened(document.path)
            self._tell(document)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Something was typed."""
        document = self.documents.change(params)
        if document is not None:
            self._tell(document)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """A file is shown no more."""
        document = self.documents.close(params.text_document.uri)
        if document is not None:
            path = document.path
            self.shown.closed(path)
            self.checks.happened(lambda workspace: workspace.close(path))

    def _tell(self, document: Document) -> None:
        path, text = document.path, document.text
        self.checks.happened(lambda workspace: workspace.change(path, text))

    def _saved(self, _: types.DidSaveTextDocumentParams) -> None:
        if not self._watches:
            self.checks.happened(refreshed(None))

    def _changed_on_disk(self, params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path for event in params.changes if (path := path_of(event.uri)) is not None]
        if paths:
            self.checks.happened(refreshed(paths))

    # ------------------------------------------------------------ findings

    def _checked(self, checked: Checked) -> None:
        self.shown.show(checked)
        for problem in checked.problems:
            log.error("%s", problem)
            if problem not in self._problems:
                self.say(problem)
        self._problems = checked.problems

    async def _diagnostic(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        path = path_of(params.text_document.uri) or Path(params.text_document.uri)
        self.shown.asking[path] += 1
        try:
            await self.checks.current()
        finally:
            self.shown.asking[path] -= 1
        return self.shown.report(path, params.previous_result_id)

    def say(self, problem: str) -> None:
        """Tell the user of something that went wrong."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"relax-lint: {problem}"))

    @property
    def can_show_documents(self) -> bool:
        """Whether the editor opens a file when it is asked to."""
        window = self.client_capabilities.window
        return bool(window and window.show_document and window.show_document.support)

    def refresh_diagnostics(self) -> None:
        """Ask the editor to ask again."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)


def _refused(problem: object) -> None:
    """Answer what cannot be read; whoever asks for this by its name gets an error as well."""
    raise problem if isinstance(problem, JsonRpcException) else JsonRpcInvalidParams(f"{_MISSHAPEN} is not for editors")


def _of(protocol: LanguageServerProtocol) -> Any:
    """The server of a protocol."""
    return protocol._server
