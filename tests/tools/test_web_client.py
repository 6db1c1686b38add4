"""The client against the zoo: every answer within its limits."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator

import pytest

from chatcli.errors import Denied, ToolFailed
from chatcli.tools.api import Fetched
from chatcli.tools.web_body import Body
from chatcli.tools.web_client import Target, WebClient
from tests.tools.zoo import BIG_PAGE, Zoo, zoo

LIMIT_BYTES = 1 << 20


@pytest.fixture(scope="module")
def web() -> Iterator[Zoo]:
    with zoo() as running:
        yield running


async def fetch(url: str, *, seconds: float = 5.0, headers: dict[str, str] | None = None) -> Fetched:
    async def admit(address: str, redirected: bool) -> Target:
        if "169.254" in address:
            raise Denied("inwards")
        return Target(url=address, machines=("127.0.0.1",))

    return await WebClient(admit).fetch(
        url, headers=headers or {}, max_bytes=LIMIT_BYTES, timeout_seconds=seconds
    )


async def test_an_answer_comes_with_status_headers_and_body(web) -> None:
    answer = await fetch(web.url + "/json")
    assert (answer.status, answer.content_type, answer.stopped, answer.hops) == (
        200,
        "application/json",
        "",
        (),
    )
    assert answer.body.startswith(b'{"goals"')


async def test_it_connects_to_the_machine_it_was_told_and_names_the_host(web) -> None:
    answer = await fetch(f"http://example.com:{web.port}/page")
    assert answer.status == 200
    assert web.seen[-1].headers["host"] == f"example.com:{web.port}"


async def test_nothing_of_the_user_is_sent(web, monkeypatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    await fetch(web.url + "/page")
    sent = web.seen[-1].headers
    assert sent.keys() == {"host", "user-agent", "accept", "accept-language", "accept-encoding"}
    assert sent["accept-encoding"] == "gzip, deflate"


async def test_five_redirects_are_followed_and_no_more(web) -> None:
    answer = await fetch(web.url + "/redirect/5")
    assert (answer.status, len(answer.hops), answer.url) == (200, 5, web.url + "/page")
    with pytest.raises(ToolFailed, match="redirects more than 5 times"):
        await fetch(web.url + "/redirect/6")


async def test_each_hop_is_checked(web) -> None:
    with pytest.raises(Denied, match="inwards"):
        await fetch(web.url + "/to/http:~~169.254.169.254~latest")


async def test_headers_stay_with_the_first_host(web) -> None:
    await fetch(f"{web.url}/to/http:~~other.example:{web.port}~page", headers={"X-Key": "secret"})
    first, second = web.seen[-2:]
    assert first.headers["x-key"] == "secret"
    assert "x-key" not in second.headers


@pytest.mark.parametrize("path", ["/gzip", "/deflate", "/bare-deflate"])
async def test_compressed_bodies_are_decompressed(web, path) -> None:
    assert (await fetch(web.url + path)).body == b"<p>packed</p>"


async def test_a_bomb_is_stopped_by_its_ratio(web) -> None:
    answer = await fetch(web.url + "/bomb")
    assert answer.stopped in {"ratio", "size"}
    assert len(answer.body) <= LIMIT_BYTES


def test_a_bomb_is_stopped_long_before_the_limit_on_all() -> None:
    bomb = zlib.compress(bytes(50 << 20), 9)
    body = Body("deflate", max_bytes=100 << 20)
    body.feed(bomb)
    assert body.stopped == "ratio"
    assert 100 * len(bomb) < len(body.content()) <= 100 * len(bomb) + (1 << 16)


def test_what_repeats_itself_as_pages_do_is_no_bomb() -> None:
    text = "".join(f"<tr><td>{n * 7919 % 10_007}</td></tr>" for n in range(100_000)).encode()
    body = Body("deflate", max_bytes=100 << 20)
    body.feed(zlib.compress(text, 9))
    assert (body.stopped, body.content()) == ("", text)


async def test_what_is_not_compressed_as_it_says_fails(web) -> None:
    with pytest.raises(ToolFailed, match="cannot be decompressed"):
        await fetch(web.url + "/no-gzip")


async def test_brotli_that_was_not_asked_for_is_asked_for_without(web) -> None:
    assert (await fetch(web.url + "/brotli")).body == b"<p>plain</p>"


async def test_an_endless_body_ends_at_the_limit(web) -> None:
    answer = await fetch(web.url + "/endless")
    assert (answer.stopped, len(answer.body)) == ("size", LIMIT_BYTES)
    assert web.sent_bytes < 50 * LIMIT_BYTES


async def test_a_slow_body_ends_in_time_with_what_had_come(web) -> None:
    began = time.monotonic()
    answer = await fetch(web.url + "/drip", seconds=0.3)
    assert answer.stopped == "time"
    assert answer.body.startswith(b"it begins\n.")
    assert time.monotonic() - began < 2


async def test_a_silent_server_fails_in_time(web) -> None:
    with pytest.raises(ToolFailed, match="did not answer in time"):
        await fetch(web.url + "/silent", seconds=0.2)


async def test_a_broken_connection_keeps_what_had_come(web) -> None:
    answer = await fetch(web.url + "/cut")
    assert (answer.stopped, answer.body) == ("connection", b"it begins\n")


async def test_a_large_page_is_cut_at_the_limit(web) -> None:
    answer = await fetch(web.url + "/big")
    assert (answer.stopped, answer.body) == ("size", BIG_PAGE.encode()[:LIMIT_BYTES])


async def test_nobody_there_is_said(web) -> None:
    with pytest.raises(ToolFailed, match="cannot be reached"):
        await fetch("http://127.0.0.1:1/")


async def test_encryption_is_not_given_up() -> None:
    from chatcli.tools.web_client import _redirect_target

    assert (
        _redirect_target("https://a.example/x/", "y?z=ção".encode().decode("latin-1"))
        == "https://a.example/x/y?z=ção"
    )
    with pytest.raises(ToolFailed, match="not encrypted"):
        _redirect_target("https://a.example/", "http://a.example/")
