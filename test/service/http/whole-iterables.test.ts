import { setTimeout as pause } from "node:timers/promises";
import { edm, entitySet, entityType, fn, hasMany, odataService, type ServiceOptions } from "odatakit";
import { serve } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), shelf: edm.int32() });
const Shelf = entityType("Shelf", { id: edm.int32().key() });
interface Row {
  readonly id: number;
  readonly text: string;
  readonly shelf: number;
}

/** How a test has read its iterable. */
interface Seen {
  pulled: number;
  readonly events: string[];
}

/** Milliseconds of the processor that each entity takes. */
interface Cost {
  readonly work?: number;
  readonly failsAt?: number;
}

function work(time: number): void {
  const end = performance.now() + time;
  while (performance.now() < end);
}

async function* notesOf(length: number, seen: Seen, { work: time = 0, failsAt }: Cost = {}) {
  try {
    for (let id = 1; id <= length; id += 1) {
      if (id === failsAt) throw new Error("The disk is gone.");
      seen.pulled += 1;
      work(time);
      yield await Promise.resolve({ id, text: `note ${String(id % 7)}`, shelf: 1 });
    }
    seen.events.push("end");
  } finally {
    seen.events.push("return");
  }
}

const newSeen = (): Seen => ({ pulled: 0, events: [] });

const LIMIT = 500;

/** A service whose handlers return async iterables in all places. */
function serviceOf(rows: () => AsyncIterable<Row>, options: Partial<ServiceOptions> = {}, logged: unknown[] = []) {
  const handler = rows as unknown as () => readonly Row[];
  return odataService({
    logger: { error: (message) => void logged.push(message), warn: () => undefined, info: () => undefined },
    entitySets: [
      entitySet(Note, { name: "Notes", getAll: handler, search: handler }),
      entitySet(Note, { name: "Applied", applyQuery: () => ({ items: rows() }) }),
      entitySet(Shelf, {
        name: "Shelves",
        getAll: () => [{ id: 1 }],
        getByKey: (id) => ({ id }),
        navigation: { notes: hasMany(Note, { target: "Notes", get: handler }) },
      }),
    ],
    functions: { Recent: fn({ returns: edm.collection(Note), handler: handler as never }) },
    defaults: { maxIterableEntities: LIMIT },
    ...options,
  });
}

async function open(service: ReturnType<typeof serviceOf>): Promise<string> {
  const server = await serve(service, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  return server.url;
}

describe("an async iterable that a request needs as a whole", () => {
  test.each([
    ["/Notes?$orderby=Text", "The getAll handler"],
    ["/Notes?$count=true", "The getAll handler"],
    ["/Notes/$count", "The getAll handler"],
    ["/Notes?$search=note", "The search handler"],
    ["/Shelves?$expand=Notes", "The handler of Shelves/Notes"],
    ["/Shelves(1)/Notes", "The handler of Shelves/Notes"],
    ["/Recent()", "The handler of Recent"],
  ])("%s is refused above maxIterableEntities, and reads one entity more", async (path, handler) => {
    const seen = newSeen();
    const url = await open(serviceOf(() => notesOf(100_000, seen)));
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/u);
    expect(await response.json()).toEqual({
      error: {
        code: "InvalidQueryOption",
        message: `${handler} returned more than 500 entities, and this request needs all of them: narrow it, or omit $orderby, $count and $expand.`,
      },
    });
    expect(seen.pulled).toBe(LIMIT + 1);
    await expect.poll(() => seen.events).toEqual(["return"]);
  });

  test.each([
    [LIMIT, undefined],
    [3 * LIMIT, null],
  ])("may have %i entities if the limit is %s", async (length, limit) => {
    const seen = newSeen();
    const options = limit === undefined ? {} : { defaults: { maxIterableEntities: limit } };
    const url = await open(serviceOf(() => notesOf(length, seen), options));
    const response = await fetch(`${url}/Notes?$orderby=Id desc&$top=1&$count=true&$select=Id`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      "@odata.context": `${url}/$metadata#Notes(Id)`,
      "@odata.count": length,
      value: [{ Id: length }],
    });
    expect(seen.events).toEqual(["end", "return"]);
  });

  test("leaves turns to other requests, although it never waits", async () => {
    const seen = newSeen();
    const service = serviceOf(() => notesOf(LIMIT, seen, { work: 1 }));
    const url = await open(service);
    const slow = fetch(`${url}/Notes?$orderby=Text&$top=1`);
    await expect.poll(() => seen.pulled).toBeGreaterThan(0);
    const other = await fetch(`${url}/Shelves(1)`);
    expect(other.status).toBe(200);
    expect(seen.events).toEqual([]);
    expect((await slow).status).toBe(200);
  });

  test("returns when the client leaves, even while it waits for its next entity", async () => {
    const seen = newSeen();
    const logged: unknown[] = [];
    const never = new Promise<IteratorResult<Row>>((resolve) => {
      onTestFinished(() => resolve({ done: true, value: undefined }));
    });
    const iterator: AsyncIterator<Row> = {
      next: () => {
        seen.pulled += 1;
        const value = { id: seen.pulled, text: "", shelf: 1 };
        return seen.pulled > 20 ? never : Promise.resolve({ done: false, value });
      },
      return: () => {
        seen.events.push("return");
        return Promise.reject(new Error("nobody reads this"));
      },
    };
    const url = await open(serviceOf(() => ({ [Symbol.asyncIterator]: () => iterator }), {}, logged));
    for (const path of ["/Notes?$orderby=Text", "/Notes"]) {
      seen.pulled = 0;
      seen.events.length = 0;
      const leaving = new AbortController();
      const response = fetch(`${url}${path}`, { signal: leaving.signal });
      await expect.poll(() => seen.pulled).toBe(21);
      leaving.abort();
      await expect(response).rejects.toThrow();
      await expect.poll(() => seen.events).toEqual(["return"]);
    }
    await pause(20);
    expect(logged).toEqual([]);
  });

  test("is not read for a client that has left before", async () => {
    const seen = newSeen();
    const leaving = new AbortController();
    const rows = () => {
      leaving.abort();
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.resolve({ done: false as const, value: { id: (seen.pulled += 1), text: "", shelf: 1 } }),
          return: () => Promise.resolve({ done: true as const, value: seen.events.push("return") }),
        }),
      };
    };
    const request = new Request("http://x/Notes?$orderby=Text", { signal: leaving.signal });
    await serviceOf(rows)
      .fetch(request)
      .catch(() => undefined);
    expect(seen).toEqual({ pulled: 0, events: ["return"] });
  });

  test("that fails is a logged 500", async () => {
    const seen = newSeen();
    const logged: unknown[] = [];
    const url = await open(serviceOf(() => notesOf(LIMIT, seen, { failsAt: 300 }), {}, logged));
    const response = await fetch(`${url}/Notes?$orderby=Text`);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: "InternalServerError" } });
    expect(logged).toEqual(["A request failed."]);
    expect(seen.events).toEqual(["return"]);
  });
});

describe("an endless async iterable", () => {
  test.each([
    ["/Notes?$top=3&$select=Id&$skip=2", 5, [3, 4, 5]],
    ["/Notes?$top=0", 0, []],
    ["/Applied?$top=2&$select=Id", 2, [1, 2]],
  ])("is read as far as %s needs", async (path, pulled, ids) => {
    const seen = newSeen();
    const service = serviceOf(() => notesOf(path.startsWith("/Applied") ? pulled : Infinity, seen));
    const response = await fetch(`${await open(service)}${path}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).not.toBeNull();
    const { value } = (await response.json()) as { readonly value: readonly { readonly Id: number }[] };
    expect(value.map(({ Id }) => Id)).toEqual(ids);
    expect(seen.pulled).toBe(pulled);
  });

  test.each([
    ["/Notes", ""],
    ["/Applied", ""],
    ["/Applied", "&$count=true"],
  ])("has pages with next links at %s%s", async (path, count) => {
    const seen = newSeen();
    const url = await open(serviceOf(() => notesOf(Infinity, seen), { defaults: { maxTop: 20 } }));
    const response = await fetch(`${url}${path}?$select=Id${count}`);
    expect(response.status).toBe(200);
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    expect(body["value"]).toEqual(Array.from({ length: 20 }, (_, index) => ({ Id: index + 1 })));
    expect(body["@odata.nextLink"]).toBe(`${url}${path}?$select=Id${count}&$skip=20`);
    expect(seen.pulled).toBe(21);
    await expect.poll(() => seen.events).toEqual(["return"]);
  });
});

test("maxIterableEntities is checked at startup", () => {
  const rows = () => notesOf(1, newSeen());
  expect(() => serviceOf(rows, { defaults: { maxIterableEntities: 0 } })).toThrow(/maxIterableEntities/u);
});
