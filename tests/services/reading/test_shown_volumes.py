"""A scan's address holds for the hour in which it was made and the next one; a reload gives a new one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from db import Assignment
from services.errors import Conflict, NotFound
from services.installation.tokens import Keys
from services.people.identity import Actor
from services.reading import shown_volumes, submission
from tests.situations import Situation, signed_in


def later(actor: Actor, **passed: float) -> Actor:
    """Return the same login session as it will be when so much more time has passed since it began."""
    assert actor.signed_in_at is not None
    return replace(actor, signed_in_at=actor.signed_in_at - timedelta(**passed))


def token_for(situation: Situation, actor: Actor) -> str:
    payload = submission.current_payload(situation.database, actor, "tiny", "reading")
    return str(payload["images"]["panes"][0]["volumes"][0]["url"]).rsplit("/", 1)[1]


def test_an_address_opens_nothing_after_two_hours_and_a_reload_gives_one_that_does(opened: Situation) -> None:
    rater = signed_in(opened.database, "rater-1")
    token = token_for(opened, rater)

    for minutes in (0, 50, 110):
        assert shown_volumes.volume_in_reach(opened.database, later(rater, minutes=minutes), token).is_file()
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(opened.database, later(rater, minutes=121), token)

    much_later = later(rater, hours=5)
    fresh = token_for(opened, much_later)
    assert fresh != token
    assert shown_volumes.volume_in_reach(opened.database, much_later, fresh).is_file()


def test_addresses_of_the_item_on_the_screen_are_renewed_without_a_reload_and_those_of_no_other(
    opened: Situation,
) -> None:
    rater = opened.raters[0]
    payload = submission.current_payload(opened.database, rater, "tiny", "reading")
    much_later = later(rater, hours=5)

    renewed = shown_volumes.renewed_volumes(opened.database, much_later, payload["assignment"])

    fresh = submission.current_payload(opened.database, much_later, "tiny", "reading")
    assert renewed == {"images": fresh["images"], "prefetch": fresh["prefetch"]}
    with opened.database.read_only() as session:
        waiting = session.exec(select(Assignment).where(Assignment.public_id != payload["assignment"])).all()
    for assignment in waiting:
        with pytest.raises((Conflict, NotFound)):
            shown_volumes.renewed_volumes(opened.database, rater, assignment.public_id)


def test_an_address_of_an_hour_to_come_opens_nothing(opened: Situation) -> None:
    rater = opened.raters[0]
    token = token_for(opened, later(rater, hours=2))

    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(opened.database, rater, token)


def test_the_key_of_a_display_does_not_change_with_the_hour(opened: Situation) -> None:
    rater = opened.raters[0]

    keys = {
        submission.current_payload(opened.database, actor, "tiny", "reading")["key"]
        for actor in (rater, later(rater, hours=30))
    }

    assert len(keys) == 1


def test_volumes_overlays_verdicts_and_revisions_never_share_a_name() -> None:
    keys = Keys("ab" * 32, 1)

    names = {
        keys.volume_token(1), keys.overlay_token(1), keys.idempotency_key("1"), keys.idempotency_key("0|1"),
        keys.revision_key("0", "1"), Keys("ab" * 32, 2).volume_token(1), Keys("cd" * 32, 1).volume_token(1),
        Keys("ab" * 32, 1, hour=1).volume_token(1),
    }  # fmt: skip

    assert len(names) == 8
