"""Pictures that the user named: archived as they are, put into each request with their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from msgspec import structs

from chatcli.errors import StorageError, UsageError
from chatcli.i18n import _, filled
from chatcli.messages import Image, Text, UserMessage, UserPart
from chatcli.providers.base import Provider, Request
from chatcli.providers.catalogue import facts
from chatcli.providers.specs import find_spec
from chatcli.session.archive import Archive
from chatcli.session.session import Session
from chatcli.tools.images import ImageFacts, image_facts

_MOST_BYTES = 50_000_000
"""No service takes a larger one."""


def attach_image(name: str, file: BinaryIO, session: Session, provider: Provider) -> Image:
    """Raises UsageError for a picture that the provider would refuse, StorageError when it cannot be kept."""
    data = file.read(_MOST_BYTES + 1)
    found = image_facts(data)
    if found is None:
        raise UsageError(_("{name} is a damaged image: it cannot be attached.").format(name=name))
    terms = find_spec(provider.name).images
    taken = terms.take(found.format, max(found.width, found.height), len(data))
    sees = facts(provider.model, provider.name).vision
    if len(data) > _MOST_BYTES or (sees and not taken):
        raise UsageError(
            _refusal(name, found, len(data), provider.name),
            hint=_("Make it smaller, or convert it, and attach that."),
        )
    original = session.archive.put(data)
    if original.omitted_bytes or not original.key:
        raise StorageError(_("There is no room to keep {name} in this session.").format(name=name))
    return Image(path=name, format=found.format, width=found.width, height=found.height, original=original)


def unseen(images: Sequence[Image], provider: Provider) -> str:
    """What to tell the user when the model is not known to see these; empty when it sees them.

    OFFLINE says for itself that there is no model.
    """
    if not images or provider.name == "OFFLINE" or facts(provider.model, provider.name).vision:
        return ""
    text = _(
        "{model} is not known to see images: it is told only the name and size of {names}. "
        "If it can, /model refresh may tell, or vision = true in the settings."
    )
    return text.format(model=provider.model, names=", ".join(dict.fromkeys(image.path for image in images)))


def taken_over(session: Session, provider: Provider) -> list[Image]:
    """Images of earlier messages, where another model gave the last answer."""
    last = session.last_answer
    if last is None or (last.provider, last.model) == (provider.name, provider.model):
        return []
    return [image for m in session.transcript if isinstance(m, UserMessage) for image in m.images]


def with_bytes(request: Request, archive: Archive) -> Request:
    """The request as it is sent: what the archive no longer has is named in words."""
    if not any(isinstance(message, UserMessage) and message.images for message in request.messages):
        return request
    messages = [
        structs.replace(message, parts=tuple(_with_bytes(part, archive) for part in message.parts))
        if isinstance(message, UserMessage) and message.images
        else message
        for message in request.messages
    ]
    return structs.replace(request, messages=tuple(messages))


def _with_bytes(part: UserPart, archive: Archive) -> UserPart:
    if not isinstance(part, Image):
        return part
    try:
        with archive.open(part.original) as file:
            return structs.replace(part, data=file.read())
    except StorageError:
        return Text(part.described("no longer stored"), "context")


def _refusal(name: str, image: ImageFacts, size_bytes: int, provider: str) -> str:
    """Says what the image is and what the provider takes."""
    terms = find_spec(provider).images
    is_ = filled(
        _("{name} is a {format} of {megabytes:.1f} MB, {width}x{height} pixels."),
        name=name,
        format=image.format.upper(),
        megabytes=size_bytes / 1e6,
        width=image.width,
        height=image.height,
    )
    takes = filled(
        _("{provider} takes {formats} up to {megabytes:.1f} MB"),
        provider=provider,
        formats=", ".join(terms.formats).upper(),
        megabytes=terms.most_bytes / 1e6,
    )
    edge = _(" and {edge} pixels a side").format(edge=terms.longest_edge) if terms.longest_edge else ""
    return f"{is_} {takes}{edge}."
