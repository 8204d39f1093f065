/**
 * Put into every page and frame before its own scripts: watches what the canvas shows. `window.watch` reads the pixels
 * (not the page's words), so that an image counts from the moment in which it can be seen.
 */

(() => {
  const SIDE = 128; // the canvas is sampled on a grid of so many pixels
  const ENOUGH = 24; // samples of a grey, so that a few of noise are none
  /** @type {WeakRef<WebGLRenderingContext>[]} */
  const contexts = [];
  let made = 0;

  // Reading pixels back is slow where there is no graphics card, so it is done only after something was drawn.
  const top = window.top;
  top.drawings ??= 0;
  const counting = [[WebGL2RenderingContext.prototype, "drawArrays"], [WebGL2RenderingContext.prototype, "drawElements"],
    [CanvasRenderingContext2D.prototype, "drawImage"], [CanvasRenderingContext2D.prototype, "putImageData"]];
  for (const [prototype, name] of counting) {
    const draw = prototype[name];
    prototype[name] = function (...given) {
      top.drawings += 1;
      return draw.apply(this, given);
    };
  }

  // Without a kept buffer, a WebGL canvas reads as empty once it has been shown. Both viewers get the same.
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    if (!String(kind).startsWith("webgl")) return getContext.call(this, kind, options);
    const context = getContext.call(this, kind, { ...options, preserveDrawingBuffer: true });
    if (context && !contexts.some((known) => known.deref() === context)) {
      contexts.push(new WeakRef(context));
      made += 1;
    }
    return context;
  };
  if (window !== top) return;

  const sample = document.createElement("canvas");
  sample.width = sample.height = SIDE;
  const brush = getContext.call(sample, "2d", { willReadFrequently: true });
  const pixel = document.createElement("canvas");
  pixel.width = pixel.height = 1;
  const point = getContext.call(pixel, "2d", { willReadFrequently: true });

  /** Every document and shadow root that can be reached. */
  function* roots(root) {
    yield root;
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) yield* roots(element.shadowRoot);
      if (element.tagName === "IFRAME" && element.contentDocument) yield* roots(element.contentDocument);
    }
  }

  let found = null;

  /** In square pixels of the page, as large as it is shown. */
  function area(element) {
    const { width, height } = element.getBoundingClientRect();
    return width * height;
  }

  /** The canvas that shows the scan: the largest one, but for what is drawn over it. */
  function canvas() {
    if (found?.isConnected && found.ownerDocument.defaultView && found.width > 1) return found;
    found = null;
    for (const root of roots(document)) {
      for (const one of root.querySelectorAll("canvas:not(.overlay)")) {
        if (area(one) > (found ? area(found) : 40_000)) found = one;
      }
    }
    return found;
  }

  function inRooms(selector) {
    for (const root of roots(document)) {
      const element = root.querySelector(selector);
      if (element) return element;
    }
    return null;
  }

  /** The canvas, unless it is hidden or covered. */
  function visible() {
    const source = canvas();
    if (!source || getComputedStyle(source).visibility !== "visible") return null;
    const box = source.getBoundingClientRect();
    const over = source.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return over?.closest(".cover") ? null : source;
  }

  /** Which head the canvas shows, as heads.py names them ("T1 2 7"), or "" where it cannot be told or seen. */
  function shown() {
    const source = visible();
    if (!source) return "";
    brush.fillRect(0, 0, SIDE, SIDE);
    brush.drawImage(source, 0, 0, SIDE, SIDE);
    const { data } = brush.getImageData(0, 0, SIDE, SIDE);
    const counts = new Uint32Array(256);
    for (let at = 0; at < data.length; at += 4) if (data[at] === data[at + 1] && data[at] === data[at + 2]) counts[data[at]] += 1;
    // Even grey is a peak; noise, edges and shaded surfaces are spread over the greys beside it too.
    const around = (grey, width) => counts.slice(grey - width, grey + width + 1).reduce((sum, n) => sum + n, 0);
    const greys = Object.entries(window.watch.greys).flatMap(([sequence, levels]) =>
      levels.map((grey, level) => ({ sequence, level, samples: 2 * around(grey, 1) - around(grey, 3) })));
    const [first, second, third] = greys.sort((a, b) => b.samples - a.samples);
    if (second.samples < Math.max(ENOUGH, 2 * third.samples) || first.sequence !== second.sequence) return "";
    return [first.sequence, ...[first.level, second.level].sort()].join(" ");
  }

  /** What was read last, and after how many drawings. */
  const read = { drawings: -1, code: "", looks: 0, looking: 0 };

  /** The same, read anew only when something was drawn since. */
  function seen() {
    if (!visible()) return "";
    if (read.drawings === top.drawings) return read.code;
    const began = performance.now();
    read.code = shown();
    // Not before: the reading itself draws.
    read.drawings = top.drawings;
    read.looks += 1;
    read.looking += performance.now() - began;
    return read.code;
  }

  /** One pixel, which makes the browser finish whatever drawing is still under way. */
  function touch(source) {
    point.drawImage(source, source.width / 3, source.height / 2, 1, 1, 0, 0, 1, 1);
    return point.getImageData(0, 0, 1, 1).data[0];
  }

  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let waiting = null;

  window.watch = {
    greys: {},
    seen,
    canvas,
    inRooms,

    contexts: () => ({ made, alive: contexts.filter((one) => one.deref() && !one.deref().isContextLost()).length }),

    /** From the next event of this kind on, look at the canvas until it shows `wanted`, and at the form if there is one. */
    arm(kind, wanted, every, patience) {
      waiting = new Promise((resolve) => {
        window.addEventListener(kind, ({ timeStamp }) => {
          Object.assign(read, { looks: 0, looking: 0 });
          let pixels = 0;
          let open = inRooms(".submit") ? 0 : -1;
          const timer = setInterval(() => {
            if (!pixels && seen() === wanted) pixels = performance.now();
            if (pixels && !open && inRooms(".submit:not([disabled])")) open = performance.now();
            const late = performance.now() - timeStamp > patience;
            if (!late && (!pixels || !open)) return;
            clearInterval(timer);
            resolve({
              pixels: pixels ? pixels - timeStamp : null,
              open: open > 0 ? open - timeStamp : null,
              look: read.looking / Math.max(1, read.looks),
              looks: read.looks,
              last: shown(),
            });
          }, every);
        }, { capture: true, once: true });
      });
    },

    result: () => waiting,

    /**
     * Window/level by the keyboard. Of each step: milliseconds of drawing, without what it costs to read a pixel that
     * was there already; milliseconds from the key to the pixel; and whether the pixel changed.
     */
    async windowSteps(count) {
      const source = canvas();
      const room = inRooms(".room");
      const steps = [];
      for (let n = 0; n < count; n += 1) {
        const key = n % 10 < 5 ? "k" : "i";
        await frame();
        touch(source);
        const idle = performance.now();
        const before = touch(source);
        const reading = performance.now() - idle;
        await frame();
        let began = 0;
        requestAnimationFrame(() => (began = performance.now()));
        const pressed = performance.now();
        room.dispatchEvent(new KeyboardEvent("keydown", { key, code: `Key${key.toUpperCase()}`, bubbles: true, composed: true, cancelable: true }));
        // Registered after the room's own, so that it runs after it in the same frame.
        await frame();
        const after = touch(source);
        const ended = performance.now();
        steps.push({ drawing: Math.max(0, ended - began - reading), key: ended - pressed, changed: before !== after });
      }
      return steps;
    },
  };
})();
