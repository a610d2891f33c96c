import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";

const Parent = entityType("Parent", { id: edm.int32().key(), name: edm.string() });
const Child = entityType("Child", { id: edm.int32().key(), parentId: edm.int32().nullable(), text: edm.string() });

const PARENTS = 200;
const CHILDREN = 2000;

// oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
type AnyDatabase = Kysely<any>;

async function family(isIndexed: boolean) {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table parent (id integer primary key, name text not null)`.execute(db);
  await sql`create table child (id integer primary key, "parentId" integer, text text not null)`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PARENTS}) insert into parent select i, 'p' || i from n`.execute(
    db,
  );
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CHILDREN})
    insert into child select i, nullif(i % ${PARENTS + 7}, 3), 'c' || i from n`.execute(db);
  if (isIndexed) await sql`create index child_parent on child ("parentId")`.execute(db);
  const service = odataService({
    entitySets: [
      sqlEntitySet(Parent, {
        db,
        table: "parent",
        operations: ["read"],
        navigation: { children: hasMany(Child, { on: { id: "parentId" }, target: "Children" }) },
      }),
      sqlEntitySet(Child, {
        db,
        table: "child",
        name: "Children",
        operations: ["read"],
        navigation: { parent: hasOptional(Parent, { on: { parentId: "id" }, target: "Parents" }) },
      }),
    ],
  });
  return { db, service };
}

const TARGETS: readonly string[] = [
  "/Parents?$expand=Children",
  "/Parents?$expand=Children($top=2;$skip=1;$orderby=Text desc;$count=true)",
  "/Parents?$filter=Children/any(c: c/Text eq 'c77')",
  "/Parents?$filter=Children/any()&$count=true",
  "/Parents?$filter=not Children/any(c: endswith(c/Text,'7'))&$count=true",
  "/Parents?$filter=Children/all(c: c/Id gt 100)",
  "/Parents?$filter=Children/$count gt 9&$orderby=Children/$count desc",
  "/Parents(5)/Children?$top=3",
  "/Children?$filter=Parent/Children/$count eq 10&$top=5",
];

describe("a foreign key without an index", () => {
  test.each(TARGETS)("%s returns the same as with an index", async (target) => {
    const [plain, indexed] = [await family(false), await family(true)];
    const request = `http://service.example${encodeURI(target)}`;
    const [found, expected] = [
      await plain.service.fetch(new Request(request)),
      await indexed.service.fetch(new Request(request)),
    ];
    expect(expected.status).toBe(200);
    expect(found.status).toBe(200);
    expect(await found.text()).toBe(await expected.text());
    await plain.db.destroy();
    await indexed.db.destroy();
  });

  test("no statement reads the related rows once per row", async () => {
    const { db, service } = await family(false);
    // The largest page, and a table that would take hours to scan for each of its rows.
    await sql`with recursive n(i) as (select ${CHILDREN + 1} union all select i + 1 from n where i < 100000)
      insert into child select i, 7 + i % 400000, 'c' || i from n`.execute(db);
    await sql`with recursive n(i) as (select ${PARENTS + 1} union all select i + 1 from n where i < 100000) insert into parent select i, 'p' || i from n`.execute(
      db,
    );
    for (const target of TARGETS) {
      const response = await service.fetch(new Request(`http://service.example${encodeURI(target)}`));
      expect(response.status, target).toBe(200);
      await response.text();
    }
    await db.destroy();
  });
});
