"""The cap on money as its user meets it: warned, asked, stopped; and told when it cannot be held."""

from __future__ import annotations

import pytest

from tests.harness.driver import Finished, Place
from tests.wire.script import Tally, by_turn, call, reply
from tests.wire.server import WireServer, serve

EACH = Tally(plain=1_000, read=90_000, output=1_000)
EACH_USD = 0.021
SCRIPT = by_turn(
    *(reply(call("read", file="a.py", start=1, end=n + 1), usage=EACH) for n in range(4)),
    reply("Done.", usage=EACH),
)
"""Five requests at 2.1 cents each."""


@pytest.fixture
def place(tmp_path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / "a.py").write_text("x = 1\n", encoding="utf-8")
    return made


def answer(place: Place, server: WireServer, *arguments: str, **variables: str) -> Finished:
    environment = {**place.environment("anthropic", server), **variables}
    return place.run(environment, "-p", "/agent look", *arguments)


def test_one_shot_stops_with_4_before_the_request_that_could_exceed_it(place):
    with serve(SCRIPT) as server:
        finished = answer(place, server, "--max-cost", str(EACH_USD * 3.5), "--output", "json")

    assert finished.code == 4
    assert (finished.json["stop_reason"], finished.json["turns"]) == ("max_cost", 3)
    assert finished.json["cost_usd"] == pytest.approx(EACH_USD * 3)
    assert len(server.exchanges) == 3
    assert server.violations == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_it_says_how_near_it_was_and_why_it_stopped(place, form):
    cap = {"CHATCLI_SESSION_BUDGET_USD": str(EACH_USD * 3.5)}
    with serve(SCRIPT) as server:
        finished = answer(place, server, "--output", form, **cap)

    assert finished.code == 4
    assert finished.err == (
        "This session has cost $0.0630 of $0.0735; the next request may exceed that.\n"
        "chatcli: stopped: the next request could cost more than the session may (--max-cost).\n"
    )


def test_at_four_fifths_it_warns(place):
    with serve(SCRIPT) as server:
        assert answer(place, server, "--max-cost", "0.131").err == ""
        server.play([reply("Still here.", usage=EACH)])
        finished = answer(place, server, "--continue", "--max-cost", "0.131")

    assert (finished.code, finished.out) == (0, "Still here.\n")
    assert finished.err == "This session has cost $0.1050 of the $0.131 that it may.\n"


def test_within_the_cap_nothing_is_said(place):
    with serve(SCRIPT) as server:
        finished = answer(place, server, "--max-cost", "1")

    assert (finished.code, finished.out, finished.err) == (0, "Done.\n", "")


def test_the_money_of_a_resumed_session_counts(place):
    with serve(SCRIPT) as server:
        assert answer(place, server).code == 0
        server.play([reply("never")])
        again = answer(place, server, "--continue", "--max-cost", "0.11", "--output", "json")

    assert (again.code, again.json["stop_reason"], again.json["cost_usd"]) == (4, "max_cost", 0.0)
    assert len(server.exchanges) == 5


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_without_a_price_it_goes_on_and_says_that_the_cap_cannot_be_held(place, form):
    with serve(SCRIPT, models=("no-price",)) as server:
        finished = answer(place, server, "--model", "no-price", "--max-cost", "0.01", "--output", form)

    assert finished.code == 0
    told = finished.err if form == "text" else finished.out
    assert told.count("The price of no-price is unknown: the limit of $0.01 cannot be held.") == 1
    assert "prices." in told


def test_with_a_price_of_ones_own_the_cap_is_held(place):
    (place.home / "settings.toml").write_text(
        '[prices."no-price"]\ninput = 2\noutput = 10\ncache_read = 0.1\n', encoding="utf-8"
    )
    with serve(SCRIPT, models=("no-price",)) as server:
        finished = answer(place, server, "--model", "no-price", "--max-cost", str(EACH_USD * 3.5))

    assert finished.code == 4
    assert "unknown" not in finished.err
    assert len(server.exchanges) == 3
