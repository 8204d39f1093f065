"""Passwords: which are refused, and their Argon2id hashes.

Hashing takes 0.1 s and 64 MB, so it is never done inside a transaction.
"""

from __future__ import annotations

import re
import unicodedata

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from services.errors import Conflict
from services.people.logins import canonical_login

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 200
# How many characters must remain once the login or name is removed.
_OF_ONES_OWN = 5
_FEWEST_KINDS = 5

_hasher = PasswordHash((Argon2Hasher(),))
# Verified if a login is unknown, so that the answer takes as long as for a wrong password. It is the hash of discarded
# random bytes, hard-coded because computing one would cost every command 0.1 s.
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$zRXkoD/pR9k11QzyArCqHw$QfmFhORz9P8DM9sBitrLrG/Xr1yNSvoQn+rfKkqVROc"

# Words that make up nearly all common passwords of ten or more characters. This is our own list, compiled from what
# published lists have in common. Each word is refused with any digits, symbols and repetitions around it.
COMMON_WORDS = (
    *("password", "passwort", "passcode", "passphrase", "motdepasse", "contrasena", "kennwort", "changeme", "changeit"),
    *("welcome", "willkommen", "bienvenue", "letmein", "login", "signin", "iloveyou", "loveyou", "lovely", "love"),
    *("admin", "administrator", "root", "superuser", "user", "guest", "default", "temp", "test", "tester", "testing"),
    *("secret", "geheim", "private", "qwerty", "qwertz", "azerty", "qwertyuiop", "asdfghjkl", "asdf", "zxcvbnm", "abc"),
    *("sunshine", "princess", "football", "baseball", "basketball", "superman", "batman", "spiderman", "pokemon"),
    *("dragon", "monkey", "master", "shadow", "michael", "jennifer", "jordan", "charlie", "computer", "internet"),
    *("summer", "winter", "spring", "autumn", "sommer", "monday", "friday", "january", "december", "starwars"),
    *("hospital", "klinik", "clinic", "doctor", "nurse", "radiology", "radiologie", "radiologist", "neurology"),
    *("blindread", "streamlit", "study", "rater", "reviewer", "reader", "reading", "trustno", "whatever", "freedom"),
    *("hello", "hallo", "mypassword", "my", "the", "is", "you", "and", "a", "i"),
)
_ROWS = ("abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm")
_AS_LETTERS = str.maketrans("@4301!5$7", "aaeoiisst")


def require_good_password(password: str, login: str, name: str) -> None:
    """Refuse a password that is too short or long, resembles the login or name, or is among the first to be guessed."""
    length = len(password.strip())
    if length < SHORTEST_PASSWORD:
        raise Conflict(f"The password has {length} characters; choose one with at least {SHORTEST_PASSWORD}.")
    if len(password) > LONGEST_PASSWORD:
        raise Conflict(f"The password has more than {LONGEST_PASSWORD} characters; choose a shorter one.")
    plain = unicodedata.normalize("NFKC", password).casefold()
    letters = re.sub(r"\s+", "", plain)
    if any(_is_mostly(letters, own) for own in (login, login.partition("@")[0], name)):
        raise Conflict("The password is too similar to your login or name; choose one that is hard to guess.")
    if len(set(letters)) < _FEWEST_KINDS or _runs_along(letters) or _is_common(letters):
        raise Conflict("The password is too easy to guess; choose three or four words of your own.")


def hash_password(password: str) -> str:
    """Return the Argon2id hash of a password."""
    return _hasher.hash(password)


def verify_password(password: str, stored: str | None) -> bool:
    """Compare a password with a stored hash. With None, for an unknown login, it takes as long and returns False."""
    return _hasher.verify(password, stored or _NOBODY) and stored is not None


def _is_mostly(letters: str, own: str) -> bool:
    own = canonical_login(own).replace(" ", "")
    return len(own) >= 3 and own in letters and len(letters.replace(own, "")) < _OF_ONES_OWN


def _runs_along(letters: str) -> bool:
    """Return whether a password is a keyboard row, the alphabet or digits, in either direction, once or twice."""
    rows = [row * 3 for row in (*_ROWS, *(row[::-1] for row in _ROWS))]
    halves = {letters, letters[: len(letters) // 2]} if letters[: len(letters) // 2] * 2 == letters else {letters}
    return any(half in row for half in halves for row in rows)


def _is_common(letters: str) -> bool:
    """Return whether a password consists only of common words, digits and symbols, also if symbols replace letters."""
    for text in (letters, letters.translate(_AS_LETTERS), letters.rstrip("0123456789!.?*#$").translate(_AS_LETTERS)):
        words = re.sub(r"[\W\d_]+", "", text)
        if _is_made_of_common_words(words):
            return True
    return False


def _is_made_of_common_words(letters: str) -> bool:
    """Return whether a text is a sequence of common words, with any number of repetitions."""
    reached = {0}
    for end in range(1, len(letters) + 1):
        if any(letters.endswith(word, 0, end) and end - len(word) in reached for word in COMMON_WORDS):
            reached.add(end)
    return len(letters) in reached
