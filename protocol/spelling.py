"""One spelling for characters and quantities that are written in several ways, applied before answers are compared."""

from __future__ import annotations

import re
import unicodedata

from protocol import unit_table

# Variants of ' " - * < and others, as entered by phones, word processors and keyboards of other scripts.
_CHARACTERS = str.maketrans(
    {
        **{chr(0xFF00 + code - 0x20): chr(code) for code in range(ord("!"), ord("~") + 1)},
        **dict.fromkeys("\u2018\u2019\u201a\N{ACUTE ACCENT}", "'"),
        **dict.fromkeys("\u201c\u201d\u201e", '"'),
        **dict.fromkeys("\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}\N{MINUS SIGN}", "-"),
        **dict.fromkeys("\N{EM DASH}\N{IDEOGRAPHIC FULL STOP}", " "),
        "\N{IDEOGRAPHIC COMMA}": ",",
        "\N{HORIZONTAL ELLIPSIS}": "...",
        "\N{PRIME}": "'",
        "\N{DOUBLE PRIME}": '"',
        "\N{ASTERISK OPERATOR}": "*",
        "\N{BULLET}": ";",
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{MICRO SIGN}": "\u03bc",
        **dict.fromkeys("\N{LESS-THAN OVER EQUAL TO}\N{LESS-THAN OR SLANTED EQUAL TO}", "\N{LESS-THAN OR EQUAL TO}"),
        **dict.fromkeys(
            "\N{GREATER-THAN OVER EQUAL TO}\N{GREATER-THAN OR SLANTED EQUAL TO}", "\N{GREATER-THAN OR EQUAL TO}"
        ),
    }
)
# Unless a number follows, => is an arrow.
_OR_EQUAL = {
    "\N{LESS-THAN OR EQUAL TO}": re.compile(r"<=|=<(?= ?[-+]?\.?\d)"),
    "\N{GREATER-THAN OR EQUAL TO}": re.compile(r">=|=>(?= ?[-+]?\.?\d)"),
}
# Phones replace two hyphens with a long dash.
_LONG_DASH = re.compile("(?<=[0-9])\N{EM DASH}(?=[ctls]?[0-9])")
# 5...10 is not 510.
_ELLIPSIS = re.compile(r"(?<=\d)\.{2,}(?=\d)")
# Left -> right is not left <- right; => 5 is a bound, <-5 less than -5, and an arrow that begins a line a bullet.
_ARROWS = {
    "\N{LEFT RIGHT ARROW}": re.compile(r"<[-=]+>"),
    "\N{RIGHTWARDS ARROW}": re.compile(r"-+>|=+>(?! ?[-+]?\.?\d)"),
    "\N{LEFTWARDS ARROW}": re.compile(r"<-+(?![-.]?\d)"),
}
_ANY_ARROW = re.compile(" ?([\N{LEFT RIGHT ARROW}\N{RIGHTWARDS ARROW}\N{LEFTWARDS ARROW}]) ?")
_ARROW_OF_LINE = re.compile("(?m)^ ?\N{RIGHTWARDS ARROW} ")
# HER2 +ve is positive, and HER2 -ve negative.
_IN_SHORT = re.compile(r"(?:\(?[+-]\)?ve|(?<!\w)[+-]ive)(?!\w)")
# 10 minus 5 is a difference.
_MINUS = re.compile(r"(?<!\w)(?<!\d )minus (?=\.?\d)")
# Most texts hold none of the signs for which the substitutions below search at every letter.
_COMPARISON = re.compile("[<>=\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}]")
_BLANKS, _LINES = re.compile(r"[^\S\n]+"), re.compile(r"(?: ?\n)+ ?")
_BEFORE_NUMBER = re.compile(r"([<>\u2264\u2265]) (?=-?\.?\d)")
# R >> L is not R << L.
_MUCH = {
    "\N{MUCH GREATER-THAN}": re.compile(r"(?<=[^\W_]) ?>{2,3} ?(?=[^\W_])"),
    "\N{MUCH LESS-THAN}": re.compile(r"(?<=[^\W_]) ?<{2,3} ?(?=[^\W_])"),
}
_BETWEEN_WORDS = re.compile(r"(?<=[^\W_]) ?([<>]) ?(?=[^\W_])")
_POSITIVE_OR_NEGATIVE = re.compile(r"\+ ?/ ?-(?![\w+/-])|\+(?: ?/ ?)?-(?= ?\.?\d)")
_TOLERANCE = re.compile(r"(?<!\w)\u00b1 (?=\.?\d)")
_NUMBER = r"(?<![\w.,])(?:\d+(?:[.,]\d+)?|\.\d+)"
_UNIT = rf"{unit_table.pattern(unit_table.symbols(lambda unit: unit.kind != 'share'))}(?!\w)"
# 5 mm-thick is 5 mm thick.
_QUANTITY = re.compile(rf"({_NUMBER})[ -]?({_UNIT})(-(?=[^\W\d_]{{3}}))?")
# In 5 mm - 10 mm, 5 mm x 3 mm and 5 mm/5 mm the first unit is redundant.
_SAME_UNIT = re.compile(rf"({_NUMBER}) ?({_UNIT}|%)(?=(?:-| - | to | x | ?/ ?)(?:\d+(?:[.,]\d+)?|\.\d+) ?\2(?!\w))")
_SIZES = re.compile(rf"{_NUMBER}(?: ?{_UNIT})?(?:(?: ?x ?|\*| \* | by )(?:\d+(?:[.,]\d+)?|\.\d+)(?: ?{_UNIT})?)+")
_BY = re.compile(r"(?: ?[x*] ?| by )(?=\.?\d)")
_BETWEEN_NUMBERS = re.compile(rf"({_NUMBER})(?: ([-+]) | ?(\u00b1) ?)(?=\.?\d)")
# In 4/5 / 3/5 the middle slash separates two fractions.
_PARTED_NUMBERS = re.compile(rf"(?<![/:])({_NUMBER})(?: ?(/) ?| (:) )(?=\.?\d)(?![\d.,]+[/:])")
_PARTED_GRADES = re.compile(r"(?<![\w.,/:-])([ivx]{1,4})(?: ?([-/]) ?(?=[ivx]{1,4}(?!\w))| ?(/) ?(?=\d))")
# A size that shrank from 10 to 5 is not a range.
_FROM_TO = re.compile(rf"({_NUMBER}) to (?=(\d+(?:[.,]\d+)?|\.\d+)(?![\d/:]|[.,]\d))")
# 2 of 3 and 2 out of 3 are 2/3; a number of more than there are, or of a size, is something else.
_OUT_OF = re.compile(rf"(?<![\w.,/:-])(\d{{1,4}}) (?:out )?of (?=(\d{{1,4}})(?![\w.,/:%-]| ?{_UNIT}| ?%))")
_AFTER_NAME = re.compile(
    r"[:=](?:(?<=[^\W\d_][:=])|(?<=[^\W\d_] [:=])|(?<=[)\]][:=])|(?<=[)\]] [:=])) ?"
    r"(?=[-+]?\.?\d|[-+]{1,4}\s*(?:$|[,;.)/]))"
)
_PERCENT = re.compile(rf"({_NUMBER}) ?(?:percent|per cent|pct)(?!\w)")
_POWERS = str.maketrans("\u00b2\u00b3", "23")
# 10³ is 10^3, and 10⁻³ is 10^-3.
_EXPONENT = re.compile(r"(?<=\d)\u207b?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+")


def of_blanks(text: str) -> str:
    """Return a text with runs of blanks, or of line breaks, replaced by a single one."""
    return _LINES.sub("\n", _BLANKS.sub(" ", text))


def of_characters(text: str) -> str:
    """Return a text in lower case with single blanks and plain keyboard characters, +ve and -ve in full."""
    plain = _LONG_DASH.sub("-", unicodedata.normalize("NFC", text).lower()).translate(_CHARACTERS)
    plain = _ELLIPSIS.sub("... ", plain) if ".." in plain else plain
    plain = _IN_SHORT.sub(_in_full, plain) if "ve" in plain else plain
    return _of_arrows(of_blanks(plain))


def of_named_numbers(text: str) -> str:
    """Return a text with a blank for the sign between a name and its number or finding.

    HU:-100 and HU = -100 become HU -100, and DWI:+ becomes DWI +.
    """
    return _AFTER_NAME.sub(" ", text)


def of_quantities(text: str) -> str:
    """Return a text from `of_characters` with its sizes, ranges, bounds and units in one spelling.

    5mm and 5-mm become 5 mm, 5×3 mm and 5 mm x 3 mm become 5 x 3 mm, 12 - 15 and 12 to 15 become 12-15, 1 / 2 and
    1 of 2 become 1/2, cm² after a number becomes cm2, 10³ becomes 10^3, 5 percent becomes 5%, < 5 becomes <5, minus 5
    becomes -5, and R > L becomes R>L.
    """
    text = _of_comparisons(_MINUS.sub("-", text) if "minus" in text else text)
    text = _TOLERANCE.sub("\N{PLUS-MINUS SIGN}", _POSITIVE_OR_NEGATIVE.sub("\N{PLUS-MINUS SIGN}", text))
    text = _SIZES.sub(lambda sizes: _BY.sub(" x ", sizes.group()), text)
    text = _PERCENT.sub(r"\1%", text) if "per" in text or "pct" in text else text
    text = _SAME_UNIT.sub(r"\1", text)
    text = _PARTED_GRADES.sub(r"\1\2\3", _PARTED_NUMBERS.sub(r"\1\2\3", text))
    text = _FROM_TO.sub(_range, text) if " to " in text else text
    if " of " in text:
        text = _OUT_OF.sub(lambda part: f"{part[1]}/" if int(part[1]) <= int(part[2]) else part.group(), text)
    text = _BETWEEN_NUMBERS.sub(r"\1\2\3", text)
    text = _EXPONENT.sub(lambda power: f"^{unicodedata.normalize('NFKC', power.group()).translate(_CHARACTERS)}", text)
    return _QUANTITY.sub(_quantity, text)


def _of_comparisons(text: str) -> str:
    """Return a text with each of its signs of comparison in one spelling."""
    if not _COMPARISON.search(text):
        return text
    for sign, written in (*_OR_EQUAL.items(), *_MUCH.items()):
        text = written.sub(sign, text)
    return _BETWEEN_WORDS.sub(r"\1", _BEFORE_NUMBER.sub(r"\1", text))


def _of_arrows(text: str) -> str:
    """Return a text whose arrows are one sign each, between blanks."""
    if "->" in text or "=>" in text or "<-" in text:
        for sign, written in _ARROWS.items():
            text = written.sub(sign, text)
    if _ANY_ARROW.search(text):
        text = _ARROW_OF_LINE.sub("", _ANY_ARROW.sub(r" \1 ", text))
    return text


def _in_full(match: re.Match[str]) -> str:
    return " positive " if "+" in match.group() else " negative "


def _quantity(match: re.Match[str]) -> str:
    return f"{match[1]} {match[2].translate(_POWERS)}" + (" " if match[3] else "")


def _range(match: re.Match[str]) -> str:
    first, last = (float(number.replace(",", ".")) for number in match.groups())
    return f"{match[1]}-" if first < last else match.group()
