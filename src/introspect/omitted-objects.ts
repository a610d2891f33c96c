import type { ObjectName, ObjectOmission } from "./database-schema.ts";

/** The tables of migration tools, in lower case. */
const MIGRATIONS: ReadonlyMap<string, string> = new Map([
  ["_prisma_migrations", "Prisma"],
  ["knex_migrations", "Knex"],
  ["knex_migrations_lock", "Knex"],
  ["kysely_migration", "Kysely"],
  ["kysely_migration_lock", "Kysely"],
  ["__drizzle_migrations", "Drizzle"],
  ["flyway_schema_history", "Flyway"],
  ["databasechangelog", "Liquibase"],
  ["databasechangeloglock", "Liquibase"],
  ["__efmigrationshistory", "Entity Framework"],
  ["__efmigrationslock", "Entity Framework"],
  ["alembic_version", "Alembic"],
  ["schema_migrations", "Rails"],
  ["ar_internal_metadata", "Rails"],
]);

/** Returns why a table is not published: a migration tool owns it. Null for other tables. */
export function omitMigrations({ name }: Pick<ObjectName, "name">): ObjectOmission | null {
  const tool = MIGRATIONS.get(name.toLowerCase());
  return tool === undefined ? null : { code: "migrations", reason: `a table of ${tool} for migrations` };
}
