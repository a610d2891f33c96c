import { once } from "node:events";
import { createSecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { ODataService } from "odatakit";
import { toNodeHandler } from "odatakit/node";

/** Where the server listens, its certificate and key in PEM, and how long its clients may pause, in milliseconds. */
export interface Http2Options {
  readonly port: number;
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly host?: string;
  /** How long a connection stays open without a byte in either direction. A handler must not take longer. */
  readonly idleTimeout?: number;
  /** How long `close` waits for requests. */
  readonly drainTimeout?: number;
}

/**
 * Serves over HTTP/2, and over HTTP/1.1 where a client does not know it.
 * @returns the address, and how to close the server: requests under way get their responses
 */
export async function serveHttp2(
  service: ODataService,
  { port, cert, key, host = "localhost", idleTimeout = 120_000, drainTimeout = 10_000 }: Http2Options,
) {
  await service.ready();
  const server = createSecureServer(
    {
      cert,
      key,
      allowHTTP1: true,
      // A client that begins requests only to give them up is disconnected.
      streamResetBurst: 200,
      streamResetRate: 10,
      settings: { maxConcurrentStreams: 100 },
    },
    toNodeHandler(service),
  );
  const sockets = new Set<Socket>();
  // A client may keep its side open, or never end the handshake.
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  server.setTimeout(idleTimeout);
  server.listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    for (const session of sessions) session.close();
    const late = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, drainTimeout);
    await closed;
    clearTimeout(late);
    await service.drain();
  };
  return { url: `https://${host}:${String(bound)}`, port: bound, close };
}
