"""One spelling for words that British and American English write in two ways: tumour is tumor, and oedema is edema."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

# Parts of words, British and American. -our and ae as such are not among them: hour and vertebrae have one spelling.
# Nor are words whose other spelling is a word of its own, such as draught, tyre, rigour and storey. Compared with the
# pairs of BREAME 0.1.2 (British and American spellings), and with the 264,000 words of Webster's Second and GCIDE: what
# these tables and rules make the same there are two spellings of one word.
PARTS = {
    # ae
    "haem": "hem", "aemi": "emi", "leukaemo": "leukemo", "leucaem": "leukem", "aesthe": "esthe", "aetiolog": "etiolog",
    "archaeo": "archeo", "caeca": "ceca", "caeci": "ceci", "caeco": "ceco", "caecu": "cecu", "caesar": "cesar",
    "caesi": "cesi", "faec": "fec", "gynaec": "gynec", "laevo": "levo", "naevi": "nevi", "naevo": "nevo",
    "naevu": "nevu", "paedi": "pedi", "palaeo": "paleo", "perinae": "perine", "peritonae": "peritone",
    "phaeo": "pheo", "praevia": "previa", "spirochaet": "spirochet", "taeni": "teni",
    # oe
    "oedem": "edem", "oesoph": "esoph", "oestr": "estr", "foet": "fet", "coeliac": "celiac", "coelom": "celom",
    "pnoe": "pne", "rrhoe": "rrhe", "amoeb": "ameb", "homoeo": "homeo", "manoeuvre": "maneuver",
    "manoeuvri": "maneuveri",
    # our
    "tumour": "tumor", "colour": "color", "behaviour": "behavior", "humour": "humor", "labour": "labor",
    "favour": "favor", "neighbour": "neighbor", "odour": "odor", "vapour": "vapor", "harbour": "harbor",
    "armour": "armor", "flavour": "flavor", "honour": "honor",
    # re
    "fibre": "fiber", "calibre": "caliber", "goitre": "goiter", "centre": "center", "centred": "centered",
    "centring": "centering", "lustre": "luster", "meagre": "meager", "sabre": "saber", "sombre": "somber",
    "spectre": "specter", "theatre": "theater",
    # others
    "aluminium": "aluminum", "artefact": "artifact", "calliper": "caliper", "connexion": "connection",
    "defence": "defense", "disk": "disc", "distention": "distension", "grey": "gray", "inflexion": "inflection",
    "judgement": "judgment", "leuco": "leuko", "licence": "license", "mollusk": "mollusc", "mould": "mold",
    "plough": "plow", "practis": "practic", "sceptic": "skeptic", "skilful": "skillful", "sulph": "sulf",
}  # fmt: skip
# Ends of words, also before the s of a plural.
ENDS = {
    "ageing": "aging", "analogue": "analog", "catalogue": "catalog", "dialogue": "dialog", "homologue": "homolog",
    "neurone": "neuron", "programme": "program", "distil": "distill", "enrol": "enroll", "fulfil": "fulfill",
    "instil": "instill",
}  # fmt: skip
# Verbs in -ise and what is made of them have a z. Precise, incised, exercise, revise, raise and bruise are not among
# them, nor are words of fewer than three letters before the ending, such as size and rise.
# A search is quick if it begins with letters, and looks back from there.
_VERBS = re.compile(
    r"is(?=(?:e[ds]?|ers?|ing(?:ly)?|able|ations?|ational)(?!\w))"
    r"(?<=[^\W\d_]{3}is)(?<![aouvw]is)(?<!pris)(?<!incis|excis|oncis|umcis)(?<!precis|xercis)"
)
DOUBLED = (
    "bevel", "cancel", "channel", "dial", "equal", "fuel", "funnel", "initial", "label", "level", "model", "panel",
    "signal", "spiral", "swivel", "total", "travel", "tunnel",
)  # fmt: skip
_LYSED = ("anal", "catal", "dial", "paral", "electrol", "hemol", "hydrol", "proteol", "thrombol")


def _behind(stems: Iterable[str]) -> str:
    return "|".join(rf"(?<={stem})" for stem in stems)


def _any_of(parts: Iterable[str]) -> str:
    """Return a pattern of the longest of these parts, in which most places are passed by their first letter."""
    by_letter = groupby(sorted(parts, key=lambda part: (part[0], -len(part))), key=lambda part: part[0])
    return "|".join(f"{letter}(?:{'|'.join(part[1:] for part in group)})" for letter, group in by_letter)


_PARTS = re.compile(_any_of(PARTS))
_ENDS = re.compile(rf"(?:{_any_of(ENDS)})(?=s?(?!\w))")
_ANALYSED = re.compile(rf"ys(?=(?:e[dr]?|ing)(?!\w))(?:(?<=\blys)|{_behind(f'{stem}ys' for stem in _LYSED)})")
_DOUBLED = re.compile(rf"l(?=(?:ed|ers?|ings?)(?!\w))(?:{_behind(f'{stem}l' for stem in DOUBLED)})")
_METRES = re.compile(r"(?<!\w)((?:milli|centi|kilo|micro)?met|(?:milli)?lit|tit)re(?=s?(?!\w))")


def of_words(text: str) -> str:
    """Return a text in lower case with its words in American spelling.

    Only spelling is changed: CVA and stroke, or dilatation and dilation, are two words, which need synonyms.
    """
    text = _PARTS.sub(lambda part: PARTS[part.group()], text)
    text = _ENDS.sub(lambda end: ENDS[end.group()], text)
    text = _ANALYSED.sub("yz", _VERBS.sub("iz", text))
    return _METRES.sub(r"\1er", _DOUBLED.sub("", text))
