"""The one place where a client for a service is made: through which proxy, trusting which certificates.

`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` count for everything that is not on this machine.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from chatcli.certificates import trusted
from chatcli.errors import ProviderError
from chatcli.i18n import _
from chatcli.providers.service import Service


def connect(httpx: ModuleType, service: Service, **options: Any) -> Any:
    """An `AsyncClient` of httpx, or of httpx2. Redirects are not followed: a key goes to nobody else.

    Raises UsageError for certificates, ProviderError for a proxy that cannot be used.
    """
    context = trusted(service.ca_bundle)
    try:
        return httpx.AsyncClient(verify=context, trust_env=not service.on_this_machine, **options)
    except (ValueError, ImportError, httpx.InvalidURL):  # what they say may hold the password of the proxy
        raise ProviderError(
            _("{provider}: the proxy {proxy} cannot be used.").format(
                provider=service.name, proxy=proxy_of(service)
            ),
            hint=_("HTTPS_PROXY looks like http://proxy.example:3128"),
            provider=service.name,
        ) from None


def proxy_of(service: Service) -> str:
    """Scheme, host and port of the proxy on the way to the service, without a password; empty without one."""
    from urllib.request import getproxies, proxy_bypass

    address = urlsplit(service.base_url)
    if service.on_this_machine or proxy_bypass(address.hostname or ""):
        return ""
    proxies = getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all", "")
    if not proxy:
        return ""
    scheme, rest = proxy.split("://", 1) if "://" in proxy else ("http", proxy)
    return f"{scheme}://{rest.rpartition('@')[2].partition('/')[0]}"


def certificate_problem(error: BaseException | None) -> str:
    """Why a certificate was not trusted, in OpenSSL's words; empty when that is not what went wrong."""
    import ssl

    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return str(error.verify_message)
        error = error.__cause__ or error.__context__
    return ""
