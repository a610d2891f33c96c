import { sql } from "kysely";
import { allRows, complexType, edm, entitySet, entityType, odataService, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, type DatabaseName, ENGINES } from "../../engine/executors/engines.ts";
import { sendTo } from "./writes-model.ts";

const SECRET = "a secret of sixteen characters";

const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;

const Note = entityType("Note", {
  id: edm.int32().key(),
  number: edm.int32(),
  story: edm.string({ maxLength: 100_000 }),
  chosen: edm.string().onlyIfSelected(),
  file: edm.binary(),
  sum: edm.int32().nullable().computed(),
});

const BYTES: Readonly<Record<DatabaseName, readonly [type: string, first: string, next: string]>> = {
  sqlite: ["blob", "x'01'", "x'02'"],
  postgres: ["bytea", String.raw`'\x01'`, String.raw`'\x02'`],
  mariadb: ["longblob", "x'01'", "x'02'"],
};

async function makeNotes(db: AnyDatabase, name: DatabaseName): Promise<void> {
  const [type, first] = BYTES[name];
  await sql`create table notes (id int primary key, number int not null, story ${sql.raw(name === "mariadb" ? "longtext" : "text")} not null,
    chosen varchar(50) not null, file ${sql.raw(type)} not null, other int not null)`.execute(db);
  await sql`insert into notes values (1, 0, 'l', 's', ${sql.raw(first)}, 5)`.execute(db);
}

describe.each(ENGINES)("ETags of all properties of $title do not stand for a response with", (engine) => {
  test.each([
    ["a long text", "story = 'L'", ["Notes(1)", "Notes(1)?$select=Story", "Notes(1)/Story"]],
    ["a property that must be selected", "chosen = 'S'", ["Notes(1)?$select=Chosen", "Notes(1)/Chosen"]],
    ["bytes without a limit", `file = ${BYTES[engine.name][2]}`, ["Notes(1)", "Notes(1)/File"]],
    ["an expression", "other = 6", ["Notes(1)", "Notes(1)?$select=Sum", "Notes(1)/Sum"]],
    [
      "a computed value of a left-out property",
      "story = 'longer'",
      ["Notes(1)?$compute=length(Story) as Size&$select=Size"],
    ],
  ])("%s", async (_, change, paths) => {
    const { db, close } = await engine.open();
    await makeNotes(db, engine.name);
    const notes = sqlEntitySet(Note, {
      db,
      table: "notes",
      operations: OPERATIONS,
      etag: "all",
      columns: { sum: { sql: "other + 1" } },
      computeEnabled: true,
    });
    const send = sendTo(odataService({ entitySets: [notes], schemaCheck: false }));
    for (const path of paths) {
      const before = await send("GET", path);
      const condition = { "If-None-Match": before.headers.get("ETag") ?? "" };
      expect((await send("GET", path, undefined, condition)).status, path).toBe(200);
      expect((await send("GET", "Notes(1)?$select=Number", undefined, condition)).status).toBe(304);
      expect((await send("GET", "Notes(1)/Number", undefined, condition)).status).toBe(304);
      await sql`update notes set ${sql.raw(change)}`.execute(db);
      const after = await send("GET", path, undefined, condition);
      expect([after.status, after.headers.get("ETag")], path).toEqual([200, before.headers.get("ETag")]);
      await sql`delete from notes`.execute(db);
      await sql`insert into notes values (1, 0, 'l', 's', ${sql.raw(BYTES[engine.name][1])}, 5)`.execute(db);
    }
    await close();
  });
});

const Place = complexType("Place", { town: edm.string(), at: edm.double().nullable() });

const Visit = entityType("Visit", {
  id: edm.int32().key(),
  number: edm.int32(),
  place: edm.complex(Place).nullable(),
  stops: edm.collection(edm.complex(Place)),
  tags: edm.collection(edm.string()),
});

interface Stop {
  readonly town: string;
  readonly at?: number | null;
}

interface Visited {
  readonly id: number;
  readonly number: number;
  readonly place: Stop | null;
  readonly stops: readonly Stop[];
  readonly tags: readonly string[];
}

test.each(["patch", "delete"] as const)("`ctx.sets` compares complex values and collections, in %s", async (call) => {
  const first: Visited = {
    id: 1,
    number: 0,
    place: { town: "Oslo", at: Number.NaN },
    stops: [{ town: "Rome" }],
    tags: ["a", "b"],
  };
  let visit: Visited | null = first;
  const given = { change: (expected: object | undefined): unknown => expected };
  const visits = entitySet(Visit, {
    name: "Visits",
    etag: "all",
    getAll: () => (visit === null ? [] : [visit]),
    getByKey: () => visit,
    patch: (_, delta) => (visit = { ...first, ...visit, ...(delta as object) }),
    delete: () => {
      visit = null;
      return true;
    },
  });
  const views = entitySet(Visit, {
    name: "Views",
    etag: "all",
    getAll: () => (visit === null ? [] : [visit]),
    getByKey: () => visit,
    patch: async (id, delta, ctx) => {
      const options = { expected: given.change(ctx.expected) as object };
      if (call === "patch") return ctx.sets(visits).patch(id, delta, options);
      return (await ctx.sets(visits).delete(id, options)) ? first : null;
    },
  });
  const send = sendTo(odataService({ entitySets: [visits, views] }));
  const patch = async (change: (expected: object | undefined) => unknown): Promise<number> => {
    given.change = change;
    const etag = (await send("GET", "Views(1)")).headers.get("ETag") ?? "";
    return (await send("PATCH", "Views(1)", { Number: 1 }, { "If-Match": etag })).status;
  };
  for (const other of [
    { place: { town: "oslo", at: Number.NaN } },
    { place: null },
    { place: { town: "Oslo", at: null } },
    { stops: [] },
    { stops: [{ town: "Rome", at: 1 }] },
    { tags: ["b", "a"] },
    { tags: ["a"] },
  ]) {
    expect(await patch((expected) => ({ ...expected, ...other })), JSON.stringify(other)).toBe(412);
  }
  expect(await patch((expected) => ({ ...expected, stops: [{ town: "Rome" }] }))).toBe(200);
  if (call === "delete") return;
  expect(await patch((expected) => expected)).toBe(200);
  for (const wrong of [{ place: "Oslo" }, { tags: "a" }, { stops: [{ town: 5 }] }, { none: 1 }]) {
    expect(await patch((expected) => ({ ...expected, ...wrong })), JSON.stringify(wrong)).toBe(500);
  }
});

test("an ETag has a key unless everyone may read all that it is made of", async () => {
  const Person = entityType("Person", { id: edm.int32().key(), isIll: edm.boolean() });
  // The Base64 of the MurmurHash3_x86_128 of `"Id":1,"IsIll":true`.
  const plain = '"XeAArMZwaTgLQ5h590FjZQ"';
  const tagWith = async (options: object): Promise<string | null> => {
    const person = { id: 1, isIll: true };
    const reading = { getAll: () => [person], getByKey: () => person };
    const people = entitySet(Person, { name: "People", etag: "all", ...reading, patch: () => person, ...options });
    const user = { id: "u", roles: ["writer"] };
    const service = odataService({ entitySets: [people], authenticate: () => user, secret: SECRET });
    return (await sendTo(service)("PATCH", "People(1)", { IsIll: true })).headers.get("ETag");
  };
  expect(await tagWith({})).toBe(plain);
  for (const options of [
    { authorization: { all: role("doctor"), update: role("writer") } },
    { authorization: { read: role("doctor") } },
    { authorization: { update: role("writer") } },
    { authorization: { rows: () => allRows } },
    { getAll: undefined, getByKey: undefined },
  ]) {
    const etag = await tagWith(options);
    expect(etag, JSON.stringify(options)).toMatch(/^"/);
    expect(etag, JSON.stringify(options)).not.toBe(plain);
  }
});

test("a text that is not UTF-8 changes the ETag, and does not prevent writes", async () => {
  const sqlite = ENGINES.find(({ name }) => name === "sqlite");
  if (sqlite === undefined) return;
  const Line = entityType("Line", { id: edm.int32().key(), text: edm.string().nullable(), number: edm.int32() });
  const { db, close } = await sqlite.open();
  await sql`create table lines (id integer primary key, text text, number int not null)`.execute(db);
  await sql`insert into lines values (1, cast(x'61ff62' as text), 0), (2, ${"a\uFFFDb"}, 0)`.execute(db);
  const lines = sqlEntitySet(Line, { db, table: "lines", operations: OPERATIONS, etag: "all" });
  const send = sendTo(odataService({ entitySets: [lines], schemaCheck: false }));
  for (const path of ["Lines(1)", "Lines(2)"]) {
    const etag = (await send("GET", path)).headers.get("ETag") ?? "";
    expect((await send("PATCH", path, { Number: 1 }, { "If-Match": etag })).status, path).toBe(200);
    expect((await send("PATCH", path, { Number: 2 }, { "If-Match": etag })).status, path).toBe(412);
    const next = (await send("GET", path)).headers.get("ETag") ?? "";
    expect((await send("DELETE", path, undefined, { "If-Match": next })).status, path).toBe(204);
  }
  await close();
});
