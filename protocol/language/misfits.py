"""Everything that does not fit together in what an author wrote, with its place in the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

PHASE_ABOVE = "phase above"
_LONGEST = 60


@dataclass
class Misfits:
    """A collection of misfits, each with its place among the keys and one sentence.

    Attributes
    ----------
    phases
        The keys of all phases of the study, each of which may refer only to those above it.
    beside
        Names of parts that are faulty themselves and not checked further, by their word in a sentence.
    noted
        All misfits.
    of_names
        Those of them that are only about a name that nothing has.
    """

    phases: tuple[str, ...] = ()
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)
    noted: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    of_names: list[tuple[tuple[str, ...], str]] = field(default_factory=list)

    def add(self, place: Sequence[str], says: str) -> None:
        """Note a misfit."""
        self.noted.append((tuple(place), says))

    def require(self, place: Sequence[str], name: str, known: Iterable[str], what: str) -> bool:
        """Return whether a name is known; if not, note it with the nearest known name."""
        names = list(known)
        if name in names:
            return True
        if what == PHASE_ABOVE and name in self.phases:
            self._add_name(place, f"the phase '{name}' is not above this one; list it above, or name another.")
            return False
        names += [other for other in self._beside(place, what) if other not in names]
        written = _in_short(name)
        near = get_close_matches(written, names, n=1, cutoff=0.6)
        hint = f" (nearest: '{near[0]}')" if near else ""
        nothing = "none, since the phase is the first" if what == PHASE_ABOVE else "none, since the study declares none"
        expected = ", ".join(names) or nothing
        self._add_name(place, f"there is no {what} '{written}'{hint}, expected {expected}; correct the name.")
        return False

    def _add_name(self, place: Sequence[str], says: str) -> None:
        self.add(place, says)
        self.of_names.append(self.noted[-1])

    def _beside(self, place: Sequence[str], what: str) -> Sequence[str]:
        """Return names of unchecked parts that may have been meant; for phases, those above."""
        if what == PHASE_ABOVE and self.beside and place[0] == "phases":
            return self.phases[: int(place[1])]
        return self.beside.get(what, ())


def _in_short(name: str) -> str:
    """Return a name for use in a sentence, shortened to a line and without invisible characters."""
    text = "".join(sign if sign.isprintable() else "?" for sign in name[: _LONGEST + 1])
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


class DoesNotFit(ValueError):
    """A study cannot be expanded; `misfits` holds every reason."""

    def __init__(self, misfits: Misfits) -> None:
        self.misfits = misfits
        super().__init__("; ".join(f"{'.'.join(place)}: {says}" for place, says in misfits.noted))
