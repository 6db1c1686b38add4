"""Which service answers under which path, and the variables that lead there."""

from __future__ import annotations

import re
import time
from urllib.parse import parse_qsl

from msgspec import structs

from tests.wire.anthropic import Anthropic
from tests.wire.anthropic_services import BedrockClaude, CopilotClaude, Mantle, MiniMax
from tests.wire.chat import Chat
from tests.wire.chat_services import (
    CopilotChat,
    GithubModels,
    Moonshot,
    Zai,
    check_copilot_headers,
)
from tests.wire.converse import Converse
from tests.wire.gemini import Gemini
from tests.wire.http1 import HttpAnswer, HttpRequest
from tests.wire.ollama import Ollama
from tests.wire.refuse import require
from tests.wire.responses import Responses
from tests.wire.seen import Seen
from tests.wire.stackspot import CLIENT_ID, StackSpot, grant
from tests.wire.wires import Ids, Options, Wire

COPILOT_TOKEN = "copilot-token-of-minutes"
"""What GitHub's token is exchanged for."""
COPILOT_ENDPOINTS = {
    "claude-sonnet-5-5": ["/chat/completions", "/v1/messages"],
    "gpt-6.1-sol": ["/responses"],
    "gpt-5.4": ["/chat/completions"],
}


DEVICE_CODE = {
    "device_code": "device-code-canary",
    "user_code": "ABCD-1234",
    "verification_uri": "https://github.com/login/device",
    "expires_in": 900,
}
"""What GitHub gives a program that wants to log in."""


class Xai(Responses):
    """Responses that must always be asked for encrypted reasoning: without it the next turn has none.

    Only newer models can be told how much to think; unsaid it is little.
    """

    name = "xai"

    def read(self, request: HttpRequest) -> Seen:
        seen = super().read(request)
        wanted = "reasoning.encrypted_content" in seen.body.get("include", [])
        require(wanted, "encrypted_reasoning", "include must hold reasoning.encrypted_content")
        told = seen.body.get("reasoning", {}).get("effort") in ("none", "low", "medium", "high")
        has_effort = seen.model.startswith(("grok-4.3", "grok-4.7"))
        require(told is has_effort, "effort", f"{seen.model}: reasoning.effort must be said, or cannot be")
        return structs.replace(seen, wire=self.name)


class CopilotResponses(Responses):
    name = "copilot"

    def read(self, request: HttpRequest) -> Seen:
        seen = super().read(request)
        check_copilot_headers(request, by_user=seen.body["input"][-1].get("role") == "user")
        return structs.replace(seen, wire=self.name)


class Services:
    def __init__(self, options: Options, ids: Ids) -> None:
        self._options = options
        self._device_polls = 0
        copilot = structs.replace(options, key=COPILOT_TOKEN)
        self._wires: list[tuple[re.Pattern[str], Wire]] = [
            (re.compile(path), wire)
            for path, wire in (
                ("/v1/messages", Anthropic(options, ids)),
                ("/v1/responses", Responses(options, ids)),
                ("/v1/chat/completions", Chat(options, ids)),
                ("/api/v1/chat/completions", Chat(options, ids)),
                ("/api/chat", Ollama(options, ids)),
                ("/xai/v1/responses", Xai(options, ids)),
                ("/zai/chat/completions", Zai(options, ids)),
                ("/minimax/anthropic/v1/messages", MiniMax(options, ids)),
                ("/moonshot/v1/chat/completions", Moonshot(options, ids)),
                ("/github/chat/completions", GithubModels(options, ids)),
                ("/copilot/chat/completions", CopilotChat(copilot, ids)),
                ("/copilot/responses", CopilotResponses(copilot, ids)),
                ("/copilot/v1/messages", CopilotClaude(copilot, ids)),
                (r"/google/v1beta/models/[^/]+:streamGenerateContent", Gemini(options, ids)),
                (r"/bedrock/model/[^/]+/converse-stream", Converse(options, ids)),
                (r"/bedrock/model/[^/]+/invoke-with-response-stream", BedrockClaude(options, ids)),
                ("/bedrock/anthropic/v1/messages", Mantle(options, ids)),
                (r"/stackspot/v1/agent/[^/]+/chat", StackSpot(options, ids)),
            )
        ]

    def wire(self, path: str) -> Wire | None:
        return next((wire for pattern, wire in self._wires if pattern.fullmatch(path)), None)

    def answer_aside(self, request: HttpRequest) -> HttpAnswer | None:
        """Tokens, and the list of Copilot's models."""
        key = self._options.key
        match request.path:
            case "/stackspot/zup/oidc/oauth/token":
                return grant(request, key)
            case "/copilot/copilot_internal/v2/token":
                if request.headers.get("authorization") != f"token {key}":
                    return HttpAnswer.of_json(401, {"message": "Bad credentials"})
                granted = {"token": COPILOT_TOKEN, "expires_at": time.time() + 1800}
                return HttpAnswer.of_json(200, granted)
            case "/copilot/login/device/code":
                return HttpAnswer.of_json(
                    200, {**DEVICE_CODE, "interval": self._options.device_interval_seconds}
                )
            case "/copilot/login/oauth/access_token":
                return self._device_token(request, key)
            case "/copilot/models":
                if request.headers.get("authorization") != f"Bearer {COPILOT_TOKEN}":
                    return HttpAnswer.of_json(401, {"error": {"message": "unauthorized"}})
                return HttpAnswer.of_json(
                    200, {"data": [_copilot_model(*row) for row in COPILOT_ENDPOINTS.items()]}
                )
        return None

    def _device_token(self, request: HttpRequest, key: str) -> HttpAnswer:
        """The person confirms while the client waits: it asks three times, the second time too soon."""
        form = dict(parse_qsl(request.body.decode()))
        known = form.get("device_code") == DEVICE_CODE["device_code"] and form.get("client_id")
        self._device_polls += 1
        if not known or not form.get("grant_type", "").endswith(":device_code"):
            return HttpAnswer.of_json(200, {"error": "incorrect_device_code"})
        match self._device_polls:
            case 1:
                return HttpAnswer.of_json(200, {"error": "authorization_pending"})
            case 2:
                return HttpAnswer.of_json(200, {"error": "slow_down", "interval": 0.01})
        return HttpAnswer.of_json(200, {"access_token": key, "token_type": "bearer", "scope": "read:user"})


def _copilot_model(model: str, endpoints: list[str]) -> dict[str, object]:
    limits = {"max_prompt_tokens": 264_000, "max_context_window_tokens": 400_000, "max_output_tokens": 64_000}
    supports = {"tool_calls": True, "vision": True}
    capabilities = {"type": "chat", "limits": limits, "supports": supports}
    return {"id": model, "capabilities": capabilities, "supported_endpoints": endpoints}


def environment(url: str, key: str) -> dict[str, str]:
    """Keys and addresses of every provider of chatcli."""
    return {
        "ANTHROPIC_API_KEY": key,
        "ANTHROPIC_BASE_URL": url,
        "OPENAI_API_KEY": key,
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENROUTER_API_KEY": key,
        "OPENROUTER_API_URL": f"{url}/api/v1",
        "OLLAMA_BASE_URL": url,
        "XAI_API_KEY": key,
        "XAI_API_URL": f"{url}/xai/v1",
        "ZAI_API_KEY": key,
        "ZAI_API_URL": f"{url}/zai",
        "MINIMAX_API_KEY": key,
        "MINIMAX_API_URL": f"{url}/minimax/anthropic",
        "MOONSHOT_API_KEY": key,
        "MOONSHOT_API_URL": f"{url}/moonshot/v1",
        "GOOGLEAI_API_KEY": key,
        "GOOGLEAI_API_URL": f"{url}/google/v1beta",
        "AWS_BEARER_TOKEN_BEDROCK": key,
        "BEDROCK_BASE_URL": f"{url}/bedrock",
        "GITHUB_COPILOT_TOKEN": key,
        "COPILOT_API_URL": f"{url}/copilot",
        "GITHUB_MODELS_TOKEN": key,
        "GITHUB_MODELS_API_URL": f"{url}/github",
        "STACKSPOT_API_URL": f"{url}/stackspot",
        "STACKSPOT_AUTH_URL": f"{url}/stackspot",
        "STACKSPOT_AGENT_ID": "flat-agent",
        "CLIENT_ID": CLIENT_ID,
        "STACKSPOT_CLIENT_KEY": key,
    }
