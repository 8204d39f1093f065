/**
 * Everything that leaves the browser goes through here: same origin only, JSON in and out, one place that knows what
 * an answer of the server means.
 */

/** A refusal or failure of the server. */
export class Refusal extends Error {
  /**
   * @param {number} status   0 when there was no answer at all
   * @param {import("../payload.js").RefusedAnswer|null} body
   */
  constructor(status, body) {
    super(body?.error ?? (status ? `The server returned error ${status}.` : "The server did not respond."));
    this.status = status;
    /** @type {Partial<import("../payload.js").RefusedAnswer>} */
    this.body = body ?? {};
  }

  /** Whether the same request may succeed later. */
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const PATIENCE = 20_000;

/** Characters of a request that a browser goes on sending after its page was left; the limit of 64 KiB is for all of them together. */
const LARGEST_KEPT = 16_000;
const WAITS = [1000, 2000, 4000, 8000, 15_000];

export class Transport {
  /** @param {string} base  URL that all relative URLs of payloads are resolved against */
  constructor(base) {
    this.base = base;
    this.closed = false;
  }

  /** @param {string} url */
  resolve(url) {
    return new URL(url, this.base);
  }

  /**
   * @param {string} url
   * @param {AbortSignal} signal
   * @param {boolean} anew  bypass the browser's cache
   * @returns {Promise<ArrayBuffer>}
   */
  async bytes(url, signal, anew) {
    let answer;
    try {
      answer = await fetch(this.resolve(url), { credentials: "same-origin", signal, cache: anew ? "reload" : "default" });
    } catch {
      throw new Refusal(0, null);
    }
    if (!answer.ok) throw new Refusal(answer.status, await answer.json().catch(() => null));
    try {
      return await answer.arrayBuffer();
    } catch {
      throw new Refusal(0, { error: "Only part of the image arrived." });
    }
  }

  /**
   * @param {string} url
   * @returns {Promise<any>}
   * @throws {Refusal}
   */
  get(url) {
    return this.ask(url, { method: "GET" });
  }

  /**
   * @param {string} url
   * @param {object} body
   * @param {AbortSignal} [signal]  aborts the request
   * @returns {Promise<any>}
   * @throws {Refusal}
   */
  post(url, body, signal) {
    const sent = JSON.stringify(body);
    // A request in flight outlives the page, as far as browsers allow it.
    const keepalive = sent.length < LARGEST_KEPT;
    return this.ask(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: sent, keepalive }, signal);
  }

  /**
   * @param {string} url
   * @param {RequestInit} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   * @throws {Refusal}
   */
  async ask(url, request, signal) {
    let answer;
    try {
      answer = await fetch(this.resolve(url), {
        ...request,
        credentials: "same-origin",
        signal: signal ? AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) : AbortSignal.timeout(PATIENCE),
      });
    } catch {
      throw new Refusal(0, null);
    }
    const content = await answer.json().catch(() => null);
    if (!answer.ok) throw new Refusal(answer.status, content);
    // A sign-in page answered in place of the route has status 200 but is no JSON.
    if (content === null) throw new Refusal(answer.redirected ? 401 : 502, null);
    return content;
  }

  /**
   * Post until there is an answer that will not change; used with an idempotency key only.
   *
   * @param {string} url
   * @param {object} body
   * @param {(refusal: Refusal) => void} onWait  called before each wait
   * @returns {Promise<any>}
   * @throws {Refusal} one that will not pass
   */
  async postUntilAnswered(url, body, onWait) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.post(url, body);
      } catch (error) {
        if (!(error instanceof Refusal) || !error.passing || this.closed) throw error;
        onWait(error);
        await waitOnline(WAITS[Math.min(attempt, WAITS.length - 1)]);
        if (this.closed) throw error;
      }
    }
  }

  /**
   * Send on the way out of the page; no answer can be awaited.
   *
   * @param {string} url
   * @param {object} body
   */
  leave(url, body) {
    fetch(this.resolve(url), {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      keepalive: true,
    }).catch(() => undefined);
  }

  close() {
    this.closed = true;
  }
}

/**
 * Wait, but no longer than until the network is back.
 *
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
export function waitOnline(milliseconds) {
  return new Promise((resolve) => {
    const done = () => {
      window.removeEventListener("online", done);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener("online", done);
  });
}

/**
 * Time of day of an ISO instant in the reader's own clock, "14:03:22".
 *
 * @param {string} iso
 * @returns {string}
 */
export function clockTime(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}
