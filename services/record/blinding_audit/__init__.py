"""The audit of a study's blinding: every screen that its raters get is built and searched for what they may not know.

`kinds` says what is hidden and how each kind is looked for, `hidden` reads the values, `matching` finds them in texts,
`screens` builds what a rater would get, `ruling` tells a leak from a text that may be there, `work` is all that
an audit goes through, `result_file` what it writes, and `auditing` does it.
"""
