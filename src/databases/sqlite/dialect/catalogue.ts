import type { DialectCatalogue, StoredTypeRow, StoredTypeTable } from "../../forms/dialect-session.ts";
import type { TypeAdvice } from "../../introspect/expected-table.ts";
import { SQLITE_TABLES } from "../introspect/catalogue.ts";

/** Affinities that keep strings unchanged. A column without a type keeps every cell. */
const TEXTS = ["TEXT", "BLOB", ""];
/** Affinities that keep strings which do not look like numbers, such as `2024-02-29` and JSON. */
const UNMISTAKABLE = [...TEXTS, "NUMERIC"];
const WHOLE = ["INTEGER", "NUMERIC", "BLOB", ""];
const NUMBERS = [...WHOLE, "REAL"];

const loses = (fix: string): TypeAdvice => ({
  why: "which turns `1.10` into the number 1.1 with about 15 digits",
  fix,
});
const DECIMAL: StoredTypeRow = {
  types: TEXTS,
  served: [],
  instead: {
    NUMERIC: loses('Give the property `storage: "real"`, or the column the type `text`.'),
    REAL: loses('Give the property `storage: "real"`, or the column the type `text`.'),
    INTEGER: loses('Give the property `storage: "scaled"`, or the column the type `text`.'),
  },
};

const becomesNumber: TypeAdvice = {
  why: "which turns a string such as `007` into the number 7",
  fix: "Give the column the type `text`.",
};

const INSTANT: StoredTypeRow = {
  types: UNMISTAKABLE,
  refusedDefault: {
    advice: {
      why: "which stores strings in another form: such rows are sorted wrongly, and filters miss them",
      fix: "Change the default to `(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`, with as many fraction digits as the property has, or give the property the storage `sqlite-datetime` if all rows contain strings such as `2024-02-29 12:30:00`.",
    },
  },
  instead: {
    INTEGER: {
      why: "which contains numbers",
      fix: 'Give the property `storage: "epoch"` for milliseconds, `"epoch-seconds"` for seconds, or the column the type `text`.',
    },
    REAL: {
      why: "which contains numbers",
      fix: 'Give the property `storage: "julian"`, or the column the type `text`.',
    },
  },
};

const SMALL_INTEGER: StoredTypeRow = { types: NUMBERS };

/**
 * The affinities of columns in SQLite that change neither the values of a storage form nor their order.
 * @see https://sqlite.org/datatype3.html
 */
const SQLITE_STORED_TYPES: StoredTypeTable = Object.freeze<StoredTypeTable>({
  "Edm.Boolean default": { types: NUMBERS, served: [] },
  "Edm.Boolean { true, false } number": { types: NUMBERS, served: [] },
  "Edm.Boolean { true, false } text": { types: UNMISTAKABLE, served: [] },
  "Edm.Byte default": SMALL_INTEGER,
  "Edm.SByte default": SMALL_INTEGER,
  "Edm.Int16 default": SMALL_INTEGER,
  "Edm.Int32 default": SMALL_INTEGER,
  "Edm.Int64 default": { types: WHOLE },
  "Edm.Single default": { types: NUMBERS },
  "Edm.Double default": { types: NUMBERS },
  "Edm.Decimal default": DECIMAL,
  "Edm.Decimal text": DECIMAL,
  "Edm.Decimal scaled": { types: WHOLE },
  "Edm.Decimal real": { types: NUMBERS },
  "Edm.String default": {
    types: TEXTS,
    instead: { NUMERIC: becomesNumber, INTEGER: becomesNumber, REAL: becomesNumber },
  },
  "Edm.String text": { types: [], served: [] },
  // SQLite stores bytes in a column of any type.
  "Edm.String hex": { types: [], served: ["filter", "sort"] },
  "Edm.Guid default": { types: ["TEXT", "", "NUMERIC"] },
  "Edm.Guid text": { types: ["TEXT", "", "NUMERIC"], served: [] },
  "Edm.Binary default": { types: [], served: [] },
  "Edm.Date default": { types: UNMISTAKABLE },
  "Edm.TimeOfDay default": { types: UNMISTAKABLE },
  "Edm.Duration default": { types: UNMISTAKABLE, served: [] },
  "Edm.DateTimeOffset default": INSTANT,
  "Edm.DateTimeOffset utc": INSTANT,
  "Edm.DateTimeOffset text": { types: UNMISTAKABLE, served: [] },
  "Edm.DateTimeOffset epoch": { types: NUMBERS },
  "Edm.DateTimeOffset epoch-seconds": { types: NUMBERS },
  "Edm.DateTimeOffset julian": { types: NUMBERS, served: [] },
  "Edm.DateTimeOffset sqlite-datetime": { types: UNMISTAKABLE, served: [] },
  "enum default": {
    types: UNMISTAKABLE,
    served: ["filter"],
    instead: {
      INTEGER: { why: "which contains numbers", fix: "Give the property `storage: { values: { Member: 0 } }`." },
    },
  },
  "enum { values } text": { types: UNMISTAKABLE, served: ["filter"] },
  "enum { values } number": { types: NUMBERS, served: ["filter"] },
  "flags default": { types: NUMBERS, served: [] },
  "document json": { types: UNMISTAKABLE, served: [] },
});

/** How the schema check reads SQLite. */
export const SQLITE_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  ...SQLITE_TABLES,
  storedTypes: SQLITE_STORED_TYPES,
});
