import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noFailures } from "../http/model.ts";

const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  ratio: edm.double().nullable(),
  tags: edm.collection(edm.string()),
});
const db = new Kysely<never>({ dialect: sqliteDialect(":memory:") });
const service = odataService({
  logger: noFailures,
  entitySets: [sqlEntitySet(Item, { db, table: "items", operations: ["read", "create"] })],
});

beforeAll(async () => {
  await sql`create table items (id integer primary key, name text, ratio real, tags text not null)`.execute(db);
});
afterAll(() => db.destroy());

test.each<readonly [values: object, target: string, message: string]>([
  [{ Name: "a\ud800" }, "Name", "The value contains half of a surrogate pair, which its column cannot store."],
  [{ Ratio: "NaN" }, "Ratio", "The value is NaN, which its column cannot store."],
])("%j is refused with its reason", async (values, target, message) => {
  const body = JSON.stringify({ Id: 1, Tags: [], ...values });
  const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
  const response = await service.fetch(new Request("http://service.example/Items", init));
  expect([response.status, await response.json()]).toEqual([400, { error: { code: "InvalidBody", message, target } }]);
});
