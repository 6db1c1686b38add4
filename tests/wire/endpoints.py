"""The small endpoints: lists of models and what Ollama tells about one."""

from __future__ import annotations

import json
from typing import Any

from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.wires import Options

OLLAMA_VERSION = "0.40.12"


def answer_small(request: HttpRequest, options: Options) -> HttpAnswer:
    """Whatever is no reply of a model; 404 for what no service has."""
    models = options.models
    local = [model for model in models if ":" in model and "amazon." not in model]
    match request.method, request.path:
        case "GET", "/v1/models" | "/api/v1/models":
            return HttpAnswer.of_json(200, _model_list(models))
        case "GET", "/api/version":
            return HttpAnswer.of_json(200, {"version": OLLAMA_VERSION})
        case "GET", "/api/tags":
            tags = [{"name": name, "model": name, "size": 1, "digest": "0" * 12} for name in local]
            return HttpAnswer.of_json(200, {"models": tags})
        case "POST", "/api/show":
            return _show(json.loads(request.body), local, options.without_tools)
    error = {"message": f"Not found: {request.path}", "type": "not_found_error"}
    return HttpAnswer.of_json(404, {"error": error})


def _model_list(models: tuple[str, ...]) -> dict[str, Any]:
    """One list that both Anthropic's and OpenAI's clients read."""
    made = {"object": "model", "created": 1_790_000_000, "owned_by": "wire", "type": "model"}
    dated = {"created_at": "2026-09-01T00:00:00Z"}
    data = [{"id": model, "display_name": model, **made, **dated} for model in models]
    return {"object": "list", "data": data, "has_more": False, "first_id": None, "last_id": None}


def _show(body: dict[str, Any], local: list[str], without_tools: tuple[str, ...]) -> HttpAnswer:
    name = body.get("model") or body.get("name")
    if name not in local:
        return HttpAnswer.of_json(404, {"error": f"model '{name}' not found"})
    info = {"general.architecture": "gptoss", "gptoss.context_length": 131_072}
    capabilities = ["completion", *(["tools"] if name not in without_tools else []), "thinking"]
    return HttpAnswer.of_json(200, {"model_info": info, "capabilities": capabilities})
