/**
 * Enter presses the one button of a page, given as a selector; where the button is not to be seen yet, Enter brings it into
 * sight, so that nothing is agreed to unseen. A control that has the focus keeps its own Enter, and an Enter that was meant for
 * the page before, or is held down, does nothing.
 */
const OWN_ENTER = "a[href], button, input, select, summary, textarea, [contenteditable]";
const SETTLE = 500;

export default ({ data: { presses } }) => {
  const since = performance.now();
  const onKey = (event) => {
    const { key, repeat, isComposing, ctrlKey, metaKey, altKey, shiftKey, timeStamp } = event;
    if (key !== "Enter" || repeat || isComposing || ctrlKey || metaKey || altKey || shiftKey) return;
    if (timeStamp - since < SETTLE || document.activeElement?.closest(OWN_ENTER)) return;
    const button = document.querySelector(presses);
    if (!button) return;
    event.preventDefault();
    const { top, bottom } = button.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) button.scrollIntoView({ block: "center" });
    else button.click();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
};
