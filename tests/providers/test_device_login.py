"""GitHub's device flow, answer by answer."""

from __future__ import annotations

import pytest

from chatcli.errors import AuthError, NetworkError
from chatcli.providers.device_login import log_in
from tests.providers.conversation import service
from tests.providers.loopback import loopback, refusal

CODE = {
    "device_code": "d1",
    "user_code": "ABCD-1234",
    "verification_uri": "https://github.com/login/device",
    "interval": 5,
}
TOKEN = {"access_token": "ghu_1", "token_type": "bearer"}


class Flow:
    """A login against these answers: what was shown, how long it waited, what was asked."""

    def __init__(self) -> None:
        self.shown = []
        self.waits = []
        self.received = []

    async def run(self, *answers):
        async def sleep(seconds):
            self.waits.append(seconds)

        async with loopback(*(refusal(200, answer) for answer in answers)) as server:
            self.received = server.received
            asked = service("COPILOT", "m", server.url)
            return await log_in(asked, f"{server.url}/login", "app-1", self.shown.append, sleep=sleep)


async def test_the_code_is_shown_and_the_token_comes_back():
    flow = Flow()
    assert await flow.run(CODE, {"error": "authorization_pending"}, TOKEN) == "ghu_1"
    assert [(code.user_code, code.verification_uri) for code in flow.shown] == [
        ("ABCD-1234", "https://github.com/login/device")
    ]
    assert flow.waits == [5.0, 5.0]
    assert [one.path for one in flow.received] == ["/login/device/code"] + ["/login/oauth/access_token"] * 2
    assert all(b"client_id=app-1" in one.body for one in flow.received)
    assert b"device_code=d1" in flow.received[1].body


async def test_it_asks_less_often_when_it_is_told_to():
    flow = Flow()
    await flow.run(CODE, {"error": "slow_down"}, {"error": "slow_down", "interval": 30}, TOKEN)
    assert flow.waits == [5.0, 10.0, 30.0]


async def test_without_a_word_about_it_five_seconds_lie_between_two_questions():
    flow = Flow()
    await flow.run({name: CODE[name] for name in CODE if name != "interval"}, TOKEN)
    assert flow.waits == [5.0]


@pytest.mark.parametrize("missing", ["device_code", "user_code", "verification_uri"])
async def test_an_answer_without_a_code_to_type_or_a_place_for_it_is_told(missing):
    with pytest.raises(AuthError, match="gave no code"):
        await Flow().run({name: CODE[name] for name in CODE if name != missing})


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("access_denied", "refused in the browser"),
        ("expired_token", "expired"),
        ("device_flow_disabled", "device_flow"),
    ],
)
async def test_the_end_without_a_token_is_told(error, words):
    with pytest.raises(AuthError, match=words) as raised:
        await Flow().run(CODE, {"error": error})
    assert "auth login COPILOT" in raised.value.hint


async def test_an_app_that_github_does_not_know_is_told():
    with pytest.raises(AuthError, match="unauthorized_client"):
        await Flow().run({"error": "unauthorized_client"})


async def test_a_page_in_place_of_an_answer_is_no_crash():
    async with loopback() as server:
        asked = service("COPILOT", "m", server.url)
        url = server.url
    with pytest.raises(NetworkError):
        await log_in(asked, f"{url}/login", "app-1", print)
