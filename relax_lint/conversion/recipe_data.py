"""What the data of a recipe is like: as verl has it by default. A recipe's own script says it for itself."""

from __future__ import annotations

from relax_lint.conversion.steps import OwnFile

PROMPT = "prompt"
DATA_SOURCE = "data_source"
MEDIA = {"images": "image", "videos": "video", "audios": "audio"}
KEEP: tuple[str, ...] = ()
TOOLS = ""
"""The schemas of the tools that every prompt shows, as JSON: the text of a column ``tools``."""
RAW_PROMPT = False
"""Whether the messages of the prompt are wanted as JSON in extra_info, too: verl's interactions ask for them."""

PREPARED_BY = ""
"""The recipe's preprocessing that makes verl's rows of the raw data set, where it has to run before the conversion."""


def own_rows() -> dict[str, OwnFile]:
    """The recipe's own preprocessing: the files that it makes of the raw data, each with the rows that go into it."""
    return {}
