"""How a launcher is started on several machines: by an entry point of the checkout that joins them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relax_lint.migrate.gpus import NODES, ROLLOUT_NODES, gpus_of
from relax_lint.migrate.plan import Todo
from relax_lint.migrate.values import Template
from relax_lint.migrate.written import comment
from relax_lint.records import record

if TYPE_CHECKING:
    from relax_lint.migrate.choices import Choices
    from relax_lint.migrate.settings import Settings
    from relax_lint.project import Project

_ENTRIES = "scripts/entrypoint"
_JOINING = re.compile(r".*multi[-_]?(?:node|host|machine).*\.sh")
_IN_CLUSTER = "ray-job.sh"
_COUNT, _GPUS = "WORLD_SIZE", "NUM_GPUS"
_SET_OUTSIDE = ("MASTER_ADDR", "POD_NAME", "HOST_IP", _COUNT, _GPUS)
"""What entry points of Relax's take from the environment of each machine."""


@record
class Machines:
    """Several machines, with the GPUs of each; ``count`` is 0 where only bash knows how many there are.

    ``entry`` is the script of the checkout that joins them, and reads ``variables``; ``in_cluster`` the one for a Ray
    that joins them already. Both are empty where the checkout has none.
    """

    count: int
    gpus: int
    entry: str
    in_cluster: str
    variables: tuple[str, ...]

    @property
    def named(self) -> str:
        """How many they are, in words."""
        return f"{self.count} machines" if self.count else "several machines"


def machines_of(settings: Settings, choices: Choices, project: Project) -> Machines | None:
    """The machines of a launch; ``None`` when there is one."""
    gpus = gpus_of(settings, choices)
    unknown = any(isinstance(settings.value(key), Template) for key in (NODES, ROLLOUT_NODES))
    count = 0 if unknown else -(-gpus.total // gpus.per_node)
    if count == 1:
        return None
    root = project.relax_root or project.root
    names = [entry.name for entry in project.files.entries(root / _ENTRIES) if entry.is_file]
    entry = next(filter(_JOINING.fullmatch, names), "")
    text = project.text(root / _ENTRIES / entry) if entry else None
    read = text.text if text is not None else ""
    return Machines(
        count,
        gpus.per_node,
        f"{_ENTRIES}/{entry}" if entry else "",
        f"{_ENTRIES}/{_IN_CLUSTER}" if _IN_CLUSTER in names else "",
        tuple(name for name in _SET_OUTSIDE if re.search(rf"\$\{{?{name}\b", read)),
    )


def todo(machines: Machines, settings: Settings) -> Todo:
    """What the user has to do to have a launcher run on several machines."""
    if machines.entry:
        how = f"start the launcher by {machines.entry} on each"
        how += f", with {', '.join(_given(machines))} set as its head says" if machines.variables else ""
        more = f", or by {machines.in_cluster} where a Ray cluster runs already" if machines.in_cluster else ""
    else:
        how = "join them in a Ray cluster first, and start the launcher on one of them"
        more = f" by {machines.in_cluster}" if machines.in_cluster else ""
    because = tuple(key for key in (NODES, ROLLOUT_NODES) if key in settings.leaves)
    return Todo(f"{machines.named}: {how}{more}. By itself it sets up one machine only", because)


def how_to_start(machines: Machines, launcher: str, ahead: str) -> Iterator[str]:
    """The lines of a launcher's head that say how it is run."""
    if not machines.entry:
        by = f"{machines.in_cluster} " if machines.in_cluster else ""
        yield f"{ahead}On one of {machines.named} that Ray has joined, from the checkout:"
        yield f"#        bash {by}{launcher}"
        return
    yield f"{ahead}On each of {machines.named}, from the checkout:"
    yield f"#        bash {machines.entry} {launcher}"
    if machines.variables:
        yield from comment(f"with {', '.join(_given(machines))} set as its head says", first="     ", later="     ")


def _given(machines: Machines) -> Sequence[str]:
    known = {_COUNT: machines.count, _GPUS: machines.gpus}
    return [f"{name}={known[name]}" if known.get(name) else name for name in machines.variables]
