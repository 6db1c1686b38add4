"""Writes small GGUF files: a header that says what a model is, and no weights."""

from __future__ import annotations

import struct
from pathlib import Path

_NUMBER, _STRING, _LIST = 5, 8, 9


def write_gguf(
    path: Path,
    *,
    parameters: int = 135_000_000,
    window_tokens: int = 8_192,
    layers: int | str | list[int] | list[str] = 30,
    heads: int = 9,
    cached_heads: int | list[int] = 3,
    width: int = 576,
    turn_marks: tuple[str, ...] = ("<|im_start|>", "<|im_end|>"),
    template: str = "",
) -> Path:
    fields = {
        "general.architecture": "llama",
        "llama.block_count": layers,
        "llama.context_length": window_tokens,
        "llama.embedding_length": width,
        "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": cached_heads,
        "tokenizer.ggml.tokens": ["<s>", "olá", "mundo", *turn_marks],
        "tokenizer.ggml.token_type": [2, 1, 1, *[3] * len(turn_marks)],
        "tokenizer.chat_template": template,
    }
    body = b"".join(_string(name) + _value(value) for name, value in fields.items())
    tensor = _string("token_embd.weight") + struct.pack("<IQQIQ", 2, parameters // 1_000, 1_000, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 1, len(fields)) + body + tensor)
    return path


def _value(value: int | str | list[int] | list[str]) -> bytes:
    if isinstance(value, int):
        return struct.pack("<Ii", _NUMBER, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _string(value)
    kind = _STRING if isinstance(value[0], str) else _NUMBER
    items = b"".join(_string(item) if isinstance(item, str) else struct.pack("<i", item) for item in value)
    return struct.pack("<IIQ", _LIST, kind, len(value)) + items


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()
