"""Import warnings about what the tables of a study folder give away by how they are written or ordered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from exchange.refusal import listed, shown
from exchange.study_folder.folder_rows import CandidateRow, CaseRow, PairRow, ReferenceRow
from exchange.study_folder.item_table import ItemRow
from protocol.fields.yes_no import YES_NO
from protocol.language.expansion import Expansion
from protocol.language.narrowing import selected_by, told_by_selection
from protocol.language.results import values_as_stored
from protocol.language.things import shows_the_reference

# With fewer items, a pattern may be chance.
_FEWEST_ITEMS = 5


def telling_options(items: Sequence[ItemRow], references: Sequence[ReferenceRow], *, shuffled: bool) -> Iterator[str]:
    """Yield warnings if the id or position of an option shows that it is right: browsers get ids with the texts.

    An id that means the same text in all items is just an answer that is often right, and reveals nothing on its own.

    Parameters
    ----------
    shuffled
        Whether each rater sees options in an order of their own.
    """
    accepted: Mapping[str, list[tuple[str, ...]]] = {
        row.item: [row.accepted, *(part.accepted for part in row.fields)] for row in references
    }
    right = []
    for item in items:
        # Yes and No always keep their usual order.
        if item.options == YES_NO:
            continue
        ids = [option for option, _ in item.options]
        ways = [way for way in accepted.get(item.key, ()) if len(way) == 1 and way[0] in ids]
        if len(ids) > 1 and len(ways) == 1:
            ((only,),) = ways
            right.append((only, dict(item.options)[only], ids.index(only)))
    if len(right) < _FEWEST_ITEMS:
        return
    named, texts, places = (set(each) for each in zip(*right, strict=True))
    if len(named) == 1 and len(texts) > 1:
        yield (
            f"items.csv: of all {len(right)} items with options of their own and one right answer, that is option "
            f"'{shown(next(iter(named)))}', with unlike texts; ids reach the browser, so give each answer an id that "
            "says nothing of whether it is right."
        )
    if len(places) == 1 and len(texts) > 1 and not shuffled:
        yield (
            f"items.csv: of all {len(right)} items with options of their own and one right answer, that is listed in "
            f"place {next(iter(places)) + 1}, and options are shown in the order of the table; list them in an order "
            "that says nothing, or let shuffle_options deal them."
        )


def telling_order(
    study: Expansion, cases: Sequence[CaseRow], items: Sequence[ItemRow], references: Sequence[ReferenceRow]
) -> Iterator[str]:
    """Yield the phases that show everything in table order although that is sorted by what tells the reference."""
    as_listed = [f"'{phase.key}'" for phase in study.phases if phase.order == "as_listed"]
    if not as_listed:
        return
    accepted = _accepted(references)
    real = [item for item in items if not item.practice]
    said = _attributes_of(real, cases)
    columns = {
        attribute.key: [row.get(attribute.key, "") for row in said]
        for attribute in study.attributes
        if attribute.tells_reference
    }
    columns["the reference"] = [accepted.get(item.key, "") for item in real]
    by = [key for key, values in columns.items() if _is_sorted(values)]
    if by:
        yield (
            f"items.csv: the lines are sorted by {listed(by)}, and rated as listed in {listed(as_listed)}; "
            "anybody who notices where it changes can tell what the others are: mix the lines, or use random order."
        )


def telling_columns(
    study: Expansion, cases: Sequence[CaseRow], items: Sequence[ItemRow], references: Sequence[ReferenceRow]
) -> Iterator[str]:
    """Yield the columns shown on a screen whose values determine the reference although none is declared to tell it."""
    blind = [phase for phase in study.phases if not shows_the_reference(set(phase.shows))]
    shown_somewhere = {thing for phase in blind for thing in phase.shows}
    accepted = _accepted(references)
    real = [item for item in items if not item.practice and item.key in accepted]
    said = _attributes_of(real, cases)
    columns = {
        attribute.key: [row.get(attribute.key, "") for row in said]
        for attribute in study.attributes
        if attribute.key in shown_somewhere and not attribute.tells_reference
    }
    if any(phase.form == "as_item" for phase in blind):
        columns["form"] = [item.form for item in real]
    right = [accepted[item.key] for item in real]
    for key, values in columns.items():
        if _is_settled_by(values, right):
            mend = "ask alike of all" if key == "form" else "write tells: reference, or do not show it"
            yield (
                f"items.csv: each value of {shown(key)}, which is on the screen, has one reference in all {len(real)} "
                f"items that have any; anybody who notices knows the reference: {mend}."
            )


def telling_candidates(study: Expansion, candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield the orders and shown columns by which answers of one model, or right answers, can be recognised."""
    rows = [row for row in candidates if row.answer]
    said = [dict(row.attributes) for row in rows]
    models = [row.model for row in rows]
    as_listed = [
        f"'{phase.key}'" for phase in study.phases if phase.order == "as_listed" and phase.rates == ["candidates"]
    ]
    of_candidates = [attribute for attribute in study.attributes if attribute.table == "candidates"]
    columns = {each.key: [row.get(each.key, "") for row in said] for each in of_candidates if each.tells_reference}
    by = [key for key, values in {"model": models, **columns}.items() if _is_sorted(values)]
    if by and as_listed:
        yield (
            f"candidates.csv: the lines are sorted by {listed(by)}, and rated as listed in {listed(as_listed)}; "
            "anybody who notices where it changes knows which answers go together: mix the lines, or use random order."
        )
    shown_somewhere = {thing for phase in study.phases for thing in phase.shows}
    for attribute in of_candidates:
        key = attribute.key
        if key in shown_somewhere and _is_settled_by([row.get(key, "") for row in said], models):
            yield (
                f"candidates.csv: each value of {shown(key)}, which is on the screen, has one model in all {len(rows)} "
                "answers; anybody who notices knows which answers are of one model: do not show it."
            )


def telling_parts(
    study: Expansion, cases: Sequence[CaseRow], items: Sequence[ItemRow], references: Sequence[ReferenceRow]
) -> Iterator[str]:
    """Yield the blind phases that select items with a single reference although other items have others."""
    accepted = _accepted(references)
    real = [item for item in items if not item.practice and item.key in accepted]
    subject_of = {case.key: case.subject for case in cases}
    columns = [
        {
            "category": item.category,
            "grounding": item.grounding,
            "subject": subject_of.get(item.case, ""),
            "conversation": item.conversation or "",
        }
        | said
        for item, said in zip(real, _attributes_of(real, cases), strict=True)
    ]
    for phase in study.phases:
        selected = {
            key: set(values_as_stored(key, sorted(values), study.attributes))
            for key, values in selected_by(study, phase).items()
            if all(key in row for row in columns)
        }
        # Selections by what tells the reference are reported elsewhere.
        if not selected or shows_the_reference(set(phase.shows)) or told_by_selection(study, phase):
            continue
        there = [all(row[key] in values for key, values in selected.items()) for row in columns]
        right = {accepted[item.key] for item, is_there in zip(real, there, strict=True) if is_there}
        if sum(there) >= _FEWEST_ITEMS and len(right) == 1 < len(set(accepted.values())):
            yield (
                f"items.csv: all {sum(there)} items with a reference that phase '{phase.key}' selects "
                f"({listed(sorted(selected))}) have one, '{shown(next(iter(right)))}'; anybody who notices knows "
                "the reference of each: mix in others."
            )


def _accepted(references: Sequence[ReferenceRow]) -> dict[str, str]:
    """Return the accepted answers of each item with a reference, as one text."""
    return {row.item: "|".join(row.accepted) for row in references if row.accepted}


def _attributes_of(items: Sequence[ItemRow], cases: Sequence[CaseRow]) -> list[dict[str, str]]:
    """Return the attributes of each item: those of its case and its own."""
    of_case = {case.key: dict(case.attributes) for case in cases}
    return [of_case.get(item.case, {}) | dict(item.attributes) for item in items]


def _is_settled_by(values: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether each of several values has one right answer, and there are several right answers."""
    both = set(zip(values, right, strict=True))
    kinds = len(set(values))
    often = len(values) >= max(_FEWEST_ITEMS, 2 * kinds)
    return often and len(both) == kinds > 1 and len(set(right)) > 1


def _is_sorted(values: Sequence[str]) -> bool:
    """Return whether each of several values forms one uninterrupted run, and most occur more than once."""
    some = [value for value in values if value]
    runs = 1 + sum(former != other for former, other in pairwise(some))
    kinds = len(set(some))
    return len(some) >= _FEWEST_ITEMS and 1 < kinds == runs and len(some) >= 2 * kinds


def alike_pairs(pairs: Sequence[PairRow], candidates: Sequence[CandidateRow]) -> Iterator[str]:
    """Yield the pairs of the table whose two answers are identical word for word."""
    answers = {row.key: " ".join(row.answer.split()) for row in candidates}
    alike = [row.key for row in pairs if answers.get(row.first) and answers[row.first] == answers.get(row.second)]
    if alike:
        named = listed([f"'{shown(key)}'" for key in alike])
        yield (
            f"pairs.csv: the two answers of {named} are the same word for word, "
            "so that neither can be better; remove such pairs, or expect ties there."
        )


def right_and_wrong_pairs(
    telling: Sequence[str],
    pairs: Sequence[PairRow],
    candidates: Sequence[CandidateRow],
    items: Sequence[ItemRow],
    references: Sequence[ReferenceRow],
) -> Iterator[str]:
    """Yield warnings if each pair of the table is a right and a wrong answer, by a column or by the references.

    An answer is right if it is an accepted answer, or the text of an accepted option, word for word.

    Parameters
    ----------
    telling
        Columns of candidates that tell the reference.
    """
    if len(pairs) < _FEWEST_ITEMS:
        return
    by_key = {row.key: row for row in candidates}
    said = {row.key: dict(row.attributes) for row in candidates}
    right = _right_answers(items, references)

    def is_right(key: str) -> bool:
        return _plain(by_key[key].answer) in right[by_key[key].item]

    # If a column has only two values, two answers that differ in it are a right one and a wrong one.
    by = [
        column
        for column in telling
        if len({values.get(column) for values in said.values()}) == 2
        and all(said[row.first].get(column) != said[row.second].get(column) for row in pairs)
    ]
    if not by and all(row.item in right and is_right(row.first) != is_right(row.second) for row in pairs):
        by = ["the reference"]
    if by:
        yield (
            f"pairs.csv: by {listed(by)}, each of its {len(pairs)} pairs is a right answer and a wrong one; anybody "
            "who notices knows that one is right, so neither and tie can hardly be right: add pairs of two right and "
            "of two wrong answers, or expect neither and tie to say little."
        )


def _right_answers(items: Sequence[ItemRow], references: Sequence[ReferenceRow]) -> dict[str, set[str]]:
    """Return what counts as right, by item: the accepted answers and the texts of accepted options."""
    texts = {item.key: dict(item.options) for item in items}
    right: dict[str, set[str]] = {}
    for row in references:
        accepted = {answer for way in (row.accepted, *(part.accepted for part in row.fields)) for answer in way}
        if accepted:
            options = (texts.get(row.item, {}).get(answer, answer) for answer in accepted)
            right[row.item] = {_plain(answer) for answer in (*accepted, *options)}
    return right


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()
