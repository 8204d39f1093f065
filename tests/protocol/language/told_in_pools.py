"""Studies in which pools of answers tell too early who wrote them, each with the two phases and the thing."""

from __future__ import annotations

from tests.protocol.language.told_by_screens import FORM

STRATA = "sample: {strata: model"
ALL = "where: {model: [A, B]}"
# Two pools of the same people's answers, rated by the same others.
OF_TWO_POOLS = f"""
    groups: {{readers: Readers, others: Others}}
    phases:
      - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
      - key: one
        rates: [candidates, answers of read]
        from: {{FIRST}}
        shows: [candidate]
        {FORM}
        by: others
      - key: two
        rates: [candidates, answers of read]
        from: {{SECOND}}
        shows: [candidate]
        {FORM}
        by: others
    """

IN_POOLS = {
    "an attribute of a candidate, before a pool that has it": (
        f"""
        attributes: {{candidates: {{condition: text}}}}
        groups: {{readers: Readers, scorers: Scorers}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: score, rates: candidates, shows: [candidate, condition], {FORM}, by: scorers}}
          - {{key: pool, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: scorers}}
        """,
        ("score", "pool", "'condition'"),
    ),
    "what the authors of answers were shown": (
        f"""
        groups: {{checkers: Checkers, curators: Curators}}
        phases:
          - {{key: check, rates: items, shows: [scans, reference], {FORM}, by: checkers}}
          - {{key: grade, rates: answers of check, shows: [candidate], {FORM}, by: curators}}
          - {{key: own, rates: items, shows: [scans, opinions, candidate], {FORM}, by: curators}}
        """,
        ("grade", "own", "the reference"),
    ),
    "people's answers in a pool": (
        f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
          - {{key: own, rates: items, shows: [scans, candidate], {FORM}, by: others}}
        """,
        ("grade", "own", "what others answered"),
    ),
    "an attribute in a pool that holds the same answers": (
        f"""
        attributes: {{items: {{level: text}}}}
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate, level], {FORM}, by: others}}
          - {{key: own, rates: candidates, shows: [candidate, opinions], {FORM}, by: others}}
        """,
        ("grade", "own", "'level'"),
    ),
    "models' answers by themselves, before a pool that has them": (
        f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: score, rates: candidates, shows: [candidate], {FORM}, by: others}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
        """,
        ("score", "grade", "whether people or models wrote an answer"),
    ),
    "people's answers by themselves, before a pool that has them": (
        f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: score, rates: answers of read, shows: [candidate], {FORM}, by: others}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
        """,
        ("score", "grade", "whether people or models wrote an answer"),
    ),
    "people's opinions, before a pool that has them": (
        f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: see, rates: items, from: {{phase: read}}, shows: [scans, opinions], {FORM}, by: others}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
        """,
        ("see", "grade", "whether people or models wrote an answer"),
    ),
    "pairs of models' answers, before a pool that has them": (
        f"""
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - {{key: compare, rates: pairs, shows: [candidate], form: {{v: preference}}, by: others}}
          - {{key: grade, rates: [candidates, answers of read], shows: [candidate], {FORM}, by: others}}
        """,
        ("compare", "grade", "whether people or models wrote an answer"),
    ),
    "people's answers that are in two pools, with other models": (
        f"""
        attributes: {{items: {{level: text}}}}
        groups: {{readers: Readers, others: Others}}
        phases:
          - {{key: read, rates: items, shows: [scans], {FORM}, by: readers}}
          - key: grade
            rates: [candidates, answers of read]
            from: {{where: {{model: A}}}}
            shows: [candidate, level]
            {FORM}
            by: others
          - key: more
            rates: [candidates, answers of read]
            from: {{where: {{model: B}}}}
            shows: [candidate]
            {FORM}
            by: others
        """,
        ("grade", "more", "'level'"),
    ),
    "a pool of which people's answers alone come again in another": (
        OF_TWO_POOLS.replace("FIRST", "where: {model: A}").replace("SECOND", "where: {model: B}"),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool of people's answers alone, by its sizes": (
        OF_TWO_POOLS.replace("FIRST", f"{STRATA}, sizes: {{A: 0 %, B: 0 %, (none): all}}}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool of models' answers alone, by its sizes": (
        OF_TWO_POOLS.replace("FIRST", f"{STRATA}, sizes: {{A: 2, B: 2, (none): 0 %}}}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool to which another adds a model alone": (
        OF_TWO_POOLS.replace("FIRST", "where: {model: A}").replace("SECOND", "where: {model: [A, B]}"),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool of all of people's answers and some of models', drawn by sizes": (
        OF_TWO_POOLS.replace("FIRST", f"{STRATA}, sizes: {{A: 2, B: 2, (none): all}}}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool of all of models' answers and some of people's, drawn by sizes": (
        OF_TWO_POOLS.replace("FIRST", f"{STRATA}, sizes: {{A: all, B: all, (none): 5}}}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool that limits models' answers alone": (
        OF_TWO_POOLS.replace("FIRST", "sample: {at_most: {model: 2}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool in which an equal share of each model and of people may be all of people's": (
        OF_TWO_POOLS.replace("FIRST", f"{STRATA}, size: 30, allocation: equal}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool in which a number of people's answers may be all of them": (
        OF_TWO_POOLS.replace("FIRST", f"{STRATA}, sizes: {{A: 2, B: 2, (none): 5}}}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
    "a pool that limits models' answers, in a number that may be all of people's": (
        OF_TWO_POOLS.replace("FIRST", "sample: {size: 30, at_most: {model: 2}}").replace("SECOND", ALL),
        ("one", "two", "whether people or models wrote an answer"),
    ),
}
