import { sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  enumType,
  odataService,
  type ConfigurationError,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

/** Column types that only PostgreSQL has. */

const Level = enumType("Level", { Low: 1, High: 5 });
const Host = entityType("Host", {
  id: edm.int32().key(),
  tags: edm.collection(edm.string().nullable()),
  ports: edm.collection(edm.int32().nullable()),
  big: edm.collection(edm.int64()),
  ratios: edm.collection(edm.double()),
  prices: edm.collection(edm.decimal({ precision: 10, scale: 2 })),
  flags: edm.collection(edm.boolean().nullable()),
  days: edm.collection(edm.date()),
  times: edm.collection(edm.dateTimeOffset({ precision: 3 })),
  guids: edm.collection(edm.guid()),
  blobs: edm.collection(edm.binary()),
  levels: edm.collection(edm.enum(Level)),
  amount: edm.decimal({ precision: 20, scale: 2 }).nullable(),
  span: edm.duration().nullable(),
  address: edm.string().nullable(),
  document: edm.string().nullable(),
});
type HostRow = EntityOf<typeof Host>;

const ARRAYS = [
  "tags",
  "ports",
  "big",
  "ratios",
  "prices",
  "flags",
  "days",
  "times",
  "guids",
  "blobs",
  "levels",
] as const;
const array = { storage: "array" } as const;
const text = { storage: "text" } as const;
const columns = {
  ...(Object.fromEntries(ARRAYS.map((name) => [name, array])) as Record<(typeof ARRAYS)[number], typeof array>),
  amount: text,
  span: text,
  address: text,
  document: text,
};

const ODD = [`a,b`, `"`, `\\`, `{}`, `NULL`, ` `, ``, `'`, null, `é\n`];
/** A row with only the given cells. */
function row(id: number, values: Partial<HostRow>): HostRow {
  const empty = { tags: [], ports: [], big: [], ratios: [], prices: [], flags: [], days: [], times: [], guids: [] };
  const absent = { amount: null, span: null, address: null, document: null };
  return { id, ...empty, blobs: [], levels: [], ...absent, ...values };
}

const ROWS: readonly HostRow[] = [
  {
    id: 1,
    tags: ["red", "blue"],
    ports: [80, null, 443],
    big: [9_223_372_036_854_775_807n],
    ratios: [0.1, Infinity, -1e300],
    prices: ["1.50", "-0.01"],
    flags: [true, null, false],
    days: ["2024-02-29", "0001-01-01"],
    times: ["2024-02-29T12:00:00.123Z"],
    guids: ["01234567-89ab-cdef-0123-456789abcdef"],
    blobs: [Uint8Array.of(0, 255), Uint8Array.of()],
    levels: ["Low", "High"],
    amount: "1234.50",
    span: "P1DT12H",
    address: "192.168.1.5",
    document: `{"a": [1, "x"]}`,
  },
  row(2, { tags: ODD, levels: ["High"], amount: "-0.05", span: "-PT0.5S", address: "10.0.0.0/8", document: `"b"` }),
  row(3, {
    ports: [8],
    big: [1n],
    ratios: [2],
    prices: ["1.50"],
    flags: [false],
    days: ["2024-02-29"],
    times: ["1969-12-31T23:59:59.999Z"],
    blobs: [Uint8Array.of(0, 255)],
  }),
  row(4, {
    tags: ["blue", null],
    ports: [null],
    big: [-1n],
    ratios: [0.5],
    flags: [true],
    guids: ["ffffffff-ffff-ffff-ffff-ffffffffffff"],
    levels: ["Low"],
    amount: "9000000000000.07",
    span: "P400D",
    address: "::1",
    document: "[]",
  }),
  row(5, { span: "PT0S" }),
];

const FILTERS: readonly string[] = [
  "span eq duration'PT0S'",
  // Beyond all intervals.
  "span gt duration'-P3000000000D'",
  "span lt duration'-P3000000000D'",
  "span lt duration'P3000000000D'",
  "tags/any(t: t eq 'red')",
  "tags/any(t: t eq null)",
  "tags/any(t: t ne null)",
  "tags/all(t: t ne 'red')",
  "tags/any(t: t in ('NULL','x'))",
  `tags/any(t: t eq '"')`,
  "tags/any(t: t eq '\\')",
  "tags/any(t: contains(t,','))",
  "tags/any(t: startswith(t,'bl'))",
  "tags/any()",
  "not tags/any()",
  "tags/$count gt 1",
  "tags/$count eq ports/$count",
  "tags/any(t: ports/any(p: p gt 100 and t eq 'red'))",
  "ports/any(p: p gt 100)",
  "ports/all(p: p lt 100)",
  "ports/any(p: p eq null)",
  "ports/any(p: p add 1 eq 9)",
  "big/any(b: b eq 9223372036854775807)",
  "ratios/any(r: r eq INF)",
  "ratios/any(r: r lt 0.2)",
  "prices/any(p: p eq 1.5)",
  "prices/any(p: p lt 0)",
  "flags/any(f: f)",
  "flags/all(f: f eq false)",
  "days/any(d: d eq 2024-02-29)",
  "days/any(d: year(d) eq 1)",
  "times/any(t: t lt 1970-01-01T00:00:00Z)",
  "times/any(t: t eq 2024-02-29T14:00:00.123+02:00)",
  "guids/any(g: g eq FFFFFFFF-ffff-ffff-ffff-ffffffffffff)",
  "levels/any(l: l eq 'High')",
  "levels/any(l: l gt 'Low')",
  "amount eq 1234.5",
  "amount eq 1234.505",
  "amount gt 1234.495",
  "amount lt 0",
  "amount ne 1234.5",
  "amount in (1234.5,-0.05)",
  "amount add 1 eq 1235.5",
  "amount eq 9000000000000.07",
  "amount lt 1e20",
  "span eq duration'PT36H'",
  "span eq duration'P1DT12H'",
  "span lt duration'PT0S'",
  "span gt duration'-PT0.5000001S'",
  "span ge duration'-PT0.4999999S'",
  "span ne duration'PT36H'",
  "span in (duration'PT36H',duration'P400D')",
  "span lt duration'P99999999999D'",
  "span gt duration'-P99999999999D'",
  "totalseconds(span) eq 129600",
  "address eq '192.168.1.5'",
  "address eq 'no address'",
  "address ne '192.168.1.5'",
  "address in ('::1','x')",
  "startswith(address,'10.')",
  "document eq '[]'",
  "contains(document,'x')",
  "document gt '['",
];

const ORIGIN = "http://service.example";

async function answer(
  service: ReturnType<typeof odataService>,
  target: string,
  init: { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<readonly [status: number, body: unknown, headers: Headers]> {
  const { body, ...others } = init;
  const request = new Request(ORIGIN + encodeURI(target).replaceAll("+", "%2B"), {
    ...others,
    headers: { "Content-Type": "application/json", Prefer: "return=representation", ...init.headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const response = await service.fetch(request);
  const found = await response.text();
  return [response.status, found === "" ? null : JSON.parse(found), response.headers];
}

const POSTGRES = ENGINES.filter(({ name }) => name === "postgres");
const OPERATIONS = ["read", "create", "patch", "delete"] as const;

describe.each(POSTGRES)("types of PostgreSQL: $title", (engine) => {
  let opened: OpenDatabase;
  let memory: ReturnType<typeof odataService>;
  let database: ReturnType<typeof odataService>;
  const logged: string[] = [];
  const made: Array<readonly [status: number, body: unknown, expected: object]> = [];
  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    await sql`create table hosts (id int primary key, tags text[], ports int4[], big int8[], ratios float8[],
      prices numeric(10,2)[], flags bool[], days date[], times timestamptz[], guids uuid[], blobs bytea[], levels varchar(9)[],
      amount money, span interval, address inet, document json)`.execute(db);
    memory = odataService({
      propertyNaming: "camelCase",
      entitySets: [entitySet(Host, { queryable: () => arraySource(Host, ROWS) })],
    });
    database = odataService({
      propertyNaming: "camelCase",
      logger: {
        error: (_message, fields) => {
          for (const value of Object.values(fields ?? {})) if (value instanceof Error) logged.push(value.message);
        },
        warn: () => {},
        info: () => {},
      },
      entitySets: [sqlEntitySet(Host, { db, table: "hosts", operations: OPERATIONS, columns, etag: ["span"] })],
    });
    const [, all] = await answer(memory, "/Hosts");
    for (const row of (all as { readonly value: readonly object[] }).value) {
      // Only texts preserve all digits of the numbers in the response.
      const { big, ...others } = row as { readonly big: readonly unknown[]; readonly id: number };
      const digits = ROWS.find(({ id }) => id === others.id)?.big.join(",") ?? "";
      const body = `${JSON.stringify(others).slice(0, -1)},"big":[${digits}]}`;
      const [status, created] = await answer(database, "/Hosts", { method: "POST", body });
      made.push([status, created, { ...others, big }]);
    }
    await sql`update hosts set tags = null where id = 3`.execute(db);
  });
  afterAll(() => opened.close());

  const plain = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body, (name, value: unknown) => (name.startsWith("@odata.") ? undefined : value)));

  test("creates what was sent", () => {
    for (const [status, body, expected] of made) expect([status, body]).toMatchObject([201, expected]);
  });

  test("the schema check accepts these columns and names the storage that they need", async () => {
    const { db } = opened;
    await expect(database.ready()).resolves.toBeUndefined();
    const plainHosts = odataService({ entitySets: [sqlEntitySet(Host, { db, table: "hosts", operations: ["read"] })] });
    const error: unknown = await plainHosts.ready().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const fixes = (error as ConfigurationError).faults.map(({ column, fix }) => [column, fix]);
    for (const name of ARRAYS) expect(fixes).toContainEqual([name, expect.stringContaining('`storage: "array"`')]);
    for (const name of ["amount", "span", "address", "document"]) {
      expect(fixes).toContainEqual([name, expect.stringContaining('`storage: "text"`')]);
    }
  });

  test("reads and filters like JavaScript arrays", async () => {
    for (const filter of FILTERS) {
      const target = `/Hosts?$filter=${filter}`;
      const [status, expected] = await answer(memory, target);
      const [found, body] = await answer(database, target);
      expect([found, plain(body)], target).toEqual([status, plain(expected)]);
      expect(status, target).toBe(200);
    }
    for (const order of ["amount", "amount desc", "span", "span desc", "address", "document desc", "tags/$count,id"]) {
      const target = `/Hosts?$orderby=${order}`;
      expect(plain((await answer(database, target))[1]), target).toEqual(plain((await answer(memory, target))[1]));
    }
  });

  test("returns the same values with any session settings", async () => {
    const { db } = opened;
    const [, expected] = await answer(memory, "/Hosts?$filter=amount eq 1234.5 and span eq duration'PT36H'");
    for (const style of ["postgres", "postgres_verbose", "sql_standard", "iso_8601"]) {
      await db.transaction().execute(async (transaction) => {
        await sql`set local intervalstyle = ${sql.lit(style)}`.execute(transaction);
        const service = odataService({
          propertyNaming: "camelCase",
          entitySets: [sqlEntitySet(Host, { db: transaction, table: "hosts", operations: OPERATIONS, columns })],
        });
        const found = await answer(service, "/Hosts?$filter=amount eq 1234.5 and span eq duration'PT36H'");
        expect(plain(found[1]), style).toEqual(plain(expected));
        const values = { amount: 9876.54, span: "-P2DT3H4M5.678901S" };
        const patched = await answer(service, "/Hosts(1)", { method: "PATCH", body: values });
        expect([patched[0], patched[1]], style).toMatchObject([200, values]);
        await sql`update hosts set amount = '1234.5'::numeric, span = '36:00:00' where id = 1`.execute(transaction);
      });
    }
  });

  test("writes exactly, or rejects", async () => {
    const patch = (body: object, id: number = 2, headers: Record<string, string> = {}) =>
      answer(database, `/Hosts(${String(id)})`, { method: "PATCH", body, headers });
    expect((await patch({ tags: ["x"], ports: [], prices: [0.25] }))[1]).toMatchObject({ tags: ["x"], prices: [0.25] });
    expect((await patch({ prices: [0.123] }))[0]).toBe(400);
    expect((await patch({ address: "no address" }))[0]).toBe(400);
    expect((await patch({ span: "P99999999999D" }))[0]).toBe(400);
    expect((await patch({ span: "PT0.0000001S" }))[0]).toBe(400);
    expect((await patch({ document: "{" }))[0]).toBe(400);
    const [, now, headers] = await answer(database, "/Hosts(2)");
    expect(now).toMatchObject({ tags: ["x"], prices: [0.25], span: "-PT0.5S", address: "10.0.0.0/8" });
    const etag = headers.get("ETag") ?? "";
    expect((await patch({ span: "PT1S" }, 2, { "If-Match": etag }))[0]).toBe(200);
    expect((await patch({ span: "PT2S" }, 2, { "If-Match": etag }))[0]).toBe(412);
  });

  test("rejects values that arrays of narrower types would round", async () => {
    const { db } = opened;
    await sql`create table narrow (id int primary key, whole int4[], single float4[], seconds timestamptz(0)[])`.execute(
      db,
    );
    const Narrow = entityType("Narrow", {
      id: edm.int32().key(),
      whole: edm.collection(edm.decimal()),
      single: edm.collection(edm.double()),
      seconds: edm.collection(edm.dateTimeOffset({ precision: 3 })),
    });
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Narrow, {
          name: "Narrow",
          db,
          table: "narrow",
          operations: OPERATIONS,
          columns: { whole: array, single: array, seconds: array },
        }),
      ],
    });
    const post = (body: object) => answer(service, "/Narrow", { method: "POST", body });
    const exact = { whole: [1, -2], single: [0.5], seconds: ["2024-02-29T12:00:00.000Z"] };
    expect((await post({ id: 1, ...exact }))[1]).toMatchObject(exact);
    for (const rounded of [{ whole: [1.5] }, { single: [0.1] }, { seconds: ["2024-02-29T12:00:00.500Z"] }]) {
      expect((await post({ id: 2, ...exact, ...rounded }))[0], JSON.stringify(rounded)).toBe(400);
    }
  });

  test("returns 500 for a cell that is not a value of the property, and logs why", async () => {
    const { db } = opened;
    await sql`insert into hosts (id, span) values (20, '1 mon')`.execute(db);
    await sql`insert into hosts (id, tags) values (21, '{{a,b},{c,d}}')`.execute(db);
    expect((await answer(database, "/Hosts(20)"))[0]).toBe(500);
    expect(logged.at(-1)).toMatch(/^Column "span" of table "hosts": .*"1 mon".* no fixed length/);
    expect((await answer(database, "/Hosts(21)"))[0]).toBe(500);
    expect(logged.at(-1)).toMatch(/an array of several dimensions where tags/i);
    await sql`delete from hosts where id > 19`.execute(db);
  });
});

describe.each(POSTGRES.filter(({ title }) => title === "PostgreSQL"))("citext: $title", (engine) => {
  test("compares case-sensitively, although the database does not", async () => {
    const { db, close } = await engine.open();
    const isThere = await sql`create extension citext`.execute(db).then(
      () => true,
      () => false,
    );
    if (isThere) {
      await sql`create table words (id int primary key, word citext not null unique)`.execute(db);
      await sql`insert into words values (1, 'Ada'), (2, 'bob')`.execute(db);
      const Word = entityType("Word", { id: edm.int32().key(), word: edm.string() });
      for (const storage of [undefined, "text"] as const) {
        const service = odataService({
          propertyNaming: "camelCase",
          entitySets: [
            sqlEntitySet(Word, { db, table: "words", operations: OPERATIONS, columns: { word: { storage } } }),
          ],
        });
        const idsOf = async (query: string): Promise<readonly number[]> => {
          const [, body] = await answer(service, `/Words?${query}`);
          return (body as { readonly value: ReadonlyArray<{ readonly id: number }> }).value.map(({ id }) => id);
        };
        expect(await idsOf("$filter=word eq 'ada'")).toEqual([]);
        expect(await idsOf("$filter=word eq 'Ada'")).toEqual([1]);
        expect(await idsOf("$filter=word in ('ada','bob')")).toEqual([2]);
        expect(await idsOf("$filter=startswith(word,'a')")).toEqual([]);
        expect(await idsOf("$orderby=word desc")).toEqual([2, 1]);
        expect((await answer(service, "/Words", { method: "POST", body: { id: 3, word: "ADA" } }))[0]).toBe(409);
      }
    }
    await close();
  });
});
