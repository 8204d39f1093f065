"""One spelling of what keyboards, telephones and people write in several ways, before answers are compared."""

from __future__ import annotations

import re
import unicodedata

# As telephones, word processors and keyboards of other scripts set what was typed as ' " - * < and so on.
_CHARACTERS = str.maketrans(
    {
        **{chr(0xFF00 + code - 0x20): chr(code) for code in range(ord("!"), ord("~") + 1)},
        **dict.fromkeys("\u2018\u2019\u201a", "'"),
        **dict.fromkeys("\u201c\u201d\u201e", '"'),
        **dict.fromkeys("\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{MINUS SIGN}", "-"),
        **dict.fromkeys("\N{EM DASH}\N{IDEOGRAPHIC FULL STOP}", " "),
        "\N{IDEOGRAPHIC COMMA}": ",",
        "\N{HORIZONTAL ELLIPSIS}": "...",
        "\N{ASTERISK OPERATOR}": "*",
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{MICRO SIGN}": "\u03bc",
        **dict.fromkeys("\N{LESS-THAN OVER EQUAL TO}\N{LESS-THAN OR SLANTED EQUAL TO}", "\N{LESS-THAN OR EQUAL TO}"),
        **dict.fromkeys(
            "\N{GREATER-THAN OVER EQUAL TO}\N{GREATER-THAN OR SLANTED EQUAL TO}", "\N{GREATER-THAN OR EQUAL TO}"
        ),
    }
)
_OR_EQUAL = {"<=": "\N{LESS-THAN OR EQUAL TO}", ">=": "\N{GREATER-THAN OR EQUAL TO}"}
_BLANKS, _LINES = re.compile(r"[^\S\n]+"), re.compile(r"(?: ?\n)+ ?")
_BEFORE_NUMBER = re.compile(r"([<>\u2264\u2265]) (?=-?\.?\d)")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W_]) ?([<>]) ?(?=[^\W_])")
_POSITIVE_OR_NEGATIVE = re.compile(r"\+ ?/ ?-(?![\w+/-])|\+ ?/ ?-(?= ?\.?\d)")
_NUMBER = r"(?<![\w.,])(?:\d+(?:[.,]\d+)?|\.\d+)"
_UNIT = r"(?:[kdcmn\u03bc]?m[23\u00b2\u00b3]?|[dcm\u03bc]?l|cc|[km]?g|m?s|min|hu|t)(?!\w)"
_QUANTITY = re.compile(rf"({_NUMBER}) ?({_UNIT})")
_SIZES = re.compile(rf"{_NUMBER}(?: ?{_UNIT})?(?:(?: ?x ?|\*| \* )(?:\d+(?:[.,]\d+)?|\.\d+)(?: ?{_UNIT})?)+")
_BY = re.compile(r" ?[x*] ?(?=\.?\d)")
_BETWEEN_NUMBERS = re.compile(rf"({_NUMBER})(?: ([-+]) | ?(\u00b1) ?)(?=\.?\d)")
_PERCENT = re.compile(rf"({_NUMBER}) ?(?:percent|per cent|pct)(?!\w)")
_POWERS = str.maketrans("\u00b2\u00b3", "23")


def of_blanks(text: str) -> str:
    """Return a text in which one blank, or one end of a line, stands for many."""
    return _LINES.sub("\n", _BLANKS.sub(" ", text))


def of_characters(text: str) -> str:
    """Return a text in lower case and single blanks, its marks those of a keyboard."""
    return of_blanks(unicodedata.normalize("NFC", text).lower().translate(_CHARACTERS))


def of_quantities(text: str) -> str:
    """Return a text, of one spelling of its characters, whose sizes, ranges, bounds and units are written in one way.

    5mm is 5 mm, 5×3 is 5 x 3, 12 - 15 is 12-15, cm² is cm2 behind a number, 5 percent is 5%, < 5 is <5, and R > L is
    R>L.
    """
    for written, sign in _OR_EQUAL.items():
        text = text.replace(written, sign)
    text = _BETWEEN_WORDS.sub(r"\1", _BEFORE_NUMBER.sub(r"\1", text))
    text = _POSITIVE_OR_NEGATIVE.sub("\N{PLUS-MINUS SIGN}", text)
    text = _SIZES.sub(lambda sizes: _BY.sub(" x ", sizes.group()), text)
    text = _PERCENT.sub(r"\1%", _BETWEEN_NUMBERS.sub(r"\1\2\3", text))
    return _QUANTITY.sub(lambda quantity: f"{quantity[1]} {quantity[2].translate(_POWERS)}", text)
