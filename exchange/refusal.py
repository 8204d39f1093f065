"""The one error that everything which reads a file from outside raises."""

from __future__ import annotations


class InputRefused(ValueError):
    """A file from outside cannot be taken as it is.

    The message is one sentence that names the file and the line or key, what was found, what was expected and
    what to do. It is shown to admins as it stands.
    """
