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

const stateOf = (etag: unknown): string => String(etag).replace(/^W\//, "").replace(/\.[^.]*"$/, '"');

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
});
