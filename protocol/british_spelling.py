"""One spelling for words that British and American English write in two ways: tumour is tumor, and oedema is edema."""

from __future__ import annotations

import re

# Parts of words, British and American. -our, -ise and ae as such are not among them: hour, precise and vertebrae have
# one spelling. Compared with the pairs of BREAME 0.1.2 (British and American spellings), and with the 264,000 words of
# Webster's Second and GCIDE: what these tables make the same there are two spellings of one word.
PARTS = {
    # ae
    "haem": "hem", "aemi": "emi", "aesthe": "esthe", "aetiolog": "etiolog", "caeca": "ceca", "caeco": "ceco",
    "caecu": "cecu", "caesar": "cesar", "faec": "fec", "gynaec": "gynec", "laevo": "levo",
    "naevi": "nevi", "naevo": "nevo", "naevu": "nevu", "paedi": "pedi", "phaeo": "pheo", "praevia": "previa",
    # oe
    "oedem": "edem", "oesoph": "esoph", "oestr": "estr", "foet": "fet", "coeliac": "celiac", "pnoe": "pne",
    "rrhoe": "rrhe", "amoeb": "ameb", "homoeo": "homeo", "manoeuvre": "maneuver", "manoeuvri": "maneuveri",
    # our
    "tumour": "tumor", "colour": "color", "behaviour": "behavior", "humour": "humor", "labour": "labor",
    "favour": "favor", "neighbour": "neighbor", "odour": "odor", "vapour": "vapor",
    # re
    "fibre": "fiber", "calibre": "caliber", "goitre": "goiter", "centre": "center", "centred": "centered",
    "centring": "centering",
    # others
    "artefact": "artifact", "calliper": "caliper", "disk": "disc", "distention": "distension", "grey": "gray",
    "leuco": "leuko", "mould": "mold", "sulph": "sulf",
}  # fmt: skip
# What -ise, -ised and -isation end, and what -lled and -lling end: localised is localized, remodelling remodeling.
VERBS = (
    "anonym", "arterial", "canal", "cauter", "central", "character", "colon", "crystall", "digit", "embol",
    "epithelial", "equal", "focal", "general", "hospital", "immun", "ion", "keratin", "lateral", "local", "magnet",
    "marginal", "marsupial", "maxim", "metastas", "mineral", "minim", "mobil", "neutral", "normal", "optim", "organ",
    "oval", "penal", "pneumat", "polar", "pressur", "random", "recogn", "sensit", "stabil", "standard", "steril",
    "symbol", "synchron", "tabular", "trabecular", "util", "vascular", "vapor", "visual",
)  # fmt: skip
DOUBLED = ("bevel", "channel", "funnel", "label", "level", "model", "signal", "tunnel")
_PARTS = re.compile("|".join(sorted(PARTS, key=len, reverse=True)))
_VERBS = re.compile(rf"({'|'.join(VERBS)})is(?=(?:e[drs]?|ing|ations?)(?!\w))")
_ANALYSED = re.compile(r"((?:an|cat|di|par)al|hydrol)ys(?=(?:e[dr]?|ing)(?!\w))")
_DOUBLED = re.compile(rf"({'|'.join(DOUBLED)})l(?=(?:ed|ers?|ings?)(?!\w))")
_METRES = re.compile(r"(?<!\w)((?:milli|centi|kilo)?met|(?:milli)?lit|tit)re(?=s?(?!\w))")


def of_words(text: str) -> str:
    """Return a text in lower case with its words in American spelling.

    Only spelling is changed: CVA and stroke, or dilatation and dilation, are two words, which need synonyms.
    """
    text = _PARTS.sub(lambda part: PARTS[part.group()], text)
    text = _ANALYSED.sub(r"\1yz", _VERBS.sub(r"\1iz", text))
    return _METRES.sub(r"\1er", _DOUBLED.sub(r"\1", text))
