import type { DialectValues } from "../dialect-profile.ts";
import { computeInSqlite, negateInSqlite } from "./arithmetic.ts";
import { sqliteCanonicalForm } from "./canonical-form.ts";
import { sqliteColumnFormat } from "./column-format.ts";
import { convertInSqlite } from "./conversion.ts";
import { withKnownCollations } from "./text-collation.ts";

/** How SQLite holds values, and computes with them. */
export const SQLITE_VALUES: DialectValues = Object.freeze<DialectValues>({
  canonicalForm: sqliteCanonicalForm,
  columnFormat: sqliteColumnFormat,
  guidsAreTexts: true,
  documentText: (column) => column,
  compute: computeInSqlite,
  negate: negateInSqlite,
  convert: convertInSqlite,
  withKnownCollations,
});
