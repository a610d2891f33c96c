import { applyDelta, edm, entitySet, entityType, odataService, type Context } from "odatakit";
import { expect, test } from "vitest";
import { readContextOf } from "../../src/execution/reader.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

/** Sends a conditional PATCH, and returns the context that its handler received. */
async function contextOfWrite(): Promise<Context> {
  const row = { id: 1, text: "a" };
  const seen: Context[] = [];
  const notes = entitySet(Note, {
    etag: ["text"],
    getByKey: () => row,
    patch: (_id, delta, context) => {
      seen.push(context);
      return applyDelta(Note, row, delta);
    },
  });
  const service = odataService({ entitySets: [notes] });
  const address = "http://localhost/Notes(1)";
  const etag = (await service.fetch(new Request(address))).headers.get("etag") ?? "";
  const headers = { "content-type": "application/json", "if-match": etag };
  const response = await service.fetch(new Request(address, { method: "PATCH", headers, body: '{"Text":"b"}' }));
  expect(response.status).toBe(200);
  const [context] = seen;
  if (context === undefined) throw new Error("The handler was not called.");
  return context;
}

const stranger = { id: "other" };

test("the context of a conditional write shares the rules and sources of the reads before it", async () => {
  const context = await contextOfWrite();
  expect(readContextOf(context)).not.toBe(context);
});

test("a copy of that context for another user shares nothing", async () => {
  const copy = { ...(await contextOfWrite()), user: stranger };
  expect(readContextOf(copy)).toBe(copy);
});

test("a proxy of that context with another user shares nothing", async () => {
  const proxy = new Proxy(await contextOfWrite(), {
    get: (target, name) => (name === "user" ? stranger : Reflect.get(target, name, target)),
  });
  expect(readContextOf(proxy)).toBe(proxy);
});
