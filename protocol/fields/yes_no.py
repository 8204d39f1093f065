"""Yes or no."""

from __future__ import annotations

from protocol.fields.options import one_option

KIND = one_option("yes_no", "nominal")
