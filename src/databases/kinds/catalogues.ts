import type { DatabaseCatalogue } from "../introspect/database-catalogue.ts";
import type { DatabaseKind } from "../introspect/database-schema.ts";
import { MY_TABLES } from "../mariadb/introspect/catalogue.ts";
import { PG_TABLES } from "../postgres/introspect/catalogue.ts";
import { SQLITE_TABLES } from "../sqlite/introspect/catalogue.ts";

const CATALOGUES: Readonly<Record<DatabaseKind, DatabaseCatalogue>> = {
  sqlite: SQLITE_TABLES,
  postgres: PG_TABLES,
  mysql: MY_TABLES,
};

/** Returns how the databases of a kind are read, named and changed. */
export function catalogueOf(kind: DatabaseKind): DatabaseCatalogue {
  return CATALOGUES[kind];
}
