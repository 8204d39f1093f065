"""The contrast of two colours as WCAG 2.2 defines it."""

from __future__ import annotations


def contrast(first: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it, 1 to 21."""
    lighter, darker = sorted((luminance(first), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def blended(ink: str, share: float, ground: str) -> str:
    """Return the colour that a share of the ink gives on a ground."""
    pairs = [(int(ink[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * upper + (1 - share) * lower):02x}" for upper, lower in pairs)
