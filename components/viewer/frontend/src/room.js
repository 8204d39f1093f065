/**
 * The reading room: draws what one payload says, item after item, and tells the server what was answered. One instance
 * lives as long as the page; reruns of the page only hand it payloads.
 */

import { Actions } from "./actions.js";
import { forgetAside, keepAside, keptAside } from "./aside.js";
import { ItemClock } from "./clock.js";
import { closeConnectionDialogs } from "./connection_dialog.js";
import { Dialogs } from "./dialogs.js";
import { h } from "./dom.js";
import { unsavedAnswers, unstash } from "./drafts.js";
import { Earlier } from "./earlier.js";
import { Form } from "./form.js";
import { ImageLoading } from "./image_loading.js";
import { feedbackPanel } from "./occasions.js";
import { Panes } from "./panes.js";
import { nextPart } from "./parting.js";
import { Pausing } from "./pausing.js";
import { Points } from "./points.js";
import { Renderers } from "./renderers.js";
import { Saving } from "./saving.js";
import { VolumeFiles } from "./volume_files.js";
import { Screen } from "./screen.js";
import { Session, summaryLines } from "./session.js";
import { Stages } from "./stages.js";
import { Trace, continues } from "./trace.js";
import { Transport } from "./transport.js";
import { VolumeShelf } from "./volume.js";

/** @typedef {import("../payload.js").Payload} Payload */
/** @typedef {import("../payload.js").AnyItemPayload} Item */
/** @typedef {import("./transport.js").Refusal} Refusal */

/** A second click or Enter that was meant for the item before must not reach the next one. */
const SETTLE = 300;

export class Room {
  /** @param {HTMLElement} element @param {import("./ground.js").Site} site */
  constructor(element, site) {
    this.transport = new Transport(site.base);
    this.volumeFiles = new VolumeFiles(this);
    this.shelf = new VolumeShelf((url, signal, anew) => this.volumeFiles.bytes(url, signal, anew));
    this.loading = new ImageLoading(this);
    this.saving = new Saving(this);
    this.actions = new Actions(this);
    this.dialogs = new Dialogs(this);
    this.pausing = new Pausing(this);
    this.earlier = new Earlier(this);
    this.session = new Session(this);
    /** @param {string} action @param {any} [value] */
    const act = (action, value) => this.actions.act(action, value);
    this.renderers = new Renderers((error) => this.loading.rendererFailed(error, "niivue"));
    /** @type {Set<string>} */
    this.finished = new Set();
    /** @type {Payload|null} */
    this.payload = null;
    /** @type {Form|null} */
    this.form = null;
    /** @type {ItemClock|null} */
    this.clock = null;
    /** @type {Trace|null} */
    this.trace = null;
    /** @type {import("./drafts.js").Drafts|null} */
    this.drafts = null;
    /** @type {import("./form.js").Answers|null} answers that this tab could not save before it was reloaded */
    this.kept = null;
    /** @type {(() => void)|null} what the first button does where nothing is read */
    this.goNext = null;
    /** @type {Payload|null} what comes after the feedback */
    this.next = null;
    /** @type {string|null} the item behind the practice, or the first of another attempt, that the reader has begun */
    this.begun = null;
    this.started = 0;
    this.openedAt = 0;
    /** @type {number|null} */
    this.loadMs = null;
    this.stages = new Stages();
    /** @type {string|undefined} */
    this.lastAssignment = undefined;
    this.generation = 0;
    this.leaving = new AbortController();
    this.panes = new Panes({
      shelf: this.shelf,
      makeRenderer: () => this.renderers.make(),
      act,
      onRead: () => this.screen.tools.paint(this.panes),
      onTrouble: (error, renderer) => this.loading.rendererFailed(error, renderer.name),
      onRefused: (error, label) => this.loading.refused(error, label),
    });
    this.screen = new Screen(element, this.panes.element, [this.dialogs.element, this.pausing.element], act, site);
    this.screen.paintRenderer(this.renderers);
    this.listen();
  }

  /** The item on the screen; null where nothing is left to be read. @returns {Item|null} */
  get item() {
    return this.payload?.kind === "item" ? this.payload : null;
  }

  get stage() {
    return this.stages.now;
  }

  listen() {
    const { signal } = this.leaving;
    window.addEventListener("keydown", (event) => this.actions.key(event), { capture: true, signal });
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"]) {
      window.addEventListener(kind, () => this.clock?.touch(), { capture: true, passive: true, signal });
    }
    document.addEventListener("visibilitychange", () => {
      this.clock?.visibility();
      if (!document.hidden) return;
      this.drafts?.flush();
      // A browser may put a hidden tab away without another word.
      this.setAside();
    }, { signal });
    window.addEventListener("pagehide", () => {
      this.drafts?.leave();
      this.setAside();
    }, { signal });
    window.addEventListener("resize", () => this.screen.fit(), { signal });
    closeConnectionDialogs(signal);
  }

  /**
   * A payload from a rerun of the page. The same assignment, or one that this room has finished, changes nothing.
   *
   * @param {Payload|null} payload
   */
  receive(payload) {
    if (!payload) return;
    const { payload: now, item } = this;
    if (payload.kind === "item" && payload.phase === "preview") {
      if (JSON.stringify(payload) !== JSON.stringify(now)) this.show(payload);
      return;
    }
    // A rerun carries what comes next in the list; an earlier item that is being revised, or feedback that is being read, stays.
    if (item?.revision || this.stage === "feedback") return;
    if (payload.kind === "item") {
      if (this.finished.has(`${payload.assignment} ${payload.phase}`)) return;
      if (item?.assignment === payload.assignment && item.phase === payload.phase) return;
    } else if (now?.kind === "done" || this.stage === "sending") return;
    // Whoever is answering must not find another item under the hand. What is unsaved stays in the tab: the list may be somebody else's.
    const answering = item && ["open", "blocked"].includes(this.stage) && !this.finished.has(`${item.assignment} ${item.phase}`);
    if (answering) this.offerNext("This item is no longer on your list.", () => this.show(payload));
    else this.show(payload);
  }

  /**
   * The item on the screen was closed elsewhere: nothing more of it is taken, and the next one comes when it is asked for.
   *
   * @param {string} sentence
   * @param {() => void} goOn
   */
  offerNext(sentence, goOn) {
    this.drafts?.close();
    this.block(sentence, ["Continue", goOn]);
  }

  /** A reload, or an earlier item in between: time and trace of this one go on when it comes back. */
  setAside() {
    const { item, clock, trace, stage } = this;
    if (item && clock && trace && stage !== "feedback" && item.phase !== "preview") keepAside(item, { time: clock.times(), seen: trace.kept() });
  }

  /** @param {Payload} payload */
  show(payload) {
    const { screen } = this;
    const generation = ++this.generation;
    // The focus must not stay behind in a form that is gone, nor land in the next one.
    if (screen.focused()) screen.element.focus({ preventScroll: true });
    this.drafts?.leave();
    this.drafts?.close();
    const offsets = continues(this.item, payload) ? this.trace?.offsets : null;
    this.clock = null;
    this.trace = null;
    this.drafts = null;
    this.payload = payload;
    this.loading.begin();
    // Says which study is meant, also when nothing is left to be read.
    this.lastAssignment = payload.assignment ?? this.lastAssignment;
    this.dialogs.close();
    this.panes.clear();
    screen.say(null);
    screen.draft("");
    screen.paintHead(payload);
    if (payload.kind === "done") return this.end(payload);
    if (payload.ahead && this.begun !== payload.assignment && !payload.draft.sequence) return this.announce(payload, payload.ahead);

    this.stages.to("loading");
    this.started = performance.now();
    this.loadMs = null;
    const kept = payload.phase === "preview" ? null : keptAside(payload);
    const clock = new ItemClock(kept?.time);
    if (this.pausing.paused) clock.pause(true);
    this.clock = clock;
    this.trace = new Trace(payload, kept?.seen, () => clock.times().active_ms);
    if (offsets) this.trace.offsets = { ...offsets };
    screen.paintItem(payload);
    this.form = new Form(payload.form, {
      onChange: (answers, delay) => this.drafts?.change(answers, delay),
      onSubmit: (at) => this.submit(at),
      points: new Points(this.panes, payload.images),
      preview: payload.phase === "preview",
      onPanel: () => screen.fitBrief(),
    });
    screen.paintForm(this.form);
    this.kept = payload.phase === "preview" ? null : unsavedAnswers(payload.assignment, payload.draft.sequence);
    this.form.write(this.kept ?? payload.draft.answers);
    if (payload.images) this.loading.load(generation);
    else this.displayed(generation);
  }

  /** Nothing is left here: thanks, and what waits elsewhere. @param {import("../payload.js").DonePayload} payload */
  end(payload) {
    const { next, summary } = payload;
    const place = next?.place ? this.transport.resolve(next.place).href : null;
    this.stages.to("done");
    this.openedAt = performance.now();
    this.goNext = place ? () => window.location.assign(place) : null;
    this.screen.paintParting("done", payload, next && place ? nextPart(next, place) : null,
      h("p", {}, h("a", { class: "plain", href: this.transport.resolve("worklist").href }, "Your worklist")),
      summaryLines(summary));
  }

  /** The practice is over, or was not passed: say what begins, and wait until the reader begins it. @param {Item} payload @param {import("../payload.js").AheadPayload} ahead */
  announce(payload, ahead) {
    this.stages.to("between");
    this.openedAt = performance.now();
    const begin = () => {
      this.begun = payload.assignment;
      this.show(payload);
    };
    this.goNext = begin;
    this.screen.paintParting("between", { title: ahead.heading, message: ahead.message }, nextPart(ahead, begin));
  }

  /** Everything of the item is on the screen: tell the server, then open the form. @param {number} generation */
  async displayed(generation) {
    const { item, form, screen } = this;
    await this.pausing.over();
    // What was answered stays answered, also when its images had to be fetched once more.
    if (generation !== this.generation || !item || !form || this.stage === "feedback") return;
    this.loadMs ??= Math.round(performance.now() - this.started);
    if (item.phase === "preview") {
      this.stages.to("open");
      form.setInert(false);
      form.say("");
      this.loading.fetchAhead(generation);
      return;
    }
    const { assignment, key, draft } = item;
    try {
      await this.transport.postUntilAnswered(
        "reading/shown",
        { assignment, key, load_ms: this.loadMs, renderer: this.renderers.kind, viewport: this.viewport() },
        () => generation === this.generation && screen.say("The server is not responding yet; trying again. Nothing is lost."));
    } catch (error) {
      if (generation === this.generation) this.saving.refused(/** @type {Refusal} */ (error), () => this.displayed(generation));
      return;
    }
    if (generation !== this.generation) return;
    // The same item a second time, after its images had failed under the reader: its drafts go on.
    this.drafts ??= this.saving.drafts(assignment, draft.sequence);
    if (this.kept) this.drafts.change(this.kept, 0);
    this.kept = null;
    this.clock?.start();
    this.goOn();
    this.openedAt = performance.now();
    this.loading.fetchAhead(generation);
  }

  /** The form is open (again), unless there is nothing to be seen. */
  goOn() {
    const { failing } = this.loading;
    this.stages.to(failing ? "loading" : "open");
    this.screen.say(null);
    this.form?.setInert(failing);
    if (this.form && this.drafts?.stopped) this.drafts.insist(this.form.draft());
  }

  /** Nothing of the item is to be seen: its form is shut, and its time does not run. */
  shutWithoutImages() {
    this.panes.clear();
    this.clock?.stop();
    this.form?.setInert(true);
    if (this.stage === "open") this.stages.to("loading");
  }

  /** The verdict is on its way: nothing more is filled in, saved as a draft or timed. */
  beginSending() {
    this.stages.to("sending");
    this.form?.setInert(true);
    this.drafts?.close();
    this.clock?.stop();
  }

  /** The server wants more than was sent: the item is open again, and what changes is saved as before. */
  openAgain() {
    const { item, form } = this;
    if (!item || !form) return;
    this.drafts = this.saving.drafts(item.assignment, this.drafts?.sequence ?? 0);
    this.drafts.change(form.draft(), 0);
    this.clock?.start();
    this.goOn();
  }

  /**
   * The form is shut until the reader has chosen a way.
   *
   * @param {string} sentence
   * @param {...import("./screen.js").Way} ways
   */
  block(sentence, ...ways) {
    this.stages.to("blocked");
    this.form?.setInert(true);
    this.screen.say(sentence, ...ways);
  }

  /**
   * Practice: what was right, before the next item comes.
   *
   * @param {import("../payload.js").FeedbackPayload} feedback
   * @param {Payload|null} next
   */
  showFeedback(feedback, next) {
    this.stages.to("feedback");
    this.next = next;
    this.openedAt = performance.now();
    this.screen.draft("");
    const button = h("button", { type: "button", class: "submit", onclick: ({ timeStamp }) => this.submit(timeStamp) }, "Next", h("kbd", {}, "Enter"));
    this.screen.paintFeedback(feedbackPanel(feedback, this.item?.text ?? {}), button);
  }

  /** @param {number} at  when the key or the button was pressed, which may be long before a busy browser says so */
  submit(at) {
    const settled = at - this.openedAt >= SETTLE;
    if (this.stage === "feedback" && settled) return this.goOver(this.next);
    if (["between", "done"].includes(this.stage) && settled) return this.goNext?.();
    if (this.stage !== "open" || this.item?.phase === "preview" || !settled) return;
    if (this.form?.check()) this.saving.submit();
  }

  /** This assignment is over: a rerun that still carries it changes nothing. @param {Item} item */
  finish(item) {
    this.finished.add(`${item.assignment} ${item.phase}`);
    unstash(item.assignment);
    forgetAside(item);
  }

  /** @param {Payload|null} next  null when the server could not build it */
  goOver(next) {
    if (this.item) this.finish(this.item);
    if (next) return this.show(next);
    this.panes.clear();
    this.screen.uncover();
    this.block("Saved. The next item could not be loaded.", ["Reload the page", () => window.location.reload()]);
  }

  viewport() {
    return [window.innerWidth, window.innerHeight];
  }

  destroy() {
    this.generation += 1;
    this.drafts?.leave();
    this.drafts?.close();
    this.transport.close();
    this.leaving.abort();
    this.panes.destroy();
    this.shelf.close();
    this.screen.destroy();
  }
}
