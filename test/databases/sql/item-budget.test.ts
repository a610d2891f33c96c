import { Kysely, sql } from "kysely";
import { edm, entitySet, entityType, odataService, arraySource } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";

const Thing = entityType("Thing", { id: edm.int32().key(), tags: edm.collection(edm.string()) });
const things = [
  { id: 1, tags: Array.from({ length: 1000 }, (_, index) => `t${index}`) },
  { id: 2, tags: ["a", "b"] },
];
const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: sqliteDialect(":memory:") });

beforeAll(async () => {
  await sql`create table things (id integer primary key, tags text not null)`.execute(db);
  for (const { id, tags } of things) {
    await db
      .insertInto("things")
      .values({ id, tags: JSON.stringify(tags) })
      .execute();
  }
});
afterAll(() => db.destroy());

const service = odataService({
  // On a slow machine, this limit of time would be reached first.
  defaults: { queryTimeout: null },
  entitySets: [
    sqlEntitySet(Thing, { db, table: "things", operations: ["read"] }),
    entitySet(Thing, { name: "Listed", queryable: () => arraySource(Thing, things) }),
  ],
});

/** A billion items for the first thing, since none meets the innermost condition. */
const CUBE = "Tags/any(a:Tags/any(b:Tags/any(c:c gt b and b gt a and c eq concat(a,'x'))))";

test.each([
  ["Things", "2000000 items: start the filter, and each outer predicate, with a condition that few items meet."],
  ["Listed", "200000 items for one entity: start each predicate with a condition that few items meet."],
])("%s: nested any and all stop at a maximum number of items", async (set, most) => {
  const answer = await service.fetch(new Request(`http://x/${set}?$filter=${CUBE}`));
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    error: { code: "InvalidQueryOption", message: `'any' and 'all' inspect more than ${most}` },
  });
});

test.each(["Things", "Listed"])("%s: the count is that of one execution", async (set) => {
  for (let round = 0; round < 3; round += 1) {
    const filter = "Tags/any(a:a lt 't2' and Tags/any(b:b eq concat(a,'x')))";
    const answer = await service.fetch(new Request(`http://x/${set}?$filter=${filter}&$select=Id`));
    expect(answer.status).toBe(200);
  }
  const few = await service.fetch(new Request(`http://x/${set}?$filter=Id eq 2 and ${CUBE}&$select=Id`));
  expect(await few.json()).toMatchObject({ value: [] });
});
