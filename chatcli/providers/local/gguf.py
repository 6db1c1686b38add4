"""What a GGUF file says about its model, read from its header alone: its size, and the words of its own
that tell the turns of a conversation apart.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

from msgspec import Struct

_MAGIC = b"GGUF"
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of numbers, as `struct` writes them."""
_STRING, _LIST = 8, 9
_MOST_FIELDS = 1_000_000
"""More than any real file has: a larger count is a broken file."""
_WORDS, _KINDS, _TEMPLATE = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.chat_template"
_CONTROL = 3
"""The kind of words that no text is made of."""
_WRITTEN_MARKS = ("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>")
"""What older templates tell turns apart with: ordinary text to the tokenizer."""
_F16_BYTES = 2
"""The cache of keys and values is kept in 16 bits."""


class BadGguf(ValueError):
    """The file is no GGUF, or is cut off in its header."""


class Gguf(Struct, frozen=True, kw_only=True):
    parameters: int
    """Weights of the model, counted from its tensors."""
    window_tokens: int
    """What it was trained for."""
    cache_bytes_per_token: int
    """Memory that each token of the window takes; 0 where the file does not say."""
    size_bytes: int


def read_gguf(path: Path) -> Gguf:
    """Raises BadGguf, and OSError for a file that cannot be read."""
    return _facts(*_read(path, with_words=False), path.stat().st_size)


def read_turn_marks(path: Path) -> tuple[str, ...]:
    """The words that mean the end of a turn, its role and the like, not what they say. Raises as `read_gguf`.

    It takes longer: tens of thousands of words are read.
    """
    fields, _parameters = _read(path, with_words=True)
    words = zip(fields.get(_WORDS) or (), fields.get(_KINDS) or (), strict=False)
    control = (word for word, kind in words if kind == _CONTROL)
    template = str(fields.get(_TEMPLATE, ""))
    return (*control, *(mark for mark in _WRITTEN_MARKS if mark in template))


def _read(path: Path, *, with_words: bool) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        if path.stat().st_size < struct.calcsize("<4sIQQ"):
            raise BadGguf("it is too short")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return _Header(data, with_words=with_words).read()
            except (struct.error, IndexError, KeyError, OverflowError) as error:
                raise BadGguf("its header cannot be read") from error


class _Header:
    def __init__(self, data: mmap.mmap, *, with_words: bool) -> None:
        self._data = data
        self._with_words = with_words
        self._at = 0

    def read(self) -> tuple[dict[str, Any], int]:
        """The fields by name, of lists of words only the one that is wanted, and the number of weights."""
        if self._data[:4] != _MAGIC:
            raise BadGguf("it does not begin with GGUF")
        self._at = 4
        version, tensors, count = self._numbers("IQQ")
        if not 2 <= version <= 3 or max(tensors, count) > _MOST_FIELDS:
            raise BadGguf(f"version {version} is not known")
        fields = {}
        for _field in range(count):
            name = self._string()
            (kind,) = self._numbers("I")
            fields[name] = self._value(kind, with_words=self._with_words and name == _WORDS)
        return fields, sum(self._tensor() for _tensor in range(tensors))

    def _numbers(self, formats: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + formats, self._data, self._at)
        self._at += struct.calcsize("<" + formats)
        return values

    def _string(self) -> str:
        (length,) = self._numbers("Q")
        if length > len(self._data) - self._at:
            raise BadGguf("a text in its header does not end")
        self._at += length
        return self._data[self._at - length : self._at].decode(errors="replace")

    def _value(self, type_: int, *, with_words: bool) -> Any:
        if type_ == _STRING:
            return self._string()
        if type_ != _LIST:
            return self._numbers(_FORMATS[type_])[0]
        item, count = self._numbers("IQ")
        if item == _STRING:
            return self._strings(count) if with_words else self._skip_strings(count)
        return self._numbers(f"{count}{_FORMATS[item]}")

    def _strings(self, count: int) -> list[str]:
        return [self._string() for _word in range(count)]

    def _skip_strings(self, count: int) -> None:
        """The words of a tokenizer: there may be hundreds of thousands."""
        data, at, length = self._data, self._at, struct.Struct("<Q").unpack_from
        for _word in range(count):
            at += 8 + length(data, at)[0]
        if at > len(data):
            raise BadGguf("a text in its header does not end")
        self._at = at

    def _tensor(self) -> int:
        """How many weights it has."""
        self._string()
        (dimensions,) = self._numbers("I")
        weights = 1
        for size in self._numbers(f"{dimensions}Q"):
            weights *= size
        self._numbers("IQ")
        return weights


def _facts(fields: dict[str, Any], parameters: int, size_bytes: int) -> Gguf:
    kind = fields.get("general.architecture", "")

    def number(name: str, unsaid: int = 0) -> int:
        """Of all layers together where each has its own."""
        value = fields.get(f"{kind}.{name}", unsaid)
        of_layers = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(one, int) and one >= 0 for one in of_layers):
            raise BadGguf(f"its {name} is no number")
        return sum(of_layers)

    layers, heads = number("block_count"), number("attention.head_count")
    cached_heads = number("attention.head_count_kv", heads)
    if not isinstance(fields.get(f"{kind}.attention.head_count_kv"), tuple):
        cached_heads *= layers
    usual = number("embedding_length") // heads if heads else 0
    head_size = (number("attention.key_length") or usual) + (number("attention.value_length") or usual)
    return Gguf(
        parameters=parameters,
        window_tokens=number("context_length"),
        cache_bytes_per_token=cached_heads * head_size * _F16_BYTES,
        size_bytes=size_bytes,
    )
