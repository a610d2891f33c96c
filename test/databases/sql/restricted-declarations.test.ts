import { Kysely, sql } from "kysely";
import { edm, entityType, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";
import { tableBehind, tableOf } from "../../../src/databases/write/sql-table.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string() });
const Note = entityType("Note", { id: edm.int32().key(), ownerId: edm.int32().nullable(), text: edm.string() });
const operations = ["read", "create", "patch", "delete"] as const;

async function openDatabase(): Promise<AnyDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table owners (id integer primary key, name text not null)`.execute(db);
  await sql`create table notes (id integer primary key, ${sql.id("ownerId")} integer, text text not null)`.execute(db);
  await sql`insert into owners values (1, 'Ann')`.execute(db);
  await sql`insert into notes values (1, 1, 'a')`.execute(db);
  return db;
}

/** Sends a request. @returns the status and the log */
async function ask(
  sets: Parameters<typeof odataService>[0]["entitySets"],
  method: string,
  target: string,
): Promise<readonly [status: number, logged: readonly string[]]> {
  const logged: string[] = [];
  const service = odataService({
    entitySets: sets,
    authenticate: () => ({ id: "Ann" }),
    logger: {
      error: (_message, { err }) => void logged.push(err instanceof Error ? err.message : String(err)),
      warn: () => undefined,
      info: () => undefined,
    },
  });
  const response = await service.fetch(
    new Request(`http://service.example/${target}`, {
      method,
      ...(method === "GET"
        ? {}
        : { headers: { "Content-Type": "application/json" }, body: JSON.stringify({ Text: "new" }) }),
    }),
  );
  return [response.status, logged];
}

test("distinguishes handlers of a whole table from handlers of some of its rows", async () => {
  const db = await openDatabase();
  const patchOf = ({ options }: { readonly options: object }): unknown => Reflect.get(options, "patch");
  const patch = patchOf(sqlEntitySet(Note, { db, table: "notes", operations }));
  expect(tableOf(patch)?.name).toBe("notes");
  expect(tableOf(() => null)).toBeNull();
  // If the application shows only some rows, the handlers are not those of the whole table.
  const narrowed = patchOf(sqlEntitySet(Note, { db, table: "notes", operations, queryable: () => null as never }));
  expect(tableOf(narrowed)).toBeNull();
  expect(tableBehind(narrowed)?.name).toBe("notes");
  await db.destroy();
});

test("rejects writes to sets with rules that share handlers of one declaration", async () => {
  const db = await openDatabase();
  const notes = sqlEntitySet(Note, {
    db,
    table: "notes",
    operations,
    authorization: { rows: (_user, row) => row.text.ne("hidden") },
  });
  const options = { ...notes.options, authorization: {} };
  const shared = { ...notes, options: { ...options, name: "Copies" }, name: "Copies" };
  for (const target of ["Notes(1)", "Copies(1)"]) {
    const [status, logged] = await ask([notes, shared], "PATCH", target);
    expect([target, status]).toEqual([target, 500]);
    expect(logged.join()).toContain("declare each of them with its own sqlEntitySet");
  }
  expect(await db.selectFrom("notes").select("text").execute()).toEqual([{ text: "a" }]);
  await db.destroy();
});

test("checks the rule before it calls a handler that replaces one of the table", async () => {
  const db = await openDatabase();
  let calls = 0;
  const replacing = {
    patch: () => {
      calls += 1;
      return null;
    },
  };
  for (const replaced of [{}, replacing]) {
    const notes = sqlEntitySet(Note, {
      db,
      table: "notes",
      operations,
      authorization: { rows: (_user, row) => row.text.ne("new") },
      ...replaced,
    });
    expect(await ask([notes], "PATCH", "Notes(1)")).toEqual([403, []]);
  }
  expect(calls).toBe(0);
  expect(await db.selectFrom("notes").select("text").execute()).toEqual([{ text: "a" }]);
  await db.destroy();
});

test("reports a rule that navigates to another database for any request", async () => {
  const [here, there] = [await openDatabase(), await openDatabase()];
  const sets = [
    sqlEntitySet(Note, {
      db: here,
      table: "notes",
      operations,
      navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
      authorization: { rows: (user, row) => row.owner.name.eq(user.id ?? "") },
    }),
    sqlEntitySet(Owner, { db: there, table: "owners", operations }),
  ];
  for (const [method, target] of [
    ["GET", "Notes"],
    ["GET", "Notes(1)"],
    ["PATCH", "Notes(1)"],
  ] as const) {
    const [status, logged] = await ask(sets, method, target);
    expect([method, target, status]).toEqual([method, target, 500]);
    expect(logged.join()).toMatch(/rule/);
  }
  await here.destroy();
  await there.destroy();
});

test("compares ignored properties in rules case-sensitively, and needs no other columns", async () => {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table docs (id integer primary key, tenant text collate nocase, grp text)`.execute(db);
  await sql`insert into docs values (1, 'ann', 'x'), (2, 'Ann', 'x'), (3, 'bob', 'Ann'), (4, 'bob', 'ann'), (5, null, null)`.execute(
    db,
  );
  const shown = { id: edm.int32().key(), tenant: edm.string().nullable().ignored() };
  const answerOf = async (
    sets: Parameters<typeof odataService>[0]["entitySets"],
    schemaCheck: "error" | false = "error",
  ): Promise<unknown> => {
    const service = odataService({ entitySets: sets, schemaCheck, authenticate: () => ({ id: "Ann" }) });
    const response = await service.fetch(new Request("http://service.example/Docs?$select=Id"));
    return ((await response.json()) as { readonly value: unknown }).value;
  };
  const Doc = entityType("Doc", { ...shown, grp: edm.string().nullable().ignored() });
  const either = sqlEntitySet(Doc, {
    db,
    table: "docs",
    operations: ["read"],
    authorization: { rows: ({ id = "" }, row) => row.tenant.eq(id).or(row.grp.eq(id)) },
  });
  expect(await answerOf([either])).toEqual([{ Id: 2 }, { Id: 3 }]);
  const WithoutColumn = entityType("Doc", { ...shown, absent: edm.string().nullable().ignored() });
  const one = sqlEntitySet(WithoutColumn, {
    db,
    table: "docs",
    operations: ["read"],
    authorization: { rows: ({ id = "" }, row) => row.tenant.eq(id) },
  });
  // The schema check does not know which properties the rule compares.
  expect(await answerOf([one], false)).toEqual([{ Id: 2 }]);
  await db.destroy();
});
