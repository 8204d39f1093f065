/** The entry point of the reading room: what Streamlit calls, and a room that is drawn and given payloads. */

import { drawSections } from "./acknowledged.js";
import { keepRoom } from "./keeping.js";
import { Room } from "./room.js";

/** @typedef {import("../payload.js").Payload} Payload */

/**
 * @param {HTMLElement} element       drawn into; inside a shadow root or not
 * @param {{payload: Payload, base?: string, pages?: string[], earlier?: boolean}} data  `earlier`: begins with the earlier items,
 *   where there are some and nothing is left to be read
 * @returns {import("./keeping.js").Mounted}
 */
export function mount(element, data) {
  const room = new Room(element, { base: data.base ?? document.baseURI, pages: data.pages ?? [""] });
  room.receive(data.payload);
  if (data.earlier && data.payload.kind === "done" && data.payload.revisable) room.earlier.toggle();
  return {
    update: ({ payload }) => room.receive(payload),
    destroy: () => room.destroy(),
  };
}

/**
 * What the loader calls for every payload (see keeping.js), and for what is acknowledged before the first one.
 *
 * @param {{data: {payload: Payload, pages: string[], earlier: boolean, sections?: import("./acknowledged.js").Section[]}, parentElement: Element}} component
 *   as Streamlit hands it over
 * @param {string} base  where the application begins
 * @returns {() => void} to be called when Streamlit cleans up
 */
export function attach({ data: { payload, pages, earlier, sections }, parentElement }, base) {
  if (sections) {
    drawSections(parentElement, sections);
    return () => {};
  }
  return keepRoom(parentElement, payload, (element) => mount(element, { payload, base, pages, earlier }));
}
