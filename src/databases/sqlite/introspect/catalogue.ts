import type { DatabaseCatalogue } from "../../introspect/database-catalogue.ts";
import { quoteName } from "../../introspect/quote-name.ts";
import { matchedInAnyCase, namedSchemas } from "../../introspect/wanted-objects.ts";
import { readSqliteCatalogue } from "./sqlite-catalogue.ts";
import { readSqliteDatabase } from "./sqlite-database.ts";
import { readSqliteTexts } from "./sqlite-texts.ts";

/** What is in a database of SQLite. */
export const SQLITE_TABLES: DatabaseCatalogue = Object.freeze<DatabaseCatalogue>({
  kind: "sqlite",
  quote: '"',
  ignoresCase: true,
  read: readSqliteCatalogue,
  readTexts: readSqliteTexts,
  readAll: readSqliteDatabase,
  *readWanted(wanted) {
    return matchedInAnyCase(yield* readSqliteDatabase({ schemas: namedSchemas(wanted, ["main"]) }), wanted);
  },
  estimate: ({ names }) => ({
    sql: `select null as c0 from pragma_table_list where type = 'table' and schema = ? and name = ? collate nocase`,
    parameters: [names.at(-2) ?? "main", names.at(-1) ?? ""],
    width: 1,
  }),
  // Triggers of SQLite cannot supply values.
  triggered: null,
  accountOf: (user) => quoteName(user, SQLITE_TABLES),
  fillsIn: () => false,
  setsDefaults: false,
  indexes: { namesIndexes: false, nullsAreLast: false, textCollation: null, unindexedTypes: [] },
  texts: null,
});
