"""Calibration of a judge from files: ``python -m agreement.judge judged.csv --human A,B --judge J --model MODEL``.

Reads one table, or a table of the judge's verdicts joined to one of the humans' by declared keys, and prints the panels
of `agreement.judge.panels` as text or JSON. It needs neither a server nor a study. ``check certificate.json run.csv``
compares a new run with a certificate.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from threadpoolctl import threadpool_limits

from agreement.judge import missing
from agreement.judge.card import write
from agreement.judge.certificate import certificate, origin_of
from agreement.judge.checking import check
from agreement.judge.judged_file import read_judged, refuse_nothing
from agreement.judge.options import Asked, CheckAsked, asked_of, check_asked_of
from agreement.judge.panels import calibrate
from agreement.judge.printing import report, what_was_read
from agreement.output import print_result

UNUSABLE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the panels, or compare a run with a certificate.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line's by default.

    Returns
    -------
    int
        0; 2 if a file or an option cannot be used. For ``check``: 0 within the certificate, 1 outside, 2 not
        comparable.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["check"]:
            return _check(check_asked_of(given[1:]))
        return _calibrate(asked_of(given))
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        print(f"python -m agreement.judge: {what}", file=sys.stderr)
        return UNUSABLE
    except ValueError as error:
        print(f"python -m agreement.judge: {error}", file=sys.stderr)
        return UNUSABLE


def _calibrate(asked: Asked) -> int:
    judged = read_judged(asked.file, asked.columns, asked.scale, asked.humans_file)
    material = judged.material
    refuse_nothing(material)
    # numpy's threads would only wait for each other on tables as small as those of the labelled candidates
    with threadpool_limits(1, user_api="blas"):
        panels = calibrate(material, asked.plan)
    if asked.certificate is not None:
        document = certificate(material, panels, asked.plan, asked.identity, origin_of(judged, asked.columns))
        write(document, asked.certificate)
        print(f"Written: {asked.certificate} and {asked.certificate.with_suffix('.txt')}", file=sys.stderr)
    if asked.json:
        whole = {
            "read": list(what_was_read(material, asked.plan)),
            missing.KEY: {name: missing.by_model(own, material.models) for name, own in material.judges.items()},
            "panels": [panel.as_dict() for panel in panels.values()],
        }
        print_result(json.dumps(whole, indent=1, allow_nan=False))
    else:
        print_result(report(material, panels, asked.plan, everything=asked.everything))
    return 0


def _check(asked: CheckAsked) -> int:
    result = check(asked)
    print(json.dumps(asdict(result), indent=1, allow_nan=False) if asked.json else result.sentence)
    return result.status


if __name__ == "__main__":
    sys.exit(main())
