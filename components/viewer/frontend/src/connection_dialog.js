/**
 * When its own connection is lost, Streamlit puts a dialog over the page and makes everything below it inert. The room does not
 * need that connection: it says itself what is not saved yet, and carries on. That dialog is therefore closed as soon as it opens.
 */

const WINDOW = '[data-testid="stDialog"]';
const TITLE = "Connection error";

/** @param {AbortSignal} signal  ends it */
export function closeConnectionDialogs(signal) {
  const watch = new MutationObserver(() => {
    for (const found of document.querySelectorAll(WINDOW)) {
      if (found.querySelector("h2")?.textContent !== TITLE) continue;
      /** @type {HTMLElement|null} */ (found.querySelector("button"))?.click();
    }
  });
  watch.observe(document.body, { childList: true });
  signal.addEventListener("abort", () => watch.disconnect());
}
