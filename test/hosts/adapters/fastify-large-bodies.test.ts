import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { pipeline, Transform, type Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { createGunzip, gzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { toFastifyPlugin } from "odatakit/fastify";
import { expect, onTestFinished, test } from "vitest";
import { orderService } from "./hosts.ts";

const LIMIT = 1000;

/** Opens a connection that sends raw requests. */
async function open(app: FastifyInstance) {
  onTestFinished(() => app.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const socket: Socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const seen = { text: "", hasEnded: false, errors: [] as string[] };
  socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString()));
  socket.on("end", () => (seen.hasEnded = true));
  socket.on("error", ({ message }) => seen.errors.push(message));
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
  });
  await once(socket, "connect");
  return { socket, seen, closed };
}

const head = (framing: string): string =>
  `POST /odata/Orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const PIECE = "a".repeat(50_000);

/** Each way of sending a body in two halves. */
const FRAMINGS: ReadonlyArray<readonly [string, readonly [string, string]]> = [
  ["announced", [head("Content-Length: 100000") + PIECE, PIECE]],
  ["chunked", [head("Transfer-Encoding: chunked") + chunk(PIECE), `${chunk(PIECE)}0\r\n\r\n`]],
];

/** Hooks that replace the stream of the body. */
const HOOKS: Readonly<Record<string, ((payload: Readable) => Readable) | null>> = {
  "no hook": null,
  "a piped stream": (payload) => payload.pipe(passThrough()),
  "a pipeline": (payload) => pipeline(payload, passThrough(), () => undefined),
};

function passThrough(): Transform {
  return new Transform({ transform: (data, _encoding, done) => done(null, data) });
}

function application(hook: ((payload: Readable) => Readable) | null): FastifyInstance {
  const app = Fastify();
  if (hook !== null) app.addHook("preParsing", async (_request, _reply, payload) => hook(payload as Readable));
  app.register(toFastifyPlugin(orderService({ defaults: { maxRequestBodyBytes: LIMIT } }).service));
  return app;
}

test.for(
  Object.entries(HOOKS).flatMap(([name, hook]) =>
    FRAMINGS.map((framing) => [name, framing[0], hook, framing[1]] as const),
  ),
)("%s: a client that is still sending a body %s reads its 413", async ([, , hook, [first, rest]]) => {
  const { socket, seen, closed } = await open(application(hook));
  socket.write(first);
  await expect.poll(() => seen.text).toContain('"code":"PayloadTooLarge"');
  // A connection that closes now would be reset by the rest of the body.
  await pause(100);
  expect(seen.hasEnded).toBe(false);
  socket.write(rest);
  await closed;
  expect(seen.errors).toEqual([]);
  expect(seen.text).toMatch(/^HTTP\/1\.1 413 /u);
  expect(seen.text).toMatch(/\r\nconnection: close\r\n/iu);
  expect(seen.text).toMatch(/\r\nodata-version: 4\.0\r\n/iu);
});

test("a client that stops sending is disconnected", async () => {
  const { socket, seen, closed } = await open(application(null));
  socket.write(head("Content-Length: 999999999"));
  await closed;
  expect(seen.text).toMatch(/^HTTP\/1\.1 413 /u);
  expect(seen.errors).toEqual([]);
});

test("a client that leaves before its 413 leaves nothing behind", async () => {
  const app = application(null);
  const { socket, seen } = await open(app);
  socket.write(head("Content-Length: 999999999"));
  await expect.poll(() => seen.text).toMatch(/^HTTP\/1\.1 413 /u);
  socket.destroy();
  await app.close();
});

test("a hook whose stream fails never ends the process", async () => {
  const app = application((payload) => payload.pipe(createGunzip()));
  const { socket, seen } = await open(app);
  const body = "not compressed";
  const send = (path: string): Promise<void> => {
    seen.text = "";
    socket.write(head(`Content-Length: ${String(body.length)}`).replace("/odata/Orders", path) + body);
    return expect.poll(() => seen.text).toMatch(/\}$/u);
  };
  await send("/odata/Nowhere");
  expect(seen.text).toMatch(/^HTTP\/1\.1 404 /u);
  await send("/odata/Orders");
  expect(seen.text).toMatch(/^HTTP\/1\.1 400 /u);
  expect(seen.text).toContain('"code":"InvalidBody"');
});

test("a body that grows above the limit in a hook is 413, and the connection stays open or announces its end", async () => {
  const app = application((payload) => payload.pipe(createGunzip()));
  const { socket, seen } = await open(app);
  const bomb = gzipSync("a".repeat(50_000_000));
  for (let round = 0; round < 3; round++) {
    seen.text = "";
    socket.write(head(`Content-Length: ${String(bomb.length)}`));
    await pause(0);
    socket.write(bomb);
    await expect.poll(() => seen.text).toMatch(/"PayloadTooLarge".*\}$/u);
    if (/\r\nconnection: close/iu.test(seen.text)) return;
  }
  expect(seen.errors).toEqual([]);
});
