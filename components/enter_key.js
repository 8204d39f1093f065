/**
 * Enter presses the one button of a page, given as a selector; where the button is not to be seen yet, Enter goes on by most of
 * a screen, so that nothing is agreed to unseen. Before the texts are drawn (`drawn` is a selector of what says since when they
 * are) it does nothing. A control that has the focus keeps its own Enter, and an Enter that was meant for what stood there
 * before, or is held down, does nothing.
 */
const OWN_ENTER = "a[href], button, input, select, summary, textarea, [contenteditable]";
const SETTLE = 500;
/** So much of a screen is passed at once: a line that was cut off at its end is read whole then. */
const PAGE = 0.8;

const scrollerOf = (element) => {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (parent.scrollHeight > parent.clientHeight && /auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent;
  }
  return document.scrollingElement;
};

export default ({ data: { presses, drawn } }) => {
  let since = performance.now();
  const onKey = (event) => {
    const { key, repeat, isComposing, ctrlKey, metaKey, altKey, shiftKey, timeStamp } = event;
    if (key !== "Enter" || repeat || isComposing || ctrlKey || metaKey || altKey || shiftKey) return;
    const texts = document.querySelector(drawn);
    if (!texts) return;
    since = Math.max(since, Number(texts.getAttribute("data-drawn")));
    if (timeStamp - since < SETTLE || document.activeElement?.closest(OWN_ENTER)) return;
    const button = document.querySelector(presses);
    if (!button) return;
    event.preventDefault();
    const { top, bottom } = button.getBoundingClientRect();
    if (top >= 0 && bottom <= window.innerHeight) return button.click();
    since = timeStamp;
    if (top < 0) button.scrollIntoView({ block: "center" });
    else scrollerOf(button).scrollBy({ top: PAGE * window.innerHeight });
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
};
