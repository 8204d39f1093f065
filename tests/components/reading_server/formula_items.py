"""Words of the stand-in server's items that are about formulas."""

from __future__ import annotations

# What clinicians and models write.
ORDINARY = [
    r"$\frac{1}{2}$",
    r"$10^{3}$",
    r"$3{,}5 \cdot 10^{-6}\ \mathrm{mm^2/s}$",
    r"$\sqrt[3]{a \cdot b \cdot c} \approx 12{,}4\,\text{mm}$",
    r"$\mu = 78\,\mu\mathrm{mol/l}$",
    r"$T_{2}^{*} \neq T_1$, $\alpha \le 0.05$",
    r"$37.5\,^\circ\mathrm{C}$",
    r"$50\,\%$ of $\mathbb{R}$, $\mathcal{L}$, $\mathfrak{g}$ and $\operatorname{SUV}_{\max}$",
    r"$a \hspace{1em} b \\[0.5em] c$",
    r"$\begin{array}{l|c} a & 1 \end{array}$",
    r"$\boxed{42}$",
    r"$\vec{B}_0 \quad \overline{x} \pm \hat{\sigma}$",
    r"$A \xrightarrow{t} B$",
    r"$\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}$",
    r"$\left(\frac{a}{b}\right)^{2}$",
    r"$1{,}2 \times 10^{-3}~\mathrm{mm}^2/\mathrm{s}$, $5 \text{ mm}$ or $5\text{mm}$ or $5\,\mathrm{mm}$",
    r"$A \sin x + \log_{10} y$, $\text{SUV}_{\max} = 4.5$, $T^*_2$, $\text{T}_1$, $\mathrm{H_2O}$, ${}^{18}\text{F}$",
    r"$\text{Dice} = \frac{2|A \cap B|}{|A|+|B|}$, $V = \frac{4}{3}\pi a b c$, $\Delta\text{ADC}$, $5\,\mathrm{\mu m}$",
    r"$\begin{aligned} x &= 1 \\ y &= 2 \end{aligned}$, $n = 1,000$, $x \in [0, 1]$, $f'(x)$, $\|x\|$, $\text{don't}$",
    r"$$V = \frac{\pi}{6} \cdot a \cdot b \cdot c = \begin{cases} 1 & a > 0 \\ 0 & \text{else} \end{cases} \tag{1}$$",
]
# Each would be drawn as another number or word than it says, or without one of its signs.
MISREAD = [
    r"$1{2}$",
    r"$1{}^{}2$",
    r"$1^{}2$",
    r"$1_{\,}2$",
    r"$1\!2$",
    r"$1\hspace{0em}2$",
    r"$1\displaystyle 2$",
    r"$1\text{}2$",
    r"$1\text{2}$",
    r"$1\boxed{2}$",
    r"$\overline{1}2$",
    r"$\overbrace{1}^{a}2$",
    r"$0 . 5$",
    r"$0\middle.5$",
    r"$\left(0\right.5$",
    r"$\text{no}\text{tumour}$",
    r"$\text{in\textbf{oper}able}$",
    r"$\text{n}\text{o}$",
    r"$\text{n}\omicron$",
    r"$un\text{likely}$",
    r"$no x \quad n o \quad nox$",
    r"$5 and 10$",
    r"$~5$",
    r"$p~0.05$",
    r"$\text{--5}$",
    r"$5\frac{}{}3$",
    r"$\overline{\quad}5$",
]
# Each would be drawn beside its own place, over what stands there, larger than it says, or say another thing.
MISPLACED = [
    r"$\raisebox{13em}{\text{Reference: no}}$",
    r"$\raisebox{-9em}{x}$",
    r"$\rule{20em}{20em}$",
    r"$\rule[3em]{1em}{1em}$",
    r"$a\kern-40em b$",
    r"$a\mkern-40mu b$",
    r"$a\hspace{-4em}b$",
    r"$a\hspace{20em}b$",
    r"$a\hskip20em b$",
    r"$a\\[20em]b$",
    r"$a\llap{no}$",
    r"$\rlap{no}b$",
    r"$\mathllap{no}$",
    r"$\mathrlap{no}b$",
    r"$\mathclap{no}$",
    r"$\smash{\frac{a}{b}}$",
    r"$\smash[b]{y}$",
    r"$\colorbox{red}{x}$",
    r"$\fcolorbox{red}{blue}{x}$",
    r"$\genfrac{}{}{20em}{}{a}{b}$",
    r"${\Huge {\Huge {\Huge x}}}$",
    r"$\pmb{x}$",
    r"$\cancel{5}$",
    r"$\textcolor{white}{\text{not}}$",
    r"$\color{#f0f2f6}5$",
    r"$5% of cases NOT shown$",
    r"$>50% NOT\ relevant$",
    r"$a\@firstoftwo{x}{NOT}$",
    r"$a\@secondoftwo{NOT}{b}$",
    r"$a\TextOrMath{NOT}{b}$",
    r"$a\mathchoice{x}{y}{NOT}{NOT}$",
    r"$a\message{NOT}b$",
    r"$a\errmessage{NOT}b$",
    r"$\html@mathml{NOT}{b}$",
    r"$\text{is }\phantom{\text{NOT}}\text{ok}$",
    r"$\tiny{\scriptscriptstyle NOT}$",
    r"$a_{b_{c_{d_{\text{NOT}}}}}$",
    r"$x\phantom{yy}z$",
    r"$\phantom{no}\ \text{lesion}$",
    r"$\phantom{\mathrm{not}}\ \text{malignant}$",
    r"$\text{Lesion is}\ \vphantom{not}\ \text{malignant}$",
    r"$\hphantom{not}a$",
    r"$\smash[no]{\text{lesion}}\cos x\sin y$",
    r"$\show n\show o\ \text{lesion}\ \cos\sin$",
    r"$\text{The lesion is}\tag{not}\ \text{malignant}$",
    r"$\tag*{no} \text{lesion}$",
    r"$\footnotesize\frac{\frac{\frac{\text{not}}{2}}{3}}{4}$",
    r"$x^{\sqrt[\text{no}]{2}}$",
    r"$\sqrt[no]{2}$",
    r"$\not\text{x}$",
    r"$\overset{no}{\text{lesion}}$",
    r"$no lesion$",
    r"$2 no lesion$",
    r"$\mathrm{now here}$",
    r"$\mathbf{not able}$",
    r"$\mathrm{now} here$",
    r"$5 10\ \mathrm{mm}$",
    r"$\text{size}\ 1 2$",
    r"$no {} lesion$",
    r"${no} {lesion}$",
    r"$is a lesion$",
    "$keine L\u00e4sion$",
    "$\u043d\u0435\u0442 \u043e\u0447\u0430\u0433\u0430$",
    "$\\text{\u200f10 / 5\u200f}$",
    "$\\text{\u05d0\u05d1 12 / 3}$",
    "$\\text{a\u202eb}$",
    r"$\href{javascript:window.hit=1}{x}$",
]
DEFINITIONS = [
    r"$\def\a{x}\a$",
    r"$\gdef\a{x}\a$",
    r"$\edef\a{x}\a$",
    r"$\xdef\a{x}\a$",
    r"$\newcommand\a{x}\a$",
    r"$\renewcommand\frac{x}\frac$",
    r"$\providecommand\a{x}\a$",
    r"$\let\a=x\a$",
    r"$\futurelet\a xy$",
    r"$\global\def\a{x}\a$",
]
# As long as a text may be.
LONGEST_TEXT = 20_000


def many(formula: str) -> str:
    """As much of one formula as a text may hold."""
    return " ".join([formula] * (LONGEST_TEXT // (len(formula) + 1)))


HEAVY = {
    "definitions": many("$" + r"\def\a{" + "x" * 1500 + "}" + r"\a" * 190 + "$"),
    "small formulas": many("$x$"),
    "large formulas": many("$" + "x+" * 900 + "x$"),
    "one deep formula": "$" + r"\sqrt{" * 280 + "x" + "}" * 280 + "$",
    "one large matrix": r"$\begin{matrix}" + "&".join("1" * 900) + r"\end{matrix}$",
}
TURN = (
    "Is the ADC below $10^{3}$ and the lesion\nover $\\frac{1}{2}$ cm?\n\n"
    "| a | b |\n|---|---|\n| 1 | 0 |\n\n$$V = \\sqrt{2}$$\n\n$" + "x + " * 40 + "x$"
)
IN_SCORING = {
    "reference": [r"About $\frac{1}{2}$ of $3{,}5 \cdot 10^{-6}\ \mathrm{mm^2/s}$"],
    "candidate": "\n\n".join([r"No, $\sqrt{2}$.", *ORDINARY[1:8], ORDINARY[-1], MISPLACED[0]]),
    "prompt": r"Is $\alpha < 10^{-3}$?",
}
