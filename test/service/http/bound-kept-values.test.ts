import { applyDelta, edm, entitySet, entityType, hasOptional, odataService } from "odatakit";
import { beforeEach, expect, test } from "vitest";
import { noFailures } from "./model.ts";

const Place = entityType("Place", { id: edm.int32().key() });
const Visit = entityType("Visit", {
  id: edm.int32().key(),
  fixedId: edm.int32().nullable().immutable(),
  madeId: edm.int32().nullable().computed(),
  name: edm.string(),
});

interface Row {
  readonly id: number;
  readonly name: string;
}

let visits: Map<number, object>;
beforeEach(() => {
  visits = new Map([[1, { id: 1, fixedId: 1, madeId: 1, name: "old" }]]);
});

/** Handlers whose writes nothing undoes. */
const service = odataService({
  namespace: "Shop",
  profile: "standard",
  logger: noFailures,
  entitySets: [
    entitySet(Place, { getByKey: (id) => (id < 3 ? { id } : null) }),
    entitySet(Visit, {
      getByKey: (id: number) => (visits.get(id) ?? null) as never,
      create: (given: Row) => {
        const made = { ...given, madeId: 1 };
        visits.set(given.id, made);
        return made as never;
      },
      patch: (id: number, delta: never) => {
        const changed = applyDelta(Visit, visits.get(id) as never, delta);
        visits.set(id, changed);
        return changed as never;
      },
      replace: (id: number, given: object) => {
        const changed = { ...given, id, madeId: 1 };
        visits.set(id, changed);
        return changed as never;
      },
      navigation: {
        fixed: hasOptional(Place, { on: { fixedId: "id" }, target: "Places" }),
        made: hasOptional(Place, { on: { madeId: "id" }, target: "Places" }),
      },
    } as never),
  ],
});

async function send(method: string, path: string, body: object): Promise<number> {
  const init = { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return (await service.fetch(new Request(`http://shop.example/${path}`, init))).status;
}

test.each(["PATCH", "PUT"])("%s stores nothing if a link would change an immutable value", async (method) => {
  expect(await send(method, "Visits(1)", { Name: "new", "Fixed@odata.bind": "Places(2)" })).toBe(400);
  expect(visits.get(1)).toMatchObject({ name: "old", fixedId: 1 });
  expect(await send(method, "Visits(1)", { Name: "new", "Fixed@odata.bind": "Places(1)" })).toBeLessThan(300);
  expect(visits.get(1)).toMatchObject({ name: "new" });
});

test("a link by a value that only the written entity shows is not implemented, and stores nothing", async () => {
  expect(await send("POST", "Visits", { Id: 5, Name: "n", "Made@odata.bind": "Places(2)" })).toBe(501);
  expect(visits.has(5)).toBe(false);
  expect(await send("PATCH", "Visits(1)", { Name: "new", "Made@odata.bind": "Places(2)" })).toBe(501);
  expect(await send("PUT", "Visits(1)", { Name: "new", "Made@odata.bind": "Places(2)" })).toBe(501);
  expect(visits.get(1)).toMatchObject({ name: "old" });
});
