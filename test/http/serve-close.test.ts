import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { serve, type RunningServer } from "odatakit/node";
import { expect, onTestFinished, test } from "vitest";
import { noFailures } from "./model.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

const keysRead: number[] = [];
const IGNORED = 77;

/** A service whose handler takes as many milliseconds as the key says. */
const notes = odataService({
  logger: noFailures,
  entitySets: [
    entitySet(Note, {
      getByKey: (id) => {
        keysRead.push(id);
        return pause(id, { id, text: "y" });
      },
      getAll: () => [],
      create: (note) => note,
    }),
    entitySet(Note, { name: "Long", getByKey: (id) => ({ id, text: "x".repeat(30_000_000) }) }),
  ],
});

const start = (drainTimeout?: number): Promise<RunningServer> =>
  serve(notes, { port: 0, host: "127.0.0.1", drainTimeout });

function open(port: number) {
  const socket = connect(port, "127.0.0.1");
  // Otherwise the system holds a second small request back until the response to the first.
  socket.setNoDelay(true);
  const seen = { text: "", errors: [] as string[] };
  socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString("utf8")));
  socket.on("error", ({ message }) => seen.errors.push(message));
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
  });
  onTestFinished(() => void socket.destroy());
  return { socket, seen, closed };
}

const get = (id: number): string => `GET /Notes(${String(id)}) HTTP/1.1\r\nHost: x\r\n\r\n`;
const responses = (text: string): readonly string[] => text.split(/(?=HTTP\/1\.1 )/u).filter((each) => each !== "");

test("idle connections end at once, and a request under way gets its response", async () => {
  const server = await start();
  const [fresh, idle, half, busy] = Array.from({ length: 4 }, () => open(server.port));
  idle!.socket.write(get(0));
  half!.socket.write("GET /Notes HTTP/1.1\r\nHost:");
  busy!.socket.write(get(1500));
  await expect.poll(() => idle!.seen.text).toContain("200 OK");
  await expect.poll(() => keysRead).toContain(1500);
  const closing = server.close();
  await Promise.all([fresh!.closed, idle!.closed, half!.closed]);
  expect(busy!.seen.text).toBe("");
  await Promise.all([closing, busy!.closed]);
  expect(busy!.seen.text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/u);
  expect(busy!.seen.errors).toEqual([]);
});

test("a server with idle connections closes without waiting", async () => {
  const server = await start();
  const [fresh, idle, half] = Array.from({ length: 3 }, () => open(server.port));
  idle!.socket.write(get(0));
  half!.socket.write("GET /Notes HTTP/1.1\r\nHost:");
  await expect.poll(() => idle!.seen.text).toContain("200 OK");
  await pause(50);
  const closing = server.close();
  // A busy machine must not decide, so the turns of the event loop are counted: a timer would take thousands.
  let turns = 0;
  const count = async (): Promise<void> => {
    for (; turns < 100; turns += 1) await nextTurn();
  };
  await Promise.race([closing, count()]);
  expect(turns).toBeLessThan(100);
  await Promise.all([closing, fresh!.closed, idle!.closed, half!.closed]);
});

test("a response that the client has not read when the server closes is sent whole", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  const isSent = once(socket, "data").then(() => socket.pause());
  socket.write("GET /Long(1) HTTP/1.1\r\nHost: x\r\n\r\n");
  await isSent;
  const closing = server.close();
  socket.resume();
  await Promise.all([closing, closed]);
  expect(seen.text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^{]*Connection: keep-alive\r\n/u);
  expect(seen.text.endsWith('x"}')).toBe(true);
  expect(seen.errors).toEqual([]);
});

test("of pipelined requests the last response alone closes the connection", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  socket.write(get(1400) + get(0) + get(201));
  await expect.poll(() => keysRead).toContain(201);
  const closing = server.close();
  socket.write(get(0));
  await closed;
  await closing;
  const all = responses(seen.text);
  expect(all.map((each) => each.includes("\r\nConnection: close\r\n"))).toEqual([false, false, false, true]);
  expect(seen.errors).toEqual([]);
});

test("a request after the last response is ignored", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  socket.write(get(301));
  socket.on("data", () => {
    if (seen.text.includes("\r\nConnection: close\r\n")) socket.write(get(IGNORED));
  });
  await expect.poll(() => keysRead).toContain(301);
  const closing = server.close();
  await closed;
  await closing;
  expect(responses(seen.text)).toHaveLength(1);
  expect(keysRead).not.toContain(IGNORED);
});

test("a client that stops sending a body above the limit is disconnected", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  socket.write(
    "POST /Notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n{",
  );
  await expect.poll(() => seen.text).toMatch(/^HTTP\/1\.1 413 /u);
  const closing = server.close();
  await closed;
  await closing;
  expect(seen.errors).toEqual([]);
});

test("drainTimeout destroys the remaining connections", async () => {
  const server = await start(200);
  const { socket, closed } = open(server.port);
  socket.write(get(60_000));
  await expect.poll(() => keysRead).toContain(60_000);
  const started = performance.now();
  await server.close();
  await closed;
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("during drainDelay the server is not ready, and serves old and new connections", async () => {
  const server = await serve(notes, { port: 0, host: "127.0.0.1", ready: "/readyz", drainDelay: 3000 });
  const old = open(server.port);
  old.socket.write(get(0));
  await expect.poll(() => old.seen.text).toContain("200 OK");
  const closing = server.close();
  expect(server.close()).toBe(closing);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  old.seen.text = "";
  old.socket.write(get(0));
  await expect.poll(() => old.seen.text).toContain("200 OK");
  expect(old.seen.text).not.toContain("Connection: close");
  const fresh = open(server.port);
  fresh.socket.write(get(3500));
  await Promise.all([closing, old.closed, fresh.closed]);
  expect(fresh.seen.text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/u);
  expect([...old.seen.errors, ...fresh.seen.errors]).toEqual([]);
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});

/** Sends requests one after another, some of them two at once, until `isOver`, and then waits for the end. */
async function load(
  port: number,
  at: number,
  isOver: () => boolean,
): Promise<readonly [sent: number, answered: number]> {
  const { socket, seen, closed } = open(port);
  let sent = 0;
  const send = (): void => {
    const count = sent % 7 === at % 7 ? 2 : 1;
    for (let each = 0; each < count; each += 1) socket.write(get(at % 3));
    sent += count;
  };
  socket.on("connect", send);
  socket.on("data", () => {
    if (!isOver() && responses(seen.text).length === sent && seen.text.endsWith("}")) send();
  });
  await closed;
  expect(seen.errors).toEqual([]);
  return [sent, responses(seen.text).length];
}

test("32 clients that stop sending before drainDelay ends see no reset", async () => {
  const server = await serve(notes, { port: 0, host: "127.0.0.1", drainDelay: 4000 });
  let isOver = false;
  const clients = Array.from({ length: 32 }, (_none, at) => load(server.port, at, () => isOver));
  await pause(150);
  const closing = server.close();
  await pause(100);
  isOver = true;
  await closing;
  for (const [sent, answered] of await Promise.all(clients)) expect([sent > 0, answered]).toEqual([true, sent]);
});
