"""Studies in which somebody is told something too early, each with the two phases and the thing."""

from __future__ import annotations

FORM = "form: {v: text}"
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


TELLS_TOO_EARLY = {
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
}
