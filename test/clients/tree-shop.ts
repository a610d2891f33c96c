import { Kysely, sql } from "kysely";
import { sqlEntitySet } from "../../src/databases/kysely/index.ts";
import { sqliteDialect } from "../../src/databases/sqlite/driver/sqlite-dialect.ts";
import { edm, entityType, hasOptional, odataService } from "../../src/index.ts";
import type { Shop } from "./shop.ts";

const Part = entityType("Part", {
  id: edm.int32().key().computed(),
  name: edm.string({ maxLength: 40 }),
  parentId: edm.int32().nullable(),
  version: edm.int32().computed(),
});

interface Tables {
  readonly parts: { readonly id: number; readonly name: string; readonly parentId: number | null };
}

/** The parts of two vehicles. */
const PARTS: ReadonlyArray<readonly [id: number, name: string, parentId: number | null]> = [
  [1, "Car", null],
  [2, "Bike", null],
  [3, "Engine", 1],
  [4, "Door", 1],
  [5, "Valve", 3],
  [6, "Wheel", 2],
  [7, "Saddle", 2],
];

/** Opens a service of parts in trees over SQLite. Its names are those of the parts with their parents. */
export async function openTree(): Promise<Shop> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(":memory:") });
  await sql`create table parts (id integer primary key, name text not null, parentId integer references parts, version integer not null default 1)`.execute(
    db,
  );
  for (const [id, name, parentId] of PARTS) {
    await sql`insert into parts (id, name, parentId) values (${id}, ${name}, ${parentId})`.execute(db);
  }
  const service = odataService({
    prefix: "/odata",
    profile: "standard",
    entitySets: [
      sqlEntitySet(Part, {
        db,
        table: "parts",
        operations: ["read", "create", "patch", "delete"],
        etag: ["version"],
        hierarchy: { parent: "parentId", qualifier: "PartTree" },
        navigation: { parent: hasOptional(Part, { on: { parentId: "id" }, target: "Parts" }) },
        search: ["name"],
        set: { version: { create: () => 1, update: async ({ current }) => (await current()).version + 1 } },
      }),
    ],
  });
  return {
    service,
    names: async () => {
      const rows = await db.selectFrom("parts").select(["id", "name", "parentId"]).orderBy("id").execute();
      return rows.map(
        ({ name, parentId }) => `${name} in ${rows.find(({ id }) => id === parentId)?.name ?? "nothing"}`,
      );
    },
    close: () => db.destroy(),
  };
}
