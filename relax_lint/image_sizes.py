"""The size of an image from its first bytes: PNG, JPEG, GIF, WebP, BMP."""

from __future__ import annotations

import base64
import binascii
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relax_lint.files import Files

ENOUGH = 64 * 1024
"""Bytes in which the size stands in nearly all files."""

_LONGEST_PATH = 4096
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})


def size_at_hand(image: Any, directory: Path, files: Files) -> tuple[int, int] | None:
    """The size of an image as a row holds it: bytes, a path, data, an object of bytes and path. Nothing is fetched."""
    if isinstance(image, dict):
        image = image.get("bytes") or image.get("path")
    if isinstance(image, bytes):
        return image_size(image[:ENOUGH])
    if not isinstance(image, str) or (len(image) > _LONGEST_PATH and not image.startswith("data:")):
        return None
    if image.startswith("data:"):
        return image_size(_decoded(image.partition(",")[2]))
    return None if "://" in image or "\0" in image else image_size(files.head(directory / image, ENOUGH))


def _decoded(text: str) -> bytes:
    encoded = text[: ENOUGH // 3 * 4]
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4))
    except (binascii.Error, ValueError):
        return b""


def image_size(head: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; ``None`` when they cannot be told."""
    try:
        if head.startswith(b"\x89PNG\r\n\x1a\n"):
            return _pair(">II", head, 16)
        if head.startswith(b"\xff\xd8"):
            return _jpeg(head)
        if head.startswith((b"GIF87a", b"GIF89a")):
            return _pair("<HH", head, 6)
        if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            return _webp(head)
        if head.startswith(b"BM"):
            width, height = _pair("<ii", head, 18)
            return width, abs(height)
    except (struct.error, IndexError):
        pass
    return None


def _pair(form: str, head: bytes, at: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, head, at)
    return int(first), int(second)


def _jpeg(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 4 <= len(head):
        if head[at] != 0xFF:
            return None
        marker = head[at + 1]
        if marker == 0xFF or marker in _ALONE:
            at += 1 if marker == 0xFF else 2
            continue
        if marker in _FRAMES:
            height, width = _pair(">HH", head, at + 5)
            return width, height
        at += 2 + int(struct.unpack_from(">H", head, at + 2)[0])
    return None


def _webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if kind == b"VP8 ":
        width, height = _pair("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        bits = int(struct.unpack_from("<I", head, 21)[0])
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    return None
