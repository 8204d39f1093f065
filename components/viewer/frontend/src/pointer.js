/** What mouse, pen and finger do on one pane. */

import { trackBox } from "./overlay.js";
import { voxelUnder } from "./planes.js";
import { transform } from "./volume.js";

/** @typedef {import("./volume.js").Volume} Volume */
/** @typedef {import("./planes.js").Tile} Tile */

/**
 * @param {import("./panes.js").Pane} pane
 * @param {number} index
 * @param {import("./panes.js").Panes} panes
 */
export function listenToPointer(pane, index, panes) {
  const { view } = panes;
  const { overlay } = pane;
  /** @type {{mode: string, x: number, y: number, tile: Tile}|null} */
  let drag = null;
  let rolled = 0;

  const spot = (event) => {
    const frame = overlay.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  const tileAt = ({ x, y }) => pane.tiles.find(({ clip }) =>
    x >= clip.x && x < clip.x + clip.width && y >= clip.y && y < clip.y + clip.height);
  const activate = (tile) => {
    if (view.active.pane === index && view.active.plane === tile.plane.name) return;
    view.active = { pane: index, plane: tile.plane.name };
    panes.schedule();
  };
  const aim = ({ x, y }, tile) => {
    const volume = /** @type {Volume} */ (pane.volume);
    const under = voxelUnder(volume, tile, x, y);
    const position = transform(volume.inverse, view.crosshair);
    const bounded = (value, axis) => Math.min(volume.shape[axis] - 1, Math.max(0, value));
    position[tile.plane.across] = bounded(under.across, tile.plane.across);
    position[tile.plane.down] = bounded(under.down, tile.plane.down);
    view.moveCrosshair(transform(volume.affine, position));
  };
  const rollTo = ({ y }, tile) => {
    const track = trackBox(tile);
    const axis = tile.plane.through;
    const volume = /** @type {Volume} */ (pane.volume);
    const share = 1 - Math.min(1, Math.max(0, (y - track.y) / track.height));
    const position = transform(volume.inverse, view.crosshair);
    position[axis] = Math.round(share * (volume.shape[axis] - 1));
    view.moveCrosshair(transform(volume.affine, position));
  };

  overlay.addEventListener("contextmenu", (event) => event.preventDefault());
  overlay.addEventListener("pointerdown", (event) => {
    const point = spot(event);
    const tile = tileAt(point);
    if (!tile || !panes.images) return;
    // Without this the middle button starts the browser's own scrolling; the focus must still leave the form.
    event.preventDefault();
    const focused = /** @type {Document|ShadowRoot} */ (overlay.getRootNode()).activeElement;
    if (focused instanceof HTMLElement) focused.blur();
    overlay.setPointerCapture(event.pointerId);
    activate(tile);
    const onTrack = event.button === 0 && point.x >= trackBox(tile).x - 4;
    const mode = onTrack ? "roll"
      : event.button === 2 || (event.button === 0 && view.windowMode) ? "window"
      : event.button === 1 || event.shiftKey ? "pan"
      : "aim";
    drag = { mode, x: point.x, y: point.y, tile };
    if (mode === "aim") aim(point, tile);
    if (mode === "roll") rollTo(point, tile);
  });
  overlay.addEventListener("pointermove", (event) => {
    const point = spot(event);
    if (!drag) {
      const tile = tileAt(point);
      if (tile && panes.images) activate(tile);
      return;
    }
    const dx = point.x - drag.x;
    const dy = point.y - drag.y;
    drag.x = point.x;
    drag.y = point.y;
    const tile = pane.tiles.find(({ plane }) => plane.name === drag?.tile.plane.name);
    if (!tile || !panes.images) return;
    if (drag.mode === "aim") aim(point, tile);
    else if (drag.mode === "roll") rollTo(point, tile);
    else if (drag.mode === "window") view.moveWindow(-dy / 400, dx / 200);
    else view.pan(tile, /** @type {Volume} */ (pane.volume), dx, dy);
  });
  const end = () => (drag = null);
  overlay.addEventListener("pointerup", end);
  overlay.addEventListener("pointercancel", end);
  overlay.addEventListener("dblclick", (event) => {
    const tile = tileAt(spot(event));
    if (!tile || event.button !== 0) return;
    activate(tile);
    view.maximise();
  });
  overlay.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const tile = tileAt(spot(event));
      if (!tile || !panes.images) return;
      activate(tile);
      if (event.ctrlKey) return view.zoom(Math.exp(-event.deltaY / 400));
      // A mouse wheel clicks in large steps, one slice each; a touch pad glides in small ones that add up.
      if (Math.abs(event.deltaY) >= 50 || event.deltaMode !== 0) {
        rolled = 0;
        return view.scroll(event.deltaY < 0 ? 1 : -1);
      }
      rolled -= event.deltaY;
      const slices = Math.trunc(rolled / 30);
      rolled -= slices * 30;
      if (slices) view.scroll(slices);
    },
    { passive: false },
  );
}
