import { DatabaseSync } from "node:sqlite";
import { arraySource, edm, entitySet, entityType, odataService, type EntityOf, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRIMITIVE_TYPE_NAMES } from "../../../src/edm/primitive-type.ts";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { createTable, ENGINES, insertRow, type DatabaseName } from "./engines.ts";
import { listedRows, textOfValue } from "./listed-rows.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices, type ThingServices } from "./things.ts";

const ROWS = 30;

const NUMBERS = [
  "small",
  "count",
  "big",
  "home/number",
  "note/count",
  "ratio",
  "limit",
  "price",
  "cost",
  "rate",
  "note/price",
];
const TEXTS = ["name", "code", "home/city", "note/text"];
const OTHERS = ["flag", "active", "paid", "open", "note/done", "uuid", "token", "bytes", "day", "time", "span"];
const INSTANTS = ["at", "second", "local", "epoch", "note/at"];
const ENUMS = ["level", "rank", "stage", "mood", "grade"];
const PROPERTIES = [...NUMBERS, ...TEXTS, ...OTHERS, ...INSTANTS, ...ENUMS];

/** The casts that only some databases refuse. */
const REFUSED: Readonly<Record<DatabaseName, ReadonlySet<string>>> = {
  sqlite: new Set(),
  postgres: new Set(),
  // Its Decimals have at most 35 digits before the point, and 30 after it.
  mariadb: new Set(["limit Edm.Decimal"]),
};

async function answer(service: ODataService, target: string): Promise<string> {
  const headers = { Accept: "application/json;IEEE754Compatible=true" };
  const response = await service.fetch(
    new Request(`http://service.example${encodeURI(target).replaceAll("+", "%2B")}`, { headers }),
  );
  return `${String(response.status)} ${await response.text()}`;
}

/** Returns a value of an entity as JSON. */
function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split("/")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, name) : null;
  }
  return value ?? null;
}

describe.each(ENGINES)("casts over arrays and over $title", (engine) => {
  let services: ThingServices;
  beforeAll(async () => {
    services = await thingServices(engine, thingRows(ROWS, 7));
  });
  afterAll(() => services.close());
  /** A distributed database has no names for values. */
  const isTooDeep = (found: string): boolean =>
    isDistributed(services.db) && /^400 .*nested too deeply for a distributed database/.test(found);

  test.each(PROPERTIES)("sort by each type of %s alike", async (property) => {
    for (const type of PRIMITIVE_TYPE_NAMES) {
      for (const target of [
        `/Things?$select=id&$orderby=cast(${property},${type}),id`,
        `/Things?$select=id&$orderby=cast(${property},${type}) desc,id`,
        `/Things?$select=id&$filter=isof(${property},${type})`,
      ]) {
        const found = await answer(services.database, target);
        const expected = REFUSED[engine.name].has(`${property} ${type}`)
          ? expect.stringMatching(/^400 .*MariaDB cannot evaluate/)
          : await answer(services.memory, target);
        expect(found, target).toEqual(expected);
        if (target.includes("isof")) expect(found, target).toMatch(/^[24]00/);
      }
    }
  });

  test.each(PROPERTIES)("to Edm.String write %s as responses do", async (property) => {
    if (REFUSED[engine.name].has(`${property} Edm.String`)) return;
    const rows = listedRows(await answer(services.database, "/Things"));
    expect(rows).toHaveLength(ROWS);
    for (const row of rows) {
      const value = valueAt(row, property);
      const literal = value === null ? "null" : `'${textOfValue(value).replaceAll("'", "''")}'`;
      if (/[%#&]/.test(literal)) continue;
      const target = `/Things?$select=id&$filter=id eq ${String(row["id"])} and cast(${property},'Edm.String') eq ${literal}`;
      const found = await answer(services.database, target);
      expect(found, target).toContain(`"id":${String(row["id"])}`);
      expect(await answer(services.memory, target)).toBe(found);
    }
  });

  test.each([
    "cast(price mul 1.50,Edm.String)",
    "cast(cost add 0.10,Edm.String)",
    "cast(rate sub 1,Edm.String)",
    "cast(fractionalseconds(at),Edm.String)",
    "cast(cast(price,Edm.Int32),Edm.String)",
    "cast(cast(ratio,Edm.Decimal),Edm.String)",
    "cast(cast(cost,Edm.Double),Edm.String)",
    "cast(date(at),Edm.String)",
    "cast(day add duration'P400000D',Edm.String)",
    "cast(day sub duration'P1000000D',Edm.String)",
    "cast(time(at),Edm.String)",
    "cast(cast(day,Edm.String),Edm.Date) add duration'P1D'",
    "cast(concat('12.',cast(count,Edm.String)),Edm.Decimal)",
    "year(cast(concat(cast(day,Edm.String),'T10:00:00%2B02:00'),Edm.DateTimeOffset))",
    "hour(cast(concat(cast(day,Edm.String),'T10:00:00-02:00'),Edm.DateTimeOffset))",
    "totaloffsetminutes(cast(concat(cast(day,Edm.String),'T10:00:00-02:00'),Edm.DateTimeOffset))",
    "length(cast(bytes,Edm.String))",
    "cast(-count,Edm.Byte)",
    "cast('5',Edm.Int32) add count",
    "cast(5.9,Edm.Int32) add count",
    "cast(now(),Edm.String)",
    "count divby 7",
    "count divby (small mul small add 1)",
    "big divby 1000000",
    "ratio divby 3",
    "cost divby 3",
    "span divby 2",
    "cast(count divby 7,Edm.String)",
  ])("compute %s alike", async (expression) => {
    for (const direction of ["", " desc"]) {
      const target = `/Things?$select=id&$orderby=${expression.replace("%2B", "+")}${direction},id`;
      const found = await answer(services.database, target);
      if (isTooDeep(found)) continue;
      expect(found, target).toBe(await answer(services.memory, target));
    }
  });

  test.each([
    "isof(Test.Thing)",
    "at ge cast('2024-02-29T12:00:00+02:00',Edm.DateTimeOffset)",
    "day le cast('2024-02-29',Edm.Date) and time lt cast('12:00',Edm.TimeOfDay)",
    "span gt cast('PT1H',Edm.Duration) or cast('x',Edm.Int32) eq small",
    "not isof(Test.Thing)",
    "isof('Test.Thing') and id gt 3",
    "isof(null,Edm.String)",
    "isof(day,Edm.Int32) or id eq 1",
    "isof(home,Test.Address)",
    "isof(level,Test.Level)",
    "cast(concat('tr',name),Edm.Boolean)",
    "cast(id,Edm.String) in ('1','3',null)",
    "cast(small,Edm.Byte) in (1,2,null)",
    "tags/any(t:contains(cast(t,'Edm.String'),'a'))",
    "amounts/any(a:cast(a,Edm.String) eq '1.1')",
    "parts/any(p:cast(p/size,Edm.String) eq '1' or cast(p/level,Edm.String) eq 'Low')",
    "note/words/all(w:cast(w,Edm.Int32) eq null)",
  ])("filter by %s alike", async (filter) => {
    const target = `/Things?$select=id&$orderby=id&$filter=${filter}`;
    const found = await answer(services.database, target);
    expect(found).toMatch(/^200/);
    expect(found).toBe(await answer(services.memory, target));
  });

  test("refuse a column that the application converts", async () => {
    const found = await answer(services.database, "/Things?$filter=cast(secret,Edm.Int32) eq 1");
    expect(found).toMatch(/^400 /);
  });

  test.each([
    "cast(count,Edm.String)",
    "cast(ratio,Edm.Int32) desc",
    "cast(at,Edm.String)",
    "cast(price,Edm.Double)",
    "cast(name,Edm.Date)",
  ])("page by %s", async (order) => {
    const ids: unknown[] = [];
    let url: string | undefined = `http://service.example/Things?$select=id&$orderby=${encodeURIComponent(order)}`;
    while (url !== undefined) {
      const headers = { Prefer: "odata.maxpagesize=7" };
      const response = await services.database.fetch(new Request(url, { headers }));
      expect(response.status).toBe(200);
      const page = (await response.json()) as {
        readonly value: readonly { readonly id: number }[];
        readonly "@odata.nextLink"?: string;
      };
      ids.push(...page.value.map(({ id }) => id));
      url = page["@odata.nextLink"];
    }
    const all = listedRows(await answer(services.memory, `/Things?$select=id&$orderby=${order}`));
    expect(ids).toEqual(all.map(({ id }) => id));
  });

  test.each(["Edm.Double", "Edm.Decimal", "Edm.Int64", "Edm.Date", "Edm.TimeOfDay"])("nest with %s", async (type) => {
    let expression = "name";
    for (let depth = 0; depth < 4; depth += 1) expression = `cast(cast(${expression},${type}),Edm.String)`;
    const target = `/Things?$select=id&$orderby=${expression},id`;
    const found = await answer(services.database, target);
    if (!isTooDeep(found)) expect(found).toBe(await answer(services.memory, target));
  });
});

const Cell = entityType("Cell", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  ratio: edm.double().nullable(),
  money: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  free: edm.decimal().nullable(),
});
type CellRow = EntityOf<typeof Cell>;

/** Texts that are values of some types, and others that look like them. */
const CANDIDATES: readonly string[] = [
  ..."5|+5|-5|005| 5|5 |5\n|5.0|1.50|+1.50|.5|5.|-0|-0.0|0.000|1e3|1E-3|1e+3|1e400|-1e400|1e-400|1e0005".split("|"),
  ..."127|128|-128|-129|255|256|-1|32767|32768|2147483647|2147483648|-2147483648|-2147483649".split("|"),
  ..."9223372036854775807|9223372036854775808|-9223372036854775808|-9223372036854775809|9007199254740993".split("|"),
  ..."3.4028234663852886e38|3.4028235677973366e38|1e38|1e39|1.7976931348623155e308|1.7976931348623157e308|5e-324".split(
    "|",
  ),
  ..."2.2250738585072014e-308|0.1|123456.789|0x10|1_000|1,5|INF|-INF|NaN|Infinity|5L|5m|5d|null||abc|\u0665|5\u0000".split(
    "|",
  ),
  "1".repeat(35),
  "1".repeat(36),
  "1".repeat(60),
  "0".repeat(61),
  `0.${"3".repeat(30)}`,
  `0.${"3".repeat(31)}`,
  ..."true|TRUE|False|tRuE|truE |yes|1|0".split("|"),
  ..."01234567-89ab-cdef-0123-456789abcdef|01234567-89AB-CDEF-0123-456789ABCDEF".split("|"),
  ..."01234567-89ab-cdef-0123-456789abcdeg|0123456789abcdef0123456789abcdef|{01234567-89ab-cdef-0123-456789abcdef}".split(
    "|",
  ),
  ..."2024-02-29|2023-02-29|1900-02-29|2000-02-29|0000-02-29|0001-01-01|9999-12-31|10000-01-01|-0001-01-01".split("|"),
  ..."2024-2-29|2024-04-31|2024-13-01|2024-00-01|2024-01-00|2024-02-29 |2024-02-29T12:00:00Z|2024-02-29T12:00Z".split(
    "|",
  ),
  ..."2024-02-29t12:00:00.123456789012z|2024-02-29T12:00:00.1234567890123Z|2024-02-29T12:00:00+14:00".split("|"),
  ..."2024-02-29T12:00:00+14:01|2024-02-29T12:00:00-05:30|2024-02-29T12:00:00|2024-02-29T24:00:00Z".split("|"),
  ..."2023-02-29T12:00:00Z|0000-01-01T00:00:00+14:00|9999-12-31T23:59:59.999-14:00|2024-02-29 12:00:00".split("|"),
  ..."12:00|12:00:00|12:00:00.500|12:00:00.5|23:59:59.999999999999|24:00:00|12:60:00|12:00:60|1:00".split("|"),
  ..."P1D|PT36H|P1DT12H|-PT0.5S|PT0.5S|-PT0S|P|PT|P1Y|P1M|PT1M|+P1D|p1d|PT9007199254740991S|PT9007199254740992S".split(
    "|",
  ),
  ..."P9999999999999999D|PT1.123456789012S|PT1.1234567890123S".split("|"),
];

/** Doubles whose text has each form of JavaScript. */
const DOUBLES: readonly number[] = [
  0,
  1,
  -1,
  0.1,
  -0.1,
  1 / 3,
  2 / 3,
  1e20,
  1e21,
  1e22,
  1.5e300,
  1.2345678901234568e20,
  1.5e23,
  1e-6,
  1e-7,
  9.999999e-7,
  1.5e-10,
  5e-324,
  2.2250738585072014e-308,
  1.7976931348623157e308,
  -1.7976931348623157e308,
  9007199254740992,
  4.35,
  0.000001234,
  100,
  1e15,
  1e16,
  123456.789,
  1e17,
  -1e18,
  2 ** 63,
  -(2 ** 63),
  2 ** 63 - 1024,
  2147483647.5,
  -2147483648.5,
  255.9,
  256,
  -0.9,
  127.5,
  -128.9,
  -129,
  32767.99,
  3.4028234663852886e38,
  3.4028235677973366e38,
  1e39,
  9.5,
  1e34,
];

function keptText(text: string): unknown {
  const database = new DatabaseSync(":memory:");
  try {
    return database.prepare("select ? as text").get(text)?.["text"];
  } finally {
    database.close();
  }
}

/** Whether `node:sqlite` returns the whole of a text with U+0000: Node.js 22.18 does not. */
const KEEPS_NUL = keptText("a\u0000") === "a\u0000";

/** The rows of a database, which has fewer texts and numbers. */
function cellRows(database: DatabaseName): readonly CellRow[] {
  const hasNul = database === "sqlite" && KEEPS_NUL;
  const texts = CANDIDATES.filter((text) => hasNul || !text.includes("\u0000"));
  return Array.from({ length: Math.max(texts.length, DOUBLES.length) }, (_none, index) => {
    const ratio = DOUBLES[index] ?? null;
    const money = index % 7 === 0 ? null : `${String(index * 37 - 400)}.${String((index * 13) % 100).padStart(2, "0")}`;
    const free = database === "mariadb" ? `${String(index)}.5` : `${String(index)}.${"50".slice(0, 1 + (index % 2))}`;
    return { id: index, text: texts[index] ?? null, ratio, money, free };
  });
}

const TYPES: Readonly<Record<DatabaseName, readonly [text: string, double: string, money: string, free: string]>> = {
  sqlite: ["text collate nocase", "real", "text", "text"],
  postgres: ["text", "double precision", "numeric(12,2)", "numeric"],
  mariadb: ["varchar(100) collate utf8mb4_unicode_ci", "double", "decimal(12,2)", "decimal(20,5)"],
};

describe.each(ENGINES)("casts of hard values in $title", (engine) => {
  let memory: ODataService;
  let database: ODataService;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const opened = await engine.open();
    const [text, ratio, money, free] = TYPES[engine.name];
    await createTable(opened, "cells", { id: "integer primary key", text, ratio, money, free });
    const rows = cellRows(engine.name);
    for (const row of rows) await insertRow(opened, "cells", [row.id, row.text, row.ratio, row.money, row.free]);
    const options = { propertyNaming: "camelCase", namespace: "Test" } as const;
    const set = { name: "Cells", maxTop: null } as const;
    memory = odataService({
      ...options,
      entitySets: [entitySet(Cell, { ...set, queryable: () => arraySource(Cell, rows), getByKey: () => null })],
    });
    const { db } = opened;
    database = odataService({
      ...options,
      entitySets: [
        sqlEntitySet(Cell, { ...set, db, table: "cells", operations: ["read"], distributed: isDistributed(db) }),
      ],
    });
    close = opened.close;
  });
  afterAll(() => close());

  // `5` and `5 ` are equal by the collation of the column.
  test.each(["length(text) mul 1.1 mul 2.5", "round(length(text) divby 2)", "length(text) divby 3 divby 7"])(
    "texts that a collation makes equal have their own %s",
    async (expression) => {
      const target = `/Cells?$select=id,text&$orderby=${expression},id`;
      expect(await answer(database, target)).toBe(await answer(memory, target));
    },
  );

  const numeric = PRIMITIVE_TYPE_NAMES.filter((type) => /Byte|Int|Single|Double|Decimal/.test(type));

  test.each(PRIMITIVE_TYPE_NAMES.filter((type) => type !== "Edm.Binary"))("texts become %s alike", async (type) => {
    for (const target of [
      `/Cells?$select=id,text&$filter=cast(text,${type}) ne null&$orderby=id`,
      `/Cells?$select=id,text&$orderby=cast(text,${type}),id`,
      `/Cells?$select=id,text&$orderby=cast(text,${type}) desc,id`,
    ]) {
      expect(await answer(database, target), target).toBe(await answer(memory, target));
    }
    if (/DateTimeOffset|Duration/.test(type)) return;
    const texts = `/Cells?$select=id,text&$orderby=cast(cast(text,${type}),Edm.String),id`;
    expect(await answer(database, texts), texts).toBe(await answer(memory, texts));
  });

  test.each(numeric)("doubles and Decimals become %s alike", async (type) => {
    // Decimals of MariaDB have at most 35 digits before the point, and 30 after it.
    const isNarrow = type === "Edm.Decimal" && engine.name === "mariadb";
    const filter = isNarrow
      ? "&$filter=(ratio lt 1e34 and ratio gt -1e34 and (ratio gt 1e-10 or ratio lt -1e-10))"
      : "";
    for (const property of ["ratio", "money", "free"]) {
      for (const direction of ["", " desc"]) {
        const target = `/Cells?$select=id,${property}&$orderby=cast(${property},${type})${direction},id${filter}`;
        expect(await answer(database, target), target).toBe(await answer(memory, target));
      }
      const found = `/Cells?$select=id,${property}&$filter=cast(${property},${type}) ne null${filter.replace("&$filter=", " and ")}`;
      expect(await answer(database, found), found).toBe(await answer(memory, found));
    }
  });

  test.each(["ratio", "money", "free"])("the text of %s is that of the response", async (property) => {
    const value = listedRows(await answer(database, "/Cells"));
    expect(value.length).toBeGreaterThan(100);
    for (const row of value) {
      if (row[property] === null) continue;
      const target = `/Cells?$select=id&$filter=id eq ${String(row["id"])} and cast(${property},Edm.String) eq '${textOfValue(row[property])}'`;
      expect(await answer(database, target), target).toContain(`"id":${String(row["id"])}`);
    }
  });
});
