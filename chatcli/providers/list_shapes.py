"""The lists of models of the services, in their many shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chatcli.providers.listing import Listed

Row = Mapping[str, Any]


def copilot_models(answer: Any) -> dict[str, Row]:
    """The models as they are listed, by id."""
    return {row["id"]: row for row in _rows(answer, "data") if row.get("id")}


def _rows(answer: Any, name: str) -> Sequence[Row]:
    rows = answer.get(name) if isinstance(answer, Mapping) else answer
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _from_copilot(row: Row) -> Listed:
    capabilities = row.get("capabilities") or {}
    limits, supports = capabilities.get("limits") or {}, capabilities.get("supports") or {}
    return Listed(
        id=row["id"],
        window_tokens=limits.get("max_prompt_tokens") or limits.get("max_context_window_tokens"),
        max_output_tokens=limits.get("max_output_tokens"),
        tools=supports.get("tool_calls"),
        vision=supports.get("vision"),
    )


def _from_google(row: Row) -> Listed:
    return Listed(
        id=row["name"].removeprefix("models/"),
        window_tokens=row.get("inputTokenLimit"),
        max_output_tokens=row.get("outputTokenLimit"),
    )


def _from_openrouter(row: Row) -> Listed:
    parameters, architecture = row.get("supported_parameters"), row.get("architecture") or {}
    return Listed(
        id=row["id"],
        window_tokens=row.get("context_length"),
        max_output_tokens=(row.get("top_provider") or {}).get("max_completion_tokens"),
        tools="tools" in parameters if isinstance(parameters, list) else None,
        vision="image" in (architecture.get("input_modalities") or ()),
    )


def ollama_model(name: str, shown: Row) -> Listed:
    """From what `/api/show` says; older services do not say what a model can."""
    can = shown.get("capabilities")
    if not isinstance(can, list):
        return Listed(id=name)
    return Listed(id=name, tools="tools" in can, vision="vision" in can)


def _from_any(row: Row) -> Listed:
    """OpenAI gives ids alone; Anthropic, Moonshot, vLLM and llama.cpp say more, each under its own names."""
    window_tokens = (
        row.get("context_length")
        or row.get("max_input_tokens")
        or row.get("max_model_len")
        or (row.get("meta") or {}).get("n_ctx")
    )
    return Listed(
        id=row["id"],
        window_tokens=window_tokens,
        max_output_tokens=row.get("max_tokens"),
        vision=row.get("supports_image_in"),
    )


_SHAPES: dict[str, tuple[str, str, Callable[[Row], Listed]]] = {
    "copilot": ("data", "id", _from_copilot),
    "gemini": ("models", "name", _from_google),
    "OPENROUTER": ("data", "id", _from_openrouter),
}


def listed_models(shape: str, answer: Any) -> tuple[Listed, ...]:
    """The models in an answer, in its order. `shape` is the wire, or on the chat wire the provider."""
    name, key, convert = _SHAPES.get(shape, ("data", "id", _from_any))
    return tuple(convert(row) for row in _rows(answer, name) if isinstance(row.get(key), str))
