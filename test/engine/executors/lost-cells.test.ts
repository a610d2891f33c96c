import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService, resource } from "odatakit";
import { checkDatabase } from "odatakit/check";
import { sqlEntitySet, type SqlEntitySetOptions } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, type DatabaseName, ENGINES, type OpenDatabase } from "./engines.ts";

const Thing = entityType("Thing", {
  code: edm.guid().key(),
  other: edm.guid().nullable(),
  at: edm.dateTimeOffset({ precision: 3 }),
});
const UPPER = "0A000000-0000-0000-0000-00000000000A";
const LOWER = "0b000000-0000-0000-0000-00000000000b";
const BINARY = { sqlite: "text", postgres: "uuid", mariadb: "varchar(36) collate utf8mb4_bin" } as const;
const TIMES = { sqlite: "text", postgres: "timestamptz(3)", mariadb: "datetime(3)" } as const;

function openEngine(wanted: DatabaseName): Promise<OpenDatabase> {
  const engine = ENGINES.find(({ name }) => name === wanted);
  if (engine === undefined) throw new Error(`There is no ${wanted} in this run.`);
  return engine.open();
}

describe.each(ENGINES)("Guids in upper case in $title", (engine) => {
  test("are refused at startup where neither keys nor filters find them, and found with the storage that it names", async () => {
    const { db, close } = await engine.open();
    const type = sql.raw(BINARY[engine.name]);
    await sql`create table things (code ${type} primary key, other ${type}, at ${sql.raw(TIMES[engine.name])} not null)`.execute(
      db,
    );
    const at = engine.name === "sqlite" ? "2024-02-29T10:00:00.000Z" : "2024-02-29 10:00:00";
    await sql`insert into things values (${UPPER}, ${LOWER}, ${at}), (${LOWER}, ${UPPER}, ${at})`.execute(db);
    const serviceOf = (columns: object) =>
      odataService({
        propertyNaming: "camelCase",
        logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
        entitySets: [sqlEntitySet(Thing, { db, table: "things", operations: ["read"], columns })],
      });
    const read = async (service: ReturnType<typeof serviceOf>, path: string) => {
      const response = await service.fetch(new Request(`http://service.example/${path}`));
      return { status: response.status, text: await response.text() };
    };
    const plain = serviceOf({});
    const { findings } = await checkDatabase(plain);
    const lost = findings.filter(({ code }) => code === "C16");
    if (engine.name === "postgres") {
      expect(lost).toEqual([]);
      expect((await read(plain, `Things(${UPPER})`)).status).toBe(200);
    } else {
      expect(lost.map(({ severity, property }) => `${severity} ${String(property)}`)).toEqual([
        "error code",
        "error other",
      ]);
      expect(lost[0]).toMatchObject({
        set: "Things",
        table: "things",
        column: "code",
        message: `The column \`things.code\` has 1 text in upper case in its first 2 rows, such as "${UPPER}": responses show them, but keys and filters do not find them.`,
        fix: 'Set `columns: { code: { storage: "text" } }`, which finds them in every form, or correct the rows.',
      });
      expect((await read(plain, "Things")).status).toBe(500);
      const mended = serviceOf({ code: { storage: "text" }, other: { storage: "text" } });
      expect((await checkDatabase(mended)).findings.filter(({ code }) => code === "C16")).toEqual([]);
      expect((await read(mended, `Things(${UPPER})`)).status).toBe(200);
      const found = await read(mended, `Things?$filter=other eq ${UPPER}&$select=code`);
      expect(JSON.parse(found.text)).toMatchObject({ value: [{ code: LOWER }] });
    }
    await close();
  });
});

/** Declarations that compare the ignored Guids of notes in upper case, and the finding. */
const IGNORED: ReadonlyArray<readonly [what: string, sets: (db: AnyDatabase) => readonly object[], found: string[]]> = [
  ["only ctx.sets", (db) => [notes(db)], ["warning Notes.owner: filters of `ctx.sets` do not find them."]],
  [
    "a row rule",
    (db) => [notes(db, { authorization: { rows: (_user, { owner }) => owner.eq(UPPER) } })],
    ["error Notes.owner: row rules do not find them."],
  ],
  [
    "a row rule of a set that leads to them",
    (db) => [
      notes(db),
      sqlEntitySet(Thing, {
        db,
        table: "things",
        operations: ["read"],
        navigation: { note: hasOptional(Note, { target: "Notes", on: { other: "owner" } }) },
        authorization: { rows: (_user, { note }) => note.owner.eq(UPPER) },
      }),
    ],
    ["error Notes.owner: row rules and navigations do not find them."],
  ],
  [
    "a navigation",
    (db) => [
      notes(db, { navigation: { thing: hasOptional(Thing, { target: "Things", on: { owner: "code" } }) } }),
      sqlEntitySet(Thing, { db, table: "things", operations: ["read"] }),
    ],
    ["error Notes.owner: navigations do not find them."],
  ],
  [
    "a `resource` rule, which receives values",
    (db) => [notes(db, { authorization: { delete: resource(() => true) } })],
    ["warning Notes.owner: filters of `ctx.sets` do not find them."],
  ],
];

const Note = entityType("Note", { id: edm.int32().key(), owner: edm.guid().nullable().ignored() });

function notes(db: AnyDatabase, options: Pick<SqlEntitySetOptions<typeof Note>, "authorization" | "navigation"> = {}) {
  return sqlEntitySet(Note, { db, table: "notes", operations: ["read", "delete"], ...options });
}

describe.each(ENGINES)("Guids in upper case that no response shows in $title", (engine) => {
  const lostIn = async (entitySets: readonly object[]): Promise<readonly string[]> => {
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: entitySets as Parameters<typeof odataService>[0]["entitySets"],
      authenticate: () => ({ id: "ann" }),
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    });
    const { findings } = await checkDatabase(service);
    return findings
      .filter(({ code }) => code === "C16")
      .map(({ severity, subject, message }) => `${severity} ${subject}: ${message.replace(/^.*": /u, "")}`);
  };

  test.each(IGNORED)("in an ignored property that %s may compare", async (_what, sets, found) => {
    const { db, close } = await engine.open();
    const type = sql.raw(BINARY[engine.name]);
    await sql`create table notes (id int primary key, owner ${type})`.execute(db);
    await sql`create table things (code ${type} primary key, other ${type}, at ${sql.raw(TIMES[engine.name])} not null)`.execute(
      db,
    );
    await sql`insert into notes values (1, ${UPPER})`.execute(db);
    expect(await lostIn(sets(db))).toEqual(engine.name === "postgres" ? [] : found);
    await close();
  });

  test("in a table of links", async () => {
    const { db, close } = await engine.open();
    const type = sql.raw(BINARY[engine.name]);
    await sql`create table things (code ${type} primary key, other ${type}, at ${sql.raw(TIMES[engine.name])} not null)`.execute(
      db,
    );
    await sql`create table links (a ${type}, b ${type}, primary key (a, b))`.execute(db);
    await sql`insert into links values (${UPPER}, ${LOWER})`.execute(db);
    const setOf = (columns: object) => {
      const through = { table: "links", from: { code: "a" }, to: { b: "code" }, ...columns } as const;
      const back = { table: "links", from: { code: "b" }, to: { a: "code" }, ...columns } as const;
      const navigation = {
        others: hasMany(Thing, { target: "Things", through }),
        backs: hasMany(Thing, { target: "Things", through: back }),
      };
      return sqlEntitySet(Thing, { db, table: "things", operations: ["read"], navigation });
    };
    const found = ["error Things.backs: navigations do not find them."];
    expect(await lostIn([setOf({})])).toEqual(engine.name === "postgres" ? [] : found);
    if (engine.name !== "postgres") {
      expect(await lostIn([setOf({ columns: { a: { storage: "text" } } })])).toEqual([]);
    }
    await close();
  });
});

test.runIf(ENGINES.some(({ name }) => name === "mariadb"))(
  "Guids in upper case are not C16 if the collation of the column ignores case",
  async () => {
    const { db, close } = await openEngine("mariadb");
    await sql`create table things (code varchar(36) primary key, other varchar(36), at datetime(3) not null)`.execute(
      db,
    );
    await sql`insert into things values (${UPPER}, null, '2024-02-29 10:00:00')`.execute(db);
    const set = sqlEntitySet(Thing, { db, table: "things", operations: ["read"] });
    const service = odataService({ propertyNaming: "camelCase", entitySets: [set] });
    expect((await checkDatabase(service)).findings.filter(({ code }) => code === "C16")).toEqual([]);
    expect((await service.fetch(new Request(`http://service.example/Things(${UPPER})`))).status).toBe(200);
    await close();
  },
);

test.runIf(ENGINES.some(({ name }) => name === "sqlite"))(
  "timestamps of SQLite in another form are a warning, and an error in a key",
  async () => {
    const { db, close } = await openEngine("sqlite");
    const Keyed = entityType("Keyed", { at: edm.dateTimeOffset({ precision: 3 }).key(), day: edm.date() });
    await sql`create table things (code text primary key, other text, at text not null)`.execute(db);
    await sql`create table keyed (at text primary key, day text not null)`.execute(db);
    await sql`insert into things values (${LOWER}, null, '2024-02-29T10:00:00.123456Z')`.execute(db);
    await sql`insert into keyed values ('2024-02-29 10:00:00', '2024-02-29')`.execute(db);
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Thing, { db, table: "things", operations: ["read"] }),
        sqlEntitySet(Keyed, { name: "Keyed", db, table: "keyed", operations: ["read"] }),
      ],
    });
    const { findings } = await checkDatabase(service);
    expect(
      findings.filter(({ code }) => code === "C16").map(({ severity, set, property }) => [severity, set, property]),
    ).toEqual([
      ["error", "Keyed", "at"],
      ["warning", "Things", "at"],
    ]);
    await close();
  },
);

test.runIf(ENGINES.some(({ name }) => name === "sqlite"))(
  "times of SQLite without seconds are a warning in a key, where two texts can be one key",
  async () => {
    const { db, close } = await openEngine("sqlite");
    const Slot = entityType("Slot", {
      at: edm.timeOfDay({ precision: 0 }).key(),
      until: edm.timeOfDay({ precision: 0 }),
    });
    await sql`create table slots (at text primary key, until text not null)`.execute(db);
    await sql`insert into slots values ('10:30', '11:00'), ('10:30:00', '11:00:00')`.execute(db);
    const set = sqlEntitySet(Slot, { db, table: "slots", operations: ["read", "delete"] });
    const service = odataService({ propertyNaming: "camelCase", entitySets: [set] });
    const { findings } = await checkDatabase(service);
    expect(findings.filter(({ code }) => code === "C16")).toMatchObject([
      {
        severity: "warning",
        subject: "Slots.at",
        message:
          'The column `slots.at` has 1 text in another form than odatakit writes in its first 2 rows, such as "10:30": responses show them, but two texts of one time are one key, and no write reaches their rows.',
        fix: "Correct the rows: write `hh:mm:ss`.",
      },
    ]);
    await close();
  },
);
