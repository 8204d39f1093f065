/** What was looked at: slices per plane and volume, windows, the crosshair at the end. Bounded in size. */

const MOST_WINDOWS = 12;

export class Trace {
  constructor() {
    /** @type {Map<string, {pane: number, label: string, slices: Record<string, {seen: Set<number>, of: number}>}>} */
    this.volumes = new Map();
    /** @type {string[]} */
    this.windows = [];
  }

  /**
   * @param {number} pane
   * @param {string} label
   * @param {import("./volume.js").Volume} volume
   * @param {import("./planes.js").Tile[]} tiles
   */
  saw(pane, label, volume, tiles) {
    const key = `${pane} ${label}`;
    let entry = this.volumes.get(key);
    if (!entry) this.volumes.set(key, (entry = { pane, label, slices: {} }));
    for (const { plane, slice } of tiles) {
      const of = volume.shape[plane.through];
      if (slice < 0 || slice >= of) continue;
      (entry.slices[plane.name] ??= { seen: new Set(), of }).seen.add(slice);
    }
  }

  /**
   * @param {string} label
   * @param {[number, number]} fractions  of the volume's default window
   */
  windowed(label, fractions) {
    const words = `${label} ${fractions.map((f) => f.toFixed(2)).join(" ")}`;
    if (this.windows.at(-1) === words) return;
    this.windows.push(words);
    if (this.windows.length > MOST_WINDOWS) this.windows.shift();
  }

  /** @param {number[]|null} crosshair */
  summary(crosshair) {
    return {
      volumes: [...this.volumes.values()].map(({ pane, label, slices }) => ({
        pane,
        label,
        seen: Object.fromEntries(
          Object.entries(slices).map(([plane, { seen, of }]) => [plane, Math.round((seen.size / of) * 1000) / 1000]),
        ),
      })),
      windows: this.windows,
      crosshair: crosshair ? crosshair.map((mm) => Math.round(mm * 10) / 10) : null,
    };
  }
}
