"""How many tokens a text or a request is likely to be, without a tokenizer.

A linear model over character classes, fitted on 456 files of source, JSON and prose against the
o200k vocabulary: mean error -1.6 %, mean absolute error 5.6 %. It is pure, so that what depends on
it is the same in every process; what a service bills is corrected for elsewhere.
"""

from __future__ import annotations

import msgspec

from chatcli.messages import (
    AssistantMessage,
    AssistantPart,
    Image,
    Message,
    Reasoning,
    ToolCall,
    ToolSchema,
    UserMessage,
)
from chatcli.providers.base import Request, ToolForm
from chatcli.providers.tool_forms import written

_PER_LETTER = 0.141
_PER_NON_ASCII = 0.788  # on top of what a letter costs
_PER_DIGIT = 1.115
_PER_PUNCTUATION = 0.606
_PER_WORD = 0.318
_PER_NEWLINE = 0.795
_PER_MESSAGE_TOKENS = 4
_PIXELS_PER_TOKEN = 750
_MOST_IMAGE_TOKENS = 4_800
"""Services make larger pictures smaller before they count them; of Anthropic's scale, the finest of all."""


def _class_of(byte: int) -> bytes:
    """`a` letter, `u` first byte of a character beyond ASCII, `c` the rest of one, `0` digit, `.` other."""
    if byte >= 0x80:
        return b"u" if byte >= 0xC0 else b"c"
    character = bytes([byte])
    if character.isalpha():
        return b"a"
    if character.isdigit():
        return b"0"
    if character.isspace():
        return b"\n" if character == b"\n" else b" "
    return b"."


_CLASSES = b"".join(map(_class_of, range(256)))
_IN_WORD = bytes.maketrans(b"uc0.\n", b"aa   ")


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, uncalibrated. Linear and quick: about 12 ms per million chars."""
    classes = text.encode("utf-8", "replace").translate(_CLASSES)
    non_ascii = classes.count(b"u")
    words = (b" " + classes.translate(_IN_WORD)).count(b" a")
    return round(
        _PER_LETTER * (classes.count(b"a") + non_ascii)
        + _PER_NON_ASCII * non_ascii
        + _PER_DIGIT * classes.count(b"0")
        + _PER_PUNCTUATION * classes.count(b".")
        + _PER_WORD * words
        + _PER_NEWLINE * classes.count(b"\n")
    )


def estimate_message_tokens(message: Message) -> int:
    """Tokens of one message of a view: what its text and its calls take, and a little for its frame."""
    images = message.images if isinstance(message, UserMessage) else ()
    return (
        _PER_MESSAGE_TOKENS
        + sum(map(estimate_tokens, message_texts(message)))
        + sum(map(estimate_image_tokens, images))
    )


def estimate_image_tokens(image: Image) -> int:
    return min(_MOST_IMAGE_TOKENS, image.width * image.height // _PIXELS_PER_TOKEN)


def estimate_tool_tokens(tool: ToolSchema, form: ToolForm) -> int:
    """What it takes to tell the model of a tool."""
    return estimate_tokens(written(tool, form))


def estimate_request_tokens(request: Request) -> int:
    """Tokens of everything that is sent: system blocks, tools and messages."""
    return (
        sum(estimate_tokens(block.text) for block in request.system)
        + sum(estimate_tool_tokens(tool, request.tool_form) for tool in request.tools)
        + sum(map(estimate_message_tokens, request.messages))
    )


def message_texts(message: Message) -> list[str]:
    """What the model reads of a message, a text for each of its parts."""
    match message:
        case UserMessage():
            return [part.text for part in message.parts]
        case AssistantMessage():
            return [_part_text(part) for part in message.parts]
        case _:
            return [message.text]


def _part_text(part: AssistantPart) -> str:
    match part:
        case ToolCall():
            return f"{part.name} {part.arguments_json}"
        case Reasoning():
            return part.text + msgspec.json.encode(part.opaque).decode()
        case _:
            return part.text
