"""One of several options in rising order."""

from __future__ import annotations

from protocol.fields import options
from protocol.fields.kind import FieldKind, each_in_words

KIND = FieldKind(
    name="ordinal",
    scale="ordinal",
    check=options.check,
    canonical=options.canonical,
    mark=options.mark,
    in_words=options.in_words,
    reference_in_words=each_in_words,
    problem_of_reference=options.problem_of_reference,
    schema=options.SCHEMA,
)
