/**
 * The reading room: draws what one payload says, item after item, and tells the server what was answered. One instance
 * lives as long as the page; reruns of the page only hand it payloads.
 */

import { Actions } from "./actions.js";
import { arrival } from "./arrivals.js";
import { forgetAside } from "./aside.js";
import { closeConnectionDialogs } from "./connection_dialog.js";
import { Dialogs } from "./dialogs.js";
import { unstash } from "./drafts.js";
import { Earlier } from "./earlier.js";
import { ImageLoading } from "./image_loading.js";
import { ItemOnScreen } from "./item_on_screen.js";
import { listen } from "./listening.js";
import { Parting } from "./parting.js";
import { Pausing } from "./pausing.js";
import { Points } from "./points.js";
import { Saving } from "./saving.js";
import { Screen } from "./screen.js";
import { Session } from "./session.js";
import { Stages, staysShut } from "./stages.js";
import { continues } from "./trace.js";
import { Transport } from "./transport.js";

/** @typedef {import("../payload.js").Payload} Payload */
/** @typedef {import("../payload.js").AnyItemPayload} Item */

/** A second click or Enter that was meant for the item before must not reach the next one. */
const SETTLE = 300;

/** What a room has finished is an item in one phase. @param {Item} item */
const nameOf = ({ assignment, phase }) => `${assignment} ${phase}`;

export class Room {
  /** @type {Payload|null} */
  payload = null;
  stages = new Stages();
  /** Another one for each payload. */
  generation = 0;
  /** @type {string|undefined} */
  lastAssignment = undefined;
  /** @type {Set<string>} what this room has finished, by assignment and phase */
  finished = new Set();
  /** @type {ItemOnScreen|null} null where nothing is read */
  here = null;
  /** @type {Payload|null} what comes after the feedback */
  next = null;
  /** @type {string|null} the item behind the practice, or the first of another attempt, that the reader has begun */
  begun = null;
  openedAt = 0;
  leaving = new AbortController();

  /**
   * Every collaborator gets here what it needs of the room, and its callbacks; nothing else writes the room's state.
   *
   * @param {HTMLElement} element
   * @param {import("./ground.js").Site} site
   */
  constructor(element, site) {
    const now = () => this.now();
    /** @param {string} action @param {any} [value] */
    const act = (action, value) => this.actions.act(action, value);
    const transport = new Transport(site.base);
    this.loading = new ImageLoading({
      transport, now, act,
      screen: () => this.screen,
      trace: () => this.here?.trace ?? null,
      onRead: () => this.screen.tools.paint(panes),
      onDisplayed: (generation) => this.displayed(generation),
      onFailed: () => this.shutWithoutImages(),
      onSignedOut: () => this.saving.signedOut(),
      onRefused: (refusal, again) => this.saving.refused(refusal, again),
      goOver: (next) => this.goOver(next),
    });
    const { panes } = this.loading;
    const dialogs = new Dialogs({
      now,
      focused: () => this.screen.focused(),
      focus: () => this.screen.focus(),
      onBehind: (behind) => {
        if (behind) panes.view.cine.stop();
        this.screen.setBehind(behind);
      },
    });
    const pausing = new Pausing({ now, onPause: () => this.pause(), onResume: () => this.resume() });
    const screen = new Screen(element, panes.element, [dialogs.element, pausing.element], act, site);
    this.transport = transport;
    this.panes = panes;
    this.dialogs = dialogs;
    this.pausing = pausing;
    this.screen = screen;
    this.saving = new Saving({
      transport, now, screen,
      unsaved: () => this.here?.unsaved() ?? null,
      beginSending: () => this.beginSending(),
      goOn: () => this.goOn(),
      openAgain: (field, message) => this.openAgain(field, message),
      block: (sentence, ...ways) => this.block(sentence, ...ways),
      offerNext: (sentence, goOn) => this.offerNext(sentence, goOn),
      finish: (item) => this.finish(item),
      showFeedback: (feedback, next) => this.showFeedback(feedback, next),
      goOver: (next) => this.goOver(next),
    });
    this.parting = new Parting({ screen, resolve: (place) => transport.resolve(place) });
    this.earlier = new Earlier({
      transport, now, dialogs,
      mention: (sentence) => this.here?.form.mention(sentence),
      setInert: (inert) => this.here?.form.setInert(inert),
      flush: () => this.here?.drafts?.flush(),
      leaveFor: (payload) => {
        this.setAside();
        this.show(payload);
      },
    });
    this.actions = new Actions({
      now, screen, panes, dialogs, pausing,
      form: () => this.here?.form ?? null,
      earlier: this.earlier,
      session: new Session({ transport, dialogs, now }),
      onTool: (tool) => this.here?.trace.used(tool),
      submit: (at) => this.submit(at),
      changeRenderer: () => this.loading.changeRenderer(),
    });
    screen.paintRenderer(this.loading.renderers);
    this.listen();
  }

  /** The item on the screen; null where nothing is left to be read. @returns {Item|null} */
  get item() {
    return this.payload?.kind === "item" ? this.payload : null;
  }

  get stage() {
    return this.stages.now;
  }

  /** @returns {import("./stages.js").Now} */
  now() {
    const { payload, item, stage, generation, lastAssignment } = this;
    return { payload, item, stage, generation, lastAssignment };
  }

  /** What the reader does to window and tab. */
  listen() {
    const { signal } = this.leaving;
    listen(signal, {
      onKey: (event) => this.actions.key(event),
      onTouch: () => this.here?.clock.touch(),
      onVisibility: () => {
        this.here?.clock.visibility();
        if (!document.hidden) return;
        this.here?.drafts?.flush();
        // A browser may put a hidden tab away without another word.
        this.setAside();
      },
      onLeave: () => {
        this.here?.drafts?.leave();
        this.setAside();
      },
      onResize: () => this.screen.fit(),
    });
    closeConnectionDialogs(signal);
  }

  /**
   * A payload from a rerun of the page. The same assignment, or one that this room has finished, changes nothing.
   *
   * @param {Payload|null} payload
   */
  receive(payload) {
    if (!payload) return;
    const becomes = arrival(payload, this.now(), (item) => this.finished.has(nameOf(item)));
    if (becomes === "shown") this.show(payload);
    if (becomes === "offered") this.offerNext("This item is no longer on your list.", () => this.show(payload));
  }

  /**
   * The item on the screen was closed elsewhere: nothing more of it is taken, and the next one comes when it is asked for.
   *
   * @param {string} sentence
   * @param {() => void} goOn
   */
  offerNext(sentence, goOn) {
    this.here?.drafts?.close();
    this.block(sentence, ["Continue", goOn]);
  }

  /** A reload, or an earlier item in between: time and trace of this one go on when it comes back. */
  setAside() {
    if (this.stage !== "feedback") this.here?.setAside();
  }

  /** @param {Payload} payload */
  show(payload) {
    const { screen } = this;
    const generation = ++this.generation;
    // The focus must neither stay in a form that was removed nor move into the next one.
    if (screen.focused()) screen.focus();
    this.here?.leave();
    const offsets = continues(this.item, payload) ? this.here?.trace.offsets ?? null : null;
    this.here = null;
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
    const here = new ItemOnScreen(payload, {
      drafts: (assignment, sequence) => this.saving.drafts(assignment, sequence),
      points: new Points(this.panes, payload.images),
      paused: this.pausing.paused,
      offsets,
      onSubmit: (at) => this.submit(at),
      onPanel: () => screen.fitBrief(),
    });
    this.here = here;
    screen.paintItem(payload);
    screen.paintForm(here.form);
    here.fill();
    if (payload.images) this.loading.load(generation);
    else this.displayed(generation);
  }

  /** Nothing is left here. @param {import("../payload.js").DonePayload} payload */
  end(payload) {
    this.stages.to("done");
    this.openedAt = performance.now();
    this.parting.end(payload);
  }

  /** The practice is over, or was not passed: what begins waits for the reader. @param {Item} payload @param {import("../payload.js").AheadPayload} ahead */
  announce(payload, ahead) {
    this.stages.to("between");
    this.openedAt = performance.now();
    this.parting.announce(ahead, () => {
      this.begun = payload.assignment;
      this.show(payload);
    });
  }

  /** Everything of the item is on the screen: tell the server, then open the form. @param {number} generation */
  async displayed(generation) {
    const { here } = this;
    await this.pausing.over();
    if (generation !== this.generation || !here || staysShut(this.stage, here.begun)) return;
    const loadMs = here.loaded();
    if (here.preview) {
      this.stages.to("open");
      here.form.setInert(false);
      here.form.say("");
      this.loading.fetchAhead(generation);
      return;
    }
    const { assignment, key } = here.item;
    const shown = { assignment, key, load_ms: loadMs, ...this.means() };
    const again = () => {
      this.stages.to("loading");
      this.displayed(generation);
    };
    if (!await this.saving.shown(shown, generation, again)) return;
    if (staysShut(this.stage, here.begun)) return;
    here.begin();
    this.goOn();
    this.openedAt = performance.now();
    this.loading.fetchAhead(generation);
  }

  /** The form is open (again), unless there is nothing to be seen. */
  goOn() {
    const { failing } = this.loading;
    this.stages.to(failing ? "loading" : "open");
    this.screen.say(null);
    this.here?.goOn(failing);
  }

  /** Nothing of the item is to be seen: its form is shut, and its time does not run. */
  shutWithoutImages() {
    this.panes.clear();
    this.here?.shut();
    if (this.stage === "open") this.stages.to("loading");
  }

  /** Images and form are covered, and timing stops. */
  pause() {
    this.panes.view.cine.stop();
    this.dialogs.close();
    this.here?.drafts?.flush();
    this.here?.clock.pause(true);
    this.screen.setCovered(true);
  }

  resume() {
    this.screen.setCovered(false);
    this.screen.focus();
    this.here?.resume();
  }

  /**
   * The verdict is on its way: nothing more is filled in, saved as a draft or timed.
   *
   * @returns {object|null} what is sent: the answers, and how they came about
   */
  beginSending() {
    const { here, panes } = this;
    if (!here) return null;
    this.stages.to("sending");
    return {
      ...here.beginSending(),
      ...this.means(),
      trace: here.trace.summary(panes.images ? panes.view.crosshair : null),
    };
  }

  /**
   * The server wants more than was sent: the item is open again, and what changes is saved as before.
   *
   * @param {string|undefined} field  that lacks something
   * @param {string} message
   */
  openAgain(field, message) {
    const { here } = this;
    if (!here) return;
    here.openAgain();
    this.goOn();
    here.form.point(field, message);
  }

  /**
   * The form is shut until the reader has chosen a way.
   *
   * @param {string} sentence
   * @param {...import("./screen.js").Way} ways
   */
  block(sentence, ...ways) {
    this.stages.to("blocked");
    this.here?.form.setInert(true);
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
    this.parting.feedback(feedback, this.item?.text ?? {}, (at) => this.submit(at));
  }

  /** @param {number} at  when the key or the button was pressed, which may be long before a busy browser says so */
  submit(at) {
    const settled = at - this.openedAt >= SETTLE;
    if (this.stage === "feedback" && settled) return this.goOver(this.next);
    if (["between", "done"].includes(this.stage) && settled) return this.parting.way?.();
    if (this.stage !== "open" || this.item?.phase === "preview" || !settled) return;
    if (this.here?.form.check()) this.saving.submit();
  }

  /** This assignment is over: a rerun that still carries it changes nothing. @param {Item} item */
  finish(item) {
    this.finished.add(nameOf(item));
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

  /** The renderer that shows the item, as reported to the server. */
  means() {
    return { renderer: this.loading.renderers.kind, viewport: [window.innerWidth, window.innerHeight] };
  }

  destroy() {
    this.generation += 1;
    this.here?.leave();
    this.transport.close();
    this.leaving.abort();
    this.loading.destroy();
    this.screen.destroy();
  }
}
