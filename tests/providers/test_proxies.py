"""Through a company's proxy that opens encrypted connections: on every row, and what is said when not."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager

import pytest

from chatcli.errors import NetworkError, ProviderError, UsageError
from chatcli.events import Reply
from chatcli.providers.credentials import find_key
from chatcli.providers.table import create, find_spec
from chatcli.settings import Settings
from tests.harness.driver import Place
from tests.providers.companyproxy import company_proxy
from tests.providers.conversation import receive, request
from tests.providers.rows import NAMES, ROWS, keep_reviewer
from tests.wire import script
from tests.wire.server import serve

HOST = "api.service.test"
PASSWORD = "hunter2-canary"


@pytest.fixture(autouse=True)
def no_proxy_of_the_tester(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@asynccontextmanager
async def world(monkeypatch, tmp_path, *, login="", given_login="", certificate=True):
    """A service that is reached through the proxy alone; yields the proxy, the server and `ask(row)`."""
    with serve([script.reply("Hello.")]) as server:
        port = int(server.url.rpartition(":")[2])
        async with company_proxy(port, login=login) as proxy:
            bundle = tmp_path / "ca.pem"
            proxy.ca.cert_pem.write_to_path(str(bundle))
            monkeypatch.setenv("HTTPS_PROXY", f"http://{given_login}127.0.0.1:{proxy.port}")
            environment = {
                name: value.replace(server.url, f"https://{HOST}")
                for name, value in server.environment().items()
            }

            async def ask(row: str):
                keep_reviewer(tmp_path)
                given = environment | ROWS[row].variables
                provider = create(
                    find_spec(ROWS[row].provider),
                    ROWS[row].model,
                    Settings(ca_bundle=str(bundle) if certificate else ""),
                    given,
                    lambda names: find_key(names, given, tmp_path),
                    home=tmp_path,
                )
                try:
                    return await receive(provider, request(model=provider.model))
                finally:
                    await provider.aclose()

            yield proxy, server, ask


@pytest.mark.parametrize("row", NAMES)
async def test_every_row_goes_through_the_proxy_and_trusts_its_certificate(row, monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path, login="ann:x", given_login="ann:x@") as (proxy, server, ask):
        events = await ask(row)
    assert isinstance(events[-1], Reply)
    assert set(proxy.connects) == {f"{HOST}:443"}
    assert server.violations == []


@pytest.mark.parametrize("row", ["claudeai", "openai-chat", "googleai", "bedrock-invoke", "stackspot-flat"])
async def test_an_unknown_certificate_is_one_clear_line_with_the_fix(row, monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path, certificate=False) as (proxy, server, ask):
        with pytest.raises(ProviderError, match="is not trusted") as raised:
            await ask(row)
    assert "CHATCLI_CA_BUNDLE" in raised.value.hint
    assert "\n" not in raised.value.message
    assert not raised.value.retryable
    assert server.exchanges == []
    assert len(proxy.connects) == 1


@pytest.mark.parametrize("row", ["claudeai", "openai-responses", "googleai"])
async def test_a_proxy_that_refuses_is_named_without_the_password(row, monkeypatch, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    given = f"ann:{PASSWORD}@"
    async with world(monkeypatch, tmp_path, login="ann:other", given_login=given) as (proxy, _server, ask):
        with pytest.raises(ProviderError, match="407") as raised:
            await ask(row)
    error = raised.value
    assert f"http://127.0.0.1:{proxy.port}" in error.message
    assert "HTTPS_PROXY" in error.hint
    assert not error.retryable
    assert len(proxy.connects) == 1
    assert PASSWORD not in f"{error.message}{error.hint}{error!r}{caplog.text}"


@pytest.mark.parametrize("row", ["claudeai", "googleai"])
async def test_a_proxy_that_is_not_there_is_named(row, monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path) as (_proxy, _server, ask):
        monkeypatch.setenv("HTTPS_PROXY", f"http://ann:{PASSWORD}@127.0.0.1:1")
        with pytest.raises(NetworkError) as raised:
            await ask(row)
    assert "the proxy http://127.0.0.1:1 of the environment" in raised.value.hint
    assert PASSWORD not in raised.value.message


@pytest.mark.parametrize("proxy", [f"socks5://ann:{PASSWORD}@127.0.0.1:1", f"gopher://{PASSWORD}@host"])
@pytest.mark.parametrize("row", ["claudeai", "googleai"])
async def test_a_proxy_of_another_kind_is_refused_without_its_password(row, proxy, monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path) as (_proxy, _server, ask):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        with pytest.raises(ProviderError, match="cannot be used") as raised:
            await ask(row)
    assert PASSWORD not in f"{raised.value.message}{raised.value.hint}"


async def test_what_no_proxy_names_is_asked_directly(monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path) as (proxy, _server, ask):
        monkeypatch.setenv("NO_PROXY", "service.test")
        with pytest.raises(NetworkError):  # nobody has that name
            await ask("claudeai")
    assert proxy.connects == []


@pytest.mark.parametrize("row", NAMES)
async def test_a_service_on_this_machine_needs_no_proxy(row, monkeypatch, tmp_path):
    with serve([script.reply("Hello.")]) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:1")
        keep_reviewer(tmp_path)
        given = server.environment() | ROWS[row].variables
        provider = create(
            find_spec(ROWS[row].provider),
            ROWS[row].model,
            Settings(),
            given,
            lambda names: find_key(names, given, tmp_path),
            home=tmp_path,
        )
        events = await receive(provider, request(model=provider.model))
        await provider.aclose()
    assert isinstance(events[-1], Reply)


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file"), ("no certificate", "no PEM certificate")]
)
async def test_a_bundle_that_cannot_be_used_is_named(content, why, monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path) as (_proxy, _server, ask):
        bundle = tmp_path / "ca.pem"
        bundle.unlink()
        if content:
            bundle.write_text(content)
        with pytest.raises(UsageError, match="CHATCLI_CA_BUNDLE") as raised:
            await ask("claudeai")
    assert why in raised.value.message


async def test_a_folder_of_certificates_is_taken_too(monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path) as (_proxy, _server, ask):
        certificate = (tmp_path / "ca.pem").read_bytes()
        (tmp_path / "ca.pem").unlink()
        (tmp_path / "ca.pem").mkdir()
        (tmp_path / "ca.pem" / "company.pem").write_bytes(certificate)
        assert isinstance((await ask("claudeai"))[-1], Reply)


async def test_ssl_cert_file_is_followed(monkeypatch, tmp_path):
    async with world(monkeypatch, tmp_path, certificate=False) as (_proxy, _server, ask):
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        assert isinstance((await ask("claudeai"))[-1], Reply)
        monkeypatch.setenv("SSL_CERT_FILE", "")


async def test_the_command_works_through_a_proxy_and_says_what_is_wrong_without_its_certificate(
    monkeypatch, tmp_path
):
    place = Place.make(tmp_path / "place")
    async with world(monkeypatch, tmp_path, login="ann:x", given_login=f"ann:{PASSWORD}@") as made:
        proxy, server, _ask = made
        environment = place.environment("anthropic", server) | {
            "ANTHROPIC_BASE_URL": f"https://{HOST}",
            "CHATCLI_CA_BUNDLE": str(tmp_path / "ca.pem"),
            "HTTPS_PROXY": f"http://ann:x@127.0.0.1:{proxy.port}",
        }
        answered = await asyncio.to_thread(place.run, environment, "-p", "hi")
        del environment["CHATCLI_CA_BUNDLE"]
        untrusted = await asyncio.to_thread(place.run, environment, "-p", "hi")
        environment["HTTPS_PROXY"] = f"http://ann:{PASSWORD}@127.0.0.1:{proxy.port}"
        refused = await asyncio.to_thread(place.run, environment, "-p", "hi", "--debug")
    assert (answered.code, answered.out) == (0, "Hello.\n")
    assert untrusted.code == refused.code == 3
    assert "is not trusted" in untrusted.err
    assert "CHATCLI_CA_BUNDLE" in untrusted.err
    assert "407" in refused.err
    written = [path.read_bytes() for path in place.home.rglob("*") if path.is_file()]
    assert PASSWORD.encode() not in b"".join([*written, refused.err.encode(), refused.out.encode()])
