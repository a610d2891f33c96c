import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";

const ROWS = 200;
const LENGTH = 80_000;
/** Texts that each row makes. */
const CALLS = 8;
/** Each doubles a text. */
const DOUBLINGS = 5;

const long = Array.from({ length: DOUBLINGS }).reduce<string>((text) => `concat(${text},${text})`, "Body");
const texts = Array.from({ length: CALLS }, (_, number) => `concat('${String(number)}',${long})`);

test.each([
  ["a filter", `$filter=${texts.map((text) => `contains(${text},'zz')`).join(" or ")}`],
  ["an order", `$orderby=${texts.join()}`],
])("SQLite ends %s by long computed texts after its time, though it visits few rows", async (_name, option) => {
  const db = new Kysely<unknown>({ dialect: sqliteDialect(":memory:") });
  await sql`create table notes (id integer primary key, body text not null)`.execute(db);
  await sql`with recursive numbers(id) as (select 1 union all select id + 1 from numbers where id < ${ROWS})
    insert into notes select id, printf('%.*c', ${LENGTH}, 'x') from numbers`.execute(db);
  const Note = entityType("Note", { id: edm.int32().key(), body: edm.string() });
  const service = odataService({
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    defaults: { queryTimeout: 200 },
    entitySets: [sqlEntitySet(Note, { db, table: "notes", operations: ["read"] })],
  });
  const response = await service.fetch(new Request(`http://test/Notes?$top=5&$select=Id&${encodeURI(option)}`));
  expect(response.status).toBe(503);
  expect(response.headers.get("content-type")).toBe("application/json;odata.metadata=minimal");
  expect(await response.json()).toMatchObject({ error: { code: "QueryTimeout" } });
  expect((await service.fetch(new Request("http://test/Notes(1)?$select=Id"))).status).toBe(200);
  await db.destroy();
});
