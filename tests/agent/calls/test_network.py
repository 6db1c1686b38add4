"""The network of a session: the gate in front of every hop, answers kept with their ETag."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from chatcli.agent.calls.network import GatedNetwork
from chatcli.errors import Denied, ToolFailed
from chatcli.gate.gate import Gate
from chatcli.gate.rules import Rules
from tests.providers.companyproxy import company_proxy
from tests.tools.zoo import Zoo, zoo


@pytest.fixture(scope="module")
def web() -> Iterator[Zoo]:
    with zoo() as running:
        yield running


@pytest.fixture
def network(tmp_path: Path) -> Callable[..., GatedNetwork]:
    """`names` are hosts and, for each look-up in turn, the machine that they are."""
    project = tmp_path / "project"
    project.mkdir()

    def made(
        *allow: str, names: dict[str, list[str]] | None = None, tainted: bool = False, **options: str
    ) -> GatedNetwork:
        async def resolver(host: str, port: int) -> list[str]:
            machines = (names or {}).get(host)
            if not machines:
                raise OSError
            return [machines.pop(0) if len(machines) > 1 else machines[0]]

        gate = Gate(project, home=tmp_path, rules=Rules(tmp_path, project, allow=allow), autonomy="all")
        gate.tainted = tainted
        return GatedNetwork(gate, tmp_path, resolver=resolver, **options)

    return made


@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"])
async def test_this_machine_is_refused_without_a_rule(network, web, host) -> None:
    came = len(web.seen)
    with pytest.raises(Denied, match="--allow"):
        await network().fetch(f"http://{host}:{web.port}/page")
    assert len(web.seen) == came


async def test_a_name_for_this_machine_is_refused_too(network, web) -> None:
    with pytest.raises(Denied, match="--allow network:evil"):
        await network(names={"evil.example": ["127.0.0.1"]}).fetch(f"http://evil.example:{web.port}/page")


async def test_with_a_rule_it_is_opened(network, web) -> None:
    assert (await network("network:127.0.0.1").fetch(web.url + "/page")).status == 200


async def test_a_redirect_inwards_is_not_followed(network, web) -> None:
    allowed = network("network:127.0.0.1", names={"inside.example": ["10.0.0.9"], "localhost": ["::1"]})
    for target in ("169.254.169.254~latest~meta-data", "inside.example~", "[::1]~", "localhost.~"):
        with pytest.raises((Denied, ToolFailed)):
            await allowed.fetch(f"{web.url}/to/http:~~{target}")


async def test_a_name_that_turns_to_another_machine_is_checked_at_each_hop(network, web) -> None:
    rebinding = network("network:127.0.0.1", names={"rebind.example": ["127.0.0.1"]})
    with pytest.raises(Denied, match="redirects to rebind"):
        await rebinding.fetch(f"{web.url}/to/http:~~rebind.example:{web.port}~page")


async def test_what_was_checked_is_what_is_connected_to(network, web) -> None:
    looked_up: list[str] = ["127.0.0.1", "10.255.255.1"]
    pinned = network("network:rebind.example", names={"rebind.example": looked_up})
    answer = await pinned.fetch(f"http://rebind.example:{web.port}/page")
    assert answer.status == 200
    assert looked_up == ["10.255.255.1"], "one look-up for one connection"


async def test_the_users_own_search_server_may_be_local_and_only_its_search(network, web) -> None:
    web.pages["/searx/search"] = ({}, b"{}")
    own = network(own=web.url + "/searx/search")
    assert (await own.fetch(web.url + "/searx/search?q=x")).status == 200
    for other in ("/page", "/searx/searching", "/searx/search/delete?q=x", "/searx/search/../admin"):
        with pytest.raises(Denied):
            await own.fetch(web.url + other)


async def test_no_redirect_leads_to_the_users_own_search_server(network, web) -> None:
    own = network("network:page.example", own=f"{web.url}/page", names={"page.example": ["127.0.0.1"]})
    with pytest.raises(Denied, match=r"redirects to 127\.0\.0\.1"):
        await own.fetch(f"http://page.example:{web.port}/to/{web.url.replace('/', '~')}~page")


async def test_no_metadata_service_is_a_search_server(network) -> None:
    with pytest.raises(Denied, match="Only the user can allow it"):
        await network(own="http://169.254.169.254/search").fetch("http://169.254.169.254/search?q=x")


async def test_the_users_own_search_server_is_no_way_out_for_data(network, web) -> None:
    own = network(own=web.url + "/searx/search", tainted=True)
    with pytest.raises(Denied):
        await own.fetch(web.url + "/searx/search?q=" + "secret+" * 80)


async def test_an_answer_is_asked_for_with_its_etag_and_taken_from_what_was_kept(network, web) -> None:
    kept = network("network:127.0.0.1")
    first = await kept.fetch(web.url + "/etag")
    second = await kept.fetch(web.url + "/etag")
    assert web.seen[-1].headers["if-none-match"] == '"v1"'
    assert second == first
    came = len(web.seen)
    assert await kept.fetch(web.url + "/etag", reuse=True) == first
    assert len(web.seen) == came


async def test_what_is_kept_has_no_name_on_disk_and_can_be_forgotten(network, web, tmp_path) -> None:
    kept = network("network:127.0.0.1")
    await kept.fetch(web.url + "/etag")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []
    kept.forget()
    came = len(web.seen)
    assert (await kept.fetch(web.url + "/etag", reuse=True)).body == b"<p>first version</p>"
    assert "if-none-match" not in web.seen[came].headers


async def test_what_is_kept_takes_bounded_room(network, web, monkeypatch) -> None:
    monkeypatch.setattr("chatcli.agent.calls.network.MOST_KEPT_BYTES", 2_500)
    kept = network("network:127.0.0.1")
    for number in (1, 2, 3):
        web.pages[f"/kept{number}"] = ({}, f"{number}".encode() * 1_000)
    for number in (1, 2, 3):  # the third has no room beside the others
        await kept.fetch(f"{web.url}/kept{number}")
    came = len(web.seen)
    assert (await kept.fetch(web.url + "/kept3", reuse=True)).body == b"3" * 1_000
    assert len(web.seen) == came
    assert (await kept.fetch(web.url + "/kept1", reuse=True)).body == b"1" * 1_000
    assert len(web.seen) == came + 1
    assert kept._answers._file.seek(0, 2) == 2_000


PUBLIC = {"example.com": ["93.184.216.34"], "inside.example": ["10.0.0.9"], "local.example": ["127.0.0.1"]}
PASSWORD = "pa:ss"


@pytest.fixture
async def proxied(network, web, tmp_path):
    """A network behind the proxy of a company, and the proxy."""
    async with company_proxy(web.port, login=f"ann:{PASSWORD}") as proxy:
        bundle = tmp_path / "company.pem"
        proxy.ca.cert_pem.write_to_path(str(bundle))
        address = f"http://ann:{quote(PASSWORD)}@127.0.0.1:{proxy.port}"
        yield network(names=PUBLIC, proxy=address, ca_bundle=str(bundle)), proxy


async def test_behind_a_proxy_public_hosts_are_reached_through_it(proxied) -> None:
    network, proxy = proxied
    assert (await network.fetch("https://example.com/page")).status == 200
    assert proxy.connects == ["example.com:443"]


async def test_a_host_that_only_the_proxy_can_look_up_is_left_to_it(proxied) -> None:
    network, proxy = proxied
    assert (await network.fetch("https://unknown.example/page")).status == 200
    assert proxy.connects == ["unknown.example:443"]


@pytest.mark.parametrize(
    "host", ["inside.example", "10.0.0.9", "169.254.169.254", "[::1]", "wiki", "wiki.corp", "metadata.goog"]
)
async def test_behind_a_proxy_what_is_not_public_is_refused_first(proxied, host: str) -> None:
    network, proxy = proxied
    with pytest.raises((Denied, ToolFailed)):
        await network.fetch(f"https://{host}/page")
    assert proxy.connects == []


async def test_behind_a_proxy_each_hop_is_checked(proxied, web) -> None:
    network, proxy = proxied
    with pytest.raises(Denied, match="redirects to inside"):
        await network.fetch("https://example.com/to/https:~~inside.example~page")
    assert proxy.connects == ["example.com:443"]


async def test_what_the_user_allowed_inwards_is_not_told_to_the_proxy(network, web) -> None:
    direct = network("network:local.example", names=PUBLIC, proxy="http://127.0.0.1:1")
    assert (await direct.fetch(f"http://local.example:{web.port}/page")).status == 200


async def test_plain_http_is_asked_for_at_the_proxy_by_its_whole_address(network, web) -> None:
    web.pages["http://example.com/page"] = ({"content-type": "text/plain"}, b"by proxy")
    answer = await network(names=PUBLIC, proxy=web.url).fetch("http://example.com/page")
    assert answer.body == b"by proxy"


async def test_a_proxy_that_refuses_is_said_without_its_password(network, web) -> None:
    async with company_proxy(web.port, login="ann:right") as proxy:
        wrong = network(names=PUBLIC, proxy=f"http://ann:wrong@127.0.0.1:{proxy.port}")
        with pytest.raises(ToolFailed, match=r"the proxy does not open https://example.com: 407$"):
            await wrong.fetch("https://example.com/page")


@pytest.mark.parametrize(
    "proxy", ["socks5://secret@x:1", "127.0.0.1:3128", "http://", "http://u:secret@x:port"]
)
async def test_a_proxy_that_is_none_is_said_without_its_password(network, proxy: str) -> None:
    with pytest.raises(ToolFailed, match="looks like http://proxy") as failed:
        await network(names=PUBLIC, proxy=proxy).fetch("https://example.com/page")
    assert "secret" not in str(failed.value)


async def test_the_proxy_of_the_environment_does_not_count(network, web, monkeypatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert (await network("network:127.0.0.1").fetch(web.url + "/page")).status == 200
