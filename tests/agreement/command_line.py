"""A file of ratings, and what python -m agreement prints of one."""

import json

from agreement.__main__ import main

CSV = """item,rater,verdict,reference,cluster
1,ann,yes,yes,s1
1,bob,yes,yes,s1
2,ann,no,yes,s1
2,bob,yes,yes,s1
3,ann,no,no,s2
3,bob,no,no,s2
4,ann,,no,s3
4,bob,no,no,s3
5,ann,yes,no,s3
5,bob,no,no,s3
"""


def printed(capsys, *arguments):
    code = main([*map(str, arguments), "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert code == 0
    return {(row["name"], *row["raters"]): row for row in rows}
