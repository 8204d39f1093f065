"""One of several options in ascending order."""

from __future__ import annotations

from protocol.fields.options import one_option

KIND = one_option("ordinal", "ordinal", "choice", answered_by="one step, lowest first")
