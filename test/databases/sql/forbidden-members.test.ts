import { type Generated, Kysely, sql } from "kysely";
import { complexType, edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet, type SqlOperation } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";

const Address = complexType("Address", {
  city: edm.string().nullable(),
  zip: edm.string().nullable(),
  secret: edm.string().nullable().ignored(),
  approved: edm.string().nullable().computed(),
});
const guarded = {
  secret: edm.string().nullable().ignored(),
  approved: edm.string().nullable().computed(),
};
const Note = entityType("Note", { id: edm.int32().key(), accountId: edm.int32(), ...guarded });
const Account = entityType("Account", {
  id: edm.int32().key(),
  home: edm.complex(Address),
  doc: edm.complex(Address).nullable(),
  ...guarded,
});

interface Tables {
  accounts: {
    id: number;
    home_city: string | null;
    home_zip: string | null;
    home_secret: Generated<string>;
    home_approved: Generated<string>;
    doc: string | null;
    secret: Generated<string>;
    approved: Generated<string>;
  };
  notes: { id: number; account_id: number; secret: Generated<string>; approved: Generated<string> };
}

async function start() {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(":memory:") });
  const kept = sql`secret text default 'kept', approved text default 'kept'`;
  await sql`create table accounts
    (id integer primary key, home_city text, home_zip text, home_secret text default 'kept', home_approved text default 'kept', doc text, ${kept})`.execute(
    db,
  );
  await sql`create table notes (id integer primary key, account_id integer not null, ${kept})`.execute(db);
  const doc = JSON.stringify({ city: "Oslo", zip: "1", secret: "kept" });
  await db.insertInto("accounts").values({ id: 1, home_city: "Oslo", home_zip: "1", doc }).execute();
  const operations: readonly SqlOperation[] = ["read", "create", "replace", "patch", "delete"];
  const service = odataService({
    defaults: { unknownMembers: "ignore", allowDeepInsert: true },
    entitySets: [
      sqlEntitySet(Account, {
        db,
        table: "accounts",
        operations,
        columns: {
          home: { columns: { city: "home_city", zip: "home_zip", approved: "home_approved" } },
          doc: { storage: "json" },
        },
        navigation: { notes: hasMany(Note, { on: { id: "accountId" }, target: "Notes" }) },
      }),
      sqlEntitySet(Note, { db, table: "notes", operations, columns: { accountId: "account_id" } }),
    ],
  });
  const send = (method: string, path: string, body: string) => {
    const headers = { "Content-Type": "application/json", Prefer: "return=minimal" };
    return service.fetch(new Request(`http://service.example/${path}`, { method, headers, body }));
  };
  return { db, send };
}

const FORBIDDEN =
  '"Secret":"stolen","secret":"stolen","Approved":"stolen","approved":"stolen","home_secret":"stolen","__proto__":{"secret":"stolen"}';
const ADDRESS = `{"City":"Rome",${FORBIDDEN}}`;

test.each([
  ["POST", "Accounts", `{"Id":2,"Home":${ADDRESS},"Doc":${ADDRESS},"Notes":[{"Id":1,${FORBIDDEN}}],${FORBIDDEN}}`],
  ["PATCH", "Accounts(1)", `{"Home":${ADDRESS},"Doc":${ADDRESS},${FORBIDDEN}}`],
  ["PUT", "Accounts(1)", `{"Home":${ADDRESS},"Doc":${ADDRESS},${FORBIDDEN}}`],
  ["PUT", "Accounts(1)/Home", `{"value":${ADDRESS}}`],
  ["PUT", "Accounts(1)/Doc", `{"value":${ADDRESS}}`],
  ["POST", "Accounts(1)/Notes", `{"Id":5,${FORBIDDEN}}`],
])("%s %s changes no column that the client may not write", async (method, path, body) => {
  const { db, send } = await start();
  expect((await send(method, path, body)).status).toBe(204);
  const accounts = await db.selectFrom("accounts").selectAll().execute();
  const notes = await db.selectFrom("notes").selectAll().execute();
  expect(JSON.stringify([accounts, notes])).not.toContain("stolen");
  for (const row of [...accounts, ...notes]) expect(row).toMatchObject({ secret: "kept", approved: "kept" });
  for (const row of accounts) expect(row).toMatchObject({ home_secret: "kept", home_approved: "kept" });
  await db.destroy();
});

test.each([
  ["PATCH", '{"Home":{"City":"Rome"},"Doc":{"City":"Rome"}}', '{"city":"Rome","zip":"1","secret":"kept"}'],
  [
    "PUT",
    '{"Home":{"City":"Rome","Zip":"1"},"Doc":{"City":"Rome","Zip":"1"}}',
    '{"city":"Rome","zip":"1","approved":null,"secret":"kept"}',
  ],
])("%s keeps the hidden members of a complex value, in columns and in documents", async (method, body, doc) => {
  const { db, send } = await start();
  await send(method, "Accounts(1)", body);
  expect(await db.selectFrom("accounts").selectAll().execute()).toEqual([
    {
      id: 1,
      home_city: "Rome",
      home_zip: "1",
      home_secret: "kept",
      home_approved: "kept",
      doc,
      secret: "kept",
      approved: "kept",
    },
  ]);
  await db.destroy();
});
