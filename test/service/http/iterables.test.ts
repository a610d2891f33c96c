import { once } from "node:events";
import { connect } from "node:net";
import { edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { serve } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), owner: edm.string() });
interface Row {
  readonly id: number;
  readonly text: string;
  readonly owner: string;
}

const ORIGIN = "http://notes.example";

function rowsOf(length: number): readonly Row[] {
  return Array.from({ length }, (_, index) => ({
    id: index + 1,
    text: index % 7 === 0 ? `"é😀" ${String(index)}` : "plain",
    owner: index % 3 === 0 ? "ada" : "bob",
  }));
}

/** An async iterable that records how it is read. */
function iterable(rows: readonly Row[], events: string[] = [], failsAt = Infinity) {
  const read = { pulled: 0 };
  async function* entities() {
    try {
      for (const row of rows) {
        if (read.pulled === failsAt) throw new Error("The disk is gone.");
        read.pulled += 1;
        yield await Promise.resolve(row);
      }
      events.push("end");
    } finally {
      events.push("return");
    }
  }
  return { read, entities };
}

interface Logged {
  readonly message: string;
  readonly requestId: unknown;
  readonly err: unknown;
}

function serviceOf(getAll: () => unknown, options: Partial<ServiceOptions> = {}, logged: Logged[] = []) {
  const set = entitySet(Note, { name: "Notes", getAll: getAll as () => readonly Row[] });
  const logger = {
    error: (message: string, { requestId, err }: Readonly<Record<string, unknown>>) =>
      void logged.push({ message, requestId, err }),
    warn: () => undefined,
    info: () => undefined,
  };
  return odataService({ logger, entitySets: [set], defaults: { maxTop: null }, ...options });
}

type Service = ReturnType<typeof serviceOf>;

const get = (
  service: Service,
  query = "",
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Response> => service.fetch(new Request(`${ORIGIN}/Notes?${query}`, { method, headers }));

describe("an async iterable of a handler", () => {
  test.each([0, 1, 249, 250, 251, 999, 1000, 1001, 1250, 4003])(
    "of %i entities is written like an array",
    async (n) => {
      const rows = rowsOf(n);
      const streamed = serviceOf(() => iterable(rows).entities());
      const whole = serviceOf(() => rows);
      for (const query of [
        "",
        "$filter=Owner eq 'ada'",
        "$filter=Id gt 1200",
        "$filter=Id lt 0",
        "$skip=600",
        "$skip=5&$top=1300",
        "$top=1001&$select=Text",
        "$filter=Owner ne 'ada'&$skip=3&$top=2000",
        "$count=true",
        "$orderby=Text desc,Id&$count=true&$skip=1",
        "$format=application/json;odata.metadata=none",
        "$format=application/json;odata.metadata=full",
      ]) {
        const [left, right] = await Promise.all([get(streamed, encodeURI(query)), get(whole, encodeURI(query))]);
        expect([query, left.status, await left.text()]).toEqual([query, 200, await right.text()]);
        const names = [...left.headers].filter(([name]) => name !== "x-request-id" && name !== "content-length");
        expect(names).toEqual(
          [...right.headers].filter(([name]) => name !== "x-request-id" && name !== "content-length"),
        );
      }
    },
  );

  test("has a Content-Length up to 1000 entities, and none above", async () => {
    const lengths = [1000, 1001].map((n) => get(serviceOf(() => iterable(rowsOf(n)).entities())));
    const [short, long] = await Promise.all(lengths);
    const body = new Uint8Array((await short?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect(short?.headers.get("content-length")).toBe(String(body.length));
    expect(long?.headers.get("content-length")).toBeNull();
    await long?.body?.cancel();
  });

  test("is read only as far as the response needs, and then told to return", async () => {
    const events: string[] = [];
    const { read, entities } = iterable(rowsOf(5000), events);
    const response = await get(serviceOf(entities), "$top=1300&$skip=10");
    expect((JSON.parse(await response.text()) as { value: unknown[] }).value).toHaveLength(1300);
    expect(read.pulled).toBe(1310);
    await expect.poll(() => events).toEqual(["return"]);
  });

  test("is read as far as a page goes, whether or not the client reads", async () => {
    const events: string[] = [];
    const { read, entities } = iterable(rowsOf(100_000), events);
    const response = await get(serviceOf(entities));
    expect(read.pulled).toBe(10_001);
    expect(events).toEqual(["return"]);
    const { value } = JSON.parse(await response.text()) as { value: unknown[] };
    expect(value).toHaveLength(10_000);
  });

  test("ends when the client of a server leaves, although the handler waits", async () => {
    const events: string[] = [];
    let pulled = 0;
    const never = new Promise<IteratorResult<Row>>((resolve) => {
      onTestFinished(() => resolve({ done: true, value: undefined }));
    });
    const iterator: AsyncIterator<Row> = {
      next: () => {
        pulled += 1;
        const value = { id: pulled, text: "x".repeat(100), owner: "ada" };
        return pulled > 2000 ? never : Promise.resolve({ done: false, value });
      },
      return: () => {
        events.push("return");
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    const logged: Logged[] = [];
    const service = serviceOf(() => ({ [Symbol.asyncIterator]: () => iterator }), {}, logged);
    const server = await serve(service, { port: 0 });
    onTestFinished(() => server.close());
    const leaving = new AbortController();
    const response = fetch(`${server.url}/Notes`, { signal: leaving.signal });
    await expect.poll(() => pulled).toBe(2001);
    leaving.abort();
    await expect(response).rejects.toThrow();
    await expect.poll(() => events).toEqual(["return"]);
    expect(logged).toEqual([]);
  });

  test("is closed by HEAD, which has no body", async () => {
    const events: string[] = [];
    const response = await get(serviceOf(iterable(rowsOf(3000), events).entities), "", {}, "HEAD");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBeNull();
    expect(await response.text()).toBe("");
    expect(events).toEqual(["end", "return"]);
  });

  test.each([900, 2999])("becomes an error response if it fails at its entity %i", async (failsAt) => {
    const events: string[] = [];
    const logged: Logged[] = [];
    const service = serviceOf(iterable(rowsOf(3000), events, failsAt).entities, {}, logged);
    const response = await get(service);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: "InternalServerError" } });
    expect(logged.map(({ message, requestId }) => [message, requestId])).toEqual([
      ["A request failed.", response.headers.get("x-request-id")],
    ]);
    expect(events).toEqual(["return"]);
  });

  test("is not sent in chunks to a client of HTTP/1.0", async () => {
    const server = await serve(serviceOf(iterable(rowsOf(1500)).entities), { port: 0, host: "127.0.0.1" });
    onTestFinished(() => server.close());
    const socket = connect(server.port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    socket.write("GET /Notes?$select=Id HTTP/1.0\r\nHost: x\r\n\r\n");
    await once(socket, "close");
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head).not.toMatch(/transfer-encoding/iu);
    expect((JSON.parse(body) as { value: unknown[] }).value).toHaveLength(1500);
  });

  test("is refused above maxResponseEntities", async () => {
    const rows = rowsOf(3000);
    for (const most of [600, 2500]) {
      const defaults = { maxTop: null, maxResponseEntities: most };
      const response = await get(serviceOf(() => iterable(rows).entities(), { defaults }));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: "InvalidQueryOption", target: "$top" } });
    }
  });

  test("ends in a next link after the entities where the page has a size", async () => {
    const service = serviceOf(() => iterable(rowsOf(4000)).entities());
    const response = await get(service, "$select=Id", { Prefer: "maxpagesize=1500" });
    expect(response.headers.get("preference-applied")).toBe("maxpagesize=1500");
    const text = await response.text();
    expect(text.endsWith(`],"@odata.nextLink":"${ORIGIN}/Notes?$select=Id&$skip=1500"}`)).toBe(true);
    expect((JSON.parse(text) as { value: { Id: number }[] }).value.at(-1)).toEqual({ Id: 1500 });
    const last = await get(service, "$select=Id&$skip=2500", { Prefer: "maxpagesize=1500" });
    expect(JSON.parse(await last.text()) as object).not.toHaveProperty("@odata.nextLink");
  });
});

test("hidden entities of an async iterable are left out, however many follow one another", async () => {
  const rows = rowsOf(6000).map((row) => ({ ...row, owner: row.id > 100 && row.id < 4000 ? "bob" : row.owner }));
  const set = (getAll: () => unknown) =>
    entitySet(Note, {
      name: "Notes",
      getAll: getAll as () => readonly Row[],
      authorization: { rows: (_user, note) => note.owner.eq("ada") },
    });
  const service = (getAll: () => unknown) =>
    odataService({ entitySets: [set(getAll)], authenticate: () => ({ id: "u" }), defaults: { maxTop: null } });
  const streamed = service(() => iterable(rows).entities());
  for (const query of ["", "$skip=40&$top=1200", "$filter=Id gt 50"]) {
    const [left, right] = await Promise.all([
      get(streamed, query),
      get(
        service(() => rows),
        query,
      ),
    ]);
    expect(await left.text()).toBe(await right.text());
  }
});

describe("an async iterable of applyQuery", () => {
  const applied = (answer: object, options: object = {}): Service =>
    odataService({
      entitySets: [entitySet(Note, { name: "Notes", applyQuery: () => answer as never })],
      defaults: { maxTop: null, ...options },
    });
  const items = (length: number): AsyncIterable<Row> => iterable(rowsOf(length)).entities();

  test.each<[string, string, (length: number) => object, object]>([
    ["all items", "", () => ({}), {}],
    ["a count", "$count=true", () => ({ count: 7000n }), {}],
    ["no count", "$count=true", () => ({}), {}],
    ["more items than $top", "$top=1100", () => ({}), {}],
    ["a short page", "", () => ({}), { maxTop: 100 }],
    ["a page of a given size", "", () => ({}), { maxTop: 1200 }],
    ["a greater total", "$count=true", (length) => ({ count: length + 1 }), { maxTop: 5000 }],
    ["its own link", "", () => ({ nextLink: "https://other.example/?a" }), { maxTop: 1200 }],
  ])("with %s has the same members as an array", async (_what, query, more, options) => {
    for (const length of [0, 100, 101, 1200, 1201, 2600]) {
      const streamed = await get(applied({ items: items(length), ...more(length) }, options), query);
      const whole = await get(applied({ items: rowsOf(length), ...more(length) }, options), query);
      expect(JSON.parse(await streamed.text())).toEqual(JSON.parse(await whole.text()));
    }
  });
});
