import { sql } from "kysely";
import {
  complexType,
  edm,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  resource,
  role,
  type ODataService,
  type Principal,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, type DatabaseName, ENGINES } from "../../engine/executors/engines.ts";
import { faultOf, sendTo } from "./writes-model.ts";

const Place = complexType("Place", { x: edm.int32().nullable(), y: edm.int32().nullable() });

const Note = entityType("Note", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  body: edm.string().nullable(),
  ratio: edm.single().nullable(),
  score: edm.double().nullable(),
  price: edm.decimal({ precision: 12, scale: 4 }).nullable(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  bytes: edm.binary({ maxLength: 200 }).nullable(),
  file: edm.binary().nullable(),
  document: edm.complex(Place).nullable(),
  place: edm.complex(Place).nullable(),
  tags: edm.collection(edm.string()),
  salary: edm.int32().nullable(),
  parentId: edm.int32().nullable(),
});

const Word = entityType("Word", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  number: edm.int32().nullable(),
});

const Measured = entityType("Measured", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  number: edm.int32().nullable(),
  ratio: edm.double().nullable(),
});

type Cells = Readonly<Record<DatabaseName, string>>;
const same = (cell: string): Cells => ({ sqlite: cell, postgres: cell, mariadb: cell });

const COLUMNS: Readonly<Record<string, Cells>> = {
  id: same("int primary key"),
  name: { sqlite: "text collate nocase", postgres: "varchar(50)", mariadb: "varchar(50)" },
  body: { sqlite: "text", postgres: "text", mariadb: "longtext" },
  ratio: { sqlite: "real", postgres: "real", mariadb: "float" },
  score: { sqlite: "real", postgres: "double precision", mariadb: "double" },
  price: { sqlite: "text", postgres: "numeric(12, 4)", mariadb: "decimal(12, 4)" },
  at: { sqlite: "text", postgres: "timestamptz", mariadb: "datetime(3)" },
  bytes: { sqlite: "blob", postgres: "bytea", mariadb: "varbinary(200)" },
  file: { sqlite: "blob", postgres: "bytea", mariadb: "longblob" },
  document: { sqlite: "text", postgres: "json", mariadb: "json" },
  place_x: same("int"),
  place_y: same("int"),
  tags: { sqlite: "text", postgres: "jsonb", mariadb: "json" },
  salary: same("int"),
  parentId: same("int"),
};

const LONG = "long ".repeat(20_000);

async function makeNotes(db: AnyDatabase, name: DatabaseName): Promise<void> {
  const columns = Object.entries(COLUMNS).map(([column, types]) => sql`${sql.id(column)} ${sql.raw(types[name])}`);
  await sql`create table notes (${sql.join(columns)})`.execute(db);
  const at = name === "sqlite" ? "2024-01-01T10:00:00.000Z" : "2024-01-01 10:00:00";
  const bytes = Uint8Array.of(1, 2, 3);
  const cells = ["Ann", LONG, 0.1, 0.1, "1.5000", at, bytes, bytes, '{"x":1,"y":2}', 1, 2, '["a","b"]', 100, 1];
  const documents = new Set([8, 11]);
  for (const id of [1, 2]) {
    const values = [id, ...cells].map((cell, index) => {
      const value = sql.val(cell);
      if (name !== "postgres" || !documents.has(index - 1)) return value;
      return index === 9 ? sql`${value}::text::json` : sql`${value}::text::jsonb`;
    });
    await sql`insert into notes values (${sql.join(values)})`.execute(db);
  }
}

/** Changes of one column each, as another program makes them. */
const CHANGES: ReadonlyArray<readonly [title: string, change: Cells]> = [
  ["the letter case of a text", same("name = 'ann'")],
  ["a space at the end of a text", same("name = 'Ann '")],
  ["an accent", same("name = 'Änn'")],
  ["a text to null", same("name = null")],
  ["the end of a long text", { ...same("body = concat(body, '.')"), sqlite: "body = body || '.'" }],
  ["the last bit of a Single", { ...same("ratio = 0.10000001"), postgres: "ratio = '0.10000001'::real" }],
  ["the last bit of a Double", same("score = 0.10000000000000002")],
  ["a Double to another value", { ...same("score = 7"), postgres: "score = 'NaN'" }],
  ["the last digit of a Decimal", { ...same("price = 1.5001"), sqlite: "price = '1.5001'" }],
  [
    "a millisecond",
    {
      sqlite: "at = '2024-01-01T10:00:00.001Z'",
      postgres: "at = at + interval '1 millisecond'",
      mariadb: "at = '2024-01-01 10:00:00.001'",
    },
  ],
  ["a byte", { ...same("bytes = x'010204'"), postgres: "bytes = '\\x010204'" }],
  ["a member of a document", same(`document = '{"x":1,"y":3}'`)],
  ["a document to null", same("document = null")],
  ["a member with a column", same("place_y = 3")],
  ["an item of a collection", same(`tags = '["a","c"]'`)],
  ["a property that the user may not read", same("salary = 101")],
];

const SECRET = "a secret of sixteen characters";
const boss: Principal = { id: "boss", roles: ["boss"] };
const clerk: Principal = { id: "clerk", roles: [] };

interface Notes {
  readonly service: ODataService;
  readonly db: AnyDatabase;
  /** Runs between the check of the ETag and the write. */
  between: (open: AnyDatabase) => Promise<unknown>;
}

function notesOver(db: AnyDatabase): Notes {
  const notes: { between: Notes["between"] } = { between: () => Promise.resolve() };
  // The rule runs on the loaded entity: here the rule itself writes the row at that moment.
  const rule = resource(async (_user, _note, context) => {
    await notes.between((context.transaction ?? db) as AnyDatabase);
    return true;
  });
  const options = {
    db,
    table: "notes",
    operations: ["read", "create", "replace", "patch", "delete"],
    etag: "all",
    applyEnabled: true,
    columns: {
      document: { storage: "json" },
      tags: { storage: "json" },
    },
  } as const;
  const all = sqlEntitySet(Note, {
    ...options,
    authorization: { properties: { salary: { read: role("boss") } } },
    navigation: {
      parent: hasOptional(Note, { on: { parentId: "id" }, target: "Notes" }),
      children: hasMany(Note, { on: { id: "parentId" }, target: "Notes" }),
    },
  });
  const contested = sqlEntitySet(Note, {
    ...options,
    name: "Contested",
    authorization: { update: rule, delete: rule },
  });
  const service = odataService({
    entitySets: [all, contested],
    secret: SECRET,
    authenticate: ({ headers }) => (headers.get("X-User") === "clerk" ? clerk : boss),
  });
  return Object.assign(notes, { service, db });
}

const stateOf = (etag: unknown): string =>
  String(etag)
    .replace(/^W\//, "")
    .replace(/\.[^.]*"$/, '"');

describe.each(ENGINES)("an ETag of all properties of $title", (engine) => {
  test.each(CHANGES)("%s changes it, also between the check and the write", async (_title, change) => {
    const { db, close } = await engine.open();
    await makeNotes(db, engine.name);
    const notes = notesOver(db);
    const send = sendTo(notes.service);
    const clerkOf = { "X-User": "clerk" };
    const etag = (await send("GET", "Notes(1)")).headers.get("ETag") ?? "";
    const failed = [412, "PreconditionFailed", undefined];
    const overwrite =
      (id: number) =>
      (open: AnyDatabase): Promise<unknown> =>
        sql`update notes set ${sql.raw(change[engine.name])} where id = ${sql.lit(id)}`.execute(open);
    await overwrite(1)(db);
    const now = (await send("GET", "Notes(1)")).headers.get("ETag") ?? "";
    expect(now).not.toBe(etag);
    expect(stateOf((await send("GET", "Notes(1)", undefined, clerkOf)).headers.get("ETag"))).toBe(now);
    for (const headers of [{ "If-Match": etag }, { "If-Match": etag, ...clerkOf }]) {
      expect(faultOf(await send("PATCH", "Notes(1)", { ParentId: 2 }, headers))).toEqual(failed);
      expect(faultOf(await send("PUT", "Notes(1)/ParentId", { value: 2 }, headers))).toEqual(failed);
      expect(faultOf(await send("DELETE", "Notes(1)", undefined, headers))).toEqual(failed);
    }
    const saved = await send("PATCH", "Notes(1)", { ParentId: 2 }, { "If-Match": now });
    expect(saved.json).toMatchObject({ ParentId: 2 });
    const other = (await send("GET", "Contested(2)")).headers.get("ETag") ?? "";
    notes.between = overwrite(2);
    expect(faultOf(await send("PATCH", "Contested(2)", { ParentId: 2 }, { "If-Match": other }))).toEqual(failed);
    await close();
  });

  test("an equality that ignores letter case does not hide a change", async () => {
    const { db, close } = await engine.open();
    const text = { sqlite: "text collate nocase", postgres: "text", mariadb: "varchar(50)" }[engine.name];
    await sql`create table words (id int primary key, text ${sql.raw(text)}, number int)`.execute(db);
    await sql`insert into words values (1, 'a', 1), (2, 'a', 1)`.execute(db);
    let change = sql`select 1`;
    const rule = resource(async (_user, _word, context) => {
      await change.execute((context.transaction ?? db) as AnyDatabase);
      return true;
    });
    const words = sqlEntitySet(Word, {
      db,
      table: "words",
      operations: ["read", "patch", "delete"],
      etag: "all",
      authorization: { update: rule, delete: rule },
    });
    const send = sendTo(odataService({ entitySets: [words], authenticate: () => boss }));
    for (const [index, cell] of ["A", "a ", "a"].entries()) {
      const etag = (await send("GET", "Words(1)")).headers.get("ETag") ?? "";
      change = sql`update words set text = ${cell} where id = 1`;
      const condition = { "If-Match": etag };
      expect(faultOf(await send("PATCH", "Words(1)", { Number: index }, condition))[0], cell).toBe(412);
      expect(faultOf(await send("DELETE", "Words(1)", undefined, condition))[0], cell).toBe(412);
      await change.execute(db);
    }
    change = sql`select 1`;
    const etag = (await send("GET", "Words(1)")).headers.get("ETag") ?? "";
    const [first, second] = await Promise.all(
      [1, 2].map((number) => send("PATCH", "Words(1)", { Number: 100 + number }, { "If-Match": etag })),
    );
    expect([first?.status, second?.status].toSorted((one, other) => Number(one) - Number(other))).toEqual([200, 412]);
    await close();
  });

  test("is the same in all responses, whatever they select", async () => {
    const { db, close } = await engine.open();
    await makeNotes(db, engine.name);
    const { service } = notesOver(db);
    const send = sendTo(service);
    const whole = await send("GET", "Notes(1)");
    const etag = whole.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[\w+/]{22}"$/);
    expect(whole.json).toMatchObject({ "@odata.etag": etag, Salary: 100 });
    const entities = async (target: string, headers: Record<string, string> = {}): Promise<readonly unknown[]> => {
      const { status, json } = await send("GET", target, undefined, headers);
      expect(status, target).toBe(200);
      return [json].flat().flatMap(tagsIn).map(stateOf);
    };
    const others = (await entities("Notes?$filter=Id eq 2"))[0];
    for (const target of [
      "Notes",
      "Notes?$select=Id",
      "Notes?$select=Name,Document/X",
      "Notes?$select=Place/Y,Salary",
      "Notes?$select=File",
      "Notes?$select=Ratio&$orderby=Id desc&$skip=1",
      "Notes?$top=1&$count=true",
      "Notes(1)?$select=Body",
      "Notes(1)?$expand=Parent($select=Name)",
      "Notes?$select=Id&$expand=Children($select=Id;$orderby=Id;$top=1)&$filter=Id eq 1",
      "Notes(1)/Parent",
      "Notes(1)/Children?$select=Name&$orderby=Id&$top=1",
    ]) {
      for (const headers of [
        {},
        { "X-User": "clerk" },
        { Accept: "application/json;IEEE754Compatible=true" },
        { Accept: "application/json;odata.metadata=full" },
      ]) {
        if (target.includes("Salary") && "X-User" in headers) continue;
        const found = (await entities(target, headers)).filter((each) => each !== others);
        expect(new Set(found), `${target} ${JSON.stringify(headers)}`).toEqual(new Set([etag]));
      }
    }
    const name = await send("GET", "Notes(1)/Name");
    expect(name.headers.get("ETag")).toBe(etag);
    expect((await send("GET", "Notes(1)?$select=Name", undefined, { "If-None-Match": etag })).status).toBe(304);
    expect((await send("GET", "Notes(1)/Name", undefined, { "If-None-Match": etag })).status).toBe(304);
    const clerks = await send("GET", "Notes(1)", undefined, { "X-User": "clerk" });
    expect(clerks.headers.get("ETag")).not.toBe(etag);
    expect(clerks.json).not.toHaveProperty("Salary");
    expect(JSON.stringify((await send("GET", "Notes?$apply=groupby((Name))")).json)).not.toContain("etag");
    const metadata = await (await service.fetch(new Request("http://service.example/$metadata"))).text();
    expect(metadata).toMatch(
      /Term="[\w.]*OptimisticConcurrency">\s*<Collection\s*\/>|OptimisticConcurrency"><Collection><\/Collection>/,
    );
    await close();
  });

  test("responses of writes have the ETag of a later read", async () => {
    const { db, close } = await engine.open();
    await makeNotes(db, engine.name);
    const send = sendTo(notesOver(db).service);
    const read = async (id: number): Promise<string> =>
      (await send("GET", `Notes(${String(id)})`)).headers.get("ETag") ?? "";
    const tagOf = ({ headers }: { readonly headers: Headers }): string => headers.get("ETag") ?? "";
    const minimal = { Prefer: "return=minimal" };
    const created = await send("POST", "Notes", { Id: 3, Tags: ["x"], Document: { X: 1 }, Score: 1.5, File: "AAAA" });
    expect([created.status, tagOf(created)]).toEqual([201, await read(3)]);
    expect(created.json).toMatchObject({ "@odata.etag": tagOf(created) });
    const quick = await send("POST", "Notes", { Id: 4, Tags: [] }, minimal);
    expect([quick.status, tagOf(quick)]).toEqual([204, await read(4)]);
    const patched = await send("PATCH", "Notes(3)", { Document: { Y: 5 } }, { "If-Match": tagOf(created) });
    expect([patched.status, tagOf(patched)]).toEqual([200, await read(3)]);
    expect(patched.json).toMatchObject({ Document: { X: 1, Y: 5 }, File: "AAAA" });
    const put = await send("PUT", "Notes(3)", { Tags: ["y"], ParentId: 1 }, { "If-Match": tagOf(patched), ...minimal });
    expect([put.status, tagOf(put)]).toEqual([204, await read(3)]);
    const property = await send("PUT", "Notes(3)/Place", { value: { X: 1, Y: null } }, { "If-Match": tagOf(put) });
    expect([property.status, tagOf(property)]).toEqual([204, await read(3)]);
    // The file is left out, so its writes are no conflict.
    const file = await send("PATCH", "Notes(3)", { File: "BBBB" }, { "If-Match": tagOf(property) });
    expect(tagOf(file)).toBe(tagOf(property));
    const clerk = { "X-User": "clerk" };
    const own = (await send("GET", "Notes(3)", undefined, clerk)).headers.get("ETag") ?? "";
    const byClerk = await send("PUT", "Notes(3)", { Tags: [] }, { ...clerk, "If-Match": own });
    expect([byClerk.status, stateOf(tagOf(byClerk))]).toEqual([200, await read(3)]);
    expect((await send("DELETE", "Notes(3)", undefined, { "If-Match": own })).status).toBe(412);
    expect((await send("DELETE", "Notes(3)", undefined, { "If-Match": tagOf(byClerk) })).status).toBe(204);
    // Nothing requires the header.
    expect((await send("PATCH", "Notes(4)", { Name: "b" })).status).toBe(200);
    await close();
  });

  test("pages of any size and form have the ETags of single reads", async () => {
    const { db, close } = await engine.open();
    const double = { sqlite: "real", postgres: "double precision", mariadb: "double" }[engine.name];
    await sql`create table words (id int primary key, text varchar(50), number int, ratio ${sql.raw(double)})`.execute(
      db,
    );
    const cells = ['"', "é\uFEFF", "\u2028", "a\\b", "\u0007", "😀", "</x>", " "];
    const ratios = [0.30000000000000004, 50, 1e21, 1.5e-7, null, -2.5];
    for (let id = 1; id <= 60; id += 1) {
      const text = id % 9 === 0 ? null : cells[id % 8];
      await sql`insert into words values (${id}, ${text}, ${id % 7}, ${ratios[id % 6]})`.execute(db);
    }
    const words = sqlEntitySet(Measured, {
      name: "Words",
      db,
      table: "words",
      operations: ["read", "delete"],
      etag: "all",
      maxTop: 100,
      navigation: { same: hasMany(Measured, { on: { number: "number" }, target: "Words" }) },
    });
    for (const secret of [undefined, SECRET]) {
      const service = odataService({
        entitySets: [words],
        authenticate: () => boss,
        defaults: { maxExpandTop: 100 },
        ...(secret === undefined ? {} : { secret }),
      });
      const send = sendTo(service);
      const single = new Map<unknown, unknown>();
      for (let id = 1; id <= 60; id += 1) single.set(id, (await send("GET", `Words(${id})`)).headers.get("ETag"));
      for (const query of [
        "",
        "?$select=Id",
        "?$select=Ratio",
        "?$select=Number,Id&$count=true",
        "?$top=59&$orderby=Text,Id",
        "?$top=5",
        "?$expand=Same",
        "?$select=Id&$expand=Same($select=Id,Ratio;$top=3;$orderby=Id)",
        "?$select=Id&$expand=Same($select=Text;$top=3)",
      ]) {
        const { status, json } = await send("GET", `Words${query}`);
        expect(status, query).toBe(200);
        const found = entitiesIn(json);
        expect(found.length, query).toBeGreaterThan(4);
        for (const each of found) {
          if (each["Id"] === undefined) expect([...single.values()], query).toContain(each["@odata.etag"]);
          else expect(each["@odata.etag"], query).toBe(single.get(each["Id"]));
        }
      }
      expect(new Set(single.values()).size).toBe(60);
    }
    await close();
  });
});

/** Returns all entities within a response, those of expansions included. */
function entitiesIn(value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) return value.flatMap(entitiesIn);
  if (typeof value !== "object" || value === null) return [];
  const related = Object.values(value).flatMap(entitiesIn);
  return "@odata.etag" in value ? [value, ...related] : related;
}

/** Returns all ETags within a value. */
function tagsIn(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => (name === "@odata.etag" ? [member] : tagsIn(member)));
}
