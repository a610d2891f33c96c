import { required } from "../../../base/required.ts";
import type { DialectCatalogue, SessionCheck, StoredTypeRow, StoredTypeTable } from "../../forms/dialect-session.ts";
import type { TypeAdvice } from "../../introspect/expected-table.ts";
import { readsOtherDates } from "../../placement/refusals.ts";
import { PG_TABLES } from "../introspect/catalogue.ts";

/** As in `pg_type`. */
const TEXTS = ["text", "varchar", "bpchar", "citext", "name"];
const INTEGERS = ["int2", "int4", "int8", "oid", "numeric"];
const NUMBERS = ["numeric", "int2", "int4", "int8", "float4", "float8"];

/** Types whose text an Edm.String may be. */
const OF_ANY_TYPE = ["inet", "cidr", "macaddr", "macaddr8", "json", "jsonb", "xml", "tsvector", "money", "interval"];
const THROUGH_TEXT: TypeAdvice = {
  why: "which is not compared as text",
  fix: 'Give the property `storage: "text"` to use the text that the database writes.',
};
/** Item types of arrays that store collections. */
const ITEMS = [...TEXTS, ...NUMBERS, "bool", "uuid", "date", "time", "timestamptz", "bytea", "enum"];
const AS_ARRAY: TypeAdvice = {
  why: "which is not JSON",
  fix: 'Give the property `storage: "array"` if its items are primitive or enumeration values.',
};

/** A `double precision` stores whole numbers of up to 32 bits exactly. */
const SMALL_INTEGER: StoredTypeRow = { types: [...INTEGERS, "float8"], isWhole: true };

/**
 * The types of columns in PostgreSQL.
 * @see https://www.postgresql.org/docs/current/datatype.html
 */
const PG_STORED_TYPES: StoredTypeTable = Object.freeze<StoredTypeTable>({
  "Edm.Boolean default": {
    types: ["bool"],
    served: [],
    instead: {
      int2: { why: "which is not a boolean in PostgreSQL", fix: "Give the property `storage: { true: 1, false: 0 }`." },
      int4: { why: "which is not a boolean in PostgreSQL", fix: "Give the property `storage: { true: 1, false: 0 }`." },
      bpchar: {
        why: "which is not a boolean in PostgreSQL",
        fix: 'Give the property `storage: { true: "Y", false: "N" }`.',
      },
      varchar: {
        why: "which is not a boolean in PostgreSQL",
        fix: 'Give the property `storage: { true: "Y", false: "N" }`.',
      },
    },
  },
  "Edm.Boolean { true, false } number": { types: NUMBERS, served: [] },
  "Edm.Boolean { true, false } text": { types: [...TEXTS, "char", "enum"], served: [] },
  "Edm.Byte default": SMALL_INTEGER,
  "Edm.SByte default": SMALL_INTEGER,
  "Edm.Int16 default": SMALL_INTEGER,
  "Edm.Int32 default": SMALL_INTEGER,
  "Edm.Int64 default": { types: INTEGERS, isWhole: true },
  "Edm.Single default": { types: NUMBERS },
  "Edm.Double default": { types: NUMBERS },
  "Edm.Decimal default": {
    types: ["numeric", "int2", "int4", "int8"],
    instead: {
      float4: {
        why: "which keeps about 6 digits",
        fix: 'Give the property `storage: "real"`, or the column the type `numeric`.',
      },
      float8: {
        why: "which keeps about 15 digits",
        fix: 'Give the property `storage: "real"`, or the column the type `numeric`.',
      },
      text: {
        why: "which is not a number",
        fix: 'Give the property `storage: "text"`, or the column the type `numeric`.',
      },
      money: {
        why: "which is not compared as a number",
        fix: 'Give the property `storage: "text"`, or the column the type `numeric`.',
      },
    },
  },
  "Edm.Decimal text": { types: [...TEXTS, "numeric", "money"], served: [] },
  "Edm.Decimal scaled": { types: ["int2", "int4", "int8", "numeric"], isWhole: true },
  "Edm.Decimal real": { types: ["float4", "float8", "numeric"] },
  "Edm.String default": {
    types: TEXTS,
    indexCollation: "C",
    instead: {
      uuid: {
        why: "which is not compared as text",
        fix: 'Declare the property as `edm.guid()`, or give it `storage: "text"`.',
      },
      enum: {
        why: "which is not compared as text",
        fix: "Declare the property as `edm.enum(…)`, with the labels as members.",
      },
      ...Object.fromEntries(OF_ANY_TYPE.map((type) => [type, THROUGH_TEXT])),
    },
  },
  // All types have a text.
  "Edm.String text": { types: [], served: [] },
  "Edm.String hex": { types: ["bytea"] },
  "Edm.Guid default": {
    types: ["uuid"],
    instead: Object.fromEntries(
      TEXTS.map((type) => [
        type,
        { why: "which is not compared as a uuid", fix: 'Give the property `storage: "text"`.' },
      ]),
    ),
  },
  "Edm.Guid text": {
    types: TEXTS,
    served: [],
    instead: { uuid: { why: "which is not text", fix: "Remove `storage`." } },
  },
  "Edm.Binary default": { types: ["bytea"], served: [] },
  "Edm.Date default": { types: ["date"] },
  "Edm.TimeOfDay default": { types: ["time"] },
  "Edm.Duration default": {
    types: TEXTS,
    served: [],
    instead: { interval: { why: "which is not text", fix: 'Give the property `storage: "text"`.' } },
  },
  "Edm.Duration text": {
    types: ["interval"],
    instead: {
      text: { why: "which is not an interval", fix: "Remove `storage`." },
      varchar: { why: "which is not an interval", fix: "Remove `storage`." },
    },
  },
  "Edm.DateTimeOffset default": {
    types: ["timestamptz"],
    instead: {
      timestamp: {
        code: "C05",
        why: "and the time zone of the session decides which instants it contains",
        fix: "Give the property `storage: \"utc\"` if the column contains UTC, or change the column: alter table {table} alter {column} type timestamptz using {column} at time zone 'UTC'.",
      },
      int8: { why: "which contains numbers", fix: 'Give the property `storage: "epoch"` if it contains milliseconds.' },
      text: { why: "which contains strings", fix: 'Give the property `storage: "text"`.' },
      varchar: { why: "which contains strings", fix: 'Give the property `storage: "text"`.' },
    },
  },
  "Edm.DateTimeOffset text": { types: TEXTS, served: [] },
  "Edm.DateTimeOffset epoch": { types: ["int8", "numeric", "float8"], isWhole: true },
  "Edm.DateTimeOffset utc": {
    types: ["timestamp"],
    refusedDefault: {
      ofSession:
        /^(?:now\(\)|(?:transaction|statement|clock)_timestamp\(\)|(?:current|local)_?timestamp)(?:\(\d\))?(?:::timestamp.*)?$/i,
      advice: {
        why: "which is the time of the session, not UTC",
        fix: "Change the default: alter table {table} alter {column} set default (now() at time zone 'UTC').",
      },
    },
    instead: {
      timestamptz: { why: "which contains instants in every session", fix: "Remove `storage`." },
    },
  },
  "Edm.DateTimeOffset epoch-seconds": { types: ["int4", "int8", "numeric", "float8"], isWhole: true },
  "Edm.DateTimeOffset julian": { types: ["numeric", "float8"], served: [] },
  "Edm.DateTimeOffset sqlite-datetime": { types: TEXTS, served: [] },
  "enum default": { types: [...TEXTS, "enum"], served: ["filter"] },
  "enum { values } text": { types: [...TEXTS, "char", "enum"], served: ["filter"] },
  "enum { values } number": { types: NUMBERS, served: ["filter"] },
  "flags default": { types: INTEGERS, isWhole: true, served: [] },
  "document json": {
    types: ["jsonb", "json", ...TEXTS],
    served: [],
    instead: Object.fromEntries(ITEMS.map((type) => [`${type}[]`, AS_ARRAY])),
  },
});

/** @see https://www.postgresql.org/docs/current/runtime-config-client.html */
const SESSIONS: SessionCheck = Object.freeze<SessionCheck>({
  query: {
    sql: "select name as c0, setting as c1 from pg_settings where name = 'extra_float_digits' and setting::int < 1",
    parameters: [],
    width: 2,
  },
  types: { extra_float_digits: new Set(["Edm.Double", "Edm.Single"]) },
  refused: {
    extra_float_digits: (value) => ({
      message: `The setting \`extra_float_digits\` of the sessions is ${value}, so PostgreSQL shortens the floating-point numbers that it returns.`,
      fix: 'Set it to 1, its default: `alter role … set extra_float_digits = 1`, or `options: "-c extra_float_digits=1"` of the pool.',
    }),
  },
});

/**
 * The same for databases on several machines. Citus writes the dates of a statement anew for each machine, in the style of the
 * session of the coordinator.
 */
const SPREAD_SESSIONS: SessionCheck = Object.freeze<SessionCheck>({
  query: {
    ...SESSIONS.query,
    sql: `${SESSIONS.query.sql} union all select name, setting from pg_settings where name = 'DateStyle' and setting not like 'ISO%'`,
  },
  types: { ...SESSIONS.types, DateStyle: new Set(["Edm.Date", "Edm.DateTimeOffset"]) },
  refused: {
    ...SESSIONS.refused,
    DateStyle: (value) => ({
      message: readsOtherDates(value),
      fix: "Set it to ISO, its default: `alter role … set datestyle = 'ISO'`, or `options: \"-c datestyle=ISO\"` of the pool.",
    }),
  },
});

/** How the schema check reads PostgreSQL. */
export const PG_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  sessions: SESSIONS,
  ...PG_TABLES,
  storedTypes: PG_STORED_TYPES,
});

/** Columns that contain fewer numbers than the property. */
const NARROWER: Readonly<Record<string, readonly string[]>> = {
  "Edm.Int32 default": ["int2"],
  "Edm.Int64 default": ["int2", "int4"],
  "Edm.Single default": ["int2", "int4", "int8"],
  "Edm.Double default": ["int2", "int4", "int8"],
  "Edm.Decimal default": ["int2", "int4", "int8"],
};

/** Statements bind only numbers of the property. The database fails for a number that the column cannot contain. */
const TOO_NARROW: TypeAdvice = {
  severity: "warning",
  why: "and if this column decides on the machine of a row, a filter by a number beyond that type is 400",
  fix: "Declare the property as the integer type of the column, such as `edm.int32()` for `integer`.",
};

/** The same for databases on several machines. */
export const PG_SPREAD_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  ...PG_CATALOGUE,
  sessions: SPREAD_SESSIONS,
  indexes: { ...PG_CATALOGUE.indexes, textOf: (column) => `((${column} || '') collate "C")` },
  storedTypes: Object.freeze<StoredTypeTable>({
    ...PG_STORED_TYPES,
    ...Object.fromEntries(Object.entries(NARROWER).map(([form, narrower]) => [form, besides(narrower, form)])),
  }),
});

function besides(narrower: readonly string[], form: string): StoredTypeRow {
  const { types, instead, ...others } = required(PG_STORED_TYPES[form], `${form} is not a storage form.`);
  const advice = Object.fromEntries(narrower.map((type) => [type, TOO_NARROW]));
  return { ...others, types: types.filter((type) => !narrower.includes(type)), instead: { ...instead, ...advice } };
}
