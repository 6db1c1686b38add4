from __future__ import annotations

import time

import pytest

from chatcli.session.redact import REDACTED, redact

TAIL = "Ab3dEf6hIj9lMn2pQr5tUv8x"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"key sk-{TAIL} used", f"key sk-{REDACTED} used"),
        (f"sk-ant-api03-{TAIL}_x-y", f"sk-ant-{REDACTED}"),
        (f"AKIA{'A1' * 8}", f"AKIA{REDACTED}"),
        (f"ASIA{'Z' * 16}", f"ASIA{REDACTED}"),
        (f"ghp_{TAIL} gho_{TAIL}", f"ghp_{REDACTED} gho_{REDACTED}"),
        (f"github_pat_11A_{TAIL}", f"github_pat_{REDACTED}"),
        (f"xoxb-123-{TAIL}", f"xoxb-{REDACTED}"),
        (f"AIza{TAIL}{TAIL}", f"AIza{REDACTED}"),
        (f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.{TAIL}", f"eyJ{REDACTED}"),
        ("Authorization: Bearer abc", f"Authorization: Bearer {REDACTED}"),
        ("{'authorization': 'Basic dXNlcg=='}", f"{{'authorization': 'Basic {REDACTED}'}}"),
        ("(b'x-api-key', b'abc')", f"(b'x-api-key', b'{REDACTED}')"),
        (r'"{\"x-api-key\": \"abc\"}"', rf'"{{\"x-api-key\": \"{REDACTED}\"}}"'),
        ("Set-Cookie: a=b; Path=/\nnext", f"Set-Cookie: {REDACTED}\nnext"),
        (f"bearer {TAIL}", f"bearer {REDACTED}"),
        ("ZAI_API_KEY=12345.abcdef", f"ZAI_API_KEY={REDACTED}"),
        ('{"client_secret": "hunter22"}', f'{{"client_secret": "{REDACTED}"}}'),
        ("password: hunter22, then", f"password: {REDACTED}, then"),
        ("https://me:pass@host/x", f"https://{REDACTED}@host/x"),
        ("GET /v1?key=abc&alt=sse", f"GET /v1?key={REDACTED}&alt=sse"),
    ],
)
def test_secrets_are_taken_out(text: str, redacted: str) -> None:
    assert redact(text) == redacted


def test_private_keys_are_taken_out_whole_or_cut() -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    assert redact(f"a {begin}\nMIIE\nabc\n{end} b") == f"a {begin}{REDACTED} b"
    assert redact(f"{begin}\\nMIIE") == f"{begin}{REDACTED}"


@pytest.mark.parametrize(
    "text",
    [
        "read 480 lines of chatcli/app.py",
        "usage: input=12345678 tokens, cache_read=1234567",
        "task-force-of-many-people and risk-assessment-report",
        "https://example.org/a@b?page=2",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "the password is asked for",
        "npm_config_registry_setting_of_user",
    ],
)
def test_plain_text_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "piece", ["a", "a-", "a.", "_-", "sk-", "eyJ", "eyJaaaaaaaa.", "password=", "://", "x:", "authorization"]
)
def test_a_hostile_megabyte_takes_no_longer_than_a_moment(piece: str) -> None:
    began = time.process_time()
    redact(piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 5
