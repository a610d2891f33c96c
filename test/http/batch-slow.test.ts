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
      // Each chunk of HTTP begins with its length in a line of its own.
      expect(text.match(/\r\n[\da-f]+\r\n/g)?.length).toBeLessThan(items.length / 2);
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
