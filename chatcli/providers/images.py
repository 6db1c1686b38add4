"""Images in a request: which of them a service takes, and what stands in place of the others."""

from __future__ import annotations

import re
from base64 import b64encode

from msgspec import Struct, structs

from chatcli.messages import Image, Message, Text, UserMessage, UserPart
from chatcli.providers.base import Request

_MOST_BYTES = 14_000_000
"""Of all images of a request together: in base64 they fit the 20 MB that the strictest services take."""

_BEGINNINGS = rb"iVBORw0KGgo|/9j/|R0lGOD|UklGR"
"""How PNG, JPEG, GIF and WebP begin in base64; a long word of a text begins otherwise."""
_SENT_IMAGE = re.compile(
    rb'"(?:data:image/[a-z]+;base64,)?(?:' + _BEGINNINGS + rb')[A-Za-z0-9+/]{1000,}={0,2}"'
)


class ImageTerms(Struct, frozen=True, kw_only=True):
    """Which images a service takes; it refuses a request with any other, and each later one with it."""

    most_bytes: int = _MOST_BYTES
    longest_edge: int = 0
    """In pixels; 0: any."""
    formats: tuple[str, ...] = ("png", "jpeg", "gif", "webp")
    most_images: int = 100
    """Of one request."""

    def take(self, format: str, edge: int, size_bytes: int) -> bool:
        """`edge` is the longer one."""
        too_wide = 0 < self.longest_edge < edge
        return size_bytes <= self.most_bytes and format in self.formats and not too_wide


ANTHROPIC_IMAGES = ImageTerms(most_bytes=5 * 1024 * 1024 * 3 // 4, longest_edge=8_000, most_images=20)
"""Five MiB, counted in base64. With more than 20 images each would have to be much smaller."""


def visible(request: Request, terms: ImageTerms | None) -> Request:
    """The request with the images that the service takes; the others are named in words.

    `terms` None: the model sees none. When they are too many together, the newest are shown.
    """
    if not any(isinstance(message, UserMessage) and message.images for message in request.messages):
        return request
    eyes = _Eyes(terms)
    newest_first = [eyes.message(message) for message in reversed(request.messages)]
    return structs.replace(request, messages=tuple(reversed(newest_first)))


class _Eyes:
    """Looks through a request from its end."""

    def __init__(self, terms: ImageTerms | None) -> None:
        self._terms = terms
        self._room_bytes = _MOST_BYTES
        self._images = 0

    def message(self, message: Message) -> Message:
        if not isinstance(message, UserMessage) or not message.images:
            return message
        return structs.replace(message, parts=tuple(map(self._part, message.parts)))

    def _part(self, part: UserPart) -> UserPart:
        if not isinstance(part, Image) or not part.data:
            return part
        why = self._why_not(part)
        return Text(part.described(why), "context") if why else part

    def _why_not(self, image: Image) -> str:
        """In words for the model; empty when it is shown."""
        if self._terms is None:
            return "this model cannot see images"
        if not self._terms.take(image.format, max(image.width, image.height), len(image.data)):
            return "not shown: this service does not take it"
        self._room_bytes -= len(image.data)
        self._images += 1
        if self._room_bytes >= 0 and self._images <= self._terms.most_images:
            return ""
        return "no longer shown: there are too many images after it"


def base64_text(image: Image) -> str:
    return b64encode(image.data).decode()


def data_url(image: Image) -> str:
    return f"data:{image.media_type};base64,{base64_text(image)}"


def text_bytes(body: bytes) -> int:
    """Size of a body without its images: what they cost has nothing to do with how many bytes they are."""
    return len(body) - sum(image.end() - image.start() for image in _SENT_IMAGE.finditer(body))
