/**
 * Keeps one room per element of the page while Streamlit calls again and again.
 *
 * Streamlit calls for every new payload and for a change of theme, and in the end cleans up only what the last call
 * returned; a call that was overtaken while it waited is cleaned up at once. So only the newest call may tear down a room.
 */

/** @typedef {import("../payload.js").Payload} Payload */
/** @typedef {{update: (data: {payload: Payload}) => void, destroy: () => void}} Mounted */

/** @type {WeakMap<Element, {element: HTMLElement, call: number, room: Mounted}>} */
const rooms = new WeakMap();

/**
 * @param {Element} parent
 * @param {Payload} payload
 * @param {(element: HTMLElement) => Mounted} mount
 * @returns {() => void} to be called when Streamlit cleans up
 */
export function keepRoom(parent, payload, mount) {
  let kept = rooms.get(parent);
  if (kept) kept.room.update({ payload });
  else {
    const element = document.createElement("div");
    parent.appendChild(element);
    kept = { element, call: 0, room: mount(element) };
    rooms.set(parent, kept);
  }
  const { element, room } = kept;
  const call = ++kept.call;
  return () => {
    setTimeout(() => {
      if (kept.call !== call || rooms.get(parent) !== kept) return;
      rooms.delete(parent);
      room.destroy();
      element.remove();
    });
  };
}
