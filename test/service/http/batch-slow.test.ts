import { createConnection } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { serve } from "odatakit/node";
import { describe, expect, test } from "vitest";
import { MULTIPART, multipart, shopBehind, single } from "./batch-model.ts";
import { eachDoor } from "./doors.ts";

const Item = entityType("Item", { id: edm.int32().key() });

/** A service whose handler counts its calls, and waits until the test lets it continue. */
function waitingService() {
  const waiting: Array<() => void> = [];
  const started: number[] = [];
  const service = odataService({
    entitySets: [
      entitySet(Item, {
        getAll: () => [],
        getByKey: async (id) => {
          started.push(id);
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
          });
          return { id };
        },
      }),
    ],
  });
  const next = async (): Promise<void> => {
    while (waiting.length === 0) await pause(1);
    waiting.shift()?.();
  };
  return { service, started, next };
}

/** A service with long pages, which counts the iterables that have begun and ended. */
function pagedService() {
  const pages = { begun: 0, ended: 0 };
  async function* items() {
    pages.begun += 1;
    try {
      for (let id = 0; id < 100_000; id += 1) {
        if (id === 1500) await pause(5);
        yield { id };
      }
    } finally {
      pages.ended += 1;
    }
  }
  const set = entitySet(Item, { getAll: items });
  return { pages, service: odataService({ entitySets: [set], defaults: { maxTop: null }, batch: { json: true } }) };
}

const JSON_BATCH = { "Content-Type": "application/json" };
const JSON_PAGE = JSON.stringify({ requests: [{ id: "1", method: "GET", url: "Items" }] });

const READS = multipart([{ request: "GET Items(1)" }, { request: "GET Items(2)" }, { request: "GET Items(3)" }]);

describe("the responses are sent while the operations are executed", () => {
  test("over Fetch", async () => {
    const { service, started, next } = waitingService();
    const request = new Request("http://service.example/$batch", { method: "POST", headers: MULTIPART, body: READS });
    const [response] = await Promise.all([service.fetch(request), next()]);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    const readUntil = async (found: string): Promise<void> => {
      while (!text.includes(found)) text += new TextDecoder().decode((await reader.read()).value);
    };
    await readUntil('"Id":1');
    expect(text).not.toContain('"Id":2');
    await Promise.all([readUntil('"Id":2'), next()]);
    await reader.cancel();
    expect(started.slice(0, 2)).toEqual([1, 2]);
  });

  test("over HTTP; operations that have not begun when the client leaves are not executed", async () => {
    const { service, started, next } = waitingService();
    const server = await serve(service, { port: 0 });
    try {
      const socket = createConnection(server.port, "127.0.0.1");
      socket.write(
        `POST /$batch HTTP/1.1\r\nHost: service.example\r\nContent-Type: multipart/mixed; boundary=batch_7\r\n` +
          `Content-Length: ${String(READS.length)}\r\n\r\n${READS}`,
      );
      await next();
      let text = "";
      await new Promise<void>((resolve) => {
        socket.on("data", (chunk) => {
          text += chunk.toString();
          if (text.includes('"Id":1')) resolve();
        });
      });
      expect(started.slice(0, 2)).toEqual([1, 2].slice(0, started.length));
      socket.destroy();
      await pause(50);
      await next();
      await pause(50);
      expect(started).toEqual([1, 2]);
    } finally {
      await server.close();
    }
  });

  test("over HTTP; small responses that follow each other at once leave together", async () => {
    const items = Array.from({ length: 20 }, (_, id) => ({ id }));
    const set = entitySet(Item, { getAll: () => items, getByKey: (id) => items[id] ?? null });
    const server = await serve(odataService({ entitySets: [set] }), { port: 0 });
    try {
      const reads = multipart(items.map(({ id }) => ({ request: `GET Items(${String(id)})` })));
      const socket = createConnection(server.port, "127.0.0.1");
      socket.write(
        `POST /$batch HTTP/1.1\r\nHost: service.example\r\nConnection: close\r\n` +
          `Content-Type: multipart/mixed; boundary=batch_7\r\nContent-Length: ${String(reads.length)}\r\n\r\n${reads}`,
      );
      const text = await textOf(socket);
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(items.length + 1);
      // Each chunk of HTTP begins with its length in its own line. A chunk also ends where a slow machine ends a turn.
      expect(text.match(/\r\n[\da-f]+\r\n/g)?.length).toBeLessThan(items.length);
    } finally {
      await server.close();
    }
  });

  test.each([MULTIPART, JSON_BATCH].flatMap((headers) => [0, 1, 2, 3, 4].map((chunks) => [headers, chunks] as const)))(
    "a client that leaves a long page ends it: %o after %i chunks",
    async (headers, chunks) => {
      const { service, pages } = pagedService();
      const body = headers === MULTIPART ? multipart([{ request: "GET Items" }]) : JSON_PAGE;
      const gone = new AbortController();
      const { signal } = gone;
      const request = new Request("http://service.example/$batch", { method: "POST", headers, body, signal });
      const response = await service.fetch(request);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (let read = 0; read < chunks; read += 1) await reader.read();
      await reader.cancel();
      gone.abort();
      await pause(20);
      expect(pages.begun - pages.ended).toBe(0);
    },
  );

  test("over HTTP; a client that leaves while its long page begins ends it", async () => {
    const { service, pages } = pagedService();
    const server = await serve(service, { port: 0 });
    try {
      for (const [headers, body] of [
        [MULTIPART, multipart([{ request: "GET Items" }])],
        [JSON_BATCH, JSON_PAGE],
      ] as const) {
        const before = pages.begun;
        const socket = createConnection(server.port, "127.0.0.1");
        socket.write(
          `POST /$batch HTTP/1.1\r\nHost: service.example\r\nContent-Type: ${headers["Content-Type"]}\r\n` +
            `Content-Length: ${String(body.length)}\r\n\r\n${body}`,
        );
        while (pages.begun === before) await pause(1);
        socket.destroy();
        while (pages.ended < pages.begun) await pause(1);
      }
      expect(pages).toEqual({ begun: 2, ended: 2 });
    } finally {
      await server.close();
    }
  });
});

eachDoor((door) => {
  test("a large body of an operation arrives whole", async () => {
    const { batch, rowsOf } = await shopBehind(door);
    const note = "x".repeat(2_000_000);
    const [part] = await batch([{ request: "PATCH Orders(10)", body: { Note: note } }]);
    expect(single(part).json.Note).toHaveLength(2_000_000);
    expect(await rowsOf("orders")).toContainEqual({ id: 10, customer_id: 1, note });
  });
});
