/** What the browser's window and tab report about the reader. */

/**
 * @param {AbortSignal} signal  ends it
 * @param {object} room
 * @param {(event: KeyboardEvent) => void} room.onKey
 * @param {() => void} room.onTouch  the reader does something
 * @param {() => void} room.onVisibility  the tab was hidden, or is visible again
 * @param {() => void} room.onLeave
 * @param {() => void} room.onResize
 */
export function listen(signal, { onKey, onTouch, onVisibility, onLeave, onResize }) {
  window.addEventListener("keydown", onKey, { capture: true, signal });
  for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"]) {
    window.addEventListener(kind, onTouch, { capture: true, passive: true, signal });
  }
  document.addEventListener("visibilitychange", onVisibility, { signal });
  window.addEventListener("pagehide", onLeave, { signal });
  window.addEventListener("resize", onResize, { signal });
}
