"""One of several options."""

from __future__ import annotations

from protocol.fields.options import one_option

KIND = one_option("choice", "nominal", "yes_no", "choice")
