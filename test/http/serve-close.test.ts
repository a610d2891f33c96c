import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
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

test("idle and half-sent connections end at once, and a request under way gets its response", async () => {
  const server = await start();
  const [fresh, idle, half, body, busy] = Array.from({ length: 5 }, () => open(server.port));
  idle!.socket.write(get(0));
  half!.socket.write("GET /Notes HTTP/1.1\r\nHost:");
  body!.socket.write(
    'POST /Notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"Id":',
  );
  busy!.socket.write(get(1500));
  await expect.poll(() => idle!.seen.text).toContain("200 OK");
  await pause(50);
  const started = performance.now();
  const closing = server.close();
  await Promise.all([fresh!.closed, idle!.closed, half!.closed, body!.closed]);
  expect(busy!.seen.text).toBe("");
  expect(body!.seen.text).toMatch(/^HTTP\/1\.1 408 /u);
  await closing;
  expect(performance.now() - started).toBeLessThan(9000);
  expect(busy!.seen.text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/u);
  for (const each of [fresh, idle, half, body, busy]) expect(each!.seen.errors).toEqual([]);
});

test("of pipelined requests the last response alone closes the connection", async () => {
  const server = await start();
  const { socket, seen, closed } = open(server.port);
  socket.write(get(300) + get(0) + get(200));
  await pause(100);
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
  socket.write(get(300));
  socket.on("data", () => {
    if (seen.text.includes("\r\nConnection: close\r\n")) socket.write(get(IGNORED));
  });
  await pause(100);
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
  await pause(50);
  const started = performance.now();
  await server.close();
  await closed;
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("during drainDelay the server is not ready, and serves old and new connections", async () => {
  const server = await serve(notes, { port: 0, host: "127.0.0.1", ready: "/readyz", drainDelay: 2000 });
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
  fresh.socket.write(get(2500));
  await closing;
  expect(fresh.seen.text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/u);
  await Promise.all([old.closed, fresh.closed]);
  expect([...old.seen.errors, ...fresh.seen.errors]).toEqual([]);
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});

/** Sends requests one after another, some of them two at once, until the server closes the connection. */
async function load(port: number, at: number): Promise<{ readonly sent: number; readonly answered: number }> {
  const { socket, seen, closed } = open(port);
  let sent = 0;
  let isClosing = false;
  const send = (): void => {
    const count = sent % 7 === at % 7 ? 2 : 1;
    for (let each = 0; each < count; each += 1) socket.write(get(at % 3));
    sent += count;
  };
  socket.on("connect", send);
  socket.on("data", () => {
    const answered = responses(seen.text).length;
    isClosing ||= seen.text.includes("\r\nConnection: close\r\n");
    if (!isClosing && answered === sent && seen.text.endsWith("}")) send();
  });
  await closed;
  expect(seen.errors).toEqual([]);
  return { sent, answered: responses(seen.text).length };
}

test("32 clients that go on sending see no reset, in five shutdowns", async () => {
  for (let round = 0; round < 5; round += 1) {
    const server = await start();
    const clients = Array.from({ length: 32 }, (_none, at) => load(server.port, at));
    await pause(150);
    await server.close();
    for (const { sent, answered } of await Promise.all(clients)) expect([sent > 0, answered]).toEqual([true, sent]);
  }
});

/** Sends requests one after another, over a new connection whenever the last one has ended, until one is refused. */
async function reconnect(port: number, at: number): Promise<string> {
  for (let sent = 0; ; sent += 1) {
    const agent = new Agent({ keepAlive: true });
    try {
      for (let isKept = true; isKept; sent += 1) isKept = await sendOnce(agent, port, (at + sent) % 5);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    } finally {
      agent.destroy();
    }
  }
}

/** @returns whether the server keeps the connection open */
function sendOnce(agent: Agent, port: number, id: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: "127.0.0.1", path: `/Notes(${String(id)})` }, (response) => {
      response.resume().once("error", reject);
      response.once("end", () => resolve(response.headers.connection !== "close"));
    });
    sent.once("error", reject).end();
  });
}

test("32 clients that connect while the server closes get a response or are refused", async () => {
  for (let round = 0; round < 5; round += 1) {
    const server = await start();
    const clients = Array.from({ length: 32 }, (_none, at) => reconnect(server.port, at));
    await pause(100);
    await server.close();
    expect(new Set(await Promise.all(clients))).toEqual(new Set(["ECONNREFUSED"]));
  }
});
