/**
 * The reading room: draws what one payload says, item after item, and tells the server what was answered. One instance
 * lives as long as the page; reruns of the page only hand it payloads.
 */

import { ItemClock } from "./clock.js";
import { h } from "./dom.js";
import { Drafts, stash, unsavedAnswers, unstash } from "./drafts.js";
import { Form } from "./form.js";
import { BINDINGS, MOUSE, bindingOf, isTyping } from "./keys.js";
import { Panes } from "./panes.js";
import { spokenPoint } from "./planes.js";
import { Renderers } from "./renderers.js";
import styles from "./styles.css";
import { Trace } from "./trace.js";
import { Refusal, Transport, clockTime, waitOnline } from "./transport.js";
import { VolumeError, VolumeShelf } from "./volume.js";

/** A second click or Enter that was meant for the item before must not reach the next one. */
const SETTLE = 300;

/** Milliseconds after which images are fetched again when there was no answer; then the reader is asked. */
const FETCH_AGAIN = [1000, 2000, 4000, 8000];

const PHASES = {
  scoring: "Scoring: is the candidate's answer correct?",
  review: "Review: read the item yourself first",
  opinions: "Review: decide between the opinions",
  preview: "Preview: as a rater sees it, nothing is saved",
};

/**
 * @param {HTMLElement} element       drawn into; inside a shadow root or not
 * @param {{payload: any, base: string}} data
 * @returns {{update: (data: {payload: any}) => void, destroy: () => void}}
 */
export function mount(element, data) {
  const room = new Room(element, data.base ?? document.baseURI);
  room.receive(data.payload);
  return {
    update: ({ payload }) => room.receive(payload),
    destroy: () => room.destroy(),
  };
}

class Room {
  constructor(element, base) {
    this.host = element;
    this.transport = new Transport(base);
    this.shelf = new VolumeShelf((url, signal) => this.transport.bytes(url, signal));
    this.renderers = new Renderers((error) => this.rendererFailed(error, "niivue"));
    /** @type {Set<string>} */
    this.finished = new Set();
    /** @type {any} */
    this.payload = null;
    this.stage = "empty";
    this.turn = 0;
    this.leaving = new AbortController();
    this.build();
    this.listen();
  }

  // ---------------------------------------------------------------- what is on the screen

  build() {
    const root = /** @type {Document|ShadowRoot} */ (this.host.getRootNode());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    this.sheet = sheet;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];

    this.panes = new Panes({
      shelf: this.shelf,
      makeRenderer: () => this.renderers.make(),
      onRead: () => this.paintReading(),
      onTrouble: (error, renderer) => this.rendererFailed(error, renderer.name),
    });

    this.bar = h("div", { class: "bar-fill" });
    this.count = h("span", { class: "count" });
    this.phase = h("span", { class: "phase" });
    this.notice = h("span", { class: "notice" });
    this.receipt = h("span", { class: "receipt", role: "status" });
    this.progress = h("div", { class: "bar", role: "progressbar", "aria-label": "Items done", "aria-valuemin": "0" }, this.bar);
    const head = h("header", { class: "head" }, this.progress, this.count, this.phase, this.notice, this.receipt);

    this.cover = h("div", { class: "cover" });
    this.tools = this.makeTools();
    this.reading = h("span", { class: "reading" });
    this.rendererLine = h("button", { type: "button", class: "renderer", onclick: () => this.act("renderer"), title: "Change the renderer (G)" });
    this.images = h("section", { class: "images", "aria-label": "Images" },
      h("div", { class: "stage-area" }, this.panes.element, this.cover),
      h("div", { class: "toolbar" }, ...this.tools.list, h("span", { class: "spring" }), this.reading, this.rendererLine));
    this.cards = h("section", { class: "cards", hidden: true });

    this.brief = h("div", { class: "brief" });
    this.formPlace = h("div", { class: "form-place" });
    this.footPlace = h("div", { class: "foot-place" });
    this.alert = h("div", { class: "alert", role: "alert", hidden: true });
    this.draftLine = h("p", { class: "draft-line", "aria-live": "polite" });
    this.side = h("section", { class: "side", "aria-label": "Prompt and form" },
      this.brief, this.formPlace, h("div", { class: "foot" }, this.alert, this.footPlace, this.draftLine));

    this.help = this.makeHelp();
    this.body = h("div", { class: "body" }, this.images, this.cards, this.side);
    this.element = h("div", { class: "room", tabIndex: -1 }, head, this.body, this.help);
    this.host.append(this.element);
    this.fit();
    this.paintRenderer();
  }

  makeTools() {
    const tool = (action, words, key, value) =>
      h("button", { type: "button", class: "tool", title: `${words} (${key})`, onclick: () => this.act(action, value) }, words);
    const presets = h("span", { class: "presets", role: "group", "aria-label": "Window presets" });
    const windowMode = tool("windowMode", "Window drag", "W");
    windowMode.setAttribute("aria-pressed", "false");
    const crosshair = tool("crosshair", "Crosshair", "X");
    crosshair.setAttribute("aria-pressed", "true");
    const list = [presets, windowMode, crosshair, tool("maximise", "Enlarge", "M"), tool("zoom", "+", "+", 1.25),
      tool("zoom", "−", "-", 0.8), tool("reset", "Reset", "R"), tool("help", "Keys", "?")];
    return { list, presets, windowMode, crosshair };
  }

  makeHelp() {
    const groups = [...new Set(BINDINGS.map((binding) => binding.group))];
    const table = (title, rows) => h("div", {}, h("h3", {}, title), h("dl", {}, ...rows.flatMap(([shown, does]) => [
      h("dt", {}, h("kbd", {}, shown)), h("dd", {}, does)])));
    const close = h("button", { type: "button", class: "quiet", onclick: () => this.act("help") }, "Close");
    return h("div", { class: "help", role: "dialog", "aria-label": "Keys and mouse", hidden: true },
      h("div", { class: "help-head" }, h("h2", {}, "Keys and mouse"), close),
      h("div", { class: "help-body" },
        ...groups.map((group) => table(group, BINDINGS.filter((b) => b.group === group).map((b) => [b.shown, b.does]))),
        table("Mouse", MOUSE)));
  }

  /** As high as the window leaves room for, so that nothing has to be scrolled. */
  fit() {
    const top = this.host.getBoundingClientRect().top;
    const room = window.innerHeight - Math.max(0, Math.min(top, window.innerHeight * 0.3)) - spaceBelow(this.host);
    this.element.style.height = `${Math.max(480, Math.floor(room))}px`;
    this.element.classList.toggle("narrow", this.element.clientWidth < 1300);
  }

  listen() {
    const { signal } = this.leaving;
    window.addEventListener("keydown", (event) => this.key(event), { capture: true, signal });
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"]) {
      window.addEventListener(kind, () => this.clock?.touch(), { capture: true, passive: true, signal });
    }
    document.addEventListener("visibilitychange", () => {
      this.clock?.visibility();
      if (document.hidden) this.drafts?.flush();
    }, { signal });
    window.addEventListener("pagehide", () => {
      this.drafts?.leave();
      if (this.stage === "open") this.clock?.keep();
    }, { signal });
    window.addEventListener("resize", () => this.fit(), { signal });
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.host);
  }

  // ---------------------------------------------------------------- payloads

  /**
   * A payload from a rerun of the page. The same assignment, or one that this room has finished, changes nothing.
   *
   * @param {any} payload
   */
  receive(payload) {
    if (!payload) return;
    const { payload: now } = this;
    if (payload.phase === "preview") {
      if (JSON.stringify(payload) !== JSON.stringify(now)) this.show(payload);
      return;
    }
    if (payload.kind === "item") {
      if (this.finished.has(`${payload.assignment} ${payload.phase}`)) return;
      if (now?.kind === "item" && now.assignment === payload.assignment && now.phase === payload.phase) return;
    } else if (now?.kind === "done" || this.stage === "sending") return;
    this.show(payload);
  }

  /** @param {any} payload */
  show(payload) {
    const turn = ++this.turn;
    const focused = /** @type {Document|ShadowRoot} */ (this.host.getRootNode()).activeElement;
    // The focus must not stay behind in a form that is gone, nor land in the next one.
    if (focused && this.element.contains(focused)) this.element.focus({ preventScroll: true });
    this.drafts?.leave();
    this.drafts?.close();
    this.clock = null;
    this.drafts = null;
    this.payload = payload;
    this.panes.clear();
    this.reading.textContent = "";
    this.say(null);
    this.draftLine.textContent = "";
    this.paintHead(payload);
    if (payload.kind === "done") return this.showDone(payload);

    this.stage = "loading";
    this.started = performance.now();
    this.trace = new Trace();
    this.clock = new ItemClock(payload.assignment);
    this.paintBrief(payload);
    this.form = new Form(payload.form, {
      onChange: (answers, delay) => this.drafts?.change(answers, delay),
      onSubmit: () => this.submit(),
      crosshair: {
        get: () => (this.panes.images ? [...this.panes.crosshair] : null),
        set: (mm) => this.panes.moveCrosshair(mm),
      },
      preview: payload.phase === "preview",
    });
    this.formPlace.replaceChildren(this.form.element);
    this.formPlace.scrollTop = 0;
    this.footPlace.replaceChildren(this.form.foot);
    const kept = payload.phase === "preview" ? null : unsavedAnswers(payload.assignment, payload.draft?.sequence ?? 0);
    this.form.write(kept ?? payload.draft?.answers);
    this.kept = kept;
    const pictured = Boolean(payload.images);
    this.images.hidden = !pictured;
    this.cards.hidden = pictured;
    this.body.classList.toggle("words", !pictured);
    if (pictured) this.loadImages(turn);
    else this.displayed(turn);
  }

  showDone(payload) {
    this.stage = "done";
    this.images.hidden = true;
    this.cards.hidden = false;
    this.body.classList.add("alone");
    this.cards.replaceChildren(h("div", { class: "done" }, h("h2", {}, payload.title), h("p", {}, payload.message)));
    this.brief.replaceChildren();
    this.formPlace.replaceChildren();
    this.footPlace.replaceChildren();
    this.side.hidden = true;
  }

  paintHead(payload) {
    const { done = 0, total = 0 } = payload.progress ?? {};
    this.bar.style.width = `${total ? (100 * done) / total : 0}%`;
    this.progress.setAttribute("aria-valuemax", String(total));
    this.progress.setAttribute("aria-valuenow", String(done));
    const left = total - done;
    this.count.textContent = total ? `${done} of ${total} done · ${left === 1 ? "1 item" : `${left} items`} left` : "";
    this.phase.textContent = PHASES[payload.phase] ?? "";
    this.notice.textContent = payload.notice ?? "";
  }

  paintBrief(payload) {
    this.side.hidden = false;
    this.body.classList.remove("alone");
    const facts = payload.context?.facts ?? [];
    const vignette = payload.context?.vignette;
    const lines = (pairs) => h("dl", { class: "facts" }, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    const prompt = h("p", { class: "prompt" }, payload.prompt);
    const opinions = payload.opinions?.length ? opinionTable(payload.own ?? [], payload.opinions) : null;
    const context = [facts.length > 0 && lines(facts), vignette && h("p", { class: "vignette" }, vignette)];
    if (payload.images) {
      this.brief.replaceChildren(...[...context, prompt, opinions].filter(Boolean));
      return;
    }
    this.brief.replaceChildren();
    const card = (title, ...content) => h("article", { class: "card" }, h("h3", {}, title), ...content);
    const accepted = payload.reference;
    this.cards.replaceChildren(
      card("Prompt", ...[...context, prompt].filter(Boolean)),
      h("div", { class: "pair" },
        accepted && card(accepted.length > 1 ? "Reference (any of these is right)" : "Reference",
          ...accepted.map((answer) => h("p", { class: "answer" }, answer))),
        payload.candidate !== null && payload.candidate !== undefined && card("Candidate's answer", h("p", { class: "answer" }, payload.candidate))),
      ...[opinions].filter(Boolean));
  }

  paintPresets() {
    const presets = this.payload.images?.presets ?? [];
    this.tools.presets.replaceChildren(...presets.slice(0, 9).map((preset, i) =>
      h("button", { type: "button", class: "tool", title: `Window: ${preset.label} (Shift ${i + 1})`, onclick: () => this.act("preset", i + 1) }, preset.label)));
  }

  paintReading() {
    const reading = this.panes.images && this.panes.crosshair;
    if (!reading) return;
    this.reading.textContent = spokenPoint(reading);
  }

  paintRenderer() {
    this.rendererLine.textContent = this.renderers.line();
    this.rendererLine.title = `${this.renderers.line()}: change the renderer (G)`;
    this.rendererLine.disabled = !this.renderers.canChange();
  }

  // ---------------------------------------------------------------- images

  /** @param {number} turn @param {number} [attempt] */
  async loadImages(turn, attempt = 0) {
    const { payload } = this;
    this.paintPresets();
    const urls = payload.images.panes.flatMap((pane) => pane.volumes.map(({ url }) => url));
    this.shelf.tidy([...urls, ...(payload.prefetch ?? [])]);
    if (!attempt) this.coverWith("Loading the images …");
    let drawn = false;
    try {
      drawn = await this.panes.show(payload.images, this.trace);
    } catch (error) {
      if (turn !== this.turn) return;
      if (!(error instanceof Refusal) || error.status !== 0 || attempt >= FETCH_AGAIN.length) {
        this.imagesFailed(turn, /** @type {Error} */ (error));
        return;
      }
      this.coverWith("The server does not answer; trying again …");
      await waitOnline(FETCH_AGAIN[attempt]);
      if (turn === this.turn) this.loadImages(turn, attempt + 1);
      return;
    }
    if (!drawn || turn !== this.turn) return;
    this.cover.hidden = true;
    await painted();
    if (turn === this.turn) this.displayed(turn);
  }

  coverWith(...content) {
    this.cover.hidden = false;
    this.cover.replaceChildren(h("div", { class: "cover-box", role: "status" }, ...content));
  }

  /** @param {number} turn @param {Error} error */
  imagesFailed(turn, error) {
    this.panes.clear();
    if (error instanceof Refusal && error.status === 401) {
      this.coverWith("The images come back when you have signed in again.");
      return this.signedOut();
    }
    const told = error instanceof Refusal || error instanceof VolumeError;
    const why = told ? error.message : "The browser could not draw them.";
    if (!told) console.error(error);
    const buttons = [h("button", { type: "button", class: "main", onclick: () => this.loadImages(turn) }, "Try again")];
    if (this.payload.phase !== "preview") {
      buttons.push(h("button", { type: "button", class: "plain", onclick: () => this.reportFailure(turn, why) }, "Cannot be shown: report and go on"));
    }
    this.coverWith(h("p", {}, `The images cannot be shown. ${why}`), h("div", { class: "cover-buttons" }, ...buttons));
  }

  async reportFailure(turn, reason) {
    const { assignment, key } = this.payload;
    this.coverWith("Reporting …");
    try {
      const answer = await this.transport.postUntilAnswered("reading/failure", { assignment, key, reason: reason.slice(0, 500) }, () =>
        this.coverWith("The server does not answer yet; trying again."));
      if (turn === this.turn) this.goOver(answer.next);
    } catch (error) {
      if (turn === this.turn) this.refused(/** @type {Refusal} */ (error), () => this.reportFailure(turn, reason));
    }
  }

  /**
   * @param {Error} error
   * @param {string} name  of the renderer
   */
  rendererFailed(error, name) {
    console.warn(`The renderer "${name}" gave up:`, error);
    if (name === "canvas") return this.imagesFailed(this.turn, error);
    // With two panes the graphics card is lost twice.
    if (!this.renderers.fallBack()) return;
    this.paintRenderer();
    this.panes.changeRenderer().catch((second) => this.rendererFailed(second, "canvas"));
  }

  // ---------------------------------------------------------------- displayed, draft, verdict

  /** Everything of the item is on the screen: tell the server, then open the form. */
  async displayed(turn) {
    const { payload } = this;
    if (this.loadMs === undefined || this.loadTurn !== turn) {
      this.loadMs = Math.round(performance.now() - this.started);
      this.loadTurn = turn;
    }
    if (payload.phase === "preview") {
      this.stage = "open";
      this.form.setInert(false);
      this.form.say("");
      this.fetchAhead(turn);
      return;
    }
    const { assignment, key } = payload;
    try {
      await this.transport.postUntilAnswered(
        "reading/shown",
        { assignment, key, load_ms: this.loadMs, renderer: this.renderers.kind, viewport: this.viewport() },
        () => turn === this.turn && this.say("The server does not answer yet; trying again. Nothing is lost."));
    } catch (error) {
      if (turn === this.turn) this.refused(/** @type {Refusal} */ (error), () => this.displayed(turn));
      return;
    }
    if (turn !== this.turn) return;
    this.say(null);
    this.drafts = new Drafts(this.transport, assignment, payload.draft?.sequence ?? 0, {
      onState: (text, unsaved) => {
        this.draftLine.textContent = text;
        this.draftLine.classList.toggle("unsaved", unsaved);
      },
      onConflict: (refusal) => this.conflict(refusal),
      onSignedOut: () => this.signedOut(),
    });
    if (this.kept) this.drafts.change(this.kept, 0);
    this.clock?.start();
    this.goOn();
    this.openedAt = performance.now();
    this.fetchAhead(turn);
  }

  /** The form is open (again). */
  goOn() {
    this.stage = "open";
    this.say(null);
    this.form.setInert(false);
    if (this.drafts?.stopped) this.drafts.insist(this.form.read());
  }

  /** @param {Refusal} refusal  of a draft: it is older than the server's, or the item is closed */
  conflict(refusal) {
    if (refusal.body.sequence === undefined) return this.refused(refusal, () => this.goOn());
    this.form.setInert(true);
    this.stage = "blocked";
    this.say("This item was changed in another tab or window.",
      ["Load the newest state", () => window.location.reload()],
      ["Keep what is here", () => this.goOn()]);
  }

  async submit() {
    const { payload, turn, form } = this;
    if (this.stage !== "open" || payload.phase === "preview") return;
    if (performance.now() - this.openedAt < SETTLE) return;
    if (!form.check()) return;
    this.stage = "sending";
    form.setInert(true);
    this.drafts?.close();
    this.clock?.stop();
    this.draftLine.textContent = "Saving …";
    const body = {
      assignment: payload.assignment,
      key: payload.key,
      answers: form.verdict(),
      ...this.clock?.reading(),
      load_ms: this.loadMs,
      renderer: this.renderers.kind,
      viewport: this.viewport(),
      trace: this.trace.summary(this.panes.images ? this.panes.crosshair : null),
    };
    await this.send(body, turn);
  }

  async send(body, turn) {
    const { payload } = this;
    let answer;
    try {
      answer = await this.transport.postUntilAnswered("reading/verdict", body, () =>
        turn === this.turn && this.say("No answer from the server yet; trying again. Your answers are kept."));
    } catch (error) {
      const refusal = /** @type {Refusal} */ (error);
      if (turn !== this.turn) return;
      if (refusal.status === 422) this.correct(refusal);
      else this.refused(refusal, () => this.send(body, turn));
      return;
    }
    this.receipt.textContent = `Saved · receipt ${answer.receipt} · ${clockTime(answer.saved_at)}`;
    if (turn === this.turn) this.goOver(answer.next);
    else this.finish(payload);
  }

  /** This assignment is over: a rerun that still carries it changes nothing. */
  finish({ assignment, phase }) {
    this.finished.add(`${assignment} ${phase}`);
    unstash(assignment);
  }

  /** @param {any} next  payload of the next item, or null when the server could not build it */
  goOver(next) {
    this.finish(this.payload);
    if (next) return this.show(next);
    this.stage = "blocked";
    this.panes.clear();
    this.cover.hidden = true;
    this.say("Saved. The next item could not be fetched.", ["Reload the page", () => window.location.reload()]);
  }

  /** The server found the answers incomplete: open the form again and say where. */
  correct(refusal) {
    const { assignment } = this.payload;
    const sequence = this.drafts?.sequence ?? 0;
    this.say(null);
    const { report } = /** @type {Drafts} */ (this.drafts);
    this.drafts = new Drafts(this.transport, assignment, sequence, report);
    this.drafts.change(this.form.read(), 0);
    this.clock?.start();
    this.goOn();
    this.form.point(refusal.body.field, refusal.message);
  }

  /**
   * An answer of the server that will not change by itself.
   *
   * @param {Refusal} refusal
   * @param {() => void} again
   */
  refused(refusal, again) {
    if (refusal.status === 401) return this.signedOut();
    const { next } = refusal.body;
    const elsewhere = next && (next.kind !== "item" || next.assignment !== this.payload.assignment || next.phase !== this.payload.phase);
    if (refusal.status === 409 && elsewhere) {
      this.goOver(next);
      this.receipt.textContent = refusal.message;
      return;
    }
    this.stage = "blocked";
    this.form.setInert(true);
    this.say(refusal.message, ["Try again", again], ["Reload the page", () => window.location.reload()]);
  }

  /** What is on the screen stays in this tab until it is saved, so that a reload after signing in brings it back. */
  signedOut() {
    this.stage = "blocked";
    if (this.payload.phase !== "preview") stash(this.payload.assignment, this.drafts?.sequence ?? this.payload.draft?.sequence ?? 0, this.form.read());
    this.form.setInert(true);
    this.say("You are signed out; your draft is kept.",
      ["Sign in again", this.transport.resolve("sign-in").href],
      ["I have signed in: go on", () => window.location.reload()]);
  }

  viewport() {
    return [window.innerWidth, window.innerHeight];
  }

  /**
   * One sentence over the button, with what can be done about it; null takes it away.
   *
   * @param {string|null} sentence
   * @param {...[string, (() => void)|string]} ways
   */
  say(sentence, ...ways) {
    this.alert.hidden = sentence === null;
    this.alert.replaceChildren(...(sentence === null ? [] : [
      h("p", {}, sentence),
      ...ways.map(([words, way]) => typeof way === "string"
        ? h("a", { class: "plain", href: way }, words)
        : h("button", { type: "button", class: "plain", onclick: way }, words)),
    ]));
  }

  /** In idle time: the other sequences of this item, then the images of the next. */
  fetchAhead(turn) {
    const idle = window.requestIdleCallback ?? ((work) => window.setTimeout(work, 50));
    idle(async () => {
      try {
        await this.panes.fetchRest();
        for (const url of this.payload.prefetch ?? []) {
          if (turn !== this.turn) return;
          await this.panes.prepareAhead(url);
        }
      } catch {
        // Fetched again when it is wanted; the reader is told then.
      }
    });
  }

  // ---------------------------------------------------------------- keys and tools

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.element.isConnected || this.payload?.kind !== "item") return;
    const target = /** @type {Element|null} */ (event.composedPath()[0] instanceof Element ? event.composedPath()[0] : null);
    const ours = target && event.composedPath().includes(this.element);
    if (!ours && target && (isTyping(target) || target.closest("[role=dialog], [role=menu], button, a[href], [role=combobox]"))) return;
    const binding = bindingOf(event, ours ? target : null);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!binding) {
      // The page's own one-letter shortcuts must not fire while somebody reads.
      if (plain && event.key.length === 1 && ours && !isTyping(target)) event.stopPropagation();
      return;
    }
    const value = binding.action === "digit" || binding.action === "preset" ? Number(event.code.replace(/\D/g, "")) : binding.value;
    if (this.act(binding.action, value) !== false) event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Every tool and key ends here.
   *
   * @param {string} action
   * @param {any} [value]
   * @returns {boolean|void} false when the browser may do what it likes
   */
  act(action, value) {
    const { panes, form } = this;
    switch (action) {
      case "digit": return form.digit(value);
      case "takeBack": return form.takeBack();
      case "takePoint": return form.takePoint();
      case "panel": return form.toggle(value);
      case "answer": return form.goToNext();
      case "submit": return void this.submit();
      case "escape": return this.escape();
      case "scroll": return panes.scroll(value);
      case "plane": return panes.nextPlane(value);
      case "pane": return panes.nextPane();
      case "sequence": return panes.nextSequence(value);
      case "preset": return this.preset(value);
      case "window": return panes.moveWindow((value.level ?? 0) * 0.05, (value.width ?? 0) * 0.1);
      case "windowMode":
        panes.windowMode = !panes.windowMode;
        this.tools.windowMode.setAttribute("aria-pressed", String(panes.windowMode));
        return;
      case "zoom": return panes.zoom(value);
      case "maximise": return panes.maximise();
      case "crosshair":
        panes.toggleCrosshair();
        this.tools.crosshair.setAttribute("aria-pressed", String(panes.showsCrosshair));
        return;
      case "reset": return panes.reset();
      case "renderer":
        if (!this.renderers.canChange()) return;
        this.renderers.change();
        this.paintRenderer();
        panes.changeRenderer().catch((error) => this.rendererFailed(error, this.renderers.kind));
        return;
      case "help":
        this.help.hidden = !this.help.hidden;
        if (!this.help.hidden) this.help.querySelector("button")?.focus();
        return;
      default: throw new Error(`There is no action "${action}".`);
    }
  }

  preset(n) {
    const preset = this.payload.images?.presets?.[n - 1];
    if (preset) this.panes.preset(preset.window);
  }

  escape() {
    const focused = /** @type {Document|ShadowRoot} */ (this.host.getRootNode()).activeElement;
    if (!this.help.hidden) this.help.hidden = true;
    else if (focused instanceof HTMLElement && this.element.contains(focused) && focused !== this.element) this.element.focus();
    else if (this.panes.maximised) this.panes.maximise();
    else return false;
  }

  destroy() {
    this.turn += 1;
    this.drafts?.leave();
    this.drafts?.close();
    this.transport.close();
    this.leaving.abort();
    this.watch?.disconnect();
    this.panes.destroy();
    this.shelf.close();
    const root = /** @type {Document|ShadowRoot} */ (this.host.getRootNode());
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
    this.element.remove();
  }
}

/** Longer words than these stand below the table, where they have the whole width. */
const CELL = 24;

/**
 * Own first read and opinions side by side, one row for each thing that was said.
 *
 * @param {[string, string][]} own
 * @param {{name: string, lines: [string, string][]}[]} opinions
 */
function opinionTable(own, opinions) {
  const columns = [...(own.length ? [{ title: "Own first read", lines: own }] : []),
    ...opinions.map(({ name, lines }) => ({ title: `Opinion ${name}`, lines }))];
  const labels = [...new Set(columns.flatMap(({ lines }) => lines.map(([label]) => label)))];
  const said = (lines, label) => lines.find(([other]) => other === label)?.[1] ?? "";
  const wide = labels.filter((label) => columns.some(({ lines }) => said(lines, label).length > CELL));
  const rows = labels.filter((label) => !wide.includes(label));
  return h("div", { class: "opinions" },
    h("table", {},
      h("thead", {}, h("tr", {}, h("td", {}), ...columns.map(({ title }) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, ...rows.map((label) => h("tr", {}, h("th", { scope: "row" }, label),
        ...columns.map(({ lines }) => h("td", {}, said(lines, label) || "–")))))),
    ...wide.flatMap((label) => columns.filter(({ lines }) => said(lines, label)).map(({ title, lines }) =>
      h("p", {}, h("strong", {}, `${title}, ${label.toLowerCase()}: `), said(lines, label)))));
}

/** What the page keeps free below an element: the paddings of all that it lies in. @param {Element} element */
function spaceBelow(element) {
  let space = 0;
  for (let node = element; node && node !== document.body; ) {
    space += parseFloat(getComputedStyle(node).paddingBottom) || 0;
    node = node.parentElement ?? /** @type {any} */ (node.getRootNode()).host;
  }
  return Math.max(8, Math.ceil(space));
}

/** Resolves when the browser has put what was drawn on the screen; a hidden tab waits until it is looked at. */
function painted() {
  return new Promise((resolve) => {
    const soon = () => {
      // Two frames: the first may still belong to the drawing before. Frames can stall, so there is a latest time.
      const timer = setTimeout(resolve, 250);
      requestAnimationFrame(() => requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve(undefined);
      }));
    };
    if (!document.hidden) return soon();
    const seen = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", seen);
      soon();
    };
    document.addEventListener("visibilitychange", seen);
  });
}
