import { readSqliteCatalogue } from "../../../introspect/sqlite-catalogue.ts";
import type { DialectCatalogue } from "../dialect-profile.ts";
import { SQLITE_STORED_TYPES } from "./stored-types.ts";

export const SQLITE_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  read: readSqliteCatalogue,
  storedTypes: SQLITE_STORED_TYPES,
  indexes: { quote: '"', namesIndexes: false, nullsAreLast: false, unindexedTypes: [] },
});
