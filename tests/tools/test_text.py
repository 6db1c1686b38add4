"""What bytes are: text of some encoding, or binary."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.tools.text import UTF_8, Encoding, TextDecoder, binary_kind, one_line, safe_cut, sniff


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b"", ""),
        (b"plain", ""),
        ("é界".encode(), ""),
        (b"caf\xe9", "CP1252"),
        (b"\xef\xbb\xbfx", "UTF-8 with BOM"),
        (codecs.BOM_UTF16_LE + "né".encode("utf-16-le"), "UTF-16-LE"),
        (codecs.BOM_UTF16_BE + "né".encode("utf-16-be"), "UTF-16-BE"),
        (codecs.BOM_UTF32_LE + "né".encode("utf-32-le"), "UTF-32-LE"),
        ("caf\xe9 \u201cx\u201d".encode("cp1252"), "CP1252"),
        (b"caf\xe9 \x81", "LATIN-1"),
        ("é界é界".encode() + b"\xff", ""),
        (b"BZh is a word, GIF8 another", ""),
    ],
)
def test_the_encoding_is_found(data: bytes, label: str) -> None:
    encoding = sniff(data)
    assert encoding is not None
    assert encoding.label == label


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "PNG image"),
        (b"PK\x03\x04\x14\x00", "ZIP archive or office document"),
        (b"%PDF-1.7\n", "PDF document"),
        (b"\x7fELF\x02\x01", "ELF program"),
        (b"abc\0def", "unknown type"),
    ],
)
def test_binary_files_are_told_by_their_content(data: bytes, kind: str) -> None:
    assert sniff(data) is None
    assert binary_kind(data) == kind


def test_a_nul_far_behind_does_not_make_a_file_binary() -> None:
    assert sniff(b"x" * 8_192 + b"\0") == UTF_8


def test_a_character_cut_by_the_end_of_the_sample_is_no_fault() -> None:
    assert sniff("界".encode()[:2], whole=False) == UTF_8


encodings = st.sampled_from([UTF_8, Encoding("utf-16-le", b"\xff\xfe"), Encoding("utf-8", b"\xef\xbb\xbf")])


@given(st.text(), encodings, st.integers(1, 5))
def test_pieces_of_any_size_decode_to_the_text(text: str, encoding: Encoding, size: int) -> None:
    data = encoding.bom + text.encode(encoding.codec)
    decoder = TextDecoder(encoding)
    parts = [decoder.decode(data[at : at + size]) for at in range(0, len(data), size)]
    assert "".join(parts) + decoder.decode(b"", final=True) == text
    assert not decoder.damaged


@given(st.binary(), st.integers(1, 5))
def test_bytes_that_are_no_text_are_replaced_as_python_does(data: bytes, size: int) -> None:
    decoder = TextDecoder(UTF_8)
    parts = [decoder.decode(data[at : at + size]) for at in range(0, len(data), size)]
    assert "".join(parts) + decoder.decode(b"", final=True) == data.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("text", "at", "cut"),
    [
        ("abc", 2, 2),
        ("a\r\nb", 2, 1),
        ("e\u0301x", 1, 1),
        ("ae\u0301x", 2, 1),
        ("a👩‍👩‍👧b", 3, 1),
        ("a🇧🇷🇵🇹", 4, 3),
        ("abc", 0, 0),
        ("abc", 9, 3),
    ],
)
def test_a_cut_splits_no_character_that_people_see(text: str, at: int, cut: int) -> None:
    assert safe_cut(text, at) == cut


def test_a_name_with_control_characters_stays_on_its_line() -> None:
    assert one_line("plain é.txt") == "plain é.txt"
    assert one_line("a\nb\x1b[2J\udc80") == "a\\nb\\x1b[2J\\udc80"
