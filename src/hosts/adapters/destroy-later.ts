import type { Duplex } from "node:stream";

/**
 * How long a rejected client may continue to send, or to keep its side open, in milliseconds. Closing a connection while bytes
 * arrive resets it, and the client may lose the response.
 * @see RFC 9112, section 9.6
 */
export const REJECTED_LINGER = 2000;

/** How long a client may take to close its side after the last response of a server that ends, in milliseconds. */
export const LAST_LINGER = 500;

/**
 * Destroys a socket whose client does not close its side in time. A reset would discard a response that it has not read.
 * @param time in milliseconds
 * @see docs/guides/deployment.md, Shut down
 */
export function destroyLater(socket: Duplex, time: number): void {
  const timer = setTimeout(() => socket.destroy(), time);
  socket.once("close", () => clearTimeout(timer));
}
