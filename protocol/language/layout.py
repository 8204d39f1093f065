"""The common layout of answers rated in a pool, so that texts of people and models differ only in their content.

Models' answers are laid out when their table is read, people's when the phase in which they were given is closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from protocol.fields import KINDS, LISTS, NUMBERS, PLACES, SETS, abstention, own_options_of
from protocol.fields.number import answered, parsed
from protocol.fields.pixels import WITH_SCALE, Places, pixels_at
from protocol.fields.point import place_of
from protocol.language.expansion import Field
from protocol.language.listed import kind_of_field
from protocol.seen import as_seen

# Texts of options by their ids.
Texts = Mapping[str, str]

_PARTS = re.compile(r"[|\n]")
# A number or bullet typed before a line of a list; the layout numbers the lines itself.
_NUMBERED = re.compile(r"^(?:\(?\d{1,2}[.):](?!\d)\s*|[-*\u2022]\s+)(?=\S)")
# Characters that nobody sees; pasted texts may be full of them.
_INVISIBLE = re.compile("[\N{SOFT HYPHEN}\N{ZERO WIDTH SPACE}\N{WORD JOINER}\N{ZERO WIDTH NO-BREAK SPACE}]")
_NO_ITEM: Texts = {}


def laid_out(
    fields: Sequence[Field], answers: Mapping[str, Any], of_item: Texts = _NO_ITEM, places: Places = WITH_SCALE
) -> str:
    """Return an answer as one text: each field after its label, a single field without it; empty for no response.

    Parameters
    ----------
    answers
        Stored values by the keys of their fields.
    of_item
        The options of the item, which a field may offer.
    places
        What the panes of the item open on, in whose words a place is laid out.
    """
    said = [(asked, _in_words(asked, answers.get(asked.key), of_item, places)) for asked in fields]
    filled_in = [(asked, words) for asked, words in said if words]
    if len(fields) == 1:
        return "".join(words for _, words in filled_in)
    return "\n".join(f"{asked.label}:{_gap(words)}{words}" for asked, words in filled_in)


def _gap(words: str) -> str:
    return "\n" if "\n" in words or words.startswith("1. ") else " "


def squeezed(text: str) -> str:
    """Return a text without invisible characters, empty lines, repeated blanks and blanks at the ends of lines."""
    lines = (" ".join(line.split()) for line in _INVISIBLE.sub("", text).splitlines())
    return "\n".join(line for line in lines if line)


def read_cell(asked: Field, cell: str, of_item: Texts = _NO_ITEM) -> Any:
    """Return a model's cell as a person's answer would be stored; the text itself if it is not a valid answer.

    Lines of a list, and several options, are separated by | or line breaks; a point is three numbers in mm.
    """
    text = squeezed(cell)
    if not text:
        return None
    if asked.undetermined and text.casefold() in (abstention.ID, abstention.WORDS.casefold()):
        return dict(abstention.UNDETERMINED)
    kind, texts = _kind(asked, of_item), _texts(asked, of_item)
    if kind in LISTS | SETS:
        return [_option(line, texts) for line in _lines(_PARTS.split(text))]
    if kind in PLACES:
        place = place_of(text.replace(",", " "))
        return text if place is None else list(place)
    if kind in NUMBERS:
        # People are shown the unit, and models write it, or another one.
        number = answered(text, asked.unit)
        return text if number is None else float(number)
    return _option(text, texts)


def can_be_given(asked: Field, value: Any, of_item: Texts = _NO_ITEM) -> bool:
    """Return whether a cell as read is an option where people choose one, and a number where they may give it."""
    if value is None or abstention.is_undetermined(value):
        return True
    if asked.steps is not None:
        return value in {str(step) for step in range(1, asked.steps + 1)}
    if _kind(asked, of_item) in NUMBERS:
        return not isinstance(value, str) and _is_within(asked, value)
    texts = _texts(asked, of_item)
    return not texts or all(each in texts for each in (value if isinstance(value, list) else [value]))


def _is_within(asked: Field, number: float) -> bool:
    """Return whether people may give a number: within the range of the field."""
    low, high = asked.minimum, asked.maximum
    return (low is None or low <= number) and (high is None or number <= high)


def _in_words(asked: Field, value: Any, of_item: Texts, places: Places) -> str:
    if value is None or value in ("", []):
        return ""
    if abstention.is_undetermined(value):
        return abstention.WORDS
    kind, texts = _kind(asked, of_item), _texts(asked, of_item)
    if kind in LISTS:
        lines = _lines(value if isinstance(value, list) else [str(value)])
        # A person can rank an option only once, while a model's table could repeat it.
        lines = list(dict.fromkeys(lines)) if texts else lines
        return "\n".join(f"{place}. {texts.get(line, line)}" for place, line in enumerate(lines, start=1))
    if kind in SETS and isinstance(value, list):
        # As with tick boxes: in the order of the options and each once, whatever the order in a model's table.
        listed = [option for option in texts if option in value]
        value = [*listed, *dict.fromkeys(option for option in value if option not in texts)]
    if kind in PLACES and isinstance(value, list):
        pixels = pixels_at(places, value[3] if len(value) > len("xyz") else None)
        if pixels is not None:
            return pixels.in_words(value)
        # To a millimetre and without a person's pane, since models' answers have neither finer digits nor a pane.
        return KINDS[kind].in_words([float(round(part)) + 0.0 for part in value[:3]], {}).replace(".0", "")
    words = squeezed(KINDS[kind].in_words(value, texts))
    return f"{words} {asked.unit}" if asked.unit and kind in NUMBERS and parsed(value) is not None else words


def _kind(asked: Field, of_item: Texts) -> str:
    return "choice" if asked.type == "as_item" and of_item else kind_of_field(asked)


def _texts(asked: Field, of_item: Texts) -> Texts:
    if asked.type == "as_item":
        return of_item
    return dict(own_options_of(asked.type)) or {option.id: option.text for option in asked.options}


def _option(written: str, texts: Texts) -> str:
    """Return the id of the option that looks like this, by its id or text; any other text is returned unchanged."""
    by_name = {as_seen(name): key for key, text in texts.items() for name in (text, key)}
    return by_name.get(as_seen(written), written)


def _lines(written: Sequence[str]) -> list[str]:
    return [line for line in (_NUMBERED.sub("", squeezed(part).replace("\n", " ")) for part in written) if line]
