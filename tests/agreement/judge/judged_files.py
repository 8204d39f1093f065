"""How a judge's files are written, and a run is checked against a certificate."""

from agreement.judge.__main__ import main


def written(path, rows, headings):
    path.write_text("\n".join([headings, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


BASIC = ("--human", "h1,h2,h3", "--judge", "judge", "--model", "model", "--item", "item", "--resamples", "200")


def checked(files, certified, run, capsys, *options):
    same = ("--judge-model", "gpt-5-mini-2026-08", "--prompt", str(files / "prompt.txt"))
    status = main(["check", str(certified), str(run), *(options or same)])
    return status, capsys.readouterr().out


def leaving_out(files, target, every, word=""):
    """The same run in which one of so many verdicts is missing."""
    lines = (files / "same.csv").read_text().splitlines()
    rows = [f"{line.rpartition(',')[0]},{word}" if place % every == 0 else line for place, line in enumerate(lines[1:])]
    target.write_text("\n".join([lines[0], *rows]) + "\n")
    return target
