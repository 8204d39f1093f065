"""Passwords that are tried first are refused; a few words of one's own are not."""

from __future__ import annotations

import pytest

from services.errors import Conflict
from services.people import passwords
from services.people.passwords import hash_password, require_good_password, verify_password


@pytest.mark.parametrize(
    "password",
    [
        "password123", "Password2024!", "P@ssw0rd1234", "passwort!!!", "1234567890", "0987654321", "qwertyuiop",
        "qwertzuiop", "abcdefghij", "aaaaaaaaaa", "abababababab", "letmein1234", "welcome2026", "Welcome1Welcome1",
        "iloveyou123", "iloveyouiloveyou", "admin12345", "administrator", "radiology2026", "hospital01", "blindread1!",
        "2026-11-22", "!!!!!!!!!!!!", "qwerty12345", "1q2w3e4r5t" * 0 + "asdfghjkl;", "changeme123", "sunshine99!",
    ],
)  # fmt: skip
def test_what_is_tried_first_is_refused(password: str) -> None:
    with pytest.raises(Conflict):
        require_good_password(password, "ada", "Ada Admin")


@pytest.mark.parametrize(
    "password",
    [
        "anna.maier1",
        "Anna.Maier!!",
        "anna.maier@example.org",
        "1anna.maier",
        "ａnna.maier2",
        "AnnaMaier",
        "anna maier 1",
    ],
)
def test_the_login_or_the_name_is_no_password(password: str) -> None:
    with pytest.raises(Conflict):
        require_good_password(password, "anna.maier@example.org", "Anna Maier")


@pytest.mark.parametrize("password", [" " * 12, "\u3000" * 12, "abc" + " " * 20, "\t\n" * 8, ""])
def test_blanks_are_no_password(password: str) -> None:
    with pytest.raises(Conflict, match="characters; choose one with at least 10"):
        require_good_password(password, "ada", "Ada")


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "another password of mine",
        "four quiet lamps",
        "Zugspitze-Regen-7",
        "x9#kQ!2vLp",
        "寒い冬の夜に本を読むのが好き",
    ],
)
def test_words_of_ones_own_are_taken(password: str) -> None:
    require_good_password(password, "ada", "Ada Admin")


def test_a_long_password_of_common_words_is_judged_in_one_pass() -> None:
    with pytest.raises(Conflict):
        require_good_password("iloveyou" * 25, "ada", "Ada")
    require_good_password("iloveyou" * 24 + "ßßx", "ada", "Ada")


@pytest.mark.usefixtures("hashes_as_shipped")
def test_an_unknown_login_is_compared_with_a_hash_too() -> None:
    assert not verify_password("anything", None)
    assert verify_password("four quiet lamps", hash_password("four quiet lamps"))


@pytest.mark.usefixtures("hashes_as_shipped")
def test_a_login_that_nobody_has_costs_as_much_as_a_wrong_password() -> None:
    """The hash that is verified then is made as those of people are: the same function, memory and passes."""
    for_nobody, for_somebody = passwords._NOBODY, hash_password("correct horse battery")

    assert for_nobody.split("$")[:4] == for_somebody.split("$")[:4]
    assert [len(part) for part in for_nobody.split("$")] == [len(part) for part in for_somebody.split("$")]
    assert not verify_password("correct horse battery", None)
