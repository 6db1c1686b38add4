"""The text of a PDF on standard input, page by page: a program of its own, with limits."""

from __future__ import annotations

import io
import resource
import sys
from contextlib import suppress

_MEMORY_BYTES = 1 << 30
_CPU_SECONDS = 25


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    with suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    from pypdf import PdfReader

    pages = PdfReader(io.BytesIO(sys.stdin.buffer.read())).pages
    for number, page in enumerate(pages, 1):
        text = page.extract_text().encode("utf-8", "replace")
        sys.stdout.buffer.write(f"[page {number} of {len(pages)}]\n".encode() + text + b"\n")


if __name__ == "__main__":
    main()
