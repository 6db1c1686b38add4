"""What the bytes of a file are: text in which encoding, or something binary.

Lines end at `\\n` alone, everywhere in the tools: a lone `\\r` or a Unicode line separator is part of
its line, so that line numbers agree with those of git, ripgrep and compilers.
"""

from __future__ import annotations

import codecs

from msgspec import Struct

SNIFFED_BYTES = 1 << 20
"""How much of a file decides about its encoding."""
_NUL_BYTES = 8_192
"""A NUL within so many bytes makes a file binary."""

_BOMS = (  # longer ones first: the mark of UTF-32 LE begins with that of UTF-16 LE
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"\x7fELF", "ELF program"),
    (b"\x89PNG\r\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF media"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive or office document"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf", "7-Zip archive"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"\x00asm", "WebAssembly module"),
    (b"MZ", "Windows program"),
    (b"wOF2", "WOFF2 font"),
    (b"\x00\x01\x00\x00", "TrueType font"),
)
_TEXTUAL_MAGIC = (b"BZh", b"GIF8", b"ID3", b"MZ", b"RIFF", b"OggS", b"wOF2")
"""Beginnings that prose may have as well: they name a binary file but do not make one."""


class Encoding(Struct, frozen=True):
    """How the text of a file is encoded. `codec` knows no byte order mark: `bom` holds it."""

    codec: str
    bom: bytes = b""

    @property
    def label(self) -> str:
        """How it is named in a note; empty for plain UTF-8."""
        if self.codec == "utf-8":
            return "UTF-8 with BOM" if self.bom else ""
        return self.codec.upper()

    @property
    def newline(self) -> bytes:
        return "\n".encode(self.codec)


UTF_8 = Encoding("utf-8")


def sniff(head: bytes, *, whole: bool = True) -> Encoding | None:
    """The encoding of a file that begins with `head`, or is that as a `whole`; None when it is binary.

    Bytes that are not UTF-8 make it a Windows text, unless most of the non-ASCII ones are.
    """
    for bom, codec in _BOMS:
        if head.startswith(bom):
            return Encoding(codec, bom)
    if b"\0" in head[:_NUL_BYTES] or _magic(head) not in (None, *_TEXTUAL_MAGIC):
        return None
    try:
        codecs.utf_8_decode(head, "strict", whole)
    except UnicodeDecodeError:
        return UTF_8 if _is_mostly_utf_8(head) else _windows(head)
    return UTF_8


def binary_kind(head: bytes) -> str:
    """What a binary file is, by its first bytes."""
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), "unknown type")


class TextDecoder:
    """Decodes pieces of a file. Bytes that fit no character become U+FFFD and set `damaged`."""

    def __init__(self, encoding: Encoding) -> None:
        self.damaged = False
        self._decoder = codecs.getincrementaldecoder(encoding.codec)("strict")
        self._skip = len(encoding.bom)

    def decode(self, data: bytes, *, final: bool = False) -> str:
        if self._skip:
            skipped, self._skip = data[: self._skip], max(0, self._skip - len(data))
            data = data[len(skipped) :]
        before = self._decoder.getstate()
        try:
            return self._decoder.decode(data, final)
        except UnicodeDecodeError:
            self.damaged = True
            self._decoder.setstate(before)
            self._decoder.errors = "replace"
            return self._decoder.decode(data, final)


def safe_cut(text: str, at: int) -> int:
    """The last place up to `at` that splits neither a CRLF nor a character as people see it."""
    if not 0 < at < len(text):
        return max(0, min(at, len(text)))
    if text[at - 1] == "\r" and text[at] == "\n":
        return at - 1
    if text[at - 1].isascii() and text[at].isascii():
        return at
    import regex

    begin = max(0, at - 128)
    cut = begin
    for character in regex.finditer(r"\X", text[begin : at + 128]):
        if begin + character.end() > at:
            break
        cut = begin + character.end()
    return cut if cut > begin else at


def _magic(head: bytes) -> bytes | None:
    return next((magic for magic, _ in _MAGIC if head.startswith(magic)), None)


def _is_mostly_utf_8(head: bytes) -> bool:
    valid = sum(not character.isascii() for character in head.decode("utf-8", "ignore"))
    invalid = head.decode("utf-8", "replace").count("\ufffd")
    return valid > invalid


def _windows(head: bytes) -> Encoding:
    try:
        head.decode("cp1252")
    except UnicodeDecodeError:
        return Encoding("latin-1")
    return Encoding("cp1252")


def one_line(name: str) -> str:
    """A file name that can stand in a line: what is not printable is escaped."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
