import type { Socket } from "node:net";

/** The connections that have not finished their TLS handshake. */
export class Handshakes {
  /** By the address of the client, which is that of the encrypted socket, too. */
  readonly #open = new Map<string, Socket>();

  /** Registers a new connection. */
  begin(socket: Socket): void {
    const name = nameOf(socket);
    this.#open.set(name, socket);
    socket.once("close", () => {
      if (this.#open.get(name) === socket) this.#open.delete(name);
    });
  }

  /** Forgets a connection whose handshake is complete. */
  end(socket: Socket): void {
    this.#open.delete(nameOf(socket));
  }

  /** Ends the handshakes. */
  drain(): void {
    for (const socket of this.#open.values()) socket.destroy();
  }
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ""} ${String(remotePort)}`;
}
