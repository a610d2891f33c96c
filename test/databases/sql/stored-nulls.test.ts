import fc from "fast-check";
import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import type { StorageForm } from "../../../src/databases/columns/storage-option.ts";
import { cutsTexts } from "../../../src/databases/sqlite/driver/sqlite-database.ts";
import type { AnyProperty } from "../../../src/definition/types/value-type.ts";
import { fuzzCount, SEED } from "../../cases.ts";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { literalOf } from "../../engine/walk/compare-values.ts";

/**
 * For each type and storage form, over any cells: a cell that a response shows as null matches `eq null` and nothing else, and
 * a cell shown as a value matches this value.
 */

interface Form {
  readonly property: AnyProperty;
  readonly storage?: StorageForm;
  /** Cells of other programs that are shown, but not found by their values: another spelling, or more digits. */
  readonly hidesValues?: true;
}

const FORMS: Readonly<Record<string, Form>> = {
  boolean: { property: edm.boolean().nullable() },
  byte: { property: edm.byte().nullable() },
  sbyte: { property: edm.sByte().nullable() },
  int16: { property: edm.int16().nullable() },
  int32: { property: edm.int32().nullable() },
  int64: { property: edm.int64().nullable() },
  double: { property: edm.double().nullable(), hidesValues: true },
  decimal: { property: edm.decimal().nullable() },
  decimalText: { property: edm.decimal().nullable(), storage: "text" },
  decimalReal: { property: edm.decimal().nullable(), storage: "real" },
  decimalScaled: { property: edm.decimal({ precision: 18, scale: 2 }).nullable(), storage: "scaled" },
  string: { property: edm.string().nullable() },
  stringHex: { property: edm.string().nullable(), storage: "hex" },
  guid: { property: edm.guid().nullable(), hidesValues: true },
  guidText: { property: edm.guid().nullable(), storage: "text" },
  binary: { property: edm.binary().nullable() },
  date: { property: edm.date().nullable() },
  dateEpoch: { property: edm.date().nullable(), storage: "epoch" },
  dateEpochSeconds: { property: edm.date().nullable(), storage: "epoch-seconds" },
  dateJulian: { property: edm.date().nullable(), storage: "julian" },
  dateText: { property: edm.date().nullable(), storage: "sqlite-datetime" },
  time: { property: edm.timeOfDay({ precision: 12 }).nullable() },
  at: { property: edm.dateTimeOffset({ precision: 3 }).nullable(), hidesValues: true },
  atText: { property: edm.dateTimeOffset({ precision: 12 }).nullable(), storage: "text" },
  atEpoch: { property: edm.dateTimeOffset({ precision: 3 }).nullable(), storage: "epoch" },
  atEpochSeconds: { property: edm.dateTimeOffset({ precision: 0 }).nullable(), storage: "epoch-seconds" },
  atJulian: { property: edm.dateTimeOffset({ precision: 3 }).nullable(), storage: "julian" },
  atSqlite: { property: edm.dateTimeOffset({ precision: 3 }).nullable(), storage: "sqlite-datetime" },
  duration: { property: edm.duration().nullable() },
};

const NASTY = [
  "null|0|1|2|-1|5|127|128|255|256|32768|2147483648|9007199254740993|9223372036854775807|-9223372036854775808|1.0|1.5|-0.0",
  "1e18|1e19|1e300|-1e300|9e999|-9e999|1e-300|1704067200|1704067200000|1704067200500|-62167219200000|-62167219200001",
  "-62167219200|-62167219201|253402300799999|253402300800000|253402300799|253402300800|2460310.5|2460310.75|1721059.5|1721059.4|5373484.5|5373484.4|-1.5",
  "x''|x'00'|x'31'|x'61'|x'ff'|''|'0'|'1'|'05'|'+5'|' 5'|'5 '|'1.0'|'-0'|'-5'|'9223372036854775807'|'9223372036854775808'",
  "'.5'|'5.'|'1-2'|'e5'|'1e5'|'1E-5'|'+1e+5'|'1e400'|'1e998'|'1e999'|'1e1000'|'-1.50'|'--1'|'-.5'|'1.2.3'|'007'|'-'|'.'|'NaN'|'Infinity'|'many'",
  "'2024-01-01'|'2024-02-29'|'2023-02-29'|'2024-02-30'|'2024-13-01'|'0000-01-01'|'-0001-01-01'|'-0000-02-29'|'-0004-02-29'|'-0005-02-29'",
  "'10000-01-01'|'12000-02-29'|'12001-02-29'|'01234-01-01'|'1234567-01-01'|'12345678-01-01'|'-12345-06-30'|'12345-06-31'|'2024-1-1'|'2024-01-01 '|'--2024-01-01'",
  "'10:00'|'10:00Z'|'10:00 '|'10:00:00'|'10:00:60'|'10:60'|'24:00'|'23:59:59.123456789012'|'23:59:59.1234567890123'|'10:00:00.'|'10:00:00.5'|'10:00.5'|'1:00'|'29:00'|'10:00:00+01:00'",
  "'2024-01-01T10:00:00Z'|'2024-01-01t10:00:00z'|'2024-01-01T10:00Z'|'2024-01-01T24:00:00Z'|'2024-01-01T10:00:00.5Z'|'2024-01-01T10:00:00.Z'|'2024-01-01T10:00:00'",
  "'2024-01-01 10:00:00'|'2024-01-01 10:00'|'2024-01-01 10:00:00Z'|'2024-01-01 10:00:00+01:00'|'2024-01-01 10:00:00.123456789012'|'2024-01-01 10:00:00.1234567890123'",
  "'2024-01-01T10:00:00+14:00'|'2024-01-01T10:00:00+14:01'|'2024-01-01T10:00:00-05:30'|'2024-01-01T10:00:00.25+05:30'|'2024-01-01T10:00:00+5:30'|'2024-02-30T10:00:00Z'",
  "'12024-01-01T10:00:00Z'|'-0044-03-15T10:00:00Z'|'2024-01-01T10:00:00Zx'|'2024-01-01 00:00:00'|'2024-01-01 00:00:00.000'|'2024-01-01 24:00:00'|'2024-02-30 00:00:00'|'12024-01-01 00:00:00'",
  "'P1D'|'PT36H'|'-PT1H'|'+PT1H'|'pt1h'|'P'|'PT'|'P1Y'|'P1W'|'PT1.5S'|'PT1.S'|'PT1H30M'|'PT30M1H'|'P1DT'|'PT99999999999H'|'PT9999999999999H'|'PT1.1234567890123S'|'PT1H '|'1H'",
  "'00000000-0000-4000-8000-00000000000a'|'00000000-0000-4000-8000-00000000000A'|'{00000000-0000-4000-8000-00000000000a}'|'00000000000040008000000000000000'|'00000000-0000-4000-8000-00000000000g'",
  "'1' || char(0)|'10:00:00' || char(0)|'2024-01-01' || char(0)|'2024-01-01T10:00:00Z' || char(0)|'2024-01-01T10:00:00.5Z' || char(0)|'2024-01-01 10:00:00' || char(0)|'PT1H' || char(0)",
  "'00000000-0000-4000-8000-00000000000a' || char(0)|'2024-01-01' || char(0) || 'x'|'a' || char(0)|'ünï'|'true'|'٣'|'2024-0٣-01'",
]
  .flatMap((line) => line.split(/(?<!\|)\|(?!\|)/u))
  // Where `node:sqlite` ends a text at U+0000, the response shows the text before it.
  .filter((text) => !(cutsTexts() && text.includes("char(0)")));

const ALPHABET = Array.from("01234567890123456789-+:.TtZz PDHMSe ");

/** Nasty cells, and texts that differ from them by a character. */
const cell: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...NASTY),
    fc.nat(40),
    fc.constantFrom(...ALPHABET),
    fc.constantFrom("change", "insert", "keep", "remove"),
  )
  .map(([nasty, at, character, how]) => {
    const text = /^'([^']*)'$/u.exec(nasty)?.[1];
    if (text === undefined || how === "keep") return nasty;
    const place = at % (text.length + 1);
    const rest = text.slice(place + (how === "insert" ? 0 : 1));
    return `'${text.slice(0, place)}${how === "remove" ? "" : character}${rest}'`;
  });

/** Types without an order in filters. */
const UNORDERED = /^Edm\.(?:Binary|Boolean|Guid)$/u;

/** Drivers read the least integer and the nearest real number as this number. */
const LEAST = "-9223372036854776000";

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

type Entity = Readonly<Record<string, unknown>>;

/** Serves one column of a table as a property of each form. */
function serve(db: AnyDatabase, forms: Readonly<Record<string, Form>>, columnOf: (name: string) => string) {
  const entitySets = Object.entries(forms).map(([name, { property, storage }]) => {
    const type = entityType(name, { id: edm.int32().key(), value: property });
    const column = storage === undefined ? columnOf(name) : { name: columnOf(name), storage };
    return sqlEntitySet(type, {
      name,
      db,
      table: "cells",
      operations: ["read"],
      columns: { value: column },
      unreadable: "null",
    });
  });
  const service = odataService({
    entitySets,
    logger: SILENT,
    schemaCheck: false,
    propertyNaming: "camelCase",
    defaults: { maxTop: null },
  });
  return async (path: string): Promise<readonly Entity[]> => {
    const headers = { Accept: "application/json;IEEE754Compatible=true;odata.metadata=none" };
    const response = await service.fetch(new Request(`http://service.example/${path}`, { headers }));
    const body = await response.text();
    expect([path, response.status, body]).toEqual([path, 200, expect.anything()]);
    return (JSON.parse(body) as { readonly value: readonly Entity[] }).value;
  };
}

/** Returns the faults of a set. */
async function judge(
  read: (path: string) => Promise<readonly Entity[]>,
  name: string,
  { property, hidesValues }: Form,
): Promise<readonly unknown[]> {
  const shown = await read(`${name}?$orderby=id`);
  const idsOf = async (filter: string): Promise<readonly unknown[]> =>
    (await read(`${name}?$orderby=id&$filter=${encodeURIComponent(filter)}`)).map(({ id }) => id);
  const nulls = shown.filter(({ value }) => value === null).map(({ id }) => id);
  const others = shown.filter(({ value }) => value !== null).map(({ id }) => id);
  const faults: unknown[] = [];
  const compare = (what: string, found: readonly unknown[], expected: readonly unknown[]): void => {
    const wrong = [...found.filter((id) => !expected.includes(id)), ...expected.filter((id) => !found.includes(id))];
    if (wrong.length > 0) faults.push({ name, what, wrong, shown: shown.filter(({ id }) => wrong.includes(id)) });
  };
  compare("eq null", await idsOf("value eq null"), nulls);
  compare("ne null", await idsOf("value ne null"), others);
  compare("not (eq null)", await idsOf("not (value eq null)"), others);
  compare("in (null)", await idsOf("value in (null)"), nulls);
  const values = new Map(shown.map(({ id, value }) => [JSON.stringify(value), [id, value] as const]));
  for (const [id, value] of values.values()) {
    const literal = literalOf({ name: "value", type: property.declared.type.name ?? "", isCollection: false }, value);
    if (literal === undefined) continue;
    const found = await idsOf(`value eq ${decodeURIComponent(literal)}`);
    if (hidesValues !== true && literal !== LEAST) compare(`eq ${literal}`, found.includes(id) ? [] : [id], []);
    const isOrdered = !UNORDERED.test(property.declared.type.name);
    const greater = isOrdered ? await idsOf(`value gt ${decodeURIComponent(literal)}`) : [];
    const compared = [...found, ...greater].filter((each) => nulls.includes(each));
    compare(`null by eq or gt ${literal}`, compared, []);
  }
  return faults;
}

describe.each(ENGINES.filter(({ name }) => name === "sqlite"))("$title", (engine) => {
  test.each(Object.keys(FORMS))("%s", async (name) => {
    const form = FORMS[name] as Form;
    const { db, close } = await engine.open();
    try {
      await sql`create table cells (id integer primary key, value)`.execute(db);
      const read = serve(db, { [name]: form }, () => "value");
      const check = async (cells: readonly string[]): Promise<void> => {
        await sql`delete from cells`.execute(db);
        const rows = cells.map((each, at) => sql`(${sql.lit(at + 1)}, ${sql.raw(each)})`);
        await sql`insert into cells values ${sql.join(rows)}`.execute(db);
        expect(await judge(read, name, form)).toEqual([]);
      };
      await check(NASTY);
      const sets = fc.array(cell, { minLength: 40, maxLength: 200 });
      await fc.assert(fc.asyncProperty(sets, check), { numRuns: fuzzCount(25), seed: SEED });
    } finally {
      await close();
    }
  });
});

/** The forms of the servers whose cells may be unreadable: the type of the column, and its cells. */
const SERVED: Readonly<
  Record<"mariadb" | "postgres", Readonly<Record<string, readonly [type: string, cells: string]>>>
> = {
  postgres: {
    int32: ["numeric", "1|1.0|1.5|-0.5|2147483648|'NaN'|1e20|null"],
    int64: ["numeric", "1|1.0|1.5|9223372036854775807|9223372036854775808|'NaN'|1e20|null"],
    double: ["float8", "1|1.5|'NaN'|'Infinity'|null"],
    decimal: ["numeric", "1|1.5|'NaN'|'Infinity'|'-Infinity'|null"],
    date: ["date", "'2024-02-29'|'infinity'|'-infinity'|'0044-03-15 BC'|null"],
    time: ["time", "'10:00'|'24:00'|'23:59:59.999999'|null"],
    at: ["timestamptz", "'2024-02-29 10:00Z'|'infinity'|'-infinity'|null"],
    atText: ["text", ""],
  },
  mariadb: {
    int32: ["decimal(12,1)", "1|1.0|1.5|-0.5|2147483648|null"],
    int64: ["double", "1|1.5|1e300|1e15|1e-5|9007199254740993|null"],
    date: ["date", "'2024-02-29'|'0000-00-00'|null"],
    time: ["time", "'10:00'|'24:00'|'-01:00'|'23:59:59'|null"],
    at: ["datetime(3)", "'2024-02-29 10:00'|'0000-00-00'|null"],
    atText: ["varchar(99)", ""],
  },
};

/** The texts of `NASTY` that every database has. */
const TEXTS = NASTY.filter((each) => each.startsWith("'") && !each.includes("char(0)"));

describe.each(ENGINES.filter(({ name }) => name !== "sqlite"))("$title", ({ name: engineName, open }) => {
  const columns = SERVED[engineName as keyof typeof SERVED];

  test.each(Object.keys(columns))("%s", async (name) => {
    const [type, given] = columns[name] ?? ["", ""];
    const form = FORMS[name] as Form;
    const { db, close } = await open();
    try {
      await sql.raw(`create table cells (id int primary key, value ${type})`).execute(db);
      const cells = given === "" ? TEXTS : given.split("|");
      const before = engineName === "mariadb" ? "set statement sql_mode='' for " : "";
      const rows = cells.map((each, at) => `(${String(at + 1)}, ${each})`);
      await sql.raw(`${before}insert into cells values ${rows.join(", ")}`).execute(db);
      const read = serve(db, { [name]: form }, () => "value");
      expect(await judge(read, name, { ...form, hidesValues: true })).toEqual([]);
    } finally {
      await sql`drop table cells`.execute(db);
      await close();
    }
  });
});
