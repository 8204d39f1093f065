/**
 * Dark or light, for the whole page: the room, what surrounds it, and every page that is opened later. Without a choice it is the
 * system's. Streamlit knows the same two themes; what it shows now is painted over, what it shows next it reads from the browser's storage.
 */

const KEPT = "blindread.theme";

/** @typedef {"dark"|"light"} Theme */
/** @typedef {{base: string, pages: string[]}} Site  where the application begins, and the addresses of its pages below that */

export class Ground {
  /**
   * @param {HTMLElement} room
   * @param {Site} site
   */
  constructor(room, site) {
    this.room = room;
    const { pathname } = new URL(site.base);
    /** Streamlit keeps a theme for each page. */
    this.themes = site.pages.map((page) => `stActiveTheme-${pathname}${page}-v2`);
    this.sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
    this.system = window.matchMedia("(prefers-color-scheme: dark)");
    this.followed = () => chosen() ?? this.wear(this.systems());
    this.system.addEventListener("change", this.followed);
    this.wear(chosen());
  }

  /** @returns {Theme} */
  systems() {
    return this.system.matches ? "dark" : "light";
  }

  /** What is on the screen now. @returns {Theme} */
  get shown() {
    return this.worn ?? this.ofThePage();
  }

  /** What Streamlit shows, as its variables say. @returns {Theme} */
  ofThePage() {
    const probe = document.createElement("i");
    probe.style.color = "var(--st-background-color, #fff)";
    /** @type {Element} */ (this.room.parentElement).append(probe);
    const [red, green, blue] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
    probe.remove();
    return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
  }

  /** Switch to the other one; a reader who returns to the system's setting follows the system again. */
  toggle() {
    const wanted = this.shown === "dark" ? "light" : "dark";
    keep(wanted === this.systems() ? null : wanted, this.themes);
    this.wear(wanted);
  }

  /** @param {Theme|null} theme  null: what the page has */
  wear(theme) {
    this.worn = theme;
    this.room.classList.toggle("dark", theme === "dark");
    this.room.classList.toggle("light", theme === "light");
    if (!theme) return this.sheet.replaceSync("");
    const style = getComputedStyle(this.room);
    const [ink, paper] = ["--ink", "--paper"].map((name) => style.getPropertyValue(name));
    this.sheet.replaceSync(`:root { color-scheme: ${theme}; }
      :root, body, .stApp, .stMain, [data-testid="stAppViewContainer"] { background: ${paper} !important; color: ${ink} !important; }
      .st-key-head :is(p, a, span, button) { color: ${ink} !important; }`);
  }

  /** The next page is Streamlit's alone: it is reloaded if it would have another theme. */
  leave() {
    this.system.removeEventListener("change", this.followed);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
    if (this.worn && this.worn !== this.ofThePage()) window.location.reload();
  }
}

/** @returns {Theme|null} */
function chosen() {
  try {
    const kept = localStorage.getItem(KEPT);
    return kept === "dark" || kept === "light" ? kept : null;
  } catch {
    return null;
  }
}

/** @param {Theme|null} theme @param {string[]} themes  where Streamlit reads it */
function keep(theme, themes) {
  /** @param {string} name @param {string|null} value */
  const put = (name, value) => (value ? localStorage.setItem(name, value) : localStorage.removeItem(name));
  try {
    put(KEPT, theme);
    for (const name of themes) put(name, theme && JSON.stringify(theme === "dark" ? "Dark" : "Light"));
  } catch {
    // Storage can be switched off; the choice then lasts until the page is left.
  }
}
