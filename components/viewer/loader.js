/**
 * What Streamlit carries: loads the built reading room from the server's own route and hands it each payload.
 *
 * Streamlit calls the default export again for every new payload and for a change of theme, and in the end cleans up only
 * what the last call returned; a call that was overtaken while it waited is cleaned up at once. So the room is kept per
 * element, and only the newest call may take it down.
 */

const rooms = new WeakMap();

/** Where the application begins: the page's own address changes with the page, the place of Streamlit's files does not. */
function appBase() {
  const script = document.querySelector('script[type="module"][src*="static/js/"]');
  return script ? new URL("../../", script.src).href : new URL("/", document.baseURI).href;
}

export default function (component) {
  const { data, parentElement } = component;
  let kept = rooms.get(parentElement);
  if (!kept) {
    const element = document.createElement("div");
    parentElement.appendChild(element);
    kept = { element, call: 0, room: null };
    rooms.set(parentElement, kept);
    const base = appBase();
    import(new URL(data.bundle, base).href)
      .then((module) => {
        if (rooms.get(parentElement) === kept) kept.room = module.mount(element, { payload: kept.payload, base });
      })
      .catch((error) => {
        console.error(error);
        element.textContent =
          "The viewer could not be loaded. Reload the page; if it fails again, tell the study's admin.";
        element.setAttribute("role", "alert");
      });
  }
  kept.payload = data.payload;
  kept.room?.update({ payload: data.payload });
  const call = ++kept.call;
  return () => {
    setTimeout(() => {
      if (kept.call !== call || rooms.get(parentElement) !== kept) return;
      rooms.delete(parentElement);
      kept.room?.destroy();
      kept.element.remove();
    });
  };
}
