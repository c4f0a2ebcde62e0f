"""What the rollout expects of an environment."""

from __future__ import annotations

from typing import Any

ROLES = ("user", "assistant", "tool", "system")


class BaseInteractionEnv:
    """One conversation: ``reset`` before the first response, ``step`` after each, ``close`` at the end."""

    def reset(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin anew; gives an observation and details."""
        raise NotImplementedError

    def step(self, response_text: str) -> Any:
        """What a response brings: the observation, whether the conversation is over, and details."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what the conversation held."""

    def format_observation(self, observation: dict[str, Any] | None) -> dict[str, Any]:
        """The message that the chat template is given: a plain text, or media followed by the text.

        Templates of models that only read text do not take a list of parts, so there is one only where media are.
        """
        observation = observation or {}
        role = observation.get("role")
        text = observation.get("obs_str") or ""
        media = [image for images in (observation.get("multi_modal_data") or {}).values() for image in images]
        content: Any = text
        if media:
            content = [{"type": "image", "image": image} for image in media]
            content += [{"type": "text", "text": text}] if text else []
        return {"role": role if role in ROLES else "user", "content": content}
