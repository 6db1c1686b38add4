"""Who is offered tools natively, and to whom they are text."""

from __future__ import annotations

from chatcli.agent.text_protocol.provider import TextTools
from chatcli.providers.base import Provider, ToolForm
from chatcli.providers.catalogue import facts
from chatcli.providers.failover import Failover
from chatcli.providers.spec import ProviderSpec
from chatcli.providers.specs import find_spec
from chatcli.settings import ToolProtocol


def tools_in_text(spec: ProviderSpec, model: str, protocol: ToolProtocol) -> bool:
    """Whether calls and results are text, as far as that is known before the service is asked.

    A service that has no tools at all cannot be made to take them; what is known of a model can be
    overruled.
    """
    if spec.wire == "offline":
        return False
    if protocol != "auto" and spec.native_tools:
        return protocol == "text"
    return not (spec.native_tools and facts(model, spec.name).tools)


def tool_form(provider: Provider) -> ToolForm:
    """How whoever is asked now tells the model of tools."""
    if isinstance(provider, Failover):
        provider = provider.current
    if isinstance(provider, TextTools) and provider.in_text:
        return "described"
    return "line" if find_spec(provider.name).wire == "local" else "schema"


def with_tools(provider: Provider, spec: ProviderSpec, protocol: ToolProtocol) -> Provider:
    """The provider as one that takes tools, whether it does so itself or not."""
    if tools_in_text(spec, provider.model, protocol):
        return TextTools(provider)
    if spec.wire == "ollama" and protocol == "auto":
        from chatcli.providers.ollama import Ollama

        return TextTools(provider, provider.takes_tools) if isinstance(provider, Ollama) else provider
    return provider
