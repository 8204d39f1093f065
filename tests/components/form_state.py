"""What can be seen of the form: badges of digits, and what is chosen."""

from __future__ import annotations

from tests.components.conftest import Room


def badges(reader: Room, box: str) -> list[str]:
    """Return the badges that can be seen in a part of the form."""
    digits = reader.page.locator(f"{box} .digit").all()
    return [badge.inner_text() for badge in digits if badge.is_visible()]


def chosen(reader: Room) -> list[str]:
    """Return the words of everything that is chosen, in panels as well."""
    return reader.page.locator(".option:has(input:checked) .words").all_inner_texts()
