import { sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  odataService,
  type ODataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { ENGINES, type DatabaseEngine, type DatabaseName } from "../../engine/executors/engines.ts";

/** Any cell that a response shows as null matches `eq null`, and nothing else. */

const Level = enumType("Level", { Low: 10, High: 2 });
const Cell = entityType("Cell", {
  id: edm.int32().key(),
  day: edm.date().nullable(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  utc: edm.dateTimeOffset({ precision: 3 }).nullable(),
  time: edm.timeOfDay().nullable(),
  price: edm.decimal().nullable(),
  flag: edm.boolean().nullable(),
  count: edm.int32().nullable(),
  small: edm.byte().nullable(),
  big: edm.int64().nullable(),
  ratio: edm.double().nullable(),
  level: edm.enum(Level).nullable(),
  paid: edm.boolean().nullable(),
  parentId: edm.int32().nullable(),
});

type Field = Exclude<keyof typeof VALUES, never>;

/** A literal of each property, between the readable cells. */
const VALUES = {
  day: "2024-02-15",
  at: "2024-02-15T00:00:00Z",
  utc: "2024-02-15T00:00:00Z",
  time: "12:00:00",
  price: "2.5",
  flag: "true",
  count: "5",
  small: "5",
  big: "5",
  ratio: "2.5",
  level: "Test.Level'Low'",
  paid: "true",
} as const;

type Column = readonly [type: string, ...cells: string[]];

/** The type of each column, and its cells. */
const COLUMNS: Readonly<Record<DatabaseName, Readonly<Record<Field, Column>>>> = {
  sqlite: {
    day: [
      "date",
      "'2024-01-01'",
      "'2024-03-01'",
      "'never'",
      "'2024-02-30'",
      "20240101",
      "x'00'",
      "''",
      "'-0044-03-15'",
    ],
    at: [
      "datetime",
      "'2024-01-01T00:00:00.000Z'",
      "'2024-03-01T00:00:00.000Z'",
      "'never'",
      "'2024-02-30T00:00:00.000Z'",
      "'2024-01-01T00:00:00'",
      "'2024-01-01'",
      "5",
      "x'00'",
    ],
    utc: ["text", "'2024-01-01T00:00:00.000Z'", "'2024-03-01T00:00:00.000Z'", "'z'", "''", "'9'"],
    time: ["time", "'10:00:00'", "'23:59:59.5'", "'24:00:00'", "'25:00:00'", "'noon'", "''", "x'00'"],
    price: ["blob", "1", "2.5", "'3.25'", "'many'", "9e999", "-9e999", "x'00'", "''", "'.'"],
    flag: ["blob", "0", "1", "2", "-1", "'yes'", "'1'", "x'01'"],
    count: ["blob", "1", "9", "1.5", "3000000000", "'many'", "x'00'", "''", "9e999"],
    small: ["blob", "1", "9", "300", "-1", "'x'"],
    big: ["blob", "1", "9", "1.5", "'many'", "x'00'", "''"],
    ratio: ["blob", "1", "9.5", "'many'", "x'00'", "''"],
    level: ["text", "'Low'", "'High'", "'low'", "'Other'", "''"],
    paid: ["text", "'Y'", "'N'", "'y'", "''"],
  },
  postgres: {
    day: ["date", "'2024-01-01'", "'2024-03-01'", "'infinity'", "'-infinity'"],
    at: ["timestamptz", "'2024-01-01 00:00Z'", "'2024-03-01 00:00Z'", "'infinity'", "'-infinity'"],
    utc: ["timestamp", "'2024-01-01 00:00'", "'2024-03-01 00:00'", "'infinity'", "'-infinity'"],
    time: ["time", "'10:00:00'", "'23:59:59.5'", "'24:00:00'"],
    price: ["numeric", "1", "2.5", "'NaN'", "'Infinity'", "'-Infinity'"],
    flag: ["boolean", "true", "false"],
    count: ["int8", "1", "9", "3000000000"],
    small: ["int2", "1", "9", "300", "-1"],
    big: ["numeric", "1", "9"],
    ratio: ["float8", "1", "9.5", "'Infinity'"],
    level: ["varchar(9)", "'Low'", "'High'", "'low'", "'Other'"],
    paid: ["varchar(1)", "'Y'", "'N'", "'y'", "''"],
  },
  mariadb: {
    day: [
      "date not null",
      "'2024-01-01'",
      "'2024-03-01'",
      "'0000-00-00'",
      "'2024-00-15'",
      "'2024-02-30'",
      "'0000-01-01'",
    ],
    at: ["datetime(3) not null", "'2024-01-01'", "'2024-03-01'", "'0000-00-00'", "'2024-00-15'", "'2024-02-30'"],
    utc: ["timestamp(3) not null default 0", "'2024-01-01'", "'2024-03-01'", "0"],
    time: ["time(1)", "'10:00:00'", "'23:59:59.5'", "'24:00:00'", "'-01:00:00'", "'800:00:00'"],
    price: ["decimal(9,2)", "1", "2.5"],
    flag: ["tinyint(1)", "0", "1", "2", "-1"],
    count: ["bigint", "1", "9", "3000000000"],
    small: ["smallint", "1", "9", "300", "-1"],
    big: ["bigint unsigned", "1", "9", "18446744073709551615"],
    ratio: ["double", "1", "9.5"],
    level: ["varchar(9)", "'Low'", "'High'", "'low'", "'Other'", "'Low '"],
    paid: ["varchar(1)", "'Y'", "'N'", "'y'", "''"],
  },
};

const FIELDS = Object.keys(VALUES) as readonly Field[];

/** Each field has its cells in turn, and null where its column may have it. */
function rowsOf(name: DatabaseName): ReadonlyArray<readonly string[]> {
  const columns = FIELDS.map((field): readonly string[] => {
    const [type, ...cells] = COLUMNS[name][field];
    return type.includes("not null") ? cells : [...cells, "null"];
  });
  const length = Math.max(...columns.map((cells) => cells.length));
  return Array.from({ length }, (_none, index) => columns.map((cells) => cells[index % cells.length] ?? "null"));
}

const SERVICE = {
  logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  schemaCheck: false,
  propertyNaming: "camelCase",
  namespace: "Test",
  secret: "0123456789abcdef0123456789abcdef",
  defaults: { maxTop: null },
} as const;

const navigation = {
  parent: hasOptional(Cell, { on: { parentId: "id" }, target: "Cells" }),
  children: hasMany(Cell, { on: { id: "parentId" }, target: "Cells" }),
};

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of responses
type Json = any;

async function get(service: ODataService, query: string): Promise<readonly [number, Json]> {
  const headers = { Accept: "application/json;IEEE754Compatible=true;odata.metadata=none" };
  const response = await service.fetch(new Request(`http://service.example/Cells?${query}`, { headers }));
  return [response.status, await response.json()];
}

async function servicesOver(engine: DatabaseEngine) {
  const { db, close } = await engine.open();
  const table = COLUMNS[engine.name];
  const definitions = FIELDS.map((field) => sql`${sql.id(field)} ${sql.raw(table[field][0])}`);
  await sql`create table cells (id int primary key, ${sql.join(definitions)}, parent_id int)`.execute(db);
  const before =
    engine.name === "mariadb" ? "set statement sql_mode='ALLOW_INVALID_DATES', time_zone='+00:00' for " : "";
  for (const [index, cells] of rowsOf(engine.name).entries()) {
    const values = [String(index + 1), ...cells, index === 0 ? "null" : String(Math.ceil(index / 2))];
    await sql.raw(`${before}insert into cells values (${values.join(", ")})`).execute(db);
  }
  const columns = {
    utc: { storage: "utc" },
    paid: { storage: { true: "Y", false: "N" } },
    parentId: "parent_id",
  } as const;
  const operations = ["read"] as const;
  const cells = sqlEntitySet(Cell, { db, table: "cells", operations, columns, unreadable: "null", navigation });
  const service = odataService({ ...SERVICE, entitySets: [cells] });
  const [status, body] = await get(service, "$orderby=id");
  expect(status, JSON.stringify(body)).toBe(200);
  const shown = (body.value as readonly Json[]).map((row) => ({
    ...row,
    big: row.big === null ? null : BigInt(row.big as string),
    ratio: row.ratio === null ? null : Number(String(row.ratio).replace("INF", "Infinity")),
  }));
  const memory = odataService({
    ...SERVICE,
    entitySets: [entitySet(Cell, { name: "Cells", navigation, queryable: () => arraySource(Cell, shown) })],
  });
  return { title: engine.title, name: engine.name, service, memory, shown, close };
}

const over = await Promise.all(ENGINES.map(servicesOver));
afterAll(() => Promise.all(over.map(({ close }) => close())));

function filtersOf(field: Field): readonly string[] {
  const value = VALUES[field];
  const operators = field === "flag" || field === "paid" ? ["eq", "ne"] : ["eq", "ne", "gt", "ge", "lt", "le"];
  const plain = [
    `${field} eq null`,
    `${field} ne null`,
    ...operators.flatMap((operator) => [`${field} ${operator} ${value}`, `${value} ${operator} ${field}`]),
    ...(field === "flag" || field === "paid" ? [field, `${field} eq false`, `${field} eq (id gt 2)`] : []),
    `${field} in (${value},null)`,
    `${field} in (${value})`,
    ...operators.map((operator) => `${field} ${operator} ${field}`),
  ];
  const paths = operators.flatMap((operator) => [
    `parent/${field} ${operator} ${value}`,
    `children/any(c:c/${field} ${operator} ${value})`,
    `children/all(c:c/${field} ${operator} ${value})`,
  ]);
  return [
    ...plain,
    ...plain.map((filter) => `not (${filter})`),
    ...plain.map((filter) => `(${filter}) eq (id gt 3)`),
    `parent/${field} eq null`,
    `parent/${field} ne null`,
    `children/any(c:c/${field} eq null)`,
    `children/all(c:c/${field} ne null)`,
    ...paths,
    ...paths.map((filter) => `not (${filter})`),
  ];
}

const COMPUTED = [
  "year(day) gt 2000",
  "year(day) eq null",
  "hour(at) lt 24",
  "hour(at) eq null",
  "month(utc) eq 1",
  "month(utc) ne 1",
  "minute(time) ge 0",
  "minute(time) eq null",
  "price add 1 gt 1",
  "price add 1 eq null",
  "count add 1 gt 1",
  "count add 1 eq null",
  "small mul 2 ge 0",
  "-big lt 0",
];

describe.each(over)("$title", ({ name, service, memory, shown }) => {
  const idsOf = async (of: ODataService, filter: string): Promise<unknown> => {
    const [status, body] = await get(of, `$select=id&$orderby=id&$filter=${encodeURIComponent(filter)}`);
    return status === 200 ? (body.value as readonly Json[]).map(({ id }): unknown => id) : [status, body];
  };

  test.each(FIELDS)("%s", async (field) => {
    const nulls = shown.filter((row) => row[field] === null).map(({ id }): unknown => id);
    const isOdd = COLUMNS[name][field].length > 3;
    if (isOdd) expect(nulls).not.toEqual([]);
    expect(await idsOf(service, `${field} eq null`)).toEqual(nulls);
    const failures: unknown[] = [];
    for (const filter of filtersOf(field)) {
      const [found, expected] = [await idsOf(service, filter), await idsOf(memory, filter)];
      if (JSON.stringify(found) !== JSON.stringify(expected)) failures.push({ filter, found, expected });
    }
    expect(failures).toEqual([]);
  });

  test.each(COMPUTED)("%s", async (filter) => {
    expect(await idsOf(service, filter)).toEqual(await idsOf(memory, filter));
  });
});
