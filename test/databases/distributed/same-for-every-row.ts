import { sql, type CompiledQuery } from "kysely";
import type { AnyDatabase } from "../../engine/executors/open-database.ts";

/** Later versions of PostgreSQL compute more in advance, and Citus refuses nothing of it on them. */
const LAST_REFUSED = 16;

const OUTER_JOIN = /\b(?:left|right|full) join\b/;

/** The items of a value: no machine stores them as rows. */
const ITEMS_OF_VALUE = /"item\d+"/;

/**
 * Finds the statements with an outer join that have a condition which PostgreSQL computes once for all rows, with the values
 * that the service bound: Citus refuses both together. A comparison with null is such a condition, too.
 */
export async function sameForEveryRow(
  db: AnyDatabase,
  statements: readonly CompiledQuery[],
): Promise<readonly string[]> {
  const joined = statements.filter(
    ({ sql: text }) => OUTER_JOIN.test(text) && !ITEMS_OF_VALUE.test(text) && !text.startsWith("explain "),
  );
  if (joined.length === 0) return [];
  const { rows: versions } = await sql<{
    readonly version: string;
  }>`select current_setting('server_version_num') as version`.execute(db);
  if (Number(versions[0]?.version) >= (LAST_REFUSED + 1) * 10_000) return [];
  const faults: string[] = [];
  for (const { sql: text, parameters } of joined) {
    const conditions = await computedOnce(db, text, parameters);
    if (conditions.length === 0) continue;
    const values = JSON.stringify(parameters, (_name, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    faults.push(
      `a condition that is the same for every row beside an outer join (${conditions.join("; ")}): ${text} ${values}`,
    );
  }
  return faults;
}

async function computedOnce(db: AnyDatabase, text: string, parameters: readonly unknown[]): Promise<readonly string[]> {
  const found: string[] = [];
  let first = 0;
  // Each statement of a batch numbers its own values.
  for (const part of text.split(";")) {
    const places = Array.from(part.matchAll(/\$(\d+)/g), ([, place]) => Number(place));
    const used = parameters.slice(first, first + Math.max(0, ...places));
    first += used.length;
    if (!OUTER_JOIN.test(part)) continue;
    const plain = part.trim().replace(/^declare [\s\S]*? cursor for /, "");
    const query = {
      sql: `explain ${plain}`,
      parameters: used,
      query: sql``.toOperationNode(),
      queryId: { queryId: "" },
    };
    const { rows } = await db.executeQuery<{ readonly "QUERY PLAN": string }>(query).catch(ofMissingTable);
    found.push(...rows.flatMap(({ "QUERY PLAN": line }) => (line.includes("One-Time Filter") ? [line.trim()] : [])));
  }
  return found;
}

/** Returns no plan for a table that the test has dropped since. */
function ofMissingTable(error: unknown): { readonly rows: readonly never[] } {
  if ((error as { readonly code?: unknown }).code === "42P01") return { rows: [] };
  throw error;
}
