import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { serve, type ServeOptions } from "odatakit/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { noFailures } from "./model.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

async function start(options: ServeOptions, text = "x", wait = 0) {
  const events: string[] = [];
  async function* read() {
    try {
      for (let id = 0; id < 20_000; id += 1) yield { id, text };
    } finally {
      events.push("ended");
    }
  }
  const service = odataService({
    logger: noFailures,
    defaults: { maxTop: null, maxPageSize: 20_000 },
    entitySets: [
      entitySet(Note, {
        name: "Notes",
        getAll: ({ signal }) => {
          signal.addEventListener("abort", () => events.push("aborted"));
          return read();
        },
        getByKey: (id) => pause(wait, { id, text: "y" }),
        create: (note) => note,
      }),
    ],
  });
  const server = await serve(service, { port: 0, host: "127.0.0.1", ...options });
  onTestFinished(() => server.close());
  return { port: server.port, events };
}

/** Opens a connection that collects received data; `closed` is how long it was open. */
function open(port: number, ...pieces: readonly string[]) {
  const socket = connect(port, "127.0.0.1");
  const seen = { text: "", errors: [] as string[] };
  socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString("utf8")));
  socket.on("error", (error) => seen.errors.push(error.message));
  for (const piece of pieces) socket.write(piece);
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
  });
  onTestFinished(() => void socket.destroy());
  return { socket, seen, closed };
}

const TIMEOUT_BODY =
  '{"error":{"code":"RequestTimeout","message":"The request did not arrive in time. Send it again."}}';

const LATE: ReadonlyArray<readonly [what: string, options: ServeOptions, bytes: string]> = [
  ["headers", { headersTimeout: 100 }, "GET /Notes HTTP/1.1\r\nHost: x\r\n"],
  ["headers, by the time of the whole request", { requestTimeout: 100 }, "GET /Notes HTTP/1.1\r\n"],
  [
    "a body",
    { requestTimeout: 100 },
    'POST /Notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"Id"',
  ],
];
test.each(LATE)("%s that do not arrive in time are 408 with the envelope", async (_what, options, bytes) => {
  const { port } = await start(options);
  const { seen, closed } = open(port, bytes);
  await closed;
  expect(seen.errors).toEqual([]);
  const [head = "", body] = seen.text.split("\r\n\r\n");
  expect(head.split("\r\n")).toEqual([
    "HTTP/1.1 408 Request Timeout",
    "OData-Version: 4.0",
    "Content-Type: application/json;odata.metadata=minimal",
    "Content-Language: en",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    expect.stringMatching(/^X-Request-Id: [0-9a-f-]{36}$/u),
    `Content-Length: ${String(TIMEOUT_BODY.length)}`,
    "Connection: close",
  ]);
  expect(body).toBe(TIMEOUT_BODY);
});

test("a connection that is kept open ends after keepAliveTimeout", async () => {
  const { port } = await start({ keepAliveTimeout: 50 });
  const { seen, closed } = open(port, "GET /Notes(1) HTTP/1.1\r\nHost: x\r\n\r\n");
  await closed;
  expect(seen.text).toMatch(/^HTTP\/1\.1 200 OK/u);
});

test("a client that does not read is cut, and its handler's iteration ends", async () => {
  const { port, events } = await start({ slowReaderTimeout: 150 }, "x".repeat(2000));
  const { socket, closed } = open(port);
  socket.pause();
  socket.write("GET /Notes HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => events).toContain("aborted");
  socket.resume();
  await closed;
  await expect.poll(() => events).toContain("ended");
});

/** The server side of a connection. */
interface ServerSide {
  readonly socket: Socket;
  /** Called at the end of each pause of `node:net`. */
  onPause: () => void;
}

/**
 * Finds the server side of the next connection. Its pauses end on time by the clock: otherwise the server begins to count again
 * when the machine stops this process.
 */
function watchServerSide(): Promise<ServerSide> {
  return new Promise((resolve) => {
    const note = (message: unknown): void => {
      unsubscribe("http.server.request.start", note);
      const { socket } = message as { readonly socket: Socket };
      const side: ServerSide = { socket, onPause: () => undefined };
      let now = performance.now();
      socket.prependListener("timeout", () => {
        now += socket.timeout ?? 0;
        if (socket.writableLength > 0) vi.spyOn(performance, "now").mockReturnValueOnce(now);
        side.onPause();
      });
      resolve(side);
    };
    subscribe("http.server.request.start", note);
    onTestFinished(() => {
      unsubscribe("http.server.request.start", note);
      vi.restoreAllMocks();
    });
  });
}

test("a client that stops to read is cut after its time, and not after twice that", async () => {
  const { port, events } = await start({ slowReaderTimeout: 4000 }, "x".repeat(2000));
  const { socket, closed } = open(port);
  socket.once("data", () => socket.pause());
  const watched = watchServerSide();
  socket.write("GET /Notes HTTP/1.1\r\nHost: x\r\n\r\n");
  const side = await watched;
  const pauses: unknown[] = [];
  side.onPause = () => void pauses.push(side.socket.timeout);
  await expect.poll(() => events).toContain("aborted");
  socket.resume();
  await closed;
  // The system takes bytes for a moment.
  expect(new Set(pauses)).toEqual(new Set([1000]));
  expect(pauses.length).toBeGreaterThanOrEqual(4);
  expect(pauses.length).toBeLessThan(7);
});

test("a client that reads in bursts, with pauses below its time, is not cut", async () => {
  const { port, events } = await start({ slowReaderTimeout: 2800 }, "x".repeat(2000));
  const { socket, closed } = open(port);
  let [bytes, tail] = [0, ""];
  socket.on("data", (chunk: Buffer) => {
    const before = bytes;
    bytes += chunk.length;
    tail = (tail + chunk.toString("latin1")).slice(-20);
    if (Math.floor(before / 4e6) === Math.floor(bytes / 4e6)) return;
    socket.pause();
    setTimeout(() => socket.resume(), 950);
  });
  socket.write("GET /Notes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await closed;
  expect(events).toEqual(["ended"]);
  expect(bytes).toBeGreaterThan(40e6);
  expect(tail.endsWith("]}\r\n0\r\n\r\n")).toBe(true);
});

test("a slow handler and a client that reads slowly are not cut", async () => {
  const { port } = await start({ slowReaderTimeout: 2000, keepAliveTimeout: 100 }, "x".repeat(2000), 2400);
  const slow = open(port, "GET /Notes(1) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await slow.closed;
  expect(slow.seen.text).toContain('"Text":"y"');
  const { socket, seen, closed } = open(port);
  const watched = watchServerSide();
  socket.write("GET /Notes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const side = await watched;
  const flushed = (): number => side.socket.bytesWritten - side.socket.writableLength;
  let [pauses, before] = [0, -1];
  // The client reads after each second pause until the server makes progress, however long that takes.
  socket.on("data", () => {
    if (pauses <= 8 && flushed() !== before) socket.pause();
  });
  side.onPause = () => {
    pauses += 1;
    if (pauses <= 8 && pauses % 2 === 1) return;
    before = flushed();
    socket.resume();
  };
  await closed;
  expect(pauses).toBeGreaterThan(8);
  expect(seen.text.endsWith("]}\r\n0\r\n\r\n")).toBe(true);
});
