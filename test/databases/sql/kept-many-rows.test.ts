import { Kysely, sql, type Dialect } from "kysely";
import { action, type Context, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** The properties that a client may leave to the database. */
const FREE = ["a", "b", "c", "d", "e", "f"] as const;
const FIXED = Array.from({ length: 15 }, (_, index) => `f${String(index)}`);
const free = edm.string().nullable().databaseDefault();
const Wide = entityType("Wide", {
  id: edm.int32().key().computed(),
  a: free,
  b: free,
  c: free,
  d: free,
  e: free,
  f: free,
  ...Object.fromEntries(FIXED.map((name) => [name, edm.string().nullable()] as const)),
});

/** Makes a database that notes the inserts that are compiled for it. */
function compiling() {
  const compiled: string[] = [];
  const own = sqliteDialect(":memory:");
  const dialect: Dialect = {
    createDriver: () => own.createDriver(),
    createAdapter: () => own.createAdapter(),
    createIntrospector: (db) => own.createIntrospector(db),
    createQueryCompiler: () => {
      const compiler = own.createQueryCompiler();
      return {
        compileQuery: (node, id) => {
          const query = compiler.compileQuery(node, id);
          if (query.sql.startsWith("insert into")) compiled.push(query.sql);
          return query;
        },
      };
    },
  };
  const db: AnyDatabase = new Kysely({ dialect });
  onTestFinished(() => db.destroy());
  return { db, compiled };
}

test.each(["a database", "the database of a tenant"])(
  "keeps the statements of few column sets of 256 rows, over %s",
  async (kind) => {
    const { db, compiled } = compiling();
    const columns = [...FREE, ...FIXED].map((name) => `${name} text`).join(", ");
    await sql.raw(`create table wide (id integer primary key, ${columns})`).execute(db);
    const wide = sqlEntitySet(Wide, {
      db: kind === "a database" ? db : () => ({ id: "one", db }),
      table: "wide",
      operations: ["read", "create"],
    });
    const run = action({
      params: { names: edm.collection(edm.string()) },
      returns: edm.int32(),
      handler: async ({ names }: { readonly names: readonly string[] }, ctx: Context) => {
        const row = Object.fromEntries(names.map((name) => [name, "x"]));
        return (await ctx.sets(wide).createMany(Array.from({ length: 256 }, () => row))).length;
      },
    });
    const service = odataService({ entitySets: [wide], actions: { Run: run } });
    /** Adds rows with some columns. @returns how many inserts are compiled */
    const add = async (set: number): Promise<number> => {
      const names = FREE.filter((_, index) => (set & (1 << index)) !== 0);
      compiled.length = 0;
      const response = await service.fetch(
        new Request("http://service.example/Run", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ names }),
        }),
      );
      expect([response.status, await response.json()]).toEqual([200, 256]);
      return compiled.length;
    };
    for (let set = 0; set < 64; set += 1) expect([set, await add(set)]).toEqual([set, 1]);
    // 64 statements of 3840 to 5376 values each: the first ones are dropped, the last ones kept.
    expect([await add(63), await add(52), await add(0)]).toEqual([0, 0, 1]);
  },
);
