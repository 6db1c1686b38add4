"""A zoo of web servers on loopback: each path misbehaves in its own way.

    with zoo() as web:
        web.url + "/redirect/3"     three redirects, then a page
        web.seen                    the requests that came

What `pages` holds is served as it is: path -> (headers, body).
"""

from __future__ import annotations

import asyncio
import gzip
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct

from tests.wire.http1 import HttpRequest, encode_chunk, encode_head, read_request

Page = tuple[dict[str, str], bytes]
HTML = {"content-type": "text/html; charset=utf-8"}
BIG_PAGE = (
    "<title>Big</title><main>"
    + "".join(f"<p>Paragraph {n}: {'word ' * 95}</p>" for n in range(10_500))
    + "</main>"
)


class Zoo(Struct, kw_only=True):
    url: str = ""
    port: int = 0
    seen: list[HttpRequest] = []
    pages: dict[str, Page] = {}
    sent_bytes: int = 0
    """Of bodies that have no end."""


def pdf(text: str) -> bytes:
    """A PDF of one page."""
    stream = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


def _bomb() -> bytes:
    """50 MB of zeros in 50 KB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(50)) + packer.flush()


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


WHOLE: dict[str, Callable[[], Page]] = {
    "/page": lambda: (HTML, b"<title>A page</title><h1>Hello</h1><p>See <a href='/other'>the other</a>."),
    "/json": lambda: ({"content-type": "application/json"}, b'{"goals": [2, 1], "team": "Flamengo"}'),
    "/gzip": lambda: ({**HTML, "content-encoding": "gzip"}, gzip.compress(b"<p>packed</p>")),
    "/deflate": lambda: ({**HTML, "content-encoding": "deflate"}, zlib.compress(b"<p>packed</p>")),
    "/bare-deflate": lambda: ({**HTML, "content-encoding": "deflate"}, _raw_deflate(b"<p>packed</p>")),
    "/bomb": lambda: ({**HTML, "content-encoding": "gzip"}, _bomb()),
    "/no-gzip": lambda: ({**HTML, "content-encoding": "gzip"}, b"this is not compressed"),
    "/latin-1": lambda: (
        {"content-type": "text/html; charset=iso-8859-1"},
        "<p>ação “já”</p>".encode("cp1252"),
    ),
    "/wrong-charset": lambda: ({"content-type": "text/html; charset=iso-8859-1"}, "<p>ação ✓</p>".encode()),
    "/meta": lambda: (
        {"content-type": "text/html"},
        '<meta charset="shift_jis"><p>日本</p>'.encode("shift_jis"),
    ),
    "/utf-16": lambda: ({"content-type": "text/plain"}, "ação".encode("utf-16")),
    "/big": lambda: (HTML, BIG_PAGE.encode()),
    "/pdf": lambda: ({"content-type": "application/pdf"}, pdf("Hello from a PDF")),
    "/broken-pdf": lambda: ({"content-type": "application/pdf"}, b"%PDF-1.4\nnothing else\x00"),
    "/image": lambda: ({"content-type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(100)),
    "/hidden": lambda: (
        HTML,
        "<p>ig\u200bnore\U000e0041\U000e0042\U000e0043\U000e0044\U000e0045 \u202eme</p>".encode(),
    ),
}


async def _serve(web: Zoo, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while request := await read_request(reader):
            web.seen.append(request)
            await _answer(web, request, writer)
            await writer.drain()
    writer.close()


async def _answer(web: Zoo, request: HttpRequest, writer: asyncio.StreamWriter) -> None:
    path = request.path
    kind, _, rest = path[1:].partition("/")
    if path in web.pages or path in WHOLE:
        headers, body = web.pages.get(path) or WHOLE[path]()
        _whole(writer, 200, headers, body)
    elif kind == "redirect" and rest.isdigit():
        left = int(rest) - 1
        _whole(writer, 302, {"location": f"/redirect/{left}" if left else "/page"}, b"")
    elif kind == "to":
        _whole(writer, 302, {"location": rest.replace("~", "/")}, b"")
    elif kind == "etag":
        fresh = request.headers.get("if-none-match") == '"v1"'
        _whole(
            writer, 304 if fresh else 200, {"etag": '"v1"', **HTML}, b"" if fresh else b"<p>first version</p>"
        )
    elif kind == "brotli":
        plain = "gzip" not in request.headers["accept-encoding"]
        headers = HTML if plain else {**HTML, "content-encoding": "br"}
        _whole(writer, 200, headers, b"<p>plain</p>" if plain else b"\x0b\x02\x80compressed\x03")
    elif kind in {"endless", "drip", "cut"}:
        await _without_end(web, kind, writer)
    elif kind != "silent":
        _whole(writer, 404, HTML, b"<h1>There is no such page</h1>")


def _whole(writer: asyncio.StreamWriter, status: int, headers: dict[str, str], body: bytes) -> None:
    length = {} if status == 304 else {"content-length": str(len(body))}
    writer.write(encode_head(status, {**headers, **length}) + body)


async def _without_end(web: Zoo, kind: str, writer: asyncio.StreamWriter) -> None:
    writer.write(encode_head(200, {"content-type": "text/plain", "transfer-encoding": "chunked"}))
    writer.write(encode_chunk(b"it begins\n"))
    await writer.drain()
    if kind == "cut":
        writer.transport.abort()
    while kind == "endless" and not writer.is_closing():
        writer.write(encode_chunk(b"x" * (1 << 16)))
        await writer.drain()
        web.sent_bytes += 1 << 16
    while kind == "drip" and not writer.is_closing():
        writer.write(encode_chunk(b"."))
        await writer.drain()
        await asyncio.sleep(0.02)


@contextmanager
def zoo() -> Iterator[Zoo]:
    """Runs on a thread of its own, so that it serves other processes too."""
    web = Zoo()
    loop = asyncio.new_event_loop()
    ready, end = threading.Event(), asyncio.Event()

    async def run() -> None:
        server = await asyncio.start_server(lambda r, w: _serve(web, r, w), "127.0.0.1", 0)
        web.port = server.sockets[0].getsockname()[1]
        web.url = f"http://127.0.0.1:{web.port}"
        ready.set()
        await end.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    ready.wait()
    try:
        yield web
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()
