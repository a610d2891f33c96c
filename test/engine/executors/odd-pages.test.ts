import { sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  odataService,
  type EntityOf,
  type ODataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleOf } from "../../cases.ts";
import { type DatabaseName, ENGINES, type OpenDatabase } from "./engines.ts";

/**
 * Columns finer than their properties, and cells in unexpected forms: the pages of two entities contain each row of the set
 * once, whatever the cells show.
 */
const Kind = enumType("Kind", { Last: 3, First: 1, Top: 1, Second: 2 });
const Odd = entityType("Odd", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  utc: edm.dateTimeOffset({ precision: 0 }).nullable(),
  time: edm.timeOfDay({ precision: 0 }).nullable(),
  day: edm.date().nullable(),
  text: edm.string().nullable(),
  fixed: edm.string().nullable(),
  number: edm.int32().nullable(),
  big: edm.int64().nullable(),
  price: edm.decimal({ precision: 20, scale: 2 }).nullable(),
  rate: edm.decimal().nullable(),
  real: edm.decimal().nullable(),
  single: edm.single().nullable(),
  ratio: edm.double().nullable(),
  guid: edm.guid().nullable(),
  lasts: edm.duration().nullable(),
  kind: edm.enum(Kind).nullable(),
  status: edm.enum(Kind).nullable(),
  flag: edm.boolean().nullable(),
  bytes: edm.binary().nullable(),
  epoch: edm.dateTimeOffset({ precision: 3 }).nullable(),
});
type Field = Exclude<keyof EntityOf<typeof Odd>, "id">;

const COLUMNS = {
  utc: { storage: "utc" },
  real: { storage: "real" },
  status: { storage: { values: { Last: "L", First: "F", Top: "F", Second: "S" } } },
  epoch: { storage: "epoch" },
} as const;

/** The type of a column, and its cells as SQL; every other row has null. */
type Column = readonly [type: string, ...cells: readonly string[]];

const SECOND = "2024-02-29 10:00:00";

const SQLITE: Readonly<Record<Field, Column>> = {
  at: [
    "text",
    "'2024-02-29T10:00:00.123456Z'",
    "'2024-02-29T10:00:00.1234Z'",
    "'2024-02-29T10:00:00.123Z'",
    "'2024-02-29T10:00:00.123999Z'",
    "'2024-02-29T12:00:00.124+02:00'",
    "'2024-02-29 10:00:00'",
    "'soon'",
    "17",
  ],
  utc: ["", "'2024-02-29T10:00:00.5Z'", "'2024-02-29T10:00:00.7Z'", "'2024-02-29T10:00:00Z'", "5", "x'00'", "2.5"],
  time: ["text", "'10:00:00.25'", "'10:00:00.5'", "'10:00:00'", "'10:00'", "'9:00'"],
  day: ["text", "'2024-02-29'", "'2024-02-29T10:00:00Z'", "'20240229'", "'-0001-01-01'", "'12024-01-01'"],
  text: [
    "text",
    "cast(x'4de4' as text)",
    "cast(x'4dfc' as text)",
    "cast(x'4de461' as text)",
    "cast(x'ff' as text)",
    "'b' || char(0) || 'a'",
    "'b' || char(0)",
    "'b'",
    "'ß'",
    "'ŉ'",
    "'İ'",
    "'�'",
    "'i̇'",
    "'a '",
    "5",
    "printf('%.400c', 'x') || 'b'",
    "printf('%.400c', 'x') || 'a'",
  ],
  fixed: ["", "'a'", "'a '", "5", "2.5", "x'61'", "'A'"],
  number: ["integer", "1", "1.5", "1.25", "'x'", "x'01'", "3"],
  big: [
    "",
    "9007199254740993",
    "9007199254740992",
    "9007199254740994",
    "'9007199254740993'",
    "1.5",
    "-9223372036854775807 - 1",
  ],
  price: ["", "'1.50'", "1.5", "'1.5'", "'0.1'", "0.1", "100", "'1e2'"],
  rate: ["text", "'0.12345678901234567890'", "'0.1234567890123456789'", "'10'", "'2'"],
  real: ["real", "0.1", "0.30000000000000004", "0.3", "1e300"],
  single: ["real", "0.1", "0.10000000149011612", "1e39", "-0.0"],
  ratio: [
    "",
    "1e300",
    "9007199254740993",
    "9007199254740992.0",
    "-0.0",
    "0",
    "9e999",
    "-9e999",
    "'1.5'",
    "1234567890123456789.0",
    "-9223372036854775808.0",
    "1e20",
  ],
  guid: [
    "text",
    "'0a000000-0000-0000-0000-00000000000a'",
    "'0A000000-0000-0000-0000-00000000000A'",
    "'0B000000-0000-0000-0000-00000000000B'",
    "'{0c000000-0000-0000-0000-00000000000c}'",
  ],
  lasts: ["text", "'PT36H'", "'P1DT12H'", "'PT1.5S'", "'P1D'"],
  kind: ["text", "'First'", "'Top'", "'Second'", "'Last'", "'None'", "1"],
  status: ["text", "'L'", "'F'", "'S'", "'X'", "'l'"],
  flag: ["", "0", "1", "2", "1.0", "'1'", "'true'"],
  bytes: ["blob", "x'00'", "x'0001'", "'text'", "5"],
  epoch: ["", "1000", "1000.25", "1000.5", "'1000'", "2000", "-1"],
};

const POSTGRES: typeof SQLITE = {
  at: [
    "timestamptz",
    `'${SECOND}.123456+00'`,
    `'${SECOND}.123455+00'`,
    `'${SECOND}.1234+00'`,
    `'${SECOND}.123+00'`,
    `'${SECOND}.123999+00'`,
    "'infinity'",
    "'-infinity'",
    "'0044-03-15 00:00:00.0001+00 BC'",
    "'12024-03-15 00:00:00.0001+00'",
    "'1880-03-15 00:00:00.0001+00'",
  ],
  utc: ["timestamp", `'${SECOND}.5'`, `'${SECOND}.7'`, `'${SECOND}'`, "'infinity'", "'0044-03-15 00:00:00.0001 BC'"],
  time: ["time", "'10:00:00.25'", "'10:00:00.5'", "'10:00:00'", "'24:00:00'"],
  day: ["date", "'2024-02-29'", "'infinity'", "'0044-03-15 BC'", "'12024-01-01'"],
  text: ["text", "'b'", "'ß'", "'ŉ'", "'İ'", "'�'", "'i̇'", "'a '", "'a'", "'B'", "''"],
  fixed: ["char(3)", "'a'", "'a '", "'b'", "'A'"],
  number: ["numeric", "1", "1.5", "1.25", "'NaN'", "3"],
  big: ["numeric", "9007199254740993", "9007199254740992", "1.5", "1e30"],
  price: ["numeric(30, 10)", "1.5", "1.501", "1.5012", "0.1", "100", "'NaN'"],
  rate: ["numeric", "0.12345678901234567890", "0.1234567890123456789", "10", "2", "1e-30", "'NaN'"],
  real: ["float8", "0.1", "0.30000000000000004", "0.3", "1e300", "'NaN'"],
  single: ["float4", "0.1", "0.2", "0.3", "'-0'", "'NaN'", "'Infinity'"],
  ratio: ["float8", "1e300", "9007199254740993", "0.1", "'-0'", "0", "'NaN'", "'Infinity'", "'-Infinity'"],
  guid: [
    "text",
    "'0a000000-0000-0000-0000-00000000000a'",
    "'0A000000-0000-0000-0000-00000000000A'",
    "'0B000000-0000-0000-0000-00000000000B'",
    "'{0c000000-0000-0000-0000-00000000000c}'",
  ],
  lasts: [
    "interval",
    "'36 hours'",
    "'1 day 12 hours'",
    "'1.500001 seconds'",
    "'1 month'",
    "'30 days'",
    "'-1 month 3 days -04:05:06.7'",
    "'2 years 3 months'",
  ],
  kind: ["text", "'First'", "'Top'", "'Second'", "'Last'", "'None'"],
  status: ["text", "'L'", "'F'", "'S'", "'X'", "'l'"],
  flag: ["boolean", "true", "false"],
  bytes: ["bytea", "'\\x00'", "'\\x0001'", "'\\xff'"],
  epoch: ["float8", "1000", "1000.25", "1000.5", "2000", "-1", "1e15", "'Infinity'"],
};

const MARIADB: typeof SQLITE = {
  at: [
    "datetime(6)",
    `'${SECOND}.123456'`,
    `'${SECOND}.123455'`,
    `'${SECOND}.1234'`,
    `'${SECOND}.123'`,
    `'${SECOND}.123999'`,
    "'0000-00-00'",
    "'2024-00-10'",
  ],
  utc: ["timestamp(6) null", `'${SECOND}.5'`, `'${SECOND}.7'`, `'${SECOND}'`],
  time: ["time(6)", "'10:00:00.25'", "'10:00:00.5'", "'10:00:00'", "'300:00:00'", "'-01:00:00'"],
  day: ["date", "'2024-02-29'", "'0000-00-00'", "'2024-00-00'", "'9999-12-31'"],
  text: ["varchar(20)", "'b'", "'ß'", "'ŉ'", "'İ'", "'�'", "'i̇'", "'a '", "'a'", "'B'", "''", "'b\\0a'", "'b\\0'"],
  fixed: ["char(3)", "'a'", "'a '", "'b'", "'A'"],
  number: ["decimal(20, 5)", "1", "1.5", "1.25", "3"],
  big: ["bigint unsigned", "9007199254740993", "9007199254740992", "18446744073709551615"],
  price: ["decimal(30, 10)", "1.5", "1.501", "1.5012", "0.1", "100"],
  rate: [
    "decimal(60, 35)",
    "0.12345678901234567890123456789012345",
    "0.12345678901234567890123456789012344",
    "10",
    "2",
  ],
  real: ["double", "0.1", "0.30000000000000004", "0.3", "1e300"],
  single: ["float", "0.1", "0.2", "0.3", "-0"],
  ratio: ["double", "1e300", "9007199254740993", "0.1", "0", "2.2250738585072014e-308"],
  guid: [
    "varchar(40)",
    "'0a000000-0000-0000-0000-00000000000a'",
    "'0A000000-0000-0000-0000-00000000000A'",
    "'0B000000-0000-0000-0000-00000000000B'",
    "'{0c000000-0000-0000-0000-00000000000c}'",
  ],
  lasts: ["varchar(40)", "'PT36H'", "'P1DT12H'", "'PT1.5S'", "'P1D'"],
  kind: ["varchar(10)", "'First'", "'Top'", "'Second'", "'Last'", "'None'"],
  status: ["varchar(10)", "'L'", "'F'", "'S'", "'X'", "'l'"],
  flag: ["tinyint", "0", "1", "2"],
  bytes: ["varbinary(10)", "x'00'", "x'0001'", "x'ff'", "x'0000'", "x''"],
  epoch: ["double", "1000", "1000.25", "1000.5", "2000", "-1", "1e15"],
};

const TABLES: Readonly<Record<DatabaseName, typeof SQLITE>> = { sqlite: SQLITE, postgres: POSTGRES, mariadb: MARIADB };
const FIELDS = Object.keys(SQLITE) as readonly Field[];

const EXPRESSIONS = [
  ...["year", "month", "second", "fractionalseconds", "date", "time"].map((name) => `${name}(at)`),
  "fractionalseconds(utc)",
  "hour(time)",
  "fractionalseconds(time)",
  "year(day)",
  ...["tolower", "toupper", "length", "trim"].map((name) => `${name}(text)`),
  "concat(text,'x')",
  "concat(fixed,text)",
  "substring(text,1)",
  "indexof(text,'a')",
  "contains(text,'b')",
  "price div 3",
  "rate div 3",
  "price mul 1.1",
  "price add rate",
  "price add 1",
  "round(price)",
  "floor(rate)",
  "-price",
  "ratio div 3",
  "ratio mul 0.1",
  "single mul 3",
  "single add ratio",
  "price gt 1",
  "flag eq true",
  "kind eq Test.Kind'Second'",
  "lasts gt duration'PT1S'",
  "at add duration'PT0.0001S'",
  "number add 1",
  "big div 3",
  "'x'",
] as const;

const ORDERS = [
  ...[...FIELDS, ...EXPRESSIONS].flatMap((term) => [term, `${term} desc`]),
  ...FIELDS.map((field, index) => `${field},${FIELDS[(index + 7) % FIELDS.length] ?? ""} desc`),
  ...FIELDS.map((field, index) => `${field} desc,${FIELDS[(index + 5) % FIELDS.length] ?? ""},id desc`),
];
const OPTIONS = ["$select=id", "$count=true", "$select=id&$expand=same($select=id)", "$filter=id gt 3 or text eq 'b'"];

interface Walked {
  readonly status: number;
  readonly ids: readonly number[];
  /** Why a page was not read. */
  readonly error?: string;
}

/** Returns the ids of all pages. @param most a walk with more pages does not end */
async function walk(service: ODataService, path: string, most: number): Promise<Walked> {
  const ids: number[] = [];
  let next: string | undefined = `http://service.example/${path}`;
  for (let pages = 0; next !== undefined; pages += 1) {
    if (pages >= most) return { status: 0, ids, error: "The walk does not end." };
    const response: Response = await service.fetch(new Request(next));
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, ids, error: text };
    const body = JSON.parse(text) as {
      readonly value: readonly { readonly id: number }[];
      readonly "@odata.nextLink"?: string;
    };
    ids.push(...body.value.map(({ id }) => id));
    next = body["@odata.nextLink"];
  }
  return { status: 200, ids };
}

/** Walks each order in pages of two entities, and compares them with the whole. */
async function walkAll(service: ODataService, rows: number, place: string): Promise<void> {
  const failures: unknown[] = [];
  for (const order of sampleOf(ORDERS, `odd pages of ${place}`)) {
    for (const [index, options] of OPTIONS.entries()) {
      // Every order is combined with no other option, and with one of the others.
      if (index > 0 && index !== 1 + (ORDERS.indexOf(order) % (OPTIONS.length - 1))) continue;
      const query = `?${options}&$orderby=${encodeURIComponent(order)}`;
      const whole = await walk(service, `Whole${query}`, 1);
      const pages = await walk(service, `Pairs${query}`, rows);
      const isSame = whole.status === 200 && JSON.stringify(pages) === JSON.stringify(whole);
      if (!isSame) failures.push({ order, options, whole, pages });
    }
  }
  expect(failures).toEqual([]);
}

const quiet = { error: () => undefined, warn: () => undefined, info: () => undefined };
const SERVICE = {
  logger: quiet,
  schemaCheck: false,
  propertyNaming: "camelCase",
  namespace: "Test",
  secret: "0123456789abcdef",
} as const;

describe.each(ENGINES)("pages of two over finer columns and odd cells: $title", (engine) => {
  let opened: OpenDatabase;
  let service: ODataService;
  let rows = 0;

  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    const table = TABLES[engine.name];
    const columns = FIELDS.map((field) => sql`${sql.id(field)} ${sql.raw(table[field][0])}`);
    await sql`create table odd (id int primary key, ${sql.join(columns)})`.execute(db);
    const before = engine.name === "mariadb" ? sql.raw("set statement sql_mode='', time_zone='+00:00' for ") : sql``;
    rows = 2 * Math.max(...FIELDS.map((field) => table[field].length));
    for (let id = 0; id < rows; id += 1) {
      const cells = FIELDS.map((field, place) => {
        const [, ...given] = table[field];
        // Each cell comes twice, next to other cells.
        return sql.raw(given[(id * (id < rows / 2 ? 1 : 5) + place) % (given.length + 1)] ?? "null");
      });
      await sql`${before}insert into odd values (${id}, ${sql.join(cells)})`.execute(db);
    }
    const set = {
      db,
      table: "odd",
      operations: ["read"],
      columns: engine.name === "postgres" ? { ...COLUMNS, lasts: { storage: "text" as const } } : COLUMNS,
      unreadable: "null",
      paging: "keyset",
      navigation: { same: hasMany(Odd, { target: "Whole", on: { id: "id" } }) },
    } as const;
    service = odataService({
      ...SERVICE,
      entitySets: [
        sqlEntitySet(Odd, { ...set, name: "Whole", maxTop: 1000 }),
        sqlEntitySet(Odd, { ...set, name: "Pairs", maxTop: 2 }),
      ],
    });
  });
  afterAll(() => opened.close());

  test("are the set in every order, each row once", { timeout: 600_000 }, async () => {
    await walkAll(service, rows, engine.title);
  });

  test("are the set in the order of an odd key", async () => {
    const { db } = opened;
    const [type, ...cells] = engine.name === "sqlite" ? SQLITE.text : TABLES[engine.name].at;
    const Texts = entityType("Keyed", { key: edm.string().key(), id: edm.int32() });
    const Instants = entityType("Keyed", { key: edm.dateTimeOffset({ precision: 3 }).key(), id: edm.int32() });
    await sql`create table keyed (${sql.id("key")} ${sql.raw(type)} primary key, id int not null)`.execute(db);
    const readable = cells.filter((cell) => !/infinity|-00/.test(cell));
    for (const [id, cell] of readable.entries()) {
      await sql`insert into keyed values (${sql.raw(cell)}, ${id})`.execute(db);
    }
    const set = { db, table: "keyed", operations: ["read"], paging: "keyset" } as const;
    const setOf = (options: typeof set & { readonly name: string; readonly maxTop: number }) =>
      engine.name === "sqlite" ? sqlEntitySet(Texts, options) : sqlEntitySet(Instants, options);
    const keyed = odataService({
      ...SERVICE,
      entitySets: [setOf({ ...set, name: "Whole", maxTop: 1000 }), setOf({ ...set, name: "Pairs", maxTop: 2 })],
    });
    for (const query of ["", "?$orderby=key desc", "?$orderby=id desc", "?$select=id"]) {
      const whole = await walk(keyed, `Whole${query}`, 1);
      expect(whole.ids).toHaveLength(readable.length);
      expect(await walk(keyed, `Pairs${query}`, readable.length), query).toEqual(whole);
    }
  });

  test("are the set in the order of whole doubles", async () => {
    const { db } = opened;
    const Whole = entityType("Whole", { id: edm.int32().key(), n: edm.double() });
    const type = { sqlite: "real", postgres: "float8", mariadb: "double" }[engine.name];
    await sql`create table wholes (id int primary key, n ${sql.raw(type)} not null)`.execute(db);
    const cells = ["2", "9007199254740994", "1234567890123456789", "9223372036854775808", "1e20", "1e22"];
    const numbers = cells
      .flatMap((cell) => [cell, `-${cell}`, cell])
      .map((cell) => sql.raw(`${cell}e0`.replace(/e(\d+)e0$/, "e$1")));
    for (const [id, number] of numbers.entries()) await sql`insert into wholes values (${id}, ${number})`.execute(db);
    const set = {
      db,
      table: "wholes",
      operations: ["read"],
      paging: "keyset",
      navigation: { same: hasMany(Whole, { target: "All", on: { id: "id" } }) },
    } as const;
    const wholes = odataService({
      ...SERVICE,
      entitySets: [
        sqlEntitySet(Whole, { ...set, name: "All", maxTop: 1000 }),
        sqlEntitySet(Whole, { ...set, name: "Pairs", maxTop: 2 }),
        sqlEntitySet(Whole, { ...set, name: "Singles", maxTop: 1 }),
      ],
    });
    for (const order of ["n", "n desc", "n desc,id desc"]) {
      for (const options of ["", "&$expand=same", "&$count=true&$select=n,id"]) {
        const query = `?$orderby=${order}${options}`;
        const whole = await walk(wholes, `All${query}`, 1);
        expect(whole.ids).toHaveLength(numbers.length);
        expect(await walk(wholes, `Pairs${query}`, numbers.length), query).toEqual(whole);
        expect(await walk(wholes, `Singles${query}`, numbers.length), query).toEqual(whole);
      }
    }
  });
});

test("pages of two over lists are the set in every order, each row once", { timeout: 600_000 }, async () => {
  const VALUES: Readonly<Record<Field, readonly unknown[]>> = {
    at: ["2024-02-29T10:00:00.123Z", "2024-02-29T12:00:00.123+02:00", "2024-02-29T10:00:00.1230Z"],
    utc: ["2024-02-29T10:00:00Z", "2024-02-29T10:00:00.00Z"],
    time: ["10:00:00", "10:00:00.000"],
    day: ["2024-02-29", "-0001-01-01", "12024-01-01"],
    text: ["b", "b\u0000", "b\u0000a", "ß", "ŉ", "İ", "i\u0307", "\uFFFD", "\uD83D\uDE00", "a "],
    fixed: ["a", "a ", "A"],
    number: [1, 2, 3],
    big: [9_007_199_254_740_993n, 9_007_199_254_740_992n],
    price: ["1.50", "1.5", "0.1"],
    rate: ["0.12345678901234567890", "0.1234567890123456789", "10"],
    real: ["0.1", "0.30"],
    single: [Math.fround(0.1), Number.NaN, Infinity],
    ratio: [0, -0, Number.NaN, Infinity, -Infinity, 5e-324],
    guid: ["0a000000-0000-0000-0000-00000000000a", "0A000000-0000-0000-0000-00000000000A"],
    lasts: ["PT36H", "P1DT12H", "PT1.5S"],
    kind: ["First", "Top", "Second", "Last"],
    status: ["First", "Second"],
    flag: [true, false],
    bytes: [Uint8Array.of(0), Uint8Array.of(0, 1)],
    epoch: ["2024-02-29T10:00:00.123Z"],
  };
  const rows = Array.from({ length: 24 }, (_none, id) => ({
    id,
    ...Object.fromEntries(
      FIELDS.map((field, place) => [field, VALUES[field][(id + place) % (VALUES[field].length + 1)] ?? null]),
    ),
  })) as unknown as readonly EntityOf<typeof Odd>[];
  const set = {
    queryable: () => arraySource(Odd, rows),
    paging: "keyset",
    navigation: { same: hasMany(Odd, { target: "Whole", on: { id: "id" } }) },
  } as const;
  const service = odataService({
    ...SERVICE,
    entitySets: [
      entitySet(Odd, { ...set, name: "Whole", maxTop: 1000 }),
      entitySet(Odd, { ...set, name: "Pairs", maxTop: 2 }),
    ],
  });
  await walkAll(service, rows.length, "lists");
});
