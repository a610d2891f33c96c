import {
  columnStore,
  edm,
  entitySet,
  entityType,
  type EntityOf,
  odataService,
  type ODataService,
  singleton,
  applyDelta,
  odataError,
  type StreamStore,
} from "odatakit";
import { serve } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { tabledGallery, watchedStore } from "./stream-model.ts";

/** Streams with row rules, singletons, required conditions, compression, trusted code and bodies in JSON. */

function notes(more: object = {}): { readonly service: ODataService; readonly rows: Map<number, { owner: string }> } {
  const Note = entityType("Note", {
    id: edm.int32().key(),
    owner: edm.string(),
    text: edm.stream({ store: columnStore("bytes") }),
    bytes: edm.binary().nullable().ignored(),
  });
  const row = (id: number, owner: string): EntityOf<typeof Note> => ({ id, owner, text: null, bytes: null });
  const rows = new Map([1, 2].map((id) => [id, row(id, id === 1 ? "ann" : "bob")]));
  const set = entitySet(Note, {
    getAll: () => rows.values(),
    getByKey: (key) => rows.get(key) ?? null,
    create: (note) => {
      rows.set(note.id, { ...row(note.id, note.owner), ...note });
      return rows.get(note.id) ?? null;
    },
    patch: (key, delta) => {
      const old = rows.get(key);
      const changed = old === undefined ? null : applyDelta(Note, old, delta);
      if (changed !== null) rows.set(key, changed);
      return changed;
    },
    delete: (key) => rows.delete(key),
    ...more,
  });
  const service = odataService({
    entitySets: [set],
    singletons: [singleton(Note, { name: "Mine", from: set, key: () => 1 })],
    profile: "standard",
    authenticate: () => ({ id: "ann" }),
  });
  return { service, rows };
}

const ask = (service: ODataService, method: string, path: string, body?: string, headers = {}): Promise<Response> =>
  service.fetch(
    new Request(`http://n.example/${path}`, {
      method,
      headers: { "Content-Type": "text/plain", ...headers },
      ...(body === undefined ? {} : { body }),
    }),
  );

test("a row rule hides bytes", async () => {
  const rows = (user: { readonly id: string }, note: { readonly owner: { eq: (id: string) => unknown } }): unknown =>
    note.owner.eq(user.id);
  const { service } = notes({ authorization: { rows } });
  expect((await ask(service, "PUT", "Notes(1)/Text", "mine")).status).toBe(204);
  expect((await ask(service, "PUT", "Notes(2)/Text", "other")).status).toBe(404);
  expect((await ask(service, "GET", "Notes(2)/Text")).status).toBe(404);
  expect((await ask(service, "DELETE", "Notes(2)/Text")).status).toBe(404);
  expect(await (await ask(service, "GET", "Notes(1)/Text")).text()).toBe("mine");
});

test("a singleton has the streams of its entity", async () => {
  const { service } = notes();
  expect((await ask(service, "PUT", "Mine/Text", "mine")).status).toBe(204);
  expect(await (await ask(service, "GET", "Notes(1)/Text")).text()).toBe("mine");
});

test("a set that requires conditions requires them for bytes", async () => {
  const { service } = notes({ requireIfMatch: true, etag: ["owner"] });
  expect((await ask(service, "PUT", "Notes(1)/Text", "mine")).status).toBe(428);
  expect((await ask(service, "PUT", "Notes(1)/Text", "mine", { "If-None-Match": "*" })).status).toBe(204);
  expect((await ask(service, "DELETE", "Notes(1)/Text", undefined, { "If-Match": "*" })).status).toBe(204);
});

test("JSON bodies with the name of a stream leave it alone", async () => {
  const { service } = notes();
  await ask(service, "PUT", "Notes(1)/Text", "mine");
  const json = { "Content-Type": "application/json" };
  const body = JSON.stringify({ Owner: "eva", Text: "other", "Text@odata.mediaContentType": "image/png" });
  expect((await ask(service, "PATCH", "Notes(1)", body, json)).status).toBe(200);
  expect((await ask(service, "POST", "Notes", '{"Id":3,"Owner":"eva","Text":"new"}', json)).status).toBe(201);
  expect(await (await ask(service, "GET", "Notes(1)/Text")).text()).toBe("mine");
  expect((await ask(service, "GET", "Notes(3)/Text")).status).toBe(204);
});

test("a read of an entity with a stream is never 304", async () => {
  const { service } = notes({ etag: ["owner"] });
  const first = await ask(service, "GET", "Notes(1)");
  const tag = { "If-None-Match": first.headers.get("ETag") ?? "" };
  expect((await ask(service, "PUT", "Notes(1)/Text", "mine")).status).toBe(204);
  expect((await ask(service, "GET", "Notes(1)", undefined, tag)).status).toBe(200);
  expect((await ask(service, "GET", "Notes(1)?$select=Owner", undefined, tag)).status).toBe(304);
});

test("serve compresses no bytes of streams", async () => {
  const { service } = notes();
  await ask(service, "PUT", "Notes(1)/Text", "long ".repeat(1000));
  const server = await serve(service, { port: 0, compression: true });
  onTestFinished(() => server.close());
  const url = `http://127.0.0.1:${String(server.port)}/Notes(1)/Text`;
  const whole = await fetch(url, { headers: { "Accept-Encoding": "gzip" } });
  const etag = whole.headers.get("ETag");
  expect([whole.headers.get("Content-Encoding"), whole.headers.get("Content-Length"), etag]).toEqual([
    null,
    "5000",
    expect.stringMatching(/^"/),
  ]);
  const part = await fetch(url, { headers: { "Accept-Encoding": "gzip", Range: "bytes=0-3", "If-Range": etag ?? "" } });
  expect([part.status, await part.text()]).toEqual([206, "long"]);
  const known = await fetch(url, { headers: { "Accept-Encoding": "gzip", "If-None-Match": etag ?? "" } });
  expect([known.status, known.headers.get("ETag")]).toEqual([304, etag]);
});

describe("trusted code", () => {
  test("that skips hooks deletes bytes, too", async () => {
    const [engine] = ENGINES;
    if (engine === undefined) throw new Error("A run has a database.");
    const { db, close } = await engine.open();
    const { service, store, removeUnhooked } = await tabledGallery(db, engine.name);
    const headers = { "x-roles": "boss" };
    expect((await ask(service, "PUT", "People(1)/Scan", "scan", headers)).status).toBe(204);
    expect(store.kept.size).toBe(1);
    await removeUnhooked?.(1);
    await service.drain();
    expect(store.kept.size).toBe(0);
    await close();
  });
});

test("a store that returns other bytes than it stored breaks the response off", async () => {
  const store = watchedStore();
  const Note = entityType("Note", { id: edm.int32().key(), text: edm.stream({ store }) });
  let row = { id: 1, text: null as string | null };
  const set = entitySet(Note, { getByKey: () => row, patch: (_key, delta) => (row = applyDelta(Note, row, delta)) });
  const failures: string[] = [];
  const error = (_text: string, { err }: { readonly err?: unknown }): void => void failures.push(String(err));
  const service = odataService({
    entitySets: [set],
    profile: "standard",
    logger: { error, warn: () => {}, info: () => {} },
  });
  await ask(service, "PUT", "Notes(1)/Text", "hello");
  for (const id of store.kept.keys()) store.kept.set(id, new Uint8Array(3));
  const response = await ask(service, "GET", "Notes(1)/Text");
  await expect(response.text()).rejects.toThrow();
  store.kept.clear();
  expect((await ask(service, "GET", "Notes(1)/Text")).status).toBe(500);
  expect(failures).toEqual(["Error: The store did not return the bytes of the reference.", "Error: No bytes file-1."]);
});

test("a part of bytes does not replace them", async () => {
  const { service } = notes();
  await ask(service, "PUT", "Notes(1)/Text", "0123456789");
  const part = await ask(service, "PUT", "Notes(1)/Text", "ab", { "Content-Range": "bytes 0-1/10" });
  expect([part.status, ((await part.json()) as { readonly error: object }).error]).toEqual([
    400,
    expect.objectContaining({ code: "NotSupported", target: "Content-Range" }),
  ]);
  expect(await (await ask(service, "GET", "Notes(1)/Text")).text()).toBe("0123456789");
});

describe("bytes of a store", () => {
  /** One entity with bytes in a store. @param around a store around that one */
  function stored(around: (store: StreamStore) => StreamStore = (store) => store, more: object = {}) {
    const store = watchedStore();
    const Scan = entityType("Scan", { id: edm.int32().key(), file: edm.stream({ store: around(store) }) });
    let scan: EntityOf<typeof Scan> = { id: 1, file: null };
    const set = entitySet(Scan, {
      getByKey: (key) => (key === 1 ? scan : null),
      patch: (_key, delta) => (scan = applyDelta(Scan, scan, delta)),
      ...more,
    });
    return { store, service: odataService({ entitySets: [set], profile: "standard" }) };
  }

  test("stay if a handler without a transaction has kept their reference before a failure", async () => {
    let fails = false;
    const check = (): void => {
      if (fails) throw odataError(409, "Later", "A later step failed.");
    };
    const { service, store } = stored(undefined, { after: { patch: check } });
    await ask(service, "PUT", "Scans(1)/File", "old");
    fails = true;
    expect((await ask(service, "PUT", "Scans(1)/File", "new")).status).toBe(409);
    await service.drain();
    const left = await ask(service, "GET", "Scans(1)/File");
    expect([left.status, await left.text(), store.kept.size]).toEqual([200, "new", 2]);
  });

  test("that are replaced before they are opened are read as they are now", async () => {
    let isFirst = true;
    const { service } = stored((store) => ({
      ...store,
      read: async (id, range) => {
        if (isFirst) {
          isFirst = false;
          await ask(service, "PUT", "Scans(1)/File", "newer");
          await service.drain();
        }
        return store.read(id, range);
      },
    }));
    const old = (await ask(service, "PUT", "Scans(1)/File", "old")).headers.get("ETag");
    const read = await ask(service, "GET", "Scans(1)/File");
    expect([read.status, read.headers.get("Content-Length"), await read.text()]).toEqual([200, "5", "newer"]);
    expect(read.headers.get("ETag")).not.toBe(old);
  });
});
