"""What Relax's multi-turn rollout (July 2026) makes of an environment, as far as the environment rules ask."""

from __future__ import annotations

STEP_PARTS = 3
"""Of what ``step`` returns: observation, done, info."""

TEXT_KEY, MEDIA_KEY, ROLE_KEY = "obs_str", "multi_modal_data", "role"
OBSERVATION_KEYS = frozenset({TEXT_KEY, MEDIA_KEY, ROLE_KEY})
"""The keys of an observation that ``format_observation`` reads."""

ROLES = ("user", "assistant", "tool", "system")
"""Roles that an observation may have; others become ``user``."""
