import { readMysqlCatalogue } from "../../../introspect/mysql-catalogue.ts";
import type { DialectCatalogue, StoredTypeRow, StoredTypeTable } from "../dialect-profile.ts";

/** As in `information_schema.columns.data_type`. MariaDB stores `json` as `longtext`. */
const TEXTS = ["varchar", "char", "text", "tinytext", "mediumtext", "longtext"];
const INTEGERS = ["tinyint", "smallint", "mediumint", "int", "bigint", "decimal"];
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

/** How the schema check reads MariaDB. */
export const MY_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  kind: "mysql",
  read: readMysqlCatalogue,
  storedTypes: MY_STORED_TYPES,
  indexes: {
    quote: "`",
    namesIndexes: false,
    nullsAreLast: false,
    unindexedTypes: [
      "tinytext",
      "text",
      "mediumtext",
      "longtext",
      "tinyblob",
      "blob",
      "mediumblob",
      "longblob",
      "json",
    ],
  },
});
