"""A conversation as one prompt: StackSpot's agents take a text and nothing else."""

from __future__ import annotations

from typing import Any

from chatcli.messages import AssistantMessage, UserMessage
from chatcli.providers.base import Request


def render(request: Request) -> dict[str, Any]:
    """The JSON body. `user_prompt` comes last, so that a longer conversation extends the same bytes."""
    return {
        "streaming": True,
        "stackspot_knowledge": True,
        "return_ks_in_response": False,
        "user_prompt": _prompt(request),
    }


def _prompt(request: Request) -> str:
    sections = [block.text for block in request.system if block.text.strip()]
    for message in request.messages:
        match message:
            case UserMessage():
                texts = [part.text for part in message.parts if part.text.strip()]
                sections.append(_headed("User", "\n\n".join(texts)))
            case AssistantMessage():
                sections.append(_headed("Assistant", message.text.strip()))
    return "\n\n".join(section for section in sections if section)


def _headed(title: str, text: str) -> str:
    return f"# {title}\n{text}" if text else ""
