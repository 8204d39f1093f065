"""What commands print: results, remarks, refusals and progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

if TYPE_CHECKING:
    from services.errors import InputRefused

console = Console(soft_wrap=True, highlight=False)
# Output for people, kept out of standard output, which scripts read.
aside = Console(stderr=True, soft_wrap=True, highlight=False)


def print_problem(sentence: str) -> None:
    """Print one sentence about what is wrong."""
    console.print(sentence, style="bold red", markup=False)


def refuse(sentence: str) -> NoReturn:
    """Print why nothing was done, and end with exit status 1."""
    print_problem(sentence)
    raise typer.Exit(1) from None


def print_problems(refusal: InputRefused) -> None:
    """Print every problem on a line of its own and, beyond a thousand, how many more each file has."""
    for problem in refusal.problems:
        print_problem(str(problem))
    if refusal.unseen:
        print_problem(refusal.unseen)
    more = refusal.not_among(refusal.problems)
    if refusal.count > 1:
        after = f", of which are not listed: {more}" if more else ""
        print_problem(f"{refusal.count} problems{after}. Nothing was stored.")


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """Draw a progress bar that is fed with (done, total, text)."""
    columns = (TextColumn("{task.description:<44}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=1)

        def feed(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=max(total, 1), description=text)

        yield feed
