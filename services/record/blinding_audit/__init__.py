"""The audit of a study's blinding: build every screen that its raters get, and search it for hidden values.

`kinds` defines what is hidden and how each kind is searched for, `hidden` holds the values, `collecting` reads them,
`matching` finds them in texts, `screens` takes apart what a rater would get, `ruling` tells a leak from a text that
may be there, `work` is everything an audit goes through, `result_file` what it writes, and `auditing` runs it.
"""
