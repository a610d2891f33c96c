import { Agent, createServer, get, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { serve, toNodeHandler } from "odatakit/node";
import { expect, onTestFinished, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });
const MANY = Array.from({ length: 60_000 }, (_, id) => ({ id, text: "x".repeat(100) }));

function watchWarnings(): readonly string[] {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  return warnings;
}

async function start(options: Parameters<typeof entitySet<typeof Note>>[1]): Promise<number> {
  const server = createServer(toNodeHandler(odataService({ entitySets: [entitySet(Note, options)] })));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

test("requests that read ctx.signal leave no listeners on a reused connection", async () => {
  const warnings = watchWarnings();
  const signals: AbortSignal[] = [];
  const port = await start({
    getByKey: (id, { signal }) => {
      signals.push(signal);
      return { id, text: "x" };
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let count = 0; count < 15; count += 1) {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/Notes(1)", agent }, resolve).on("error", reject);
    });
    expect(message.statusCode).toBe(200);
    for await (const _chunk of message);
  }
  agent.destroy();
  await pause(50);
  expect(warnings).toEqual([]);
  expect(signals.map(({ aborted }) => aborted)).toEqual(Array.from({ length: 15 }, () => false));
});

test("ctx.signal is aborted when the client disconnects before the response", async () => {
  let note: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    note = resolve;
  });
  const port = await start({
    getByKey: (_id, { signal }) => {
      signal.addEventListener("abort", note);
      socket.destroy();
      return new Promise(() => {
        // It never settles.
      });
    },
  });
  const socket = connect(port, "127.0.0.1", () => socket.write("GET /Notes(1) HTTP/1.1\r\nHost: x\r\n\r\n"));
  await aborted;
});

test("a client that reads slowly costs no listener for each pause", async () => {
  const warnings = watchWarnings();
  const port = await start({ getAll: () => MANY, maxTop: null });
  const socket = connect(port, "127.0.0.1", () => socket.write("GET /Notes HTTP/1.1\r\nHost: x\r\n\r\n"));
  let read = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    read += chunk.length;
    await pause(1);
    if (read > 6_000_000) break;
  }
  socket.destroy();
  await pause(50);
  expect(warnings).toEqual([]);
});

test("cancelling a Fetch body midway is not an error", async () => {
  const failures: unknown[] = [];
  const logger = { error: (_message: string, fields: object) => void failures.push(fields), warn() {}, info() {} };
  const service = odataService({ logger, entitySets: [entitySet(Note, { getAll: () => MANY, maxTop: null })] });
  for (const chunks of [0, 1, 2]) {
    const { body } = await service.fetch(new Request("http://service.example/Notes"));
    const reader = body!.getReader();
    for (let count = 0; count < chunks; count += 1) await reader.read();
    await reader.cancel();
    await pause(1);
  }
  expect(failures).toEqual([]);
});

/** Counts the responses that are there whole. */
function wholeResponses(text: string): number {
  const head = /^HTTP[^]*?\r\n\r\n/u.exec(text)?.[0] ?? "";
  const length = head.length + Number(/content-length: (\d+)/iu.exec(head)?.[1]);
  return text.length >= length ? 1 + wholeResponses(text.slice(length)) : 0;
}

/** Returns the responses of a `serve` server to bytes, each of which it answers before the next are sent. */
async function exchange(...pieces: readonly string[]): Promise<string> {
  const service = odataService({ entitySets: [entitySet(Note, { getAll: () => MANY })] });
  const server = await serve(service, { port: 0, host: "127.0.0.1" });
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  for (const [index, piece] of pieces.entries()) {
    socket.write(piece);
    await expect.poll(() => wholeResponses(text)).toBe(index + 1);
  }
  socket.destroy();
  await server.close();
  return text;
}

test.each<[string, readonly string[]]>([
  ["without a Host header", ["GET /Notes/$count HTTP/1.1\r\n\r\n"]],
  [
    "that is malformed behind one that was answered",
    ["GET /Notes/$count HTTP/1.1\r\nHost: x\r\n\r\n", "GET ?x HTTP/1.1\r\nHost: x\r\n\r\n"],
  ],
])("a request %s is a 400 with the envelope", async (_what, pieces) => {
  const answer = (await exchange(...pieces)).split("HTTP/1.1 ").at(-1);
  expect(answer).toMatch(/^400 .*\r\n[^]*OData-Version: 4\.0\r\n/);
  expect(answer).toContain('"code":"InvalidUrl"');
});

test("ignores an unknown expectation", async () => {
  const answer = await exchange("GET /Notes/$count HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nOData-Version: 4\.0\r\n/);
});
