"""Every row of the table as tests start it: against the strict server, one entry for each wire of a row."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct, structs

from chatcli.agent.text_protocol.choice import with_tools
from chatcli.providers.assistants import FOLDER, Assistant
from chatcli.providers.base import Provider
from chatcli.providers.credentials import find_key
from chatcli.providers.table import create, find_spec
from chatcli.settings import Settings
from tests.wire.server import WireServer


class Row(Struct, frozen=True, kw_only=True):
    provider: str
    model: str = ""
    variables: dict[str, str] = {}


ROWS: dict[str, Row] = {
    "claudeai": Row(provider="CLAUDEAI"),
    "bedrock-invoke": Row(provider="BEDROCK"),
    "bedrock-mantle": Row(provider="BEDROCK", model="anthropic.claude-sonnet-5"),
    "bedrock-converse": Row(provider="BEDROCK", model="global.amazon.nova-2-lite-v1:0"),
    "openai-responses": Row(provider="OPENAI", variables={"OPENAI_USE_RESPONSES": "true"}),
    "openai-chat": Row(provider="OPENAI", variables={"OPENAI_USE_RESPONSES": "false"}),
    "openai-assistant": Row(provider="OPENAI_ASSISTANT", model="Reviewer"),
    "xai": Row(provider="XAI"),
    "zai": Row(provider="ZAI"),
    "minimax": Row(provider="MINIMAX"),
    "moonshot": Row(provider="MOONSHOT"),
    "googleai": Row(provider="GOOGLEAI"),
    "ollama": Row(provider="OLLAMA"),
    "copilot-responses": Row(provider="COPILOT"),
    "copilot-claude": Row(provider="COPILOT", model="claude-sonnet-5-5"),
    "copilot-chat": Row(provider="COPILOT", model="gpt-5.4"),
    "github-models": Row(provider="GITHUB_MODELS"),
    "openrouter": Row(provider="OPENROUTER"),
    "openrouter-claude": Row(provider="OPENROUTER", model="anthropic/claude-sonnet-5.5"),
    "stackspot-flat": Row(provider="STACKSPOT"),
    "stackspot-chunked": Row(provider="STACKSPOT", model="chunked-agent"),
}
NAMES = tuple(ROWS)

_IN_TEXT = (
    "claudeai",
    "bedrock-invoke",
    "bedrock-converse",
    "openai-responses",
    "openai-chat",
    "openai-assistant",
    "googleai",
    "ollama",
    "copilot-claude",
    "openrouter",
)
"""One row of each wire."""
ROWS |= {
    f"{name}-in-text": structs.replace(
        ROWS[name], variables={**ROWS[name].variables, "CHATCLI_TOOL_PROTOCOL": "text"}
    )
    for name in _IN_TEXT
}
"""The same without native tools: calls and results are text."""


def keep_reviewer(home: Path) -> None:
    """The assistant that the row of assistants asks for."""
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    reviewer = Assistant(id="asst_1", name="Reviewer", model="gpt-6.1-sol", instructions="You review code.")
    (home / FOLDER / "asst_1.json").write_bytes(msgspec.json.encode(reviewer))


def provider_of(name: str, server: WireServer, home: Path, **settings: object) -> Provider:
    """The provider of a row, redirected to the server."""
    row = ROWS[name]
    keep_reviewer(home)
    environment = server.environment() | row.variables
    spec = find_spec(row.provider)
    provider = create(
        spec,
        row.model,
        Settings(**settings),
        environment,
        lambda names: find_key(names, environment, home),
        home=home,
    )
    return with_tools(provider, spec, row.variables.get("CHATCLI_TOOL_PROTOCOL", "native"))
