"""Addresses taken apart, and the machines behind them."""

from __future__ import annotations

import ipaddress

import pytest

from chatcli.errors import Denied, InvalidArguments, ToolFailed
from chatcli.gate.addresses import look_up, parse_address, place_of


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("HTTPS://Example.COM.:443/a b".replace(" ", "%20"), "https://example.com/a%20b"),
        ("http://example.com:8080", "http://example.com:8080/"),
        ("http://[0:0:0:0:0:0:0:1]/x", "http://[::1]/x"),
        ("https://bücher.example/ä?q=ç", "https://xn--bcher-kva.example/%C3%A4?q=%C3%A7"),
        ("https://example.com/a?b#c", "https://example.com/a?b"),
    ],
)
def test_an_address_has_one_spelling(url: str, same: str) -> None:
    assert parse_address(url).url == same


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "gopher://example.com/", "ftp://example.com", "javascript:alert(1)",
        "example.com",
        "http://", "http://[", "http:///x", "http://a\nb/", "http://exa mple.com/", "http://a\tb/", "http://..",
        "http://user:secret@example.com/", "http://example.com@evil.example/", "http://a\\@b/",
        "http://example.com:x/",
        "http://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/", "http://127.1/", "http://0x7f000001/",
        "http://[fe80::1%25eth0]/", "http://exam%70le.com/", "https://example.com/" + "x" * 9_000,
    ],
)  # fmt: skip
def test_what_is_not_plainly_an_address_is_refused(url: str) -> None:
    with pytest.raises((Denied, InvalidArguments)):
        parse_address(url)


@pytest.mark.parametrize("url", ["", "http://", "http://[", "http://a b/", "http://a:x/"])
def test_what_is_no_address_is_a_mistake_and_no_denial(url: str) -> None:
    with pytest.raises(InvalidArguments):
        parse_address(url or "https://")


@pytest.mark.parametrize(
    ("machine", "place"),
    [
        ("93.184.216.34", "public"), ("2606:4700::1111", "public"), ("64:ff9b::5db8:d822", "public"),
        ("::ffff:93.184.216.34", "public"),
        ("127.0.0.1", "local"), ("10.1.2.3", "local"), ("172.16.0.1", "local"), ("192.168.1.1", "local"),
        ("100.64.0.1", "local"), ("0.0.0.0", "local"), ("255.255.255.255", "local"), ("224.0.0.1", "local"),
        ("198.18.0.1", "local"), ("192.0.2.1", "local"), ("240.0.0.1", "local"),
        ("::1", "local"), ("::", "local"), ("fd00::1", "local"), ("ff02::1", "local"), ("fec0::1", "local"),
        ("::ffff:127.0.0.1", "local"), ("::127.0.0.1", "local"), ("64:ff9b::7f00:1", "local"),
        ("64:ff9b:1::1", "local"), ("2002:7f00:1::", "local"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "local"),
        ("169.254.169.254", "metadata"), ("169.254.0.1", "metadata"), ("fe80::1", "metadata"),
        ("fd00:ec2::254", "metadata"), ("100.100.100.200", "metadata"), ("168.63.129.16", "metadata"),
        ("::ffff:169.254.169.254", "metadata"), ("64:ff9b::a9fe:a9fe", "metadata"),
    ],
)  # fmt: skip
def test_a_machine_is_where_it_is_whatever_its_spelling(machine: str, place: str) -> None:
    assert place_of(ipaddress.ip_address(machine)) == place


async def test_one_machine_that_is_not_public_is_enough() -> None:
    async def both(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    address = parse_address("https://rebind.example")
    assert await look_up(address, both) == (("93.184.216.34", "127.0.0.1"), "local")
    assert (await look_up(parse_address("http://metadata.google.internal"), both))[1] == "metadata"


async def test_a_host_that_is_not_there_is_said() -> None:
    async def none(host: str, port: int) -> list[str]:
        raise OSError("no such host")

    with pytest.raises(ToolFailed, match="not found"):
        await look_up(parse_address("https://gone.example"), none)


@pytest.mark.parametrize(
    ("url", "carries"),
    [
        ("https://example.com/", False),
        ("https://example.com/search?q=resultado+do+jogo+do+flamengo&hl=pt-BR&page=2", False),
        (
            "https://example.com/esporte/flamengo-vence-o-palmeiras-por-dois-a-um-no-maracana-e-assume-a-lideranca",
            False,
        ),
        ("https://example.com/commit/" + "0a" * 20, False),
        ("https://example.com/?q=" + "%C3%A7" * 60, False),
        ("https://example.com/?q=" + "x" * 200, True),
        ("https://example.com/" + "QUJD" * 20, True),
        ("https://example.com/" + "some-words-" * 20, True),
        ("https://" + "a" * 55 + ".example.com/", True),
        ("https://" + "abcdefgh." * 14 + "example.com/", True),
    ],
)
def test_what_is_long_may_carry_data(url: str, carries: bool) -> None:
    assert parse_address(url).carries_data is carries
