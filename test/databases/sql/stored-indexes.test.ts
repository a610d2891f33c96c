import { CompiledQuery, sql } from "kysely";
import { edm, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "../../engine/executors/engines.ts";
import type { AnyDatabase } from "./orders.ts";
import { sentStatements } from "./sent-statements.ts";
import { withoutTimeLimit } from "./without-time-limit.ts";

const Status = enumType("Status", { Draft: 10, Paid: 2, Lost: -1 });
const Invoice = entityType("Invoice", {
  id: edm.int32().key(),
  status: edm.enum(Status),
  stage: edm.enum(Status).nullable(),
  letter: edm.enum(Status),
  paid: edm.boolean(),
  open: edm.boolean().nullable(),
  price: edm.decimal({ precision: 12, scale: 2 }).nullable(),
});
const columns = {
  status: { storage: { values: { Draft: 7, Paid: 3, Lost: 5 } } },
  stage: { storage: { values: { Draft: 10, Paid: 2, Lost: -1 } } },
  letter: { storage: { values: { Draft: "D", Paid: "P", Lost: "L" } } },
  paid: { storage: { true: "Y", false: "N" } },
  open: { storage: { true: 1, false: 0 } },
  price: { storage: "real" },
} as const;

const EXPLAIN: Readonly<Record<DatabaseName, string>> = {
  sqlite: "explain query plan ",
  postgres: "explain ",
  mariadb: "explain ",
};
const SERVED: Readonly<Record<DatabaseName, (column: string) => RegExp>> = {
  sqlite: (column) => new RegExp(`SEARCH it USING (?:COVERING )?INDEX invoices_${column} \\(${column}[=<>]\\?`),
  postgres: (column) => new RegExp(`Index (?:Only )?(?:Scan|Cond)[^;]*invoices_${column}[\\s\\S]*Index Cond`),
  mariadb: (column) => new RegExp(`"type":"(?:ref|range|const)"[^}]*"key":"invoices_${column}"`),
};

interface Run {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Runs a function, and returns the last read of the database meanwhile. */
async function lastRead(db: AnyDatabase, run: () => Promise<unknown>): Promise<Run | undefined> {
  const { adapter } = db.getExecutor();
  const names = ["read", "readFirst"].filter((name) => typeof Reflect.get(adapter, name) === "function");
  if (names.length === 0) {
    const sent = await sentStatements(db, run);
    return sent.map(({ sql: text, parameters }) => ({ text, parameters })).at(-1);
  }
  const runs: Run[] = [];
  const methods = names.map((name) => [name, Reflect.get(adapter, name) as (...given: unknown[]) => unknown] as const);
  for (const [name, method] of methods) {
    Reflect.set(
      adapter,
      name,
      (text: string, parameters: readonly unknown[], ...given: readonly unknown[]): unknown => {
        runs.push({ text, parameters });
        return Reflect.apply(method, adapter, [text, parameters, ...given]);
      },
    );
  }
  await run();
  for (const [name, method] of methods) Reflect.set(adapter, name, method);
  return runs.at(-1);
}

test.each(ENGINES)("an index on a mapped or rounded column serves comparisons: $title", async (engine) => {
  const { db, close } = await engine.open();
  await sql`create table invoices (id int primary key, status smallint not null, stage smallint, letter char(1) not null,
    paid char(1) not null, ${sql.id("open")} smallint, price double precision)`.execute(db);
  const rows = Array.from({ length: 600 }, (_none, id) => {
    const rare = id % 100 === 0;
    return sql`(${sql.lit(id)}, ${sql.lit(rare ? 3 : 7)}, ${sql.lit(rare ? 2 : 10)}, ${sql.lit(rare ? "P" : "D")}, ${sql.lit(rare ? "Y" : "N")}, ${sql.lit(rare ? 1 : 0)}, ${rare ? 0.1 + 0.2 : 7.5})`;
  });
  await sql`insert into invoices values ${sql.join(rows)}`.execute(db);
  for (const column of Object.keys(columns)) {
    await sql`create index ${sql.id(`invoices_${column}`)} on invoices (${sql.id(column)})`.execute(db);
  }
  await sql.raw(engine.name === "mariadb" ? "analyze table invoices" : "analyze").execute(db);
  const service = odataService({
    propertyNaming: "camelCase",
    entitySets: [sqlEntitySet(Invoice, { db, table: "invoices", operations: ["read"], columns })],
  });
  for (const [column, filter] of [
    ["status", "status eq 'Paid'"],
    ["status", "status in ('Paid','Lost')"],
    ["stage", "stage eq 'Paid'"],
    ["stage", "stage lt 'Draft'"],
    ["letter", "letter eq 'Paid'"],
    ["letter", "letter in ('Paid','Lost')"],
    ["paid", "paid"],
    ["paid", "paid eq true"],
    ["open", "open"],
    ["price", "price eq 0.30"],
    ["price", "price in (0.30,0.31)"],
    ["price", "price le 0.30"],
  ] as const) {
    const run = await lastRead(db, async () => {
      const response = await service.fetch(
        new Request(`http://service.example/Invoices/$count?$filter=${encodeURIComponent(filter)}`),
      );
      expect([response.status, await response.text()], filter).toEqual([200, "6"]);
    });
    const plan = await db.transaction().execute(async (transaction) => {
      // The table is small, so a scan would be as fast.
      if (engine.name === "postgres") {
        // A cluster of Citus sends the next setting to all machines. Other servers keep any setting with a dot.
        await sql`set local citus.propagate_set_commands = 'local'`.execute(transaction);
        await sql`set local enable_seqscan = off`.execute(transaction);
      }
      return transaction.executeQuery(
        CompiledQuery.raw(EXPLAIN[engine.name] + withoutTimeLimit(String(run?.text)), [...(run?.parameters ?? [])]),
      );
    });
    expect(JSON.stringify(plan.rows), filter).toMatch(SERVED[engine.name](column));
  }
  await close();
});

const Person = entityType("Person", { id: edm.int32().key(), a: edm.string(), b: edm.string(), c: edm.string() });

test.each(ENGINES.filter(({ name }) => name === "sqlite"))(
  "an index on the lower case of texts serves several of them: $title",
  async (engine) => {
    const { db, close } = await engine.open();
    await sql`create table persons (id integer primary key, a text not null, b text not null, c text not null)`.execute(
      db,
    );
    await sql`create index persons_a on persons (odata_lower(a), odata_lower(b), id)`.execute(db);
    await sql`create index persons_c on persons (odata_upper(c))`.execute(db);
    await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 999)
      insert into persons select i, 'A' || i, 'B' || i, 'C' || i from n`.execute(db);
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [sqlEntitySet(Person, { db, table: "persons", operations: ["read"] })],
    });
    for (const [query, ids, served] of [
      [
        "$filter=tolower(a) eq 'a5' and tolower(b) eq 'b5' and tolower(c) eq 'c5'",
        [5],
        /^SEARCH it USING INDEX persons_a \(<expr>=\? AND <expr>=\?\)$/m,
      ],
      [
        "$filter=toupper(c) eq 'C7' and contains(concat(concat(a,b),tolower(c)),'7') and startswith(concat(a,trim(c)),'A')",
        [7],
        /^SEARCH it USING INDEX persons_c \(<expr>=\?\)$/m,
      ],
      ["$orderby=tolower(a),tolower(b)&$top=3", [0, 1, 10], /^SCAN it USING (?:COVERING )?INDEX persons_a$/m],
    ] as const) {
      const run = await lastRead(db, async () => {
        const response = await service.fetch(
          new Request(`http://service.example/Persons?$select=id&${encodeURI(query)}`),
        );
        const { value } = (await response.json()) as { readonly value: ReadonlyArray<{ readonly id: number }> };
        expect([response.status, value.map(({ id }) => id)], query).toEqual([200, ids]);
      });
      const plan = await db.executeQuery(
        CompiledQuery.raw(`explain query plan ${withoutTimeLimit(String(run?.text))}`, [...(run?.parameters ?? [])]),
      );
      const details = (plan.rows as ReadonlyArray<{ readonly detail: string }>).map(({ detail }) => detail);
      expect(details.join("\n"), query).toMatch(served);
    }
    await close();
  },
);
