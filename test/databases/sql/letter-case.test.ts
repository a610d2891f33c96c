import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerFunctions } from "../../../src/databases/sqlite/driver/sqlite-functions.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { memoryGrowth } from "../../memory-growth.ts";

/**
 * `tolower` and `toupper` over SQLite. `node:sqlite` keeps the arguments and results of functions of JavaScript until the
 * statement ends, so each call that scans must do without them, or take little memory.
 */

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string().nullable() });
const folder = mkdtempSync(join(tmpdir(), "letter-case-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Opened {
  readonly db: Kysely<object>;
  readonly service: ODataService;
}

async function open(file: string, encoding = "UTF-8"): Promise<Opened> {
  const db = new Kysely<object>({ dialect: sqliteDialect(file) });
  await sql.raw(`pragma encoding = "${encoding}"`).execute(db);
  await sql`create table notes (id integer primary key, text text)`.execute(db);
  const service = odataService({
    schemaCheck: false,
    defaults: { queryTimeout: 60_000 },
    entitySets: [sqlEntitySet(Note, { name: "Notes", db, table: "notes", operations: ["read"] })],
  });
  return { db, service };
}

async function ask(service: ODataService, query: string): Promise<readonly [status: number, body: unknown]> {
  const response = await service.fetch(new Request(`http://service.example/Notes${query}`));
  return [response.status, await response.json()];
}

const idsOf = (body: unknown): readonly number[] =>
  (body as { readonly value: ReadonlyArray<{ readonly Id: number }> }).value.map(({ Id }) => Id);

async function find(service: ODataService, filter: string): Promise<readonly number[]> {
  const [status, body] = await ask(service, `?$select=Id&$orderby=Id&$filter=${encodeURIComponent(filter)}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return idsOf(body);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

describe.each(["UTF-8", "UTF-16le"])("the letter case of texts in %s is that of JavaScript", (encoding) => {
  const character = fc.oneof(anyCharacter, fc.constantFrom("A", "z", "\0", "É", "ß", "İ", "Σ", "\uFEFF"));
  const texts = fc.sample(
    fc.oneof(
      fc.string({ unit: character }),
      fc.string({ unit: "grapheme-ascii" }),
      // Texts of more than 400 bytes are passed as bytes.
      fc.tuple(fc.string({ unit: character }), fc.nat(600)).map(([text, length]) => text + "Ä".repeat(length) + text),
      fc.tuple(fc.string({ unit: character }), fc.nat(600)).map(([text, length]) => "A".repeat(length) + text),
    ),
    { numRuns: caseCount(300), seed: 1 },
  );
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(":memory:", encoding);
    await sql`insert into notes values (0, null)`.execute(opened.db);
    for (const [index, text] of texts.entries()) {
      await sql`insert into notes values (${index + 1}, ${text})`.execute(opened.db);
    }
  });
  afterAll(() => opened.db.destroy());

  test("its texts have this encoding", async () => {
    expect((await sql`pragma encoding`.execute(opened.db)).rows).toEqual([{ encoding }]);
  });

  test.each<readonly [call: string, change: (text: string) => string]>([
    ["tolower(Text)", (text) => text.toLowerCase()],
    ["toupper(Text)", (text) => text.toUpperCase()],
    ["concat(tolower(Text),'x')", (text) => `${text.toLowerCase()}x`],
    ["toupper(trim(Text))", (text) => text.trim().toUpperCase()],
    ["tolower(concat(Text,'É'))", (text) => `${text}É`.toLowerCase()],
    ["toupper(tolower(Text))", (text) => text.toLowerCase().toUpperCase()],
  ])("%s", async (call, change) => {
    const changed = texts.map(change);
    expect(await find(opened.service, `${call} eq null`)).toEqual([0]);
    for (const wanted of new Set(changed)) {
      // The URL of a request cannot be longer.
      if (encodeURIComponent(wanted).length > 6000) continue;
      const expected = changed.flatMap((text, index) => (text === wanted ? [index + 1] : []));
      expect(await find(opened.service, `${call} eq ${quoted(wanted)}`)).toEqual(expected);
    }
  });
});

const TOO_MUCH = {
  error: {
    code: "InvalidQueryOption",
    message:
      "The query takes too much memory. Filter by a property with an index, request fewer rows with $top, or call fewer functions in $filter and $orderby.",
  },
};

describe("a scan keeps the memory of one row", () => {
  const QUERIES = [
    "?$select=Id&$filter=contains(tolower(Text),'y')",
    "?$select=Id&$filter=tolower(Text) eq 'y'",
    "?$select=Id&$filter=endswith(toupper(trim(Text)),'Y')",
    "?$select=Id&$filter=startswith(tolower(Text),'y') or length(tolower(Text)) eq 7",
    "/$count?$filter=tolower(Text) in ('y','yy')",
  ];

  /** Texts that would take more than 70 MB if the arguments and results of functions were kept. */
  test.each<readonly [name: string, rows: number, text: string]>([
    ["long texts in ASCII", 600, "AbcdeFghij".repeat(6000)],
    ["long texts with other characters", 600, "AbcdeFghié".repeat(6000)],
    ["short texts in ASCII", 500_000, "AbcdeFghij"],
  ])("%s", async (_name, rows, text) => {
    const { db, service } = await open(join(folder, `${String(rows)}${String(text.codePointAt(9))}.db`));
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
      insert into notes select i, ${text} from n`.execute(db);
    // The thread that reads them takes memory, too.
    expect(await find(service, "contains(Text,'y')")).toEqual([]);
    for (const query of QUERIES) {
      let found: readonly [status: number, body: unknown] = [0, null];
      const megabytes = await memoryGrowth(async () => {
        found = await ask(service, query);
      });
      expect(found, query).toEqual([200, query.startsWith("/") ? 0 : { ...(found[1] as object), value: [] }]);
      expect(megabytes, query).toBeLessThan(50);
    }
    await db.destroy();
  });

  test("more short texts with other characters than fit into 200 MB are refused", async () => {
    const { db, service } = await open(join(folder, "short.db"));
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 130000)
      insert into notes select i, ${"я".repeat(190)} from n`.execute(db);
    let found: readonly [status: number, body: unknown] = [0, null];
    const megabytes = await memoryGrowth(async () => {
      found = await ask(service, "?$filter=contains(tolower(Text),'y') or contains(toupper(Text),'Y')");
    });
    expect(found).toEqual([400, TOO_MUCH]);
    expect(megabytes).toBeLessThan(300);
    // A later request has its own limit.
    expect(await find(service, "Id lt 3 and contains(tolower(Text),'я')")).toEqual([1, 2]);
    await db.destroy();
  });
});

test("an index on the lower case of many texts can be made, and serves them", async () => {
  const { db, service } = await open(":memory:");
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 120000)
    insert into notes select i, ${"Я".repeat(400)} || i from n`.execute(db);
  await sql`create index notes_lower on notes (odata_lower(text), id)`.execute(db);
  expect(await find(service, `tolower(Text) eq '${"я".repeat(400)}7'`)).toEqual([7]);
  await db.destroy();
});

test("the functions of bytes take nothing else", () => {
  const database = new DatabaseSync(":memory:");
  registerFunctions(database, true);
  expect({ ...database.prepare("select odata_upper_bytes(null) as value").get() }).toEqual({ value: null });
  expect(() => database.prepare("select odata_lower_bytes('A')").get()).toThrow("The argument is no bytes.");
  database.close();
});

test("the functions of bytes work after a statement that they ended", async () => {
  const database = new DatabaseSync(":memory:");
  registerFunctions(database, true);
  const count = database.prepare(
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) select max(odata_lower_bytes(cast('Ä' || i as blob))) as value from n",
  );
  expect(() => count.get(250_000)).toThrow(TOO_MUCH.error.message);
  await Promise.resolve();
  expect({ ...count.get(1) }).toEqual({ value: new TextEncoder().encode("ä1") });
  database.close();
});
