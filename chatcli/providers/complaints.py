"""What a person reads when a service fails: one line that names it, and a hint what to do."""

from __future__ import annotations

from chatcli.errors import (
    AuthError,
    BillingError,
    ContentRefused,
    ContextOverflow,
    ModelNotFound,
    NetworkError,
    Overloaded,
    ProviderError,
    RateLimited,
)
from chatcli.i18n import _
from chatcli.providers.clients import certificate_problem, proxy_of
from chatcli.providers.service import Service

_DETAIL_CHARS = 300


def words(kind: type[ProviderError], status: int, service: Service, detail: str) -> tuple[str, str]:
    """The line and the hint. `detail` is what the service itself said: foreign text."""
    line, hint = _texts(kind, forbidden=status == 403, local=service.local)
    names = {
        "provider": service.name,
        "model": service.model,
        "status": status,
        "address": service.base_url,
        "variable": service.key_variable,
        "detail": _shown(detail, service) or _("no reason given"),
    }
    return line.format(**names), hint.format(**names)


def no_connection(service: Service, error: BaseException | None) -> ProviderError:
    """Nothing answers at the address of the service, or not in a way that can be trusted."""
    if why := certificate_problem(error):
        return _untrusted(service, why)
    if proxy := proxy_of(service):
        hint = _("It goes through the proxy {proxy} of the environment: is that right?").format(proxy=proxy)
    elif service.local:
        hint = _("Is it running? Start it with: ollama serve")
    elif service.on_this_machine:
        hint = _("Is a server running there?")
    else:
        hint = _("Is the network up?")
    message = _("{provider}: no connection to {address} ({why})")
    why = _shown(str(error or ""), service)
    return NetworkError(
        message.format(provider=service.name, address=service.base_url, why=why),
        hint=hint,
        provider=service.name,
    )


def _untrusted(service: Service, why: str) -> ProviderError:
    """Asking again would not help."""
    return ProviderError(
        _("{provider}: the certificate of {address} is not trusted ({why}).").format(
            provider=service.name, address=service.base_url, why=why
        ),
        hint=_(
            "If a proxy of your company opens encrypted connections, set CHATCLI_CA_BUNDLE to the file"
            " with its CA."
        ),
        provider=service.name,
    )


def proxy_refused(service: Service, error: BaseException) -> ProviderError:
    """The proxy lets nothing through: asking again would not help, and could lock a user out."""
    return ProviderError(
        _("{provider}: the proxy {proxy} refuses ({why}).").format(
            provider=service.name, proxy=proxy_of(service), why=_shown(str(error), service)
        ),
        hint=_("Check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT if it wants a login), or NO_PROXY."),
        provider=service.name,
    )


def silent(provider: str, seconds: float) -> NetworkError:
    """The service sent nothing for too long."""
    return NetworkError(
        _("{provider} has sent nothing for {seconds:g} seconds.").format(provider=provider, seconds=seconds),
        hint=_("CHATCLI_STREAM_IDLE_TIMEOUT_SECONDS sets how long to wait."),
        provider=provider,
    )


def cut(service: Service) -> NetworkError:
    """The stream ended before the reply did."""
    return NetworkError(
        _("{provider}: the connection was lost before the reply was complete.").format(provider=service.name),
        hint=_("Send the message again."),
        provider=service.name,
    )


def unreadable_call(service: Service) -> Overloaded:
    """The model wrote a tool call that its own service cannot read: it may do better when asked again."""
    return Overloaded(
        _("{provider}: the model made a tool call that cannot be read.").format(provider=service.name),
        hint=_("Send the message again."),
        provider=service.name,
    )


def window_full(service: Service) -> ContextOverflow:
    """The model stopped because its window was full."""
    message, hint = words(ContextOverflow, 0, service, "")
    return ContextOverflow(message, hint=hint, provider=service.name)


def missing_key(service: Service) -> AuthError:
    """No credentials for a service that needs them."""
    return AuthError(
        _("{provider} needs a key, and there is none.").format(provider=service.name),
        hint=_("Run `chatcli setup`, or set {variable}.").format(variable=service.key_variable),
        provider=service.name,
    )


def missing_variable(service: Service, variable: str) -> AuthError:
    """The key alone is not enough."""
    return AuthError(
        _("{provider} also needs {variable}, and it is not set.").format(
            provider=service.name, variable=variable
        ),
        hint=_("Set it in the environment."),
        provider=service.name,
    )


def missing_model(service: Service, variables: tuple[str, ...]) -> ModelNotFound:
    """There is no model that everybody has."""
    return ModelNotFound(
        _("{provider} has no usual model: which one shall answer?").format(provider=service.name),
        hint=_("Use --model, or set {variable}.").format(variable=" / ".join(variables)),
        provider=service.name,
    )


def retired(service: Service, day: str, variable: str) -> ProviderError:
    """The service itself has ended."""
    return ProviderError(
        _("{provider} was retired on {day}: nothing answers there any more.").format(
            provider=service.name, day=day
        ),
        hint=_("Use COPILOT or OPENROUTER, or point {variable} to an endpoint of the same kind.").format(
            variable=variable
        ),
        provider=service.name,
    )


def unusable_key(service: Service) -> AuthError:
    """The key holds characters that no header can carry: something else was pasted."""
    return AuthError(
        _("What is stored as the key of {provider} cannot be one.").format(provider=service.name),
        hint=_("Run `chatcli setup`, or check {variable}.").format(variable=service.key_variable),
        provider=service.name,
    )


def _texts(kind: type[ProviderError], *, forbidden: bool, local: bool) -> tuple[str, str]:
    """Line and hint before their names are filled in; looked up now, in the language chosen by now."""
    if kind is AuthError and forbidden:
        line = _("{provider} does not allow this key to do that ({status}).")
        hint = _("Check what the key {variable} may do.")
    elif kind is AuthError:
        line = _("{provider} does not accept the key ({status}).")
        hint = _("Run `chatcli setup`, or check {variable}.")
    elif kind is BillingError:
        line = _("{provider}: no credit or quota is left ({status}).")
        hint = _("Add credit there, or use another provider with --provider.")
    elif kind is ContextOverflow:
        line = _("{provider}: the conversation does not fit the window of {model}.")
        hint = _("Start a new session with /clear, or use a model with a larger window.")
    elif kind is ModelNotFound:
        line = _("{provider} does not know the model {model} ({status} from {address}).")
        hint = _("Get it with: ollama pull {model}") if local else _("Choose another with --model or /model.")
    elif kind is ContentRefused:
        line, hint = _("{provider} refused the content: {detail}"), _("Put the request differently.")
    elif kind is RateLimited:
        line, hint = _("{provider}: too many requests ({status})."), _("Wait a little.")
    elif kind is Overloaded:
        line, hint = _("{provider} is failing or busy ({status})."), _("Try again in a moment.")
    else:
        line, hint = _("{provider} rejected the request ({status}): {detail}"), ""
    return line, hint


def _shown(detail: str, service: Service) -> str:
    """A vendor's words on one short line, without the key."""
    if service.key:
        detail = detail.replace(service.key, "***")
    line = "".join(char if char.isprintable() else " " for char in detail)
    line = " ".join(line.split())
    return line if len(line) <= _DETAIL_CHARS else line[: _DETAIL_CHARS - 1] + "…"
