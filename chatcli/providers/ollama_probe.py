"""Is an Ollama running here, and what models does it have?"""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import msgspec

CONNECT_SECONDS = 0.2
_DEFAULT_PORT = 11434
_MAX_ANSWER_BYTES = 4_000_000


class _Model(msgspec.Struct):
    name: str


class _Tags(msgspec.Struct):
    models: list[_Model] | None = None


def installed_models(base_url: str) -> tuple[str, ...] | None:
    """Names of the models that can talk, or None when nothing that speaks like Ollama answers in time."""
    address = urlsplit(base_url)
    make = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = make(address.hostname or "localhost", address.port or _DEFAULT_PORT, timeout=CONNECT_SECONDS)
    try:
        connection.request("GET", f"{address.path}/api/tags")
        answer = connection.getresponse()
        if answer.status != http.HTTPStatus.OK:
            return None
        tags = msgspec.json.decode(answer.read(_MAX_ANSWER_BYTES), type=_Tags)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError):
        return None
    finally:
        connection.close()
    return tuple(model.name for model in tags.models or () if "embed" not in model.name)
