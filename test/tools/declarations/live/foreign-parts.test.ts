import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { odataService, type ODataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES } from "../../../engine/executors/engines.ts";
import { noFailures } from "../../../service/http/model.ts";

const operations = ["read", "create", "patch", "replace", "delete"] as const;
const send = async (
  service: ODataService,
  method: string,
  path: string,
  body?: object,
): Promise<readonly unknown[]> => {
  const response = await service.fetch(
    new Request(`http://x/${encodeURI(path)}`, {
      method,
      headers: { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return [response.status, text === "" ? null : JSON.parse(text)];
};
const served = async (db: AnyDatabase, include?: readonly string[]) => {
  const found = await introspectDatabase(db, { operations: () => operations, ...(include && { include }) });
  const warnings = found.warnings.map(({ code, place, message }) => `${code} ${place} ${message}`);
  return { warnings, service: odataService({ logger: noFailures, entitySets: found.entitySets }) };
};

describe("functions and collations of another program in SQLite", () => {
  test("stop neither the table nor its other columns", async () => {
    const folder = mkdtempSync(join(tmpdir(), "odatakit-foreign-"));
    const file = join(folder, "shop.db");
    const made = new DatabaseSync(file);
    made.enableDefensive(false);
    made.exec(`create table notes (id integer primary key, name text, more text); insert into notes values (1, 'b', 'x'), (2, 'a', 'y');
create table indexed (id integer primary key, name text); insert into indexed values (1, 'b'); create index by_name on indexed (upper(name));
create table plain (id integer primary key, name text check (name <> '')); insert into plain values (1, 'b');
create table computed (id integer primary key, name text, loud text as (upper(name))); insert into computed values (1, 'b');
create table kept (id integer primary key, name text, loud text as (upper(name)) stored); insert into kept values (1, 'b');
create table defaulted (id integer primary key, name text default (upper('b'))); insert into defaulted values (1, 'b');
create view of_computed as select id, loud from computed;
pragma writable_schema = on;
update sqlite_schema set sql = replace(sql, 'name text', 'name text collate app_order') where name = 'notes';
update sqlite_schema set sql = replace(sql, 'upper', 'app_upper') where name in ('by_name', 'computed', 'kept', 'defaulted')`);
    made.close();
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file) });
    try {
      const { service, warnings } = await served(db);
      expect(warnings).toEqual([
        "unreadable of_computed omitted, because it is not readable: unknown function: app_upper()",
        "unreadable computed.loud omitted, because it is not readable: unknown function: app_upper()",
        "unwritable computed can only be read: unknown function: app_upper()",
        "unreadable Defaulteds.Name has a default that cannot be computed, left out: no such function: app_upper",
        "unwritable indexed can only be read: unknown function: app_upper()",
        "unwritable kept can only be read: unknown function: app_upper()",
        "collation Notes.Name has a collation of another program, published as String and compared by code point, read-only",
      ]);
      const [first, second] = [
        { Id: 1, Name: "b", More: "x" },
        { Id: 2, Name: "a", More: "y" },
      ];
      for (const [query, value] of [
        ["", [first, second]],
        ["?$orderby=Name", [second, first]],
        ["?$filter=Name eq 'a'", [second]],
        ["?$filter=Name gt 'a'", [first]],
      ] as const) {
        expect(await send(service, "GET", `Notes${query}`)).toEqual([200, { value }]);
      }
      expect((await send(service, "PATCH", "Notes(1)", { More: "z" }))[0]).toBe(200);
      expect(await send(service, "GET", "Indexeds?$filter=Name eq 'b'")).toEqual([
        200,
        { value: [{ Id: 1, Name: "b" }] },
      ]);
      expect((await send(service, "POST", "Indexeds", { Name: "c" }))[0]).toBe(405);
      expect(await send(service, "GET", "Computeds")).toEqual([200, { value: [{ Id: 1, Name: "b" }] }]);
      expect(await send(service, "GET", "Kepts")).toEqual([200, { value: [{ Id: 1, Name: "b", Loud: "B" }] }]);
      expect(await send(service, "GET", "Defaulteds")).toEqual([200, { value: [{ Id: 1, Name: "b" }] }]);
      expect(await send(service, "POST", "Defaulteds", { Name: "c" })).toEqual([201, { Id: 2, Name: "c" }]);
      expect(await send(service, "POST", "Defaulteds", {})).toEqual([201, { Id: 3, Name: null }]);
      for (const set of ["Computeds", "Kepts"]) {
        expect((await send(service, "POST", set, { Name: "c" }))[0]).toBe(405);
      }
      expect((await send(service, "DELETE", "Indexeds(1)"))[0]).toBe(405);
      expect((await send(service, "POST", "Plains", { Name: "c" }))[0]).toBe(201);
    } finally {
      await db.destroy();
      rmSync(folder, { recursive: true });
    }
  });
});

describe.each([false, true])("functions of another program in checks of SQLite, readonly: %s", (readonly) => {
  test("make the set read-only", async () => {
    const folder = mkdtempSync(join(tmpdir(), "odatakit-checks-"));
    const file = join(folder, "shop.db");
    const made = new DatabaseSync(file);
    made.enableDefensive(false);
    made.exec(`create table named (id integer primary key, name text, constraint "a ( b" check (upper(named.name) <> ')'));
create table nested (id integer primary key, name varchar(9) check /* ( */ (name in ('x', 'y') and (id > 0 or upper(name) > 'a' -- )
)) not null, n int check (n > 0));
create table [the "other] (id integer primary key check (id > 0), \`check\` text default 'check (' check (upper(\`check\`) = 'A')) strict;
create table "collated" (id integer primary key, name text check (name collate nocase <> 'x'));
create table "plain" (id integer primary key, name text check (name <> 'upper(' and length(name) > 0), check (id > 0));
create table quoted (id integer primary key, "check (upper(" text, [check(] text check ([check(] <> ''));
insert into named values (1, 'A'); insert into plain values (1, 'x');
pragma writable_schema = on;
update sqlite_schema set sql = replace(replace(sql, 'upper(', 'app_upper('), 'nocase', 'app_order')`);
    made.close();
    const found: AnyDatabase = new Kysely({ dialect: sqliteDialect(file, { readonly }) });
    try {
      const { service, warnings } = await served(found);
      const missing = "can only be read: (?:unknown|no such) function: app_upper";
      expect(warnings).toEqual([
        expect.stringMatching(/^unwritable collated can only be read: no such collation sequence: app_order$/),
        ...["named", "nested", 'the "other'].map((name) => expect.stringMatching(`^unwritable ${name} ${missing}`)),
      ]);
      const statuses = async (set: string): Promise<readonly unknown[]> => {
        const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];
        const of = (method: string) =>
          send(
            service,
            method,
            method === "GET" || method === "POST" ? set : `${set}(1)`,
            method === "GET" || method === "DELETE" ? undefined : { Name: "y" },
          );
        const answers: unknown[] = [];
        for (const method of methods) answers.push((await of(method))[0]);
        return answers;
      };
      for (const set of ["Nameds", "Nesteds", "Collateds"]) {
        expect([set, await statuses(set)]).toEqual([set, [200, 405, 405, 405, 405]]);
      }
      expect(await send(service, "GET", "Nameds?$filter=Name eq 'A'")).toEqual([
        200,
        { value: [{ Id: 1, Name: "A" }] },
      ]);
      const plain = readonly ? (await send(service, "GET", "Plains"))[0] : await statuses("Plains");
      expect(plain).toEqual(readonly ? 200 : [200, 201, 200, 200, 204]);
    } finally {
      await found.destroy();
      rmSync(folder, { recursive: true });
    }
  });
});

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("rules over $title", ({ open }) => {
  test("that replace a write make the set read-only, with a warning", async () => {
    const { db, close } = await open();
    try {
      await sql`create table kept_orders (id int primary key, is_gone boolean not null default false)`.execute(db);
      await sql`create rule soft as on delete to kept_orders do instead
        update kept_orders set is_gone = true where id = old.id`.execute(db);
      await sql`insert into kept_orders values (1)`.execute(db);
      const { service, warnings } = await served(db, ["kept_orders"]);
      expect(warnings.filter((each) => each.startsWith("unwritable"))).toEqual([
        expect.stringMatching(/^unwritable \S*kept_orders can only be read: the rule soft replaces a write$/),
      ]);
      expect(await send(service, "GET", "KeptOrders")).toEqual([200, { value: [{ Id: 1, IsGone: false }] }]);
      expect((await send(service, "DELETE", "KeptOrders(1)"))[0]).toBe(405);
      await sql`create table skipped_orders (id int primary key)`.execute(db);
      await sql`create function skip() returns trigger language plpgsql as 'begin return null; end'`.execute(db);
      await sql`create trigger skips before insert on skipped_orders for each row execute function skip()`.execute(db);
      const skipped = await served(db, ["skipped_orders"]);
      expect((await send(skipped.service, "POST", "SkippedOrders", { Id: 1 }))[0]).toBe(409);
    } finally {
      await close();
    }
  });
});

describe.each(ENGINES.filter(({ name }) => name === "mariadb"))("odd columns over $title", ({ open }) => {
  test("char(0) and enumerations without a label stop nothing", async () => {
    const { db, close } = await open();
    try {
      await db.connection().execute(async (one) => {
        await sql`set session sql_mode = ''`.execute(one);
        await sql`create table odd (id int primary key, flag char(0), state enum('open', 'closed') not null)`.execute(
          one,
        );
        await sql`insert into odd values (1, '', 'open'), (2, null, 'bogus')`.execute(one);
        await sql`set session sql_mode = default`.execute(one);
      });
      const { service } = await served(db);
      const [first, second] = [
        { Id: 1, Flag: "", State: "open" },
        { Id: 2, Flag: null, State: null },
      ];
      expect(await send(service, "GET", "Odds?$orderby=Id")).toEqual([200, { value: [first, second] }]);
      expect(await send(service, "GET", "Odds?$filter=State eq null")).toEqual([200, { value: [second] }]);
      await sql`create sequence numbers`.execute(db);
      await sql`create table numbered (id bigint primary key default nextval(numbers), name varchar(9))`.execute(db);
      const numbered = await served(db);
      expect(await send(numbered.service, "POST", "Numbereds", { Name: "x" })).toEqual([201, { Id: 1, Name: "x" }]);
    } finally {
      await close();
    }
  });
});
