"""Pictures are known by their bytes: format and size, whatever the file is called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.tools.images import ImageFacts, image_facts, image_format
from tests.providers.pictures import gif, jpeg, png, webp


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (png(), ImageFacts("png", 1200, 800)),
        (gif(), ImageFacts("gif", 3, 2)),
        (jpeg(), ImageFacts("jpeg", 640, 480)),
        (webp(b"VP8 "), ImageFacts("webp", 300, 200)),
        (webp(b"VP8L"), ImageFacts("webp", 300, 200)),
        (webp(b"VP8X"), ImageFacts("webp", 300, 200)),
    ],
)
def test_format_and_size_are_read_from_the_header(data, facts):
    assert image_facts(data) == facts


@pytest.mark.parametrize("data", [b"", b"GIF8 is a format", b"RIFF....WAVE", b"%PDF-1.7", b"\x89PNG\r\n"])
def test_what_is_no_picture_is_none(data):
    assert image_format(data) == ""
    assert image_facts(data) is None


@pytest.mark.parametrize("data", [png(), gif(), jpeg(), webp(b"VP8 ")])
def test_a_picture_that_ends_in_its_header_is_none(data):
    assert image_facts(data[:9]) is None


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_agrees_with_an_independent_library(kind):
    Image = pytest.importorskip("PIL.Image")
    from io import BytesIO

    out = BytesIO()
    Image.new("RGB", (123, 45)).save(out, kind)
    assert image_facts(out.getvalue()) == ImageFacts(kind.lower(), 123, 45)


@given(st.sampled_from([png(), gif(), jpeg(), webp(b"VP8 "), webp(b"VP8L"), webp(b"VP8X")]), st.data())
def test_no_damage_raises(data, draw):
    at = draw.draw(st.integers(0, len(data)))
    junk = draw.draw(st.binary(max_size=40))
    image_facts(data[:at] + junk)
