import { readPostgresCatalogue } from "../../../introspect/postgres-catalogue.ts";
import type { DialectCatalogue } from "../dialect-profile.ts";
import { PG_STORED_TYPES } from "./stored-types.ts";

export const PG_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  read: readPostgresCatalogue,
  storedTypes: PG_STORED_TYPES,
  indexes: { quote: '"', namesIndexes: true, nullsAreLast: true, unindexedTypes: ["json", "jsonb", "xml"] },
});
