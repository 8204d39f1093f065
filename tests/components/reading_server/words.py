"""Words that are written in Markdown, and words that try to be more than words."""

from __future__ import annotations

MARKDOWN = """Which of these is **most likely**?

| Sequence | Signal |
|---|---|
| T1 | low |
| T2 | high |

1. the first
2. the second"""
FORMULAS = [
    r"Is $\frac{a}{b} > \sqrt{2}$ here?",
    r"$$E = mc^2$$",
    r"It costs $5 and $10, or \$x\$.",
    r"$\frac{$ stays as it is, and $\nosuch$ too.",
    r"$\href{javascript:window.hit='formula'}{go}$ $\url{/try/beacon?url}$ $\includegraphics{/try/beacon?tex}$",
    r"$\htmlStyle{position:fixed}{x}$ $\htmlData{a=b}{y}$ $\def\a{\a\a}\a$",
    "$" + "{" * 900 + "$",
]
ATTACKS = [
    "<img src=x onerror=\"window.hit='img'\">",
    "<script>window.hit='script'</script>",
    "<b onmouseover=alert(1)>bold</b>",
    "![image](/try/beacon?image)",
    "![image][beacon]\n\n[beacon]: /try/beacon?reference",
    "[words](javascript:window.hit='link')",
    "[words](/try/beacon?link)",
    "<javascript:window.hit='auto'>",
    "<https://elsewhere.example/auto>",
    "https://elsewhere.example/bare",
    "&lt;img src=x onerror=window.hit='entity'&gt;",
    "`<img src=x onerror=window.hit='code'>`",
    "```html onload=window.hit='fence'\n<script>window.hit='fence'</script>\n```",
    "| <img src=x> |\n|---|\n| <svg onload=window.hit='svg'> |",
    "# <iframe src=javascript:window.hit='frame'>",
    ">" * 500 + " deep",
]
