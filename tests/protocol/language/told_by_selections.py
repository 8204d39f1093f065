"""Studies in which the choice of units tells somebody too early, each with the two phases and the thing."""

from __future__ import annotations

from tests.protocol.language.told_by_screens import FORM

BY_SELECTIONS = {
    "what people flagged who were shown the reference": (
        f"""
        groups: {{checkers: Checkers, readers: Readers}}
        phases:
          - {{key: check, rates: items, shows: [reference], {FORM}, flags: {{there: There is one}}, by: checkers}}
          - {{key: look, rates: items, from: {{phase: check, let_in: flagged}}, shows: [prompt], {FORM}, by: readers}}
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
        """,
        ("look", "read", "the reference"),
    ),
    "what people called not assessable who were shown the reference": (
        f"""
        groups: {{checkers: Checkers, readers: Readers}}
        phases:
          - key: check
            rates: items
            shows: [prompt, reference]
            {FORM}
            not_assessable: {{there: There is one}}
            by: checkers
          - key: look
            rates: items
            from: {{phase: check, let_in: not_assessable}}
            shows: [prompt]
            {FORM}
            by: readers
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
        """,
        ("look", "read", "the reference"),
    ),
    "pairs of which one answer is right": (
        f"""
        attributes: {{candidates: {{right: {{type: yes_no, tells: reference}}}}}}
        phases:
          - {{key: compare, rates: pairs, pairs: {{of: right}}, shows: [prompt, candidate], form: {{v: preference}}}}
          - {{key: score, rates: candidates, shows: [prompt, candidate], {FORM}}}
        """,
        ("compare", "score", "'right'"),
    ),
    "pairs of which both answers are right, or both wrong": (
        f"""
        attributes: {{candidates: {{right: {{type: yes_no, tells: reference}}}}}}
        phases:
          - key: compare
            rates: pairs
            pairs: {{of: model, same: right}}
            shows: [prompt, candidate]
            form: {{v: preference}}
          - {{key: score, rates: candidates, shows: [prompt, candidate], {FORM}}}
        """,
        ("compare", "score", "'right'"),
    ),
    "a selection of one value of what tells the reference": (
        f"""
        attributes: {{items: {{finding: {{type: text, tells: reference}}}}}}
        phases:
          - {{key: look, rates: items, from: {{where: {{finding: tumour}}}}, shows: [prompt], {FORM}}}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("look", "read", "'finding'"),
    ),
    "sizes that draw one value of what tells the reference": (
        f"""
        attributes: {{items: {{tier: text, finding: {{type: choice, options: [tumour, none], tells: reference}}}}}}
        phases:
          - key: look
            rates: items
            from: {{sample: {{strata: [tier, finding], sizes: {{1 / tumour: 5, 2 / tumour: all, 1 / none: 0 %}}}}}}
            shows: [prompt]
            {FORM}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("look", "read", "'finding'"),
    ),
    "one value that is left of two selections": (
        f"""
        attributes: {{items: {{finding: {{type: text, tells: reference}}}}}}
        groups: {{readers: Readers, others: Others}}
        phases:
          - key: some
            rates: items
            from: {{where: {{finding: [tumour, stroke]}}}}
            shows: [prompt]
            {FORM}
            by: others
          - key: look
            rates: items
            from: {{phase: some, where: {{finding: [stroke, none]}}}}
            shows: [prompt]
            {FORM}
            by: readers
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
        """,
        ("look", "read", "'finding'"),
    ),
    "a sample that is to be apart from what is drawn later": (
        f"""
        phases:
          - key: score
            rates: candidates
            from: {{sample: {{size: 5, not_in: read}}}}
            shows: [reference]
            {FORM}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("score", "read", "the reference"),
    ),
    "units selected by what others answered": (
        f"""
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - {{key: look, rates: items, from: {{phase: read, let_in: flagged}}, shows: [scans], {FORM}}}
          - {{key: again, rates: items, shows: [scans], {FORM}}}
        """,
        ("look", "again", "what others answered"),
    ),
    "units selected by a result of people who were shown the reference": (
        f"""
        groups: {{checkers: Checkers, curators: Curators}}
        phases:
          - {{key: check, rates: items, shows: [scans, reference], form: {{v: yes_no}}, by: checkers}}
          - {{key: look, rates: items, from: {{where: {{check.v: yes}}}}, shows: [scans], {FORM}, by: curators}}
          - {{key: own, rates: items, shows: [scans, opinions], {FORM}, by: curators}}
        """,
        ("look", "own", "the reference"),
    ),
    "units selected by what people answered who were shown the reference": (
        f"""
        groups: {{checkers: Checkers, curators: Curators}}
        phases:
          - key: check
            rates: items
            shows: [scans, reference]
            form: {{v: yes_no, wrong: {{type: text, required: no}}}}
            by: checkers
          - key: look
            rates: items
            from: {{phase: check, let_in: {{answered: wrong}}}}
            shows: [scans]
            {FORM}
            by: curators
          - {{key: own, rates: items, shows: [scans, opinions], {FORM}, by: curators}}
        """,
        ("look", "own", "the reference"),
    ),
    "such a result, by way of a phase in between": (
        f"""
        groups: {{checkers: Checkers, triage: Triage, curators: Curators}}
        phases:
          - {{key: check, rates: items, shows: [scans, reference], form: {{v: yes_no}}, by: checkers}}
          - key: sort
            rates: items
            from: {{phase: check, where: {{check.v: yes}}}}
            shows: [scans]
            {FORM}
            by: triage
          - {{key: look, rates: items, from: {{phase: sort}}, shows: [scans], {FORM}, by: curators}}
          - {{key: own, rates: items, shows: [scans, opinions], {FORM}, by: curators}}
        """,
        ("look", "own", "the reference"),
    ),
    "what was flagged, by way of a phase in between": (
        f"""
        groups: {{readers: Readers, triage: Triage, curators: Curators}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: sort, rates: items, from: {{phase: read, let_in: flagged}}, shows: [scans], {FORM}, by: triage}}
          - {{key: look, rates: items, from: {{phase: sort}}, shows: [scans], {FORM}, by: curators}}
          - {{key: own, rates: items, shows: [scans], {FORM}, by: curators}}
        """,
        ("look", "own", "what others answered"),
    ),
    "what people did not flag who were shown the reference": (
        f"""
        groups: {{checkers: Checkers, readers: Readers}}
        phases:
          - {{key: check, rates: items, shows: [reference], {FORM}, flags: {{there: There is one}}, by: checkers}}
          - key: sick
            rates: items
            from: {{phase: check, let_in: flagged}}
            shows: [prompt, reference]
            {FORM}
            by: checkers
          - {{key: look, rates: items, from: {{sample: {{not_in: sick}}}}, shows: [prompt], {FORM}, by: readers}}
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
        """,
        ("look", "read", "the reference"),
    ),
}
