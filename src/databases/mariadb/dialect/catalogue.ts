import type { DialectCatalogue, SessionCheck, StoredTypeRow, StoredTypeTable } from "../../forms/dialect-session.ts";
import { MY_TABLES } from "../introspect/catalogue.ts";

/** As in `information_schema.columns.data_type`. MariaDB stores `json` as `longtext`. */
const TEXTS = ["varchar", "char", "text", "tinytext", "mediumtext", "longtext"];
const INTEGERS = ["tinyint", "smallint", "mediumint", "int", "bigint", "bit", "decimal"];
const NUMBERS = [...INTEGERS, "float", "double"];

/** A `double` stores whole numbers of up to 32 bits exactly. */
const SMALL_INTEGER: StoredTypeRow = { types: [...INTEGERS, "double", "year"], isWhole: true };

/**
 * The types of columns in MariaDB and MySQL.
 * @see https://mariadb.com/kb/en/data-types/
 */
const MY_STORED_TYPES: StoredTypeTable = Object.freeze<StoredTypeTable>({
  "Edm.Boolean default": {
    types: ["tinyint", "bit", "smallint", "mediumint", "int", "bigint", "decimal"],
    served: [],
    instead: {
      char: { why: "which is not a number", fix: 'Give the property `storage: { true: "Y", false: "N" }`.' },
      enum: { why: "whose values are numbered from 1", fix: 'Give the property `storage: { true: "Y", false: "N" }`.' },
    },
  },
  "Edm.Boolean { true, false } number": { types: [...NUMBERS, "bit"], served: [] },
  "Edm.Boolean { true, false } text": { types: [...TEXTS, "enum"], served: [] },
  "Edm.Byte default": SMALL_INTEGER,
  "Edm.SByte default": SMALL_INTEGER,
  "Edm.Int16 default": SMALL_INTEGER,
  "Edm.Int32 default": SMALL_INTEGER,
  "Edm.Int64 default": { types: INTEGERS, isWhole: true },
  "Edm.Single default": { types: NUMBERS },
  "Edm.Double default": { types: NUMBERS },
  "Edm.Decimal default": {
    types: INTEGERS,
    instead: {
      float: {
        why: "which keeps about 6 digits",
        fix: 'Give the property `storage: "real"`, or the column the type `decimal`.',
      },
      double: {
        why: "which keeps about 15 digits",
        fix: 'Give the property `storage: "real"`, or the column the type `decimal`.',
      },
      varchar: {
        why: "which is not a number",
        fix: 'Give the property `storage: "text"`, or the column the type `decimal`.',
      },
    },
  },
  "Edm.Decimal text": { types: [...TEXTS, "decimal"], served: [] },
  "Edm.Decimal scaled": { types: INTEGERS, isWhole: true },
  "Edm.Decimal real": { types: ["float", "double", "decimal"] },
  // No index serves an order of strings.
  "Edm.String default": { types: TEXTS, served: ["filter"] },
  "Edm.String text": { types: TEXTS, served: [] },
  "Edm.String hex": { types: ["varbinary", "binary", "tinyblob", "blob", "mediumblob", "longblob"] },
  "Edm.Guid default": { types: ["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "uuid"] },
  "Edm.Guid text": { types: [...TEXTS, "uuid"], served: [] },
  "Edm.Binary default": {
    types: ["varbinary", "binary", "tinyblob", "blob", "mediumblob", "longblob"],
    served: [],
  },
  "Edm.Date default": { types: ["date"] },
  "Edm.TimeOfDay default": { types: ["time"] },
  "Edm.Duration default": { types: TEXTS, served: [] },
  "Edm.DateTimeOffset default": {
    types: ["datetime"],
    refusedDefault: {
      ofSession: /^(?:current_timestamp|now|localtime|localtimestamp|sysdate)(?:\(\d?\))?$/i,
      advice: {
        why: "which is the time of the session, not UTC",
        fix: 'Change the default to `(utc_timestamp(6))`, or give the property `storage: "utc"` if the service alone inserts rows.',
      },
    },
    instead: {
      timestamp: {
        code: "C05",
        why: "and the time zone of the session decides how it is read and written",
        fix: "Give the property `storage: \"utc\"`, or change the column, in a session whose `time_zone` is '+00:00': alter table {table} modify {column} datetime(6).",
      },
      bigint: {
        why: "which contains numbers",
        fix: 'Give the property `storage: "epoch"` if it contains milliseconds.',
      },
      varchar: { why: "which contains strings", fix: 'Give the property `storage: "text"`.' },
    },
  },
  "Edm.DateTimeOffset text": { types: TEXTS, served: [] },
  "Edm.DateTimeOffset epoch": { types: ["bigint", "decimal", "double"], isWhole: true },
  "Edm.DateTimeOffset utc": { types: ["timestamp", "datetime"] },
  "Edm.DateTimeOffset epoch-seconds": { types: ["int", "bigint", "decimal", "double"], isWhole: true },
  "Edm.DateTimeOffset julian": { types: ["decimal", "double"], served: [] },
  "Edm.DateTimeOffset sqlite-datetime": { types: TEXTS, served: [] },
  "enum default": { types: [...TEXTS, "enum"], served: ["filter"] },
  "enum { values } text": { types: [...TEXTS, "enum"], served: ["filter"] },
  "enum { values } number": { types: [...NUMBERS, "bit"], served: ["filter"] },
  "flags default": { types: INTEGERS, isWhole: true, served: [] },
  "document json": { types: ["json", "longtext", "mediumtext", "text", "tinytext", "varchar", "char"], served: [] },
});

/** Refused settings, each with the condition for it. @see https://mariadb.com/kb/en/server-system-variables/ */
const SETTINGS: Readonly<Record<string, readonly [value: string, condition: string]>> = {
  no_backslash_escapes: ["@@sql_mode", "find_in_set('NO_BACKSLASH_ESCAPES', @@sql_mode)"],
  oracle: ["@@sql_mode", "find_in_set('ORACLE', @@sql_mode)"],
  autocommit: ["@@autocommit", "not @@autocommit"],
  character_set_client: ["@@character_set_client", "@@character_set_client <> 'utf8mb4'"],
  sql_select_limit: ["@@sql_select_limit", "@@sql_select_limit < 18446744073709551615"],
};

const SESSIONS: SessionCheck = Object.freeze<SessionCheck>({
  query: {
    sql: [
      "select 'proof' as c0, 'read' as c1",
      ...Object.entries(SETTINGS).map(
        ([name, [value, condition]]) =>
          `select '${name}' as c0, cast(${value} as char) as c1 from dual where ${condition}`,
      ),
    ].join(" union all "),
    parameters: [],
    width: 2,
  },
  proof: {
    row: ["proof", "read"],
    message: "The pool gives rows or values another form than the service reads.",
    fix: "Make the pool without the options `typeCast`, `rowsAsArray` and `nestTables`.",
  },
  refused: {
    no_backslash_escapes: () => ({
      message:
        "`sql_mode` of the sessions contains NO_BACKSLASH_ESCAPES, but `mysql2` writes values into statements with backslashes, so a value could end its text and add SQL.",
      fix: 'Use `mariadbDialect({ pool })` of "odatakit/mariadb", or remove it from `sql_mode` of the server or of the user.',
    }),
    oracle: () => ({
      message: "`sql_mode` of the sessions contains ORACLE, in which statements have another syntax.",
      fix: "Remove it from `sql_mode` of the server or of the user, or let the pool set it: `set session sql_mode = 'STRICT_TRANS_TABLES'` at `connection`.",
    }),
    autocommit: () => ({
      message: "`autocommit` of the sessions is 0, so reads return an old state without end.",
      fix: "Set it to 1, its default: remove `autocommit` and `init_connect` from the configuration of the server, or let the pool run `set autocommit = 1` at `connection`.",
    }),
    character_set_client: (value) => ({
      message: `The character set of the sessions is ${value}, which cannot express every text.`,
      fix: 'Give the pool `charset: "utf8mb4"`, its default.',
    }),
    sql_select_limit: (value) => ({
      message: `\`sql_select_limit\` of the sessions is ${value}, so the database drops rows of larger results.`,
      fix: "Set it to DEFAULT: remove it from the configuration of the server, or let the pool run `set sql_select_limit = default` at `connection`.",
    }),
  },
});

/** How the schema check reads MariaDB. */
export const MY_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  sessions: SESSIONS,
  ...MY_TABLES,
  storedTypes: MY_STORED_TYPES,
});
