"""llama.cpp's own HTTP server as an independent peer: what our adapters send, somebody else reads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from msgspec import structs

from chatcli.events import Reply, TextDelta
from chatcli.providers.local.models import find_model
from chatcli.providers.table import create, find_spec
from chatcli.settings import Settings
from tests.providers.conversation import READ, assistant, call, receive, request, result, user
from tests.providers.local.test_real_model import HOME

pytestmark = [pytest.mark.local, pytest.mark.timeout(600)]

SERVER = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel = sys.argv[1], 4096, 1
params.use_jinja, params.verbosity, params.sampling.temp = True, -1, 0.0
params.hostnames, params.port = ["127.0.0.1"], 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
PEERS = {
    "chat": ("OPENAI", {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_USE_RESPONSES": "false"}),
    "responses": ("OPENAI", {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_USE_RESPONSES": "true"}),
    "messages": ("CLAUDEAI", {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "any"}),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    model = find_model("SmolLM2-135M-Instruct", HOME)
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(model.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.kill()


def peer(name: str, url: str):
    provider, variables = PEERS[name]
    environment = {key: value.format(url=url) for key, value in variables.items()}

    def find_key(names):
        from chatcli.providers.credentials import Credential

        found = next((environment[n] for n in names if n in environment), None)
        return Credential(found, "environment", names[0]) if found else None

    return create(find_spec(provider), "smollm2", Settings(), environment, find_key)


@pytest.mark.parametrize("name", PEERS)
async def test_a_streamed_answer_with_usage(name, url):
    asked = request(user(1, "Say hello."), model="smollm2", tools=(), max_output_tokens=16)
    events, reply = await receive(peer(name, url), asked)
    assert sum(isinstance(event, TextDelta) for event in events) > 1
    assert isinstance(reply, Reply)
    assert reply.usage.context > 5
    assert 0 < reply.usage.output <= 17


@pytest.mark.parametrize("name", PEERS)
async def test_the_second_request_is_read_from_the_cache(name, url):
    asked = request(user(1, f"{name}: " + "word " * 200), model="smollm2", tools=(), max_output_tokens=4)
    _events, first = await receive(peer(name, url), asked)
    _events, second = await receive(peer(name, url), asked)
    assert second.usage.context == first.usage.context
    assert second.usage.cache_read > 0.9 * first.usage.context


@pytest.mark.parametrize("name", PEERS)
async def test_calls_and_results_are_understood(name, url):
    conversation = (
        user(1, "Read a.py."),
        structs.replace(assistant(2, call("call_1")), model="smollm2"),
        result(3, "call_1", "print('hello')"),
    )
    asked = request(*conversation, model="smollm2", tools=(READ,), max_output_tokens=8)
    _events, reply = await receive(peer(name, url), asked)
    assert reply.usage.output
