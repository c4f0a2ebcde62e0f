"""Sizes of images from their first bytes."""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import Any

import pytest

from relax_lint.files import Files, MemoryFiles
from relax_lint.image_sizes import image_size, size_at_hand

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 640, 480)
JPEG = (
    b"\xff\xd8\xff\xe0" + struct.pack(">H", 16) + b"JFIF" + b"\0" * 10
    + b"\xff\xff\xdb" + struct.pack(">H", 4) + b"\0\0"
    + b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640)
)  # fmt: skip
WEBP = b"RIFF\0\0\0\0WEBP"


@pytest.mark.parametrize(
    "head",
    [
        PNG,
        JPEG,
        b"GIF89a" + struct.pack("<HH", 640, 480),
        b"BM" + b"\0" * 16 + struct.pack("<ii", 640, -480),
        WEBP + b"VP8X" + b"\0" * 8 + (639).to_bytes(3, "little") + (479).to_bytes(3, "little"),
        WEBP + b"VP8 " + b"\0" * 10 + struct.pack("<HH", 640, 480),
        WEBP + b"VP8L" + b"\0" * 5 + struct.pack("<I", 639 | 479 << 14),
    ],
    ids=["png", "jpeg", "gif", "bmp", "webp extended", "webp lossy", "webp lossless"],
)
def test_sizes(head: bytes) -> None:
    assert image_size(head) == (640, 480)


@pytest.mark.parametrize(
    "head", [b"", b"\xff\xd8", b"\xff\xd8\xff", b"\xff\xd8\xffx", PNG[:20], b"BM", WEBP, b"text" * 20]
)
def test_what_is_cut_off_or_no_image(head: bytes) -> None:
    assert image_size(head) is None


@pytest.mark.parametrize(
    "image",
    [
        PNG,
        {"bytes": PNG, "path": None},
        {"bytes": None, "path": "a.png"},
        "a.png",
        "data:image/png;base64," + base64.b64encode(PNG).decode(),
    ],
)
def test_images_as_rows_hold_them(image: Any) -> None:
    assert size_at_hand(image, Path("/data"), MemoryFiles({Path("/data/a.png"): PNG})) == (640, 480)


@pytest.mark.parametrize(
    "image",
    [None, 3, "", "x" * 10_000, "a\0b", "https://example.org/a.png", "gone.png", {}, [], "data:image/png;base64,ä"],
)
def test_images_that_are_not_at_hand(image: Any, tmp_path: Path) -> None:
    assert size_at_hand(image, tmp_path, Files()) is None
