"""Yes or no."""

from __future__ import annotations

from protocol.fields.options import one_option

# Id and text of the two options, which no protocol has to list.
YES_NO = (("yes", "Yes"), ("no", "No"))

KIND = one_option("yes_no", "nominal", "yes_no", answered_by="yes or no", own_options=YES_NO)
