"""Printing of a command's result."""

from __future__ import annotations

import os
import sys


def print_result(text: str) -> None:
    """Print a result; a program that closes the pipe after its first lines, as `head` does, is not an error.

    Parameters
    ----------
    text : str
        What to print.

    Examples
    --------
    >>> print_result("one line")
    one line
    """
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # what is still buffered goes nowhere, so that the interpreter does not complain when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
