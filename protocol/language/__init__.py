"""The language in which a study lists its phases: what authors write, its expansion, the law of blinding, plain words.

`authored` is the content of `protocol.yaml`, `expanding` writes out every default, `law` refuses to show somebody a
thing and then ask them as if they had not seen it, and `sentences` reads the result back.
"""
