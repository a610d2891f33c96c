import fc from "fast-check";
import { type DatabaseConnection, sql } from "kysely";
import { edm, entityType, enumType, hasMany, hasOptional, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { connectionsOf, hearStatements } from "./sent-statements.ts";

const Color = enumType("Color", { Red: 0, Green: 1 });
const VALUES = {
  flag: edm.boolean().nullable(),
  small: edm.int16().nullable(),
  large: edm.int64().nullable(),
  single: edm.single().nullable(),
  double: edm.double().nullable(),
  price: edm.decimal({ precision: 38, scale: 10 }).nullable(),
  exact: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  text: edm.string().nullable(),
  code: edm.guid().nullable(),
  day: edm.date().nullable(),
  at: edm.timeOfDay().nullable(),
  moment: edm.dateTimeOffset().nullable(),
  second: edm.dateTimeOffset({ precision: 0 }).nullable(),
  color: edm.enum(Color).nullable(),
};
const Item = entityType("Item", { id: edm.int32().key(), parentId: edm.int32().nullable(), ...VALUES });

const COLUMNS = `flag boolean, small smallint, large bigint, single real, double float8, price numeric, exact numeric(12,2),
  text text, code uuid, day date, at time, moment timestamptz, second timestamptz(0), color text`;

const anyDouble = fc.oneof(
  fc.double({ noNaN: true }).map((value) => (Object.is(value, -0) ? "-0" : String(value))),
  fc.constantFrom(
    "0",
    "-0",
    "Infinity",
    "-Infinity",
    "NaN",
    "1e15",
    "1e21",
    "1e-5",
    "1e-7",
    "123456789012345678",
    "0.1",
    "1e300",
  ),
);
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 6 });
const without = (text: string): string => text.replaceAll("\u0000", "");

/** The values of a row, as texts that PostgreSQL casts. Few of them have no JSON, so that many pages have. */
const row = fc.tuple(
  nullable(fc.boolean().map(String)),
  nullable(fc.integer({ min: -32_768, max: 32_767 }).map(String)),
  nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  nullable(fc.float({ noNaN: true, noDefaultInfinity: true }).map(String)),
  nullable(anyDouble),
  nullable(fc.constantFrom("0", "1.10", "-0.50", "12345678901234567890.0000000001", "1e20", "NaN", "0.000001", "-1")),
  nullable(fc.integer({ min: -10_000, max: 10_000 }).map((cents) => (cents / 100).toFixed(2))),
  nullable(fc.string({ unit: "binary", maxLength: 8 }).map((text) => without(text))),
  nullable(fc.uuid()),
  nullable(
    fc.constantFrom("2024-02-29", "0001-01-01", "9999-12-31", "1999-12-31", "0044-03-15 BC", "infinity", "12000-01-01"),
  ),
  nullable(fc.constantFrom("00:00:00", "23:59:59.999999", "12:30:00.5", "24:00:00", "01:02:03")),
  nullable(
    fc.constantFrom(
      "2024-02-29T12:00:00.123456Z",
      "1999-12-31T23:59:59Z",
      "0001-01-01T00:00:00Z",
      "infinity",
      "0100-01-01 00:00:00 BC",
    ),
  ),
  nullable(fc.constantFrom("2024-12-31T12:00:00Z", "1970-01-01T00:00:00Z")),
  nullable(fc.constantFrom("Red", "Green")),
);

/** Values without which most pages are JSON. */
const plain = row.map((values) =>
  values.map((value) => (value !== null && /BC|infinity|NaN|^24:|^-0$|12000/.test(value) ? null : value)),
);

const TARGETS: readonly string[] = [
  "/Items?$expand=Children",
  "/Items?$expand=Parent,Children($orderby=Text desc,Id;$top=2;$count=true)&$orderby=Double desc",
  "/Items?$expand=Children($expand=Parent($select=Id,Text),Children;$filter=Flag ne true)&$top=5&$skip=1&$count=true",
  "/Items?$select=Text&$expand=Children($select=Double,Price,Exact;$skip=1)&$filter=Id lt 9",
  "/Items?$expand=Parent($expand=Parent($select=Moment,Day,At,Color,Code))&$select=Id,Single,Second,Large,Small",
  "/Items?$expand=Children/$count",
];

function serviceOver({ db }: OpenDatabase, table = "items", maxResponseEntities = 1000): ODataService {
  const options = {
    db,
    table,
    columns: { parentId: "parent_id" },
    operations: ["read"],
    navigation: {
      parent: hasOptional(Item, { on: { parentId: "id" }, target: "Items" }),
      children: hasMany(Item, { on: { id: "parentId" }, target: "Items" }),
    },
  } as const;
  return odataService({
    schemaCheck: false,
    secret: "0123456789abcdef",
    logger: recordingLogger(),
    defaults: { maxExpandTop: 5, maxResponseEntities },
    entitySets: [
      sqlEntitySet(Item, options),
      sqlEntitySet(Item, { ...options, name: "Walked", paging: "keyset", maxTop: 3 }),
    ],
  });
}

async function send(service: ODataService, target: string): Promise<readonly [status: number, body: string]> {
  const response = await service.fetch(new Request(`http://service.example${encodeURI(target)}`));
  // Errors contain the id of the request.
  return [response.status, response.status === 200 ? await response.text() : "error"];
}

/** Counts the statements that write JSON, or refuses them so that rows are read. */
function watchJson(
  connections: DatabaseConnection,
  isRefusing: boolean,
): { readonly written: () => number; readonly end: () => void } {
  let written = 0;
  const end = hearStatements(connections, ({ sql: text }) => {
    if (!text.startsWith("select string_agg(")) return;
    if (isRefusing) throw Object.assign(new Error("refused"), { code: "22012" });
    written += 1;
  });
  return { written: () => written, end };
}

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("over $title", (engine) => {
  let opened: OpenDatabase;
  let connections: DatabaseConnection;
  beforeAll(async () => {
    opened = await engine.open();
    connections = await connectionsOf(opened.db);
    const { db } = opened;
    await sql`create table items (id int primary key, parent_id int, ${sql.raw(COLUMNS)})`.execute(db);
    await sql`create index items_parent on items (parent_id)`.execute(db);
  });
  afterAll(() => opened.close());

  async function withRows(service: ODataService, target: string): Promise<readonly [status: number, body: string]> {
    const watch = watchJson(connections, true);
    try {
      return await send(service, target);
    } finally {
      watch.end();
    }
  }

  async function fill(rows: ReadonlyArray<ReadonlyArray<string | null>>): Promise<void> {
    const { db } = opened;
    await sql`delete from items`.execute(db);
    const values = rows.map((cells, id) => {
      const parent = id === 0 ? null : Math.floor(id / 3);
      return sql`(${sql.join([String(id), parent === null ? null : String(parent), ...cells])})`;
    });
    await sql`insert into items (id, parent_id, flag, small, large, single, double, price, exact, text, code, day, at, moment, second, color)
      select id::int, parent_id::int, flag::boolean, small::smallint, large::bigint, single::real, double::float8, price::numeric,
        exact::numeric, text, code::uuid, day::date, at::time, moment::timestamptz, second::timestamptz, color
      from (values ${sql.join(values)}) as given (id, parent_id, flag, small, large, single, double, price, exact, text, code, day, at, moment, second, color)`.execute(
      db,
    );
  }

  test("JSON of the database equals rows", async () => {
    const service = serviceOver(opened);
    let compared = 0;
    let written = 0;
    const rows = fc.oneof(
      { weight: 3, arbitrary: fc.array(plain, { minLength: 1, maxLength: 14 }) },
      fc.array(row, { minLength: 1, maxLength: 14 }),
    );
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        await fill(given);
        for (const target of TARGETS) {
          const expected = await withRows(service, target);
          const watch = watchJson(connections, false);
          const found = await send(service, target);
          watch.end();
          compared += 1;
          written += watch.written();
          expect(found, target).toEqual(expected);
        }
      }),
      { numRuns: caseCount(120) },
    );
    expect(written).toBeGreaterThan(compared / 3);
  });

  test("keyset pages have the bytes and the tokens of rows, to the last page", async () => {
    const service = serviceOver(opened);
    const properties = ["Id", "ParentId", ...Object.keys(VALUES).map((name) => name[0]?.toUpperCase() + name.slice(1))];
    let written = 0;
    const rows = fc.array(fc.oneof({ weight: 6, arbitrary: plain }, row), { minLength: 4, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(...properties), fc.constantFrom("", " desc"), async (given, by, way) => {
        await fill(given);
        let next: string | undefined =
          `/Walked?$select=Id,${by}&$orderby=${by}${way}&$expand=Children($select=Id,${by})`;
        for (let page = 0; next !== undefined && page < 20; page += 1) {
          const expected = await withRows(service, next);
          const watch = watchJson(connections, false);
          const found = await send(service, next);
          watch.end();
          written += watch.written();
          expect(found, next).toEqual(expected);
          const link: string | undefined = /"@odata\.nextLink":"http:\/\/service\.example([^"]*)"/u.exec(found[1])?.[1];
          next = link === undefined ? undefined : decodeURI(link);
        }
      }),
      { numRuns: caseCount(150) },
    );
    expect(written).toBeGreaterThan(0);
  });

  test("a page with too many entities is refused as with rows, and the transaction of the statement ends the count", async () => {
    await fill(Array.from({ length: 40 }, () => Array.from({ length: 14 }, () => null)));
    const service = serviceOver(opened, "items", 12);
    for (let time = 0; time < 3; time += 1) {
      for (const target of ["/Items?$expand=Children&$top=3", "/Items?$expand=Children($expand=Children)&$top=10"]) {
        expect(await send(service, target), target).toEqual(await withRows(service, target));
      }
    }
    const { rows } = await sql<{
      spent: string | null;
    }>`select current_setting('odatakit.entities', true) as spent`.execute(opened.db);
    expect(["", null]).toContain(rows[0]?.spent);
  });

  test("columns of other types than declared are read as rows, with their errors", async () => {
    const { db } = opened;
    await sql`create table odd as select 1 as id, null::int as parent_id, 'true' as flag, '007' as small, '5' as large, '1.5' as single,
      '2.5' as double, '1.10' as price, 1.5::float8 as exact, 'x'::char(3) as text, '0B5E3D4C-8C3F-4B1E-8D1F-0123456789AB' as code,
      '2024-01-01'::date as day, '10:00'::time as at, now() as moment, now() as second, 'Blue' as color`.execute(db);
    onTestFinished(async () => {
      await sql`drop table odd`.execute(db);
    });
    const service = serviceOver(opened, "odd");
    const properties = [
      "Flag",
      "Small",
      "Large",
      "Single",
      "Double",
      "Price",
      "Exact",
      "Text",
      "Code",
      "Day",
      "At",
      "Color",
    ];
    for (const property of properties) {
      const target = `/Items?$select=${property}&$expand=Children`;
      expect(await send(service, target), property).toEqual(await withRows(service, target));
    }
  });
});
