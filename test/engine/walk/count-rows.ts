import { sql } from "kysely";
import type { DescribedService } from "odatakit/introspect";
import type { OpenDatabase } from "../executors/engines.ts";
import type { Counts } from "./walk-service.ts";

/** Counts the rows of each table whose set leaves no row out. */
export async function countRows({ db }: Pick<OpenDatabase, "db">, { sets }: DescribedService): Promise<Counts> {
  const whole = sets.filter(({ kind, excludes, excludesNulls }) => {
    return kind === "table" && excludes.length === 0 && excludesNulls.length === 0;
  });
  const counts: Record<string, number> = {};
  for (const { setName, table, needsSchema } of whole) {
    const name = needsSchema ? sql.id(table.schema, table.name) : sql.id(table.name);
    const { rows } = await sql<{ readonly n: unknown }>`select count(*) as n from ${name}`.execute(db);
    counts[setName] = Number(rows[0]?.n);
  }
  return counts;
}
