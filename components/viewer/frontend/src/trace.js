/**
 * What was looked at: slices per plane and volume, for how long, windows, tools, the crosshair at the end, how the reader linked
 * panes that do not lie in one world. Bounded in size, and kept over a reload of the tab, so that a prior that was opened before
 * it counts as opened.
 */

const MOST_WINDOWS = 12;
const MOST_VOLUMES = 40;
const LONGEST_LABEL = 60;

/** Uses of a tool within this time count as one: a wheel turns many times. */
const ONE_USE = 1500;
/** No two places in a scanner are further apart, in mm. */
const FARTHEST = 5000;

/**
 * @typedef {Object} Seen
 * @property {number} pane
 * @property {string} title
 * @property {string} label
 * @property {boolean} opened
 * @property {number} ms      active time on the screen
 * @property {Record<string, {seen: Set<number>, of: number}>} slices
 */

export class Trace {
  /**
   * @param {import("../payload.js").AnyItemPayload} payload
   * @param {any|null|undefined} kept  what `kept()` gave for the same item before a reload of the tab
   * @param {() => number} activeTime  milliseconds of active reading so far
   */
  constructor(payload, kept, activeTime) {
    this.activeTime = activeTime;
    /** @type {Map<string, Seen>} every volume that is offered, opened or not */
    this.volumes = new Map();
    this.overlays = { offered: 0, shown_ms: 0 };
    for (const [pane, { title, volumes, overlays }] of (payload.images?.panes ?? []).entries()) {
      this.overlays.offered += overlays.length;
      volumes.forEach(({ label }, n) => {
        if (this.volumes.size >= MOST_VOLUMES) return;
        this.volumes.set(`${pane} ${n}`, { pane, title: short(title), label: short(label), opened: false, ms: 0, slices: {} });
      });
    }
    /** @type {string[]} */
    this.windows = [];
    /** @type {Record<string, number>} */
    this.tools = {};
    this.lastTool = { name: "", at: -ONE_USE };
    /** @type {string[]} */
    this.onScreen = [];
    this.overlaysOnScreen = false;
    /** @type {Record<string, number[]>} mm from the crosshair to the same place in a pane, by the pane's title */
    this.offsets = {};
    this.booked = activeTime();
    if (kept) this.recall(kept);
  }

  /** Credit the active time since the last call to what was on the screen meanwhile. */
  book() {
    const now = this.activeTime();
    const passed = Math.max(0, now - this.booked);
    this.booked = now;
    for (const key of this.onScreen) {
      const entry = this.volumes.get(key);
      if (entry) entry.ms += passed;
    }
    if (this.overlaysOnScreen) this.overlays.shown_ms += passed;
  }

  /**
   * What is on the screen from now on.
   *
   * @param {{pane: number, n: number, volume: import("./volume.js").Volume, tiles: import("./planes.js").Tile[]}[]} shown
   * @param {boolean} overlaid
   */
  shows(shown, overlaid) {
    this.book();
    this.onScreen = shown.map(({ pane, n }) => `${pane} ${n}`);
    this.overlaysOnScreen = overlaid;
    for (const { pane, n, volume, tiles } of shown) {
      const entry = this.volumes.get(`${pane} ${n}`);
      if (!entry) continue;
      entry.opened = true;
      for (const { plane, slice } of tiles) {
        const of = volume.shape[plane.through];
        if (slice < 0 || slice >= of) continue;
        (entry.slices[plane.name] ??= { seen: new Set(), of }).seen.add(slice);
      }
    }
  }

  /**
   * @param {string} label
   * @param {string} window  in words
   */
  windowed(label, window) {
    const words = `${short(label)} ${window}`;
    if (this.windows.at(-1) === words) return;
    this.windows.push(words);
    if (this.windows.length > MOST_WINDOWS) this.windows.shift();
  }

  /** @param {string} name  of a tool */
  used(name) {
    const now = performance.now();
    const again = this.lastTool.name === name && now - this.lastTool.at < ONE_USE;
    this.lastTool = { name, at: now };
    if (!again) this.tools[name] = (this.tools[name] ?? 0) + 1;
  }

  /**
   * The reader linked a pane with an offset, or took the offset back.
   *
   * @param {string} title  of the pane
   * @param {number[]} offset  mm
   */
  linked(title, offset) {
    if (offset.some((mm) => mm !== 0)) this.offsets[title] = offset;
    else delete this.offsets[title];
  }

  /** @param {number[]|null} crosshair */
  summary(crosshair) {
    this.book();
    return {
      volumes: [...this.volumes.values()].map(({ slices, ms, ...entry }) => ({
        ...entry,
        ms: Math.round(ms),
        seen: Object.fromEntries(
          Object.entries(slices).map(([plane, { seen, of }]) => [plane, Math.round((seen.size / of) * 1000) / 1000]),
        ),
      })),
      windows: this.windows,
      crosshair: crosshair ? crosshair.map(tenths) : null,
      offsets: Object.entries(this.offsets).map(([title, offset]) => ({ title: short(title), mm: offset.map(tenths) })),
      overlays: { offered: this.overlays.offered, shown_ms: Math.round(this.overlays.shown_ms) },
      tools: this.tools,
    };
  }

  /** What `recall` takes. */
  kept() {
    this.book();
    const volumes = [...this.volumes].map(([key, { opened, ms, slices }]) => [key, opened, ms,
      Object.entries(slices).map(([plane, { seen, of }]) => [plane, [...seen], of])]);
    const { windows, tools, overlays, offsets } = this;
    return { volumes, windows, tools, shown_ms: overlays.shown_ms, offsets };
  }

  /** @param {any} kept */
  recall(kept) {
    for (const [key, opened, ms, slices] of kept.volumes) {
      const entry = this.volumes.get(key);
      if (!entry) continue;
      Object.assign(entry, { opened, ms });
      for (const [plane, seen, of] of slices) entry.slices[plane] = { seen: new Set(seen), of };
    }
    this.windows = kept.windows;
    this.tools = kept.tools;
    this.overlays.shown_ms = kept.shown_ms;
    this.offsets = kept.offsets;
  }
}

/**
 * Whether an item is the next turn of the conversation that was on the screen: the same case, and so the same places.
 *
 * @param {import("../payload.js").AnyItemPayload|null} before
 * @param {import("../payload.js").Payload} payload
 */
export function continues(before, payload) {
  return before && payload.kind === "item" && before.phase === payload.phase && payload.turns.length === before.turns.length + 1 &&
    payload.turns.at(-1)?.prompt === before.prompt;
}

/** @param {number} mm */
function tenths(mm) {
  return Math.round(Math.min(FARTHEST, Math.max(-FARTHEST, mm)) * 10) / 10;
}

/** @param {string} text */
function short(text) {
  return String(text).slice(0, LONGEST_LABEL);
}
