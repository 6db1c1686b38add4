"""Asks a service for its list of models and keeps what it says about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.providers.catalogue import learn
from chatcli.providers.copilot import Copilot
from chatcli.providers.encoding import encode
from chatcli.providers.list_shapes import listed_models, ollama_model
from chatcli.providers.listing import FOLDER, Listed, write_list
from chatcli.providers.service import Service
from chatcli.providers.spec import ProviderSpec
from chatcli.providers.specs import is_redirected
from chatcli.providers.table import FindKey, service_of
from chatcli.providers.transport import Transport
from chatcli.settings import Settings

_WITHOUT_LIST = frozenset({"ZAI"})
_PATHS = {"anthropic": "/v1/models?limit=1000", "gemini": "/models?pageSize=1000"}


async def refresh(
    spec: ProviderSpec,
    environment: Mapping[str, str],
    find_key: FindKey,
    home: Path,
    settings: Settings,
) -> tuple[Listed, ...]:
    """The models that the service lists now; from here on `facts` knows what it said.

    Raises UsageError for a service without a list, a `ProviderError` when it does not answer.
    """
    service = service_of(spec, "", settings, environment, find_key)
    redirected = is_redirected(spec, environment)
    unlisted = spec.wire in {"bedrock", "assistant", "stackspot", "local", "offline"}
    if unlisted or (spec.name in _WITHOUT_LIST and not redirected):
        raise UsageError(_("{provider} has no list of models to ask for.").format(provider=spec.name))
    if spec.wire == "ollama":
        models = await _ask_ollama(service, _proof(spec, service))
    else:
        answer = await _ask(spec, service, redirected=redirected)
        models = listed_models(spec.name if spec.wire == "chat" else spec.wire, answer)
    write_list(home / FOLDER, spec.name, models)
    learn(spec.name, models)
    return models


async def _ask(spec: ProviderSpec, service: Service, *, redirected: bool) -> Any:
    if spec.wire == "copilot":
        copilot = Copilot(service, spec.dialect, redirected=redirected)
        try:
            return await copilot.models()
        finally:
            await copilot.aclose()
    transport = Transport(service)
    url = service.base_url + _PATHS.get(spec.wire, "/models")
    try:
        return await transport.fetch(url, headers=_proof(spec, service))
    finally:
        await transport.aclose()


async def _ask_ollama(service: Service, proof: Mapping[str, str]) -> tuple[Listed, ...]:
    """Its list has the names alone; what each model can is asked for one after the other."""
    transport = Transport(service)
    try:
        tags = await transport.fetch(f"{service.base_url}/api/tags", headers=proof)
        names = [str(row["name"]) for row in tags.get("models") or ()]
        models = []
        for name in names:
            pieces = transport.post("/api/show", encode({"model": name}), proof)
            shown = msgspec.json.decode(b"".join([piece async for piece in pieces]), type=dict)
            models.append(ollama_model(name, shown))
        return tuple(models)
    finally:
        await transport.aclose()


def _proof(spec: ProviderSpec, service: Service) -> dict[str, str]:
    if not service.key:
        return {}
    if spec.wire == "gemini":
        return {"x-goog-api-key": service.key}
    if spec.wire == "anthropic" and not service.bearer:
        return {"x-api-key": service.key, "anthropic-version": "2023-06-01"}
    return {"Authorization": f"Bearer {service.key}"}
