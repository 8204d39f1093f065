"""The language in which a study lists its phases: what authors write, its expansion, the law of blinding, plain words.

`authored` is what `protocol.yaml` says, `expanding` writes every default out, `law` refuses what would tell somebody a
thing and ask them afterwards as if they had not been told, and `sentences` reads the result back.
"""
