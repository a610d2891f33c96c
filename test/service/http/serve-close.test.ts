import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { authenticated, edm, entitySet, entityType, odataService } from "odatakit";
import { serve, type RunningServer } from "odatakit/node";
import { expect, onTestFinished, test } from "vitest";
import { passTime, stopTimers, until } from "../../timers.ts";
import { noFailures } from "./model.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

const keysRead: number[] = [];
const IGNORED = 77;
/** The handler returns entities with greater keys when the test says so. */
const HELD = 1000;
const held: (() => void)[] = [];

/** Lets the handler return the entities that it holds. */
function release(): void {
  for (const give of held.splice(0)) give();
}

/** A service whose handler takes as many milliseconds as a small key says. */
const notes = odataService({
  logger: noFailures,
  entitySets: [
    entitySet(Note, {
      getByKey: (id) => {
        keysRead.push(id);
        const note = { id, text: "y" };
        if (id < HELD) return pause(id, note);
        return new Promise((resolve) => {
          held.push(() => resolve(note));
        });
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
  release();
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

test("a client that never closes its side gets its response whole, and its connection ends", async () => {
  const server = await serve(notes, { port: 0, host: "127.0.0.1", drainTimeout: null, keepAliveTimeout: null });
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  const isSent = once(socket, "data").then(() => socket.pause());
  socket.write("GET /Long(1) HTTP/1.1\r\nHost: x\r\n\r\n");
  await isSent;
  const closing = server.close();
  socket.resume();
  await closing;
  await expect.poll(() => text.endsWith('x"}')).toBe(true);
});

test("of pipelined requests the last response alone closes the connection", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  socket.write(get(1400) + get(0) + get(201));
  await expect.poll(() => keysRead).toContain(201);
  const closing = server.close();
  socket.write(get(202));
  await expect.poll(() => keysRead).toContain(202);
  release();
  await closed;
  await closing;
  const all = responses(seen.text);
  expect(all.map((each) => each.includes("\r\nConnection: close\r\n"))).toEqual([false, false, false, true]);
  expect(seen.errors).toEqual([]);
});

test("a request after a keep-alive response is answered during close, and is the last", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  const isSent = once(socket, "data").then(() => socket.pause());
  socket.write("GET /Long(2) HTTP/1.1\r\nHost: x\r\n\r\n");
  await isSent;
  const closing = server.close();
  socket.write(get(302));
  await expect.poll(() => keysRead).toContain(302);
  socket.resume();
  await Promise.all([closing, closed]);
  const all = responses(seen.text);
  expect(all.map((each) => /\r\nConnection: ([\w-]+)\r\n/u.exec(each)?.[1])).toEqual(["keep-alive", "close"]);
  expect(all[0]?.endsWith('x"}')).toBe(true);
  expect(all[1]?.endsWith('"Text":"y"}')).toBe(true);
  expect(seen.errors).toEqual([]);
});

test("a request after the last response is ignored", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  socket.write(get(1301));
  socket.on("data", () => {
    if (seen.text.includes("\r\nConnection: close\r\n")) socket.write(get(IGNORED));
  });
  await expect.poll(() => keysRead).toContain(1301);
  const closing = server.close();
  release();
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

test.each([
  [401, "application/json"],
  [415, "text/plain"],
])("a client that still sends its body when the server closes can read a %d", async (status, type) => {
  const gate = new EventEmitter();
  const begun = once(gate, "begun");
  const service = odataService({
    logger: noFailures,
    authenticate: async () => {
      const released = once(gate, "released");
      gate.emit("begun");
      await released;
      return status === 401 ? null : { id: "ada" };
    },
    entitySets: [entitySet(Note, { authorization: { create: authenticated() }, create: (note) => note })],
  });
  const server = await serve(service, { port: 0, host: "127.0.0.1" });
  const { socket, seen, closed } = open(server.port);
  socket.write(`POST /Notes HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 10000000\r\n\r\n`);
  // More than the server reads for a handler that does not read it. To close a connection with unread bytes resets it.
  socket.write("x".repeat(10_000_000));
  await begun;
  const closing = server.close();
  gate.emit("released");
  await Promise.all([closing, closed]);
  expect(seen.text).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} [^{]*\\{.*\\}$`, "u"));
  expect(seen.text).toContain("\r\nConnection: close\r\n");
  expect(seen.errors).toEqual([]);
});

test("drainTimeout destroys the remaining connections", async () => {
  const server = await start(200);
  const { socket, closed } = open(server.port);
  socket.write(get(60_000));
  await expect.poll(() => keysRead).toContain(60_000);
  await server.close();
  await closed;
  expect(held.splice(0)).toHaveLength(1);
});

test("during drainDelay the server is not ready, and serves old and new connections", async () => {
  const server = await serve(notes, { port: 0, host: "127.0.0.1", ready: "/readyz", drainDelay: 3000 });
  const old = open(server.port);
  old.socket.write(get(0));
  await expect.poll(() => old.seen.text).toContain("200 OK");
  stopTimers();
  const closing = server.close();
  expect(server.close()).toBe(closing);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  old.seen.text = "";
  old.socket.write(get(0));
  await until(() => old.seen.text.includes("200 OK"));
  expect(old.seen.text).not.toContain("Connection: close");
  const fresh = open(server.port);
  fresh.socket.write(get(3500));
  await until(() => keysRead.includes(3500));
  await passTime(3000);
  await old.closed;
  release();
  await Promise.all([closing, old.closed, fresh.closed]);
  expect(fresh.seen.text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/u);
  expect([...old.seen.errors, ...fresh.seen.errors]).toEqual([]);
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});

test("requests that arrive before drainDelay ends are answered, although the process stops for longer", async () => {
  const server = await serve(notes, { port: 0, host: "127.0.0.1", drainDelay: 100 });
  const clients = Array.from({ length: 8 }, () => open(server.port));
  for (const { socket } of clients) socket.write(get(0));
  for (const { seen } of clients) await expect.poll(() => seen.text).toContain("200 OK");
  const idle = open(server.port);
  await once(idle.socket, "connect");
  for (const { seen } of clients) seen.text = "";
  const closing = server.close();
  for (const { socket } of clients) socket.write(get(304));
  const end = performance.now() + 400;
  while (performance.now() < end);
  await Promise.all([closing, idle.closed, ...clients.map(({ closed }) => closed)]);
  for (const { seen } of clients) {
    expect(seen.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/u);
    expect(seen.text.endsWith('"Text":"y"}')).toBe(true);
    expect(seen.errors).toEqual([]);
  }
});

/** Sends requests one after another, some of them two at once, until `isOver`. */
function load(port: number, at: number, isOver: () => boolean) {
  const { socket, seen, closed } = open(port);
  let sent = 0;
  const answered = (): number => responses(seen.text).filter((each) => each.endsWith("}")).length;
  const send = (): void => {
    const count = sent % 7 === at % 7 ? 2 : 1;
    for (let each = 0; each < count; each += 1) socket.write(get(at % 3));
    sent += count;
  };
  socket.on("connect", send);
  socket.on("data", () => {
    if (!isOver() && answered() === sent) send();
  });
  return { seen, closed, counts: () => ({ sent, answered: answered() }) };
}

test("32 clients that stop sending before drainDelay ends see no reset", async () => {
  const server = await serve(notes, { port: 0, host: "127.0.0.1", drainDelay: 4000 });
  stopTimers();
  let isOver = false;
  const clients = Array.from({ length: 32 }, (_none, at) => load(server.port, at, () => isOver));
  await pause(150);
  const closing = server.close();
  await pause(100);
  isOver = true;
  await until(() => clients.every(({ counts }) => counts().sent > 0 && counts().sent === counts().answered));
  await passTime(4000);
  await closing;
  for (const { seen, closed, counts } of clients) {
    await closed;
    const { sent, answered } = counts();
    expect([answered, seen.errors]).toEqual([sent, []]);
  }
});

/** A service whose work after a commit waits for the test. */
function workingService() {
  const warnings: string[] = [];
  const done: string[] = [];
  let release = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const service = odataService({
    logger: { error: noFailures.error, warn: (message) => warnings.push(message), info: noFailures.info },
    entitySets: [
      entitySet(Note, {
        getByKey: (id, context) => {
          context.afterCommit(async () => {
            await waiting;
            done.push("work");
          });
          return { id, text: "y" };
        },
      }),
    ],
  });
  return { service, warnings, done, release: () => release() };
}

test("`close` waits for the work of ctx.afterCommit", async () => {
  const { service, warnings, done, release } = workingService();
  const server = await serve(service, { port: 0, host: "127.0.0.1" });
  const answer = await fetch(`${server.url}/Notes(1)`, { headers: { Connection: "close" } });
  expect([answer.status, await answer.json()]).toMatchObject([200, { Text: "y" }]);
  const closing = server.close().then(() => done.push("closed"));
  for (let turns = 0; turns < 20; turns += 1) await nextTurn();
  expect(done).toEqual([]);
  release();
  await closing;
  expect([done, warnings]).toEqual([["work", "closed"], []]);
});

test("after `drainTimeout`, `close` leaves such work, with a warning", async () => {
  const { service, warnings, done, release } = workingService();
  const server = await serve(service, { port: 0, host: "127.0.0.1", drainTimeout: 50 });
  await (await fetch(`${server.url}/Notes(1)`, { headers: { Connection: "close" } })).text();
  await server.close();
  expect([done, warnings]).toEqual([
    [],
    [
      "The server has closed, but work of ctx.afterCommit is still running. Raise `drainTimeout`, or write such work to a table.",
    ],
  ]);
  release();
  await service.drain();
  expect(done).toEqual(["work"]);
});
