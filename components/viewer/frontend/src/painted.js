/** Resolves when the browser has put what was drawn on the screen; a hidden tab waits until it is looked at. */
export function painted() {
  return new Promise((resolve) => {
    const soon = () => {
      // Two frames: the first may still belong to the drawing before. Frames can stall, so there is a timeout.
      const timer = setTimeout(resolve, 250);
      requestAnimationFrame(() => requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve(undefined);
      }));
    };
    if (!document.hidden) return soon();
    const seen = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", seen);
      soon();
    };
    document.addEventListener("visibilitychange", seen);
  });
}
