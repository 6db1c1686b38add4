"""A request as Google's `streamGenerateContent` takes it.

Signatures of thoughts go back in the part in which they came. Results follow their calls, one for
each, in call order and under the name of their tool; their id is sent where the service gave one.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

from chatcli.messages import AssistantMessage, Image, Reasoning, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.encoding import arguments_object
from chatcli.providers.exchanges import exchanges, same_source
from chatcli.providers.gemini_schema import subset
from chatcli.providers.images import base64_text

SIGNATURE = "thoughtSignature"
SIGNS_TEXT = "signs_text"
"""In the opaque fields of a reasoning part: the signature belongs to the text in front of it."""

_UNSIGNED = "skip_thought_signature_validator"
"""What the service's documentation gives as the signature of calls that another model made."""
_THINKING = re.compile(r"gemini-(2\.5|[3-9]|\d\d)")
_SIGNING = re.compile(r"gemini-([3-9]|\d\d)")

_Part = dict[str, Any]


def render(request: Request, *, provider: str) -> dict[str, Any]:
    """The JSON body. `contents` comes last, so that a longer conversation extends the same bytes."""
    body: dict[str, Any] = {}
    if system := [{"text": block.text} for block in request.system if block.text.strip()]:
        body["systemInstruction"] = {"parts": system}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]
    generation: dict[str, Any] = {}
    if request.max_output_tokens:
        generation["maxOutputTokens"] = request.max_output_tokens
    if _THINKING.match(request.model):
        generation["thinkingConfig"] = {"includeThoughts": True}
    if generation:
        body["generationConfig"] = generation
    body["contents"] = _contents(request, provider)
    return body


def _declaration(tool: Any) -> dict[str, Any]:
    made = {"name": tool.name, "description": tool.description}
    parameters = subset(tool.parameters)
    return {**made, "parameters": parameters} if parameters else made


def _contents(request: Request, provider: str) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = []
    for exchange in exchanges(request.messages):
        calls: dict[str, ToolCall] = {}
        own = False
        if exchange.assistant:
            message = exchange.assistant[1]
            calls = {call.id: call for call in message.calls}
            own = same_source(message, provider, request.model)
            if parts := _model_parts(message, own=own, signing=bool(_SIGNING.match(request.model))):
                contents.append({"role": "model", "parts": parts})
        if exchange.results:
            results = [_result(result, calls[result.call_id], own=own) for _, result in exchange.results]
            contents.append({"role": "user", "parts": results})
        if said := [part for _, user in exchange.users for part in _user_parts(user)]:
            contents.append({"role": "user", "parts": said})
    return contents


def _model_parts(message: AssistantMessage, *, own: bool, signing: bool) -> list[_Part]:
    parts: list[_Part] = []
    first_call = True
    for part, following in zip_longest(message.parts, message.parts[1:]):
        match part:
            case Text(text=text) if text.strip() or (own and text and _signs_text(following)):
                parts.append({"text": text})
            case Reasoning(opaque={"thoughtSignature": str(signature)}) if own:
                _sign(parts, part, signature)
            case ToolCall():
                call: _Part = {"functionCall": _function_call(part, own=own)}
                if own and SIGNATURE in part.extra:
                    call[SIGNATURE] = part.extra[SIGNATURE]
                elif first_call and signing:
                    call[SIGNATURE] = _UNSIGNED
                first_call = False
                parts.append(call)
    return parts


def _user_parts(message: UserMessage) -> list[_Part]:
    parts: list[_Part] = []
    for part in message.parts:
        if part.text.strip():
            parts.append({"text": part.text})
        if isinstance(part, Image) and part.data:
            parts.append({"inlineData": {"mimeType": part.media_type, "data": base64_text(part)}})
    return parts


def _signs_text(part: object) -> bool:
    return isinstance(part, Reasoning) and SIGNS_TEXT in part.opaque


def _sign(parts: list[_Part], reasoning: Reasoning, signature: str) -> None:
    if reasoning.text:
        parts.append({"text": reasoning.text, "thought": True, SIGNATURE: signature})
    elif _signs_text(reasoning) and parts and "text" in parts[-1]:
        parts[-1][SIGNATURE] = signature
    else:
        parts.append({"text": "", SIGNATURE: signature})


def _function_call(call: ToolCall, *, own: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"name": call.name, "args": arguments_object(call)}
    return {"id": call.extra["id"], **made} if own and "id" in call.extra else made


def _result(result: ToolResult, call: ToolCall, *, own: bool) -> _Part:
    response = {"error" if result.is_error else "output": result.text}
    made: dict[str, Any] = {"name": call.name, "response": response}
    return {"functionResponse": {"id": call.extra["id"], **made} if own and "id" in call.extra else made}
