"""The strict services look at the pictures that they are sent."""

from __future__ import annotations

import base64

import pytest

from tests.providers.pictures import gif, png
from tests.wire.pictures import check_any_picture, check_data_url, check_picture
from tests.wire.refuse import Rejected

PNG = base64.b64encode(png()).decode()
GIF = base64.b64encode(gif()).decode()


def test_a_picture_is_taken_as_what_it_is():
    check_picture("image/png", PNG, "here")
    check_data_url(f"data:image/png;base64,{PNG}", "here")
    check_any_picture(GIF, "here")


@pytest.mark.parametrize(
    ("media_type", "data", "rule"),
    [
        ("image/png", GIF, "image_data"),
        ("image/png", "no base64!", "image_data"),
        ("image/png", png(), "image_data"),
        ("image/bmp", PNG, "image_type"),
        ("image/png", PNG + "A" * 400, "image_size"),
    ],
)
def test_anything_else_is_refused(media_type, data, rule):
    with pytest.raises(Rejected) as raised:
        check_picture(media_type, data, "here", most_base64_bytes=200)
    assert raised.value.rule == rule


@pytest.mark.parametrize("url", [None, "https://example.com/a.png", PNG, f"data:image/png,{PNG}"])
def test_an_address_that_holds_no_data_is_refused(url):
    with pytest.raises(Rejected):
        check_data_url(url, "here")
