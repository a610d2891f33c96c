import { sql } from "kysely";
import { introspectDatabase, writeDeclarations } from "odatakit/introspect";
import { expect, test } from "vitest";
import { keepProvenKeys } from "../../../../src/tools/cli/pull/keep-proven-keys.ts";
import { openPGlite } from "../../../engine/executors/engines.ts";

const WITHOUT_KEY = "create or replace view by_customer as select customer_id, count(*) as n from orders group by 1";

test("a pull keeps a view whose key is no longer proven, and says so", async () => {
  const { db, close } = await openPGlite();
  const run = (text: string): Promise<unknown> => sql.raw(text).execute(db);
  const options = { database: { kind: "postgres" }, service: {} } as const;
  try {
    await run("create table orders (id int primary key, customer_id int not null)");
    await run(WITHOUT_KEY);
    await run("create view dropped as select id from orders");
    const first = await introspectDatabase(db);
    const modules = writeDeclarations(first.described, options);
    const bases = modules.map(({ text }) => text);
    expect(keepProvenKeys(first, {}, bases)).toBe(first.described);
    await run(`${WITHOUT_KEY} union all select 0, 0`);
    await run("drop view dropped");
    const next = await introspectDatabase(db);
    expect(next.described.sets.map(({ setName }) => setName)).toEqual(["Orders"]);
    expect(keepProvenKeys(next, {}, [])).toBe(next.described);
    const kept = keepProvenKeys(next, {}, bases);
    const viewOf = (all: typeof modules): string | undefined => all.find(({ path }) => path === "by-customer.ts")?.text;
    expect(viewOf(writeDeclarations(kept, options))).toBe(viewOf(modules));
    expect(kept.sets.map(({ setName }) => setName)).toEqual(["ByCustomers", "Orders"]);
    expect(kept.warnings).toEqual([
      {
        code: "lost-key",
        place: "public.by_customer",
        message: "is a view whose key PostgreSQL no longer proves, kept with the key of the last pull",
        flag: null,
      },
    ]);
  } finally {
    await close();
  }
});
