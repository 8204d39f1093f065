"""What could be drawn in a study, as units by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.references import ItemReferences
from services.studies.sampling.units import Unit


@dataclass(frozen=True)
class Practised:
    """The form in which a practice item is answered, and what counts as right."""

    form: str
    references: ItemReferences


@dataclass(frozen=True)
class Pool:
    """Everything in a study that could be drawn, as it is stored."""

    items: Mapping[str, Unit]
    # Answers of models, and those of people that are in a pool; no pairs.
    candidates: Mapping[str, Unit]
    # Keys of items that lack something a phase may need.
    without_volumes: frozenset[str]
    without_reference: frozenset[str]
    # The fields that the references of an item name; an empty name for a reference that names none.
    fields_of_reference: Mapping[str, frozenset[str]]
    with_overlays: frozenset[str]
    # Conversation and turn number, by the key of an item that is a turn.
    turns: Mapping[str, tuple[str, int]]
    # Practice items that have a reference, by key.
    practised: Mapping[str, Practised]
    item_ids: Mapping[str, int]
    # Ids of candidates and pairs.
    candidate_ids: Mapping[str, int]
    # All stored pairs of answers, and the keys of those that the tables listed.
    pairs: Mapping[str, Unit] = field(default_factory=dict)
    listed: frozenset[str] = frozenset()
