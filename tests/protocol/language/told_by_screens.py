"""Studies in which a screen shows somebody something too early, each with the two phases and the thing."""

from __future__ import annotations

FORM = "form: {v: text}"

BY_SCREENS = {
    "a reference before the blind read": (
        f"""
        phases:
          - {{key: score, rates: candidates, shows: [reference, candidate], {FORM}}}
          - {{key: read, rates: items, shows: [scans, prompt], {FORM}}}
        """,
        ("score", "read", "the reference"),
    ),
    "a reference at the same time": (
        f"""
        phases:
          - {{key: read, rates: items, shows: [scans, prompt], {FORM}}}
          - {{key: score, rates: candidates, shows: [reference, candidate], {FORM}, opens: {{at_once: yes}}}}
        """,
        ("score", "read", "the reference"),
    ),
    "a reference when an admin likes": (
        f"""
        phases:
          - {{key: read, rates: items, shows: [scans, prompt], {FORM}}}
          - {{key: check, rates: items, shows: [reference], {FORM}, opens: {{by_admin: yes}}}}
        """,
        ("check", "read", "the reference"),
    ),
    "an explanation after the own answer, before another read": (
        f"""
        phases:
          - {{key: first, rates: items, shows: [scans], {FORM}, then: {{shows: explanation}}}}
          - {{key: second, rates: items, shows: [scans], {FORM}}}
        """,
        ("first", "second", "the explanation of the reference"),
    ),
    "an overlay before a read without it": (
        f"""
        phases:
          - {{key: aided, rates: items, shows: [scans, overlays], {FORM}}}
          - {{key: alone, rates: items, shows: [scans], {FORM}}}
        """,
        ("aided", "alone", "the overlays"),
    ),
    "a candidate before the own answer": (
        f"""
        phases:
          - {{key: score, rates: candidates, shows: [candidate], {FORM}}}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("score", "read", "the answer under judgement"),
    ),
    "others' opinions before the own answer": (
        f"""
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - {{key: meet, rates: items, from: {{phase: read, let_in: differs}}, shows: [scans, opinions], {FORM}}}
          - {{key: again, rates: items, shows: [scans], {FORM}}}
        """,
        ("meet", "again", "what others answered"),
    ),
    "a judge's verdict before scoring": (
        f"""
        phases:
          - {{key: look, rates: candidates, shows: [candidate, judge], {FORM}}}
          - {{key: score, rates: candidates, shows: [candidate], {FORM}}}
        """,
        ("look", "score", "the judge's verdict"),
    ),
    "references under judgement": (
        f"""
        phases:
          - {{key: curate, rates: references, shows: [reference], {FORM}}}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("curate", "read", "the reference"),
    ),
    "an attribute that tells the reference": (
        f"""
        attributes: {{items: {{finding: {{type: text, tells: reference}}}}}}
        phases:
          - {{key: sort, rates: items, shows: [finding], {FORM}}}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("sort", "read", "'finding'"),
    ),
    "an attribute of an item, before its answers are scored without it": (
        f"""
        attributes: {{items: {{tier: text}}}}
        phases:
          - {{key: sort, rates: items, shows: [tier], {FORM}}}
          - {{key: score, rates: candidates, shows: [candidate], {FORM}}}
        """,
        ("sort", "score", "'tier'"),
    ),
    "an attribute of a case, before another phase without it": (
        f"""
        attributes: {{cases: {{site: text}}}}
        phases:
          - {{key: score, rates: candidates, shows: [candidate, site], {FORM}}}
          - {{key: rate, rates: candidates, shows: [candidate], {FORM}}}
        """,
        ("score", "rate", "'site'"),
    ),
    "an attribute of an item that somebody was shown whose opinions are seen": (
        f"""
        attributes: {{items: {{tier: text}}}}
        groups: {{checkers: Checkers, curators: Curators}}
        phases:
          - {{key: check, rates: items, shows: [scans, tier], {FORM}, by: checkers}}
          - {{key: see, rates: items, from: {{phase: check}}, shows: [scans, opinions], {FORM}, by: curators}}
          - {{key: own, rates: items, shows: [scans, opinions], {FORM}, by: curators}}
        """,
        ("see", "own", "'tier'"),
    ),
    "a person of a third group, by way of a second": (
        f"""
        groups: {{readers: {{title: A, may_also_be: b}}, b: {{title: B, may_also_be: scorers}}, scorers: C}}
        phases:
          - {{key: score, rates: candidates, shows: [reference], {FORM}, by: scorers}}
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
        """,
        ("score", "read", "the reference"),
    ),
    "behind a queue that fills while the reads go on": (
        f"""
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, flags: [x]}}
          - key: look
            rates: items
            from: {{phase: read, let_in: flagged}}
            shows: [scans, opinions]
            {FORM}
            opens: {{after: read, done_by: each_unit}}
          - {{key: score, rates: candidates, shows: [reference], {FORM}, opens: {{after: look}}}}
        """,
        ("score", "read", "the reference"),
    ),
    "opinions after the own answer, of people who were shown the reference": (
        f"""
        groups: {{checkers: Checkers, curators: Curators}}
        phases:
          - {{key: check, rates: items, shows: [scans, reference], {FORM}, by: checkers}}
          - key: see
            rates: items
            from: {{phase: check}}
            shows: [scans]
            {FORM}
            then: {{shows: opinions}}
            by: curators
          - {{key: own, rates: items, shows: [scans, opinions], {FORM}, by: curators}}
        """,
        ("see", "own", "the reference"),
    ),
    "a reference that a pilot shows": (
        f"""
        phases:
          - {{key: pilot, rates: items, shows: [scans, reference], {FORM}, counts: no}}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("pilot", "read", "the reference"),
    ),
    "a part of the reference": (
        f"""
        phases:
          - {{key: sort, rates: items, shows: [reference.modality], {FORM}}}
          - {{key: read, rates: items, shows: [scans], {FORM}}}
        """,
        ("sort", "read", "'reference.modality'"),
    ),
    "a group that may also be the other": (
        f"""
        groups: {{readers: Readers, scorers: {{title: Scorers, may_also_be: readers}}}}
        phases:
          - {{key: score, rates: candidates, shows: [reference], {FORM}, by: scorers}}
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
        """,
        ("score", "read", "the reference"),
    ),
    "behind a phase in which only some of the people work": (
        f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - {{key: rate, rates: items, shows: [scans], {FORM}, by: others, opens: {{after: read}}}}
          - {{key: score, rates: candidates, shows: [reference], {FORM}, opens: {{after: rate}}}}
        """,
        ("score", "read", "the reference"),
    ),
    "a queue that fills while its subjects are still read": (
        f"""
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}}}
          - key: review
            rates: items
            from: {{phase: read, let_in: flagged}}
            shows: [reference]
            {FORM}
            opens: {{after: read, done_by: each_unit}}
        """,
        ("review", "read", "the reference"),
    ),
    "opinions of people who were shown the reference": (
        f"""
        groups: {{checkers: Checkers, curators: Curators}}
        phases:
          - {{key: check, rates: items, shows: [scans, reference], {FORM}, by: checkers}}
          - {{key: see, rates: items, from: {{phase: check}}, shows: [scans, opinions], {FORM}, by: curators}}
          - {{key: own, rates: items, shows: [scans, opinions], {FORM}, by: curators}}
        """,
        ("see", "own", "the reference"),
    ),
}
