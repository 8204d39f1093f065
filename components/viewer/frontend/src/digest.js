/**
 * The SHA-256 of what arrived, never computed on the main thread, but by the browser where it offers that (on HTTPS and on the
 * reader's own machine), else by a worker of our own.
 */

import workerSource from "bundled:digest_worker.js";

export class Digests {
  constructor() {
    /** @type {Worker|null} */
    this.worker = null;
    /** @type {Map<number, {resolve: (done: {sha256: string, bytes: ArrayBuffer}) => void, reject: (error: Error) => void}>} */
    this.waiting = new Map();
    this.last = 0;
  }

  /**
   * @param {ArrayBuffer} bytes  must not be used again: what comes back may be another buffer with the same bytes
   * @returns {Promise<{sha256: string, bytes: ArrayBuffer}>}
   */
  async of(bytes) {
    const { subtle } = globalThis.crypto ?? {};
    if (subtle) return { sha256: hex(await subtle.digest("SHA-256", bytes)), bytes };
    return new Promise((resolve, reject) => {
      this.last += 1;
      this.waiting.set(this.last, { resolve, reject });
      this.worker ??= this.start();
      // Transferred there and back, never copied.
      this.worker.postMessage({ id: this.last, bytes }, [bytes]);
    });
  }

  start() {
    const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.onmessage = ({ data: { id, digest, bytes } }) => {
      this.waiting.get(id)?.resolve({ sha256: hex(digest), bytes });
      this.waiting.delete(id);
    };
    worker.onerror = () => {
      for (const { reject } of this.waiting.values()) reject(new Error("The worker that hashes images has failed."));
      this.close();
    };
    return worker;
  }

  close() {
    this.worker?.terminate();
    this.worker = null;
    this.waiting.clear();
  }
}

/** @param {ArrayBuffer} digest */
function hex(digest) {
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
