/** Runs beside the room: takes bytes, hands them back with their SHA-256. */

import { sha256 } from "@noble/hashes/sha2.js";

self.onmessage = ({ data: { id, bytes } }) => {
  const digest = sha256(new Uint8Array(bytes)).buffer;
  self.postMessage({ id, digest, bytes }, { transfer: [digest, bytes] });
};
