/** The members of a socket in use, as of any stream of Node.js. */
interface Socket {
  listeners(event: "data"): readonly unknown[];
  on(event: "data", listener: (chunk: unknown) => void): unknown;
  removeListener(event: "data", listener: unknown): unknown;
  destroy(error: Error): unknown;
}

/** The error for a message that a driver could not read for another reason than its length. */
const UNREADABLE = "Connection terminated: the driver cannot read what the server sends.";

/**
 * Ends a connection whose driver throws while it parses a message of the server, such as a value that is too long for a string:
 * then its statements fail, with the error. Nothing else would catch it, because the driver parses outside of any request.
 * @param socket that of a connection that is open; other drivers than those of the dialects may have none
 */
export function endOnThrow(socket: object | undefined): void {
  if (!isSocket(socket)) return;
  for (const listener of socket.listeners("data")) {
    if (typeof listener !== "function") continue;
    socket.on("data", (chunk) => {
      try {
        listener.call(socket, chunk);
      } catch (error) {
        socket.destroy(isTooLong(error) ? error : new Error(UNREADABLE, { cause: error }));
      }
    });
    socket.removeListener("data", listener);
  }
}

function isSocket(socket: object | undefined): socket is Socket {
  return socket !== undefined && "listeners" in socket && "removeListener" in socket && "destroy" in socket;
}

function isTooLong(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_STRING_TOO_LONG";
}
