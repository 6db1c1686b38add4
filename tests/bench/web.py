"""An ordinary question about the web: tokens paid in full, against a loop that does nothing about it.

The real command, the strict server on the Anthropic wire, a search server and two long pages on loopback.
The same model makes the same calls twice: once as chatcli is, once with bodies of up to 50,000 characters
inline and every request paid in full.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from tests.bench.table import Figure
from tests.harness.driver import Place
from tests.tools.zoo import HTML, Zoo, zoo
from tests.wire.exchange import Exchange
from tests.wire.script import Script, call, reply
from tests.wire.server import serve

QUESTION = "/agent resultado do jogo do Flamengo"
SCORE = "Flamengo 2 x 1 Palmeiras"
MAX_TOKENS = 6_000
NAIVE_TOKENS = 20_000
_NAIVE_CHARS = 50_000
_NAIVE = {
    "CHATCLI_WEBFETCH_AUTOSAVE_BYTES": "100000000",
    "CHATCLI_TOOL_RESULT_MAX_CHARS": "100000",
    "CHATCLI_MICROCOMPACT_SCHEDULE": "off",
}


class Paid(Struct, frozen=True):
    """What a run sent, over all its requests."""

    full_tokens: int
    """Uncached, and written to the cache."""
    all_tokens: int
    answer: str


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        ours = ask(Path(folder) / "ours")
        naive = ask(Path(folder) / "naive", naive=True)
    yield Figure(
        name="the Flamengo question, uncached + written",
        value=ours.full_tokens,
        bound=MAX_TOKENS,
        unit="tok",
        detail=f"the naive loop: {naive.all_tokens:,} tokens",
    )


def ask(root: Path, *, naive: bool = False) -> Paid:
    """Ask once, in a place of its own."""
    place = Place.make(root)
    with zoo() as web, serve(_calls(web, naive=naive)) as server:
        _publish(web)
        environment = {
            **place.environment("anthropic", server),
            "SEARXNG_URL": web.url,
            **(_NAIVE if naive else {}),
        }
        finished = place.run(environment, "--allow", "network:127.0.0.1", "-p", QUESTION)
        assert finished.code == 0, finished.err
        assert server.violations == []
        return _paid(server.exchanges, finished.out.strip())


def _paid(exchanges: list[Exchange], answer: str) -> Paid:
    tallies = [exchange.tally for exchange in exchanges if exchange.tally]
    return Paid(
        full_tokens=sum(tally.plain + tally.write for tally in tallies),
        all_tokens=sum(tally.prompt for tally in tallies),
        answer=answer,
    )


def _calls(web: Zoo, *, naive: bool) -> Script:
    """Search, open two results, look for the score, answer."""
    length = {"max_length": _NAIVE_CHARS} if naive else {}
    return [
        reply(call("websearch", query="resultado do jogo do Flamengo")),
        reply(call("webfetch", url=f"{web.url}/tabela", **length)),
        reply(call("webfetch", url=f"{web.url}/noticias", **length)),
        lambda seen: reply(call("webfetch", url=f"{web.url}/noticias", filter=r"Flamengo \d x \d")),
        lambda seen: reply(SCORE if SCORE in seen.last_result else "?"),
    ]


def _publish(web: Zoo) -> None:
    """A search server, and two pages of 140 KB of text each; the score stands in the middle of one."""
    paragraphs = [f"<p>Notícia {n}: {'o campeonato segue e a torcida espera ' * 8}</p>" for n in range(420)]
    table = "<title>Tabela</title><main>" + "".join(paragraphs) + "</main>"
    paragraphs[200] = f"<p>{SCORE}, no Maracanã.</p>"
    news = "<title>Notícias</title><nav>" + "<a href=/x>menu</a>" * 300 + "</nav><main>"
    web.pages["/tabela"] = (HTML, table.encode())
    web.pages["/noticias"] = (HTML, (news + "".join(paragraphs) + "</main>").encode())
    results = [
        {
            "title": f"Resultado {n}",
            "url": f"{web.url}/{page}",
            "content": "Como foi o jogo do Flamengo. " * 5,
        }
        for n, page in enumerate(("tabela", "noticias") * 4)
    ]
    web.pages["/search"] = ({"content-type": "application/json"}, json.dumps({"results": results}).encode())
