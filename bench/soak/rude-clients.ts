import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST } from "../ask.ts";
import { seededRandom, type Random } from "../random.ts";
import type { SoakRun } from "./client.ts";
import { FIXED_ROWS, SOAK_PREFIX } from "./soak-model.ts";

/** The timeouts of the server, in milliseconds: short, so that each one is met often. */
export const SOAK_TIMEOUTS = { headersTimeout: 2000, requestTimeout: 4000, slowReaderTimeout: 5000 } as const;

/** Milliseconds beyond a timeout until the server must have ended the connection. The server may be busy. */
const GRACE = 10_000;
/** Characters of the end of a response that are kept. */
const TAIL = 20;
/** Milliseconds between two pieces that a slow client reads. */
const SLOW = 5;
/** All products, more bytes than the sockets of both sides buffer. */
export const EVERYTHING: string = get(`/Products?$top=${String(FIXED_ROWS.products)}`);

/** The bytes and the end of a connection, as a client of raw bytes sees them. */
export interface Connection {
  readonly socket: Socket;
  /** Resolves when the connection has ended, in whatever way. */
  readonly closed: Promise<void>;
  readonly received: { bytes: number; first: string; last: string };
}

function get(path: string): string {
  return `GET ${SOAK_PREFIX}${encodeURI(path)} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`;
}

function post(length: number, body: string): string {
  const headers = `Host: ${HOST}\r\nContent-Type: application/json\r\nContent-Length: ${String(length)}`;
  return `POST ${SOAK_PREFIX}/Orders HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
}

/** Opens a connection for raw bytes. */
export function open(port: number): Connection {
  const socket = connect(port, "127.0.0.1");
  const received = { bytes: 0, first: "", last: "" };
  // A reset is one of the ways in which a server ends these connections.
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    if (received.bytes === 0) received.first = chunk.toString("latin1", 0, 400);
    received.bytes += chunk.length;
    received.last = (received.last + chunk.toString("latin1", Math.max(0, chunk.length - TAIL))).slice(-TAIL);
  });
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  return { socket, closed, received };
}

/**
 * Opens a connection and waits for a first response on it. Node.js accepts one connection per turn of its event loop:
 * clients that do not wait would only fill the queue of the system.
 */
async function openServed(run: SoakRun): Promise<Connection> {
  const begun = performance.now();
  const connection = open(run.port);
  const { socket, closed } = connection;
  const served = new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
  });
  socket.write(`GET ${SOAK_PREFIX}/Products(1)?$select=Id HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await Promise.race([served, closed]);
  run.tally.record("first on a connection", socket.destroyed ? "broken" : 200, performance.now() - begun);
  if (socket.destroyed) run.tally.violate("broken connection", "the first request on a connection");
  return connection;
}

/** Leaves in the middle of reads: before the response, at its first bytes, or between two pieces. */
export async function runLeavingReader(run: SoakRun, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const requests = [EVERYTHING, get("/Products(1)"), get("/Products?$top=1000"), get("/Categories?$expand=Products")];
  while (!run.isOver()) {
    const { socket, closed } = await openServed(run);
    socket.write(requests[random.below(requests.length)] ?? EVERYTHING);
    if (random.below(2) === 0) await sleep(random.below(30));
    if (random.below(2) === 0) socket.resetAndDestroy();
    else socket.destroy();
    await closed;
    run.tally.record("left while reading", "left", 0.01);
    await sleep(random.below(100));
  }
}

/** Reads everything, slowly, and must receive it to its end. */
export async function runSlowReader(run: SoakRun, seed: number): Promise<void> {
  const random = seededRandom(seed);
  while (!run.isOver()) {
    const begun = performance.now();
    const { socket, closed, received } = open(run.port);
    socket.on("data", () => {
      socket.pause();
      setTimeout(() => socket.resume(), random.below(2 * SLOW));
    });
    socket.write(EVERYTHING);
    await closed;
    const isWhole = received.first.startsWith("HTTP/1.1 200 ") && /\]\}(?:\r\n0\r\n\r\n)?$/u.test(received.last);
    run.tally.record("slow reader", isWhole ? 200 : "cut", performance.now() - begun);
    if (!isWhole) {
      const { bytes, first } = received;
      run.tally.violate("slow reader", `cut after ${String(bytes)} bytes of ${first.slice(0, 40)}`);
    }
  }
}

/** Stops in the middle of a request: the server must send 408 and end the connection. */
export async function runSlowSender(run: SoakRun, seed: number): Promise<void> {
  const random = seededRandom(seed);
  while (!run.isOver()) {
    const inHeaders = random.below(2) === 0;
    const begun = performance.now();
    const { socket, closed, received } = open(run.port);
    socket.write(inHeaders ? `GET ${SOAK_PREFIX}/Products HTTP/1.1\r\nHost: ${HOST}\r\nX-` : post(100, '{"Owner":1,'));
    const most = (inHeaders ? SOAK_TIMEOUTS.headersTimeout : SOAK_TIMEOUTS.requestTimeout) + GRACE;
    await Promise.race([closed, sleepUnlessOver(run, most)]);
    const status = /^HTTP\/1\.1 (\d+) /u.exec(received.first)?.[1] ?? "none";
    socket.destroy();
    if (run.isOver()) return;
    const kind = inHeaders ? "half of the headers" : "half of a body";
    run.tally.record(kind, status, performance.now() - begun);
    if (status !== "408") run.tally.violate("slow sender", `${kind}: ${status} instead of 408`);
  }
}

/** Sends several requests at once on one connection: the responses come in the same order. */
export async function runPipeline(run: SoakRun, seed: number): Promise<void> {
  const random = seededRandom(seed);
  while (!run.isOver()) {
    const ids = Array.from({ length: 10 }, () => 1 + random.below(FIXED_ROWS.products));
    const begun = performance.now();
    const { socket, closed } = open(run.port);
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    const line = (id: number): string =>
      `GET ${SOAK_PREFIX}/Products(${String(id)})?$select=Id HTTP/1.1\r\nHost: ${HOST}\r\n`;
    socket.write(
      ids.map((id, index) => `${line(id)}${index === ids.length - 1 ? "Connection: close\r\n" : ""}\r\n`).join(""),
    );
    await closed;
    const found = [...text.matchAll(/"Id":(\d+)\}/gu)].map(([, id]) => Number(id));
    run.tally.record("pipeline of 10", found.length, performance.now() - begun);
    if (found.join() !== ids.join()) run.tally.violate("pipeline", `${found.join()} instead of ${ids.join()}`);
    await sleep(random.below(20));
  }
}

/** Waits, at most until the end of the load. */
export async function sleepUnlessOver(run: SoakRun, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end && !run.isOver()) await sleep(100);
}

/** Sends a write and leaves after a moment, so that no client knows its outcome. */
export async function writeAndLeave(
  run: SoakRun,
  head: string,
  body: string,
  random: Random,
  type: string = "application/json",
): Promise<void> {
  const { socket, closed } = await openServed(run);
  const length = String(Buffer.byteLength(body));
  const whole = `${head}\r\nHost: ${HOST}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`;
  // Some requests do not arrive as a whole.
  socket.write(random.below(4) === 0 ? whole.slice(0, whole.length - 1 - random.below(body.length)) : whole);
  if (random.below(4) > 0) await sleep(random.below(8));
  if (random.below(2) === 0) socket.resetAndDestroy();
  else socket.end();
  // The other half of a connection that was only ended may stay open until the response.
  setTimeout(() => socket.destroy(), 50);
  await closed;
}
