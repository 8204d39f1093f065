/**
 * The commands that a formula may have: such as draw all that they are given, where it is written and in its order. KaTeX knows some
 * eight hundred; those that hide, drop, move, colour, shrink or repeat words, or make others do so, cannot all be listed, so the harmless ones are.
 */

const WORDS = `
  frac dfrac tfrac cfrac binom dbinom tbinom sqrt left right middle begin end hline cr tag
  text textrm textsf texttt textnormal textbf textit textup textmd
  mathrm mathbf mathit mathsf mathtt mathbb mathcal mathfrak mathscr mathnormal boldsymbol bm operatorname
  displaystyle textstyle limits nolimits boxed
  hat widehat tilde widetilde bar overline underline vec dot ddot dddot acute grave breve check mathring overrightarrow overleftarrow
  overbrace underbrace xrightarrow xleftarrow
  quad qquad enspace thinspace medspace thickspace negthinspace space hspace nobreakspace
  ldots cdots vdots ddots dots dotsc dotsb dotsm dotsi
  big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm
  alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu xi omicron pi varpi rho varrho
  sigma varsigma tau upsilon phi varphi chi psi omega
  Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigma Tau Upsilon Phi Chi Psi Omega
  partial nabla infty hbar ell Re Im aleph emptyset varnothing degree circ prime backslash checkmark dagger ddagger star ast bullet
  forall exists nexists neg lnot land lor wedge vee top bot angle measuredangle triangle square
  in notin ni subset subseteq supset supseteq cup cap setminus mid nmid parallel perp
  times div cdot pm mp oplus ominus otimes odot
  le leq ge geq lt gt ll gg ne neq equiv approx sim simeq cong propto doteq leqslant geqslant lesssim gtrsim asymp colon
  to gets rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow longrightarrow longleftarrow mapsto uparrow downarrow
  updownarrow Uparrow Downarrow nearrow searrow swarrow nwarrow iff implies rightleftharpoons
  sum prod coprod int iint iiint oint bigcup bigcap
  lim limsup liminf min max inf sup arg argmin argmax det dim exp ln log lg sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh
  Pr gcd deg ker hom
  langle rangle lfloor rfloor lceil rceil lvert rvert lVert rVert vert Vert lbrace rbrace lbrack rbrack
`;
const COMMANDS = new Set(WORDS.trim().split(/\s+/).map((word) => `\\${word}`));
/** Of one sign: spaces, braces, a line's end, signs that have a meaning without the backslash. */
const SIGNS = new Set([..."\\,;:! {}|%$#&_"].map((sign) => `\\${sign}`));

/** A number of the formula, at its end. */
const TAG_AT_THE_END = /\\tag\s*\{\d{1,3}[a-z]?\}\s*$/;
/** The degree of a root that is drawn where it is not read as part of the words. */
const ROOT = /\\sqrt\s*\[(?!\s*(?:\d{1,2}|[a-z])\s*\])/;
/** Letters that are written from right to left, and signs that turn the direction: what is beside them may change its place. */
const TURNS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud802\ud803\ud83a\ud83b]/;

/** Whether a formula has nothing but commands that draw what is written, where it is written. @param {string} content */
export function hasKnownCommands(content) {
  if (TURNS.test(content) || ROOT.test(content)) return false;
  /** @type {string[]} */
  const commands = content.match(/\\(?:[A-Za-z@]+|[^])/g) ?? [];
  if (!commands.every((command) => COMMANDS.has(command) || SIGNS.has(command))) return false;
  return !commands.includes("\\tag") || (commands.indexOf("\\tag") === commands.lastIndexOf("\\tag") && TAG_AT_THE_END.test(content));
}
