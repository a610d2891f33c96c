import { CompiledQuery } from "kysely";
import { messageOf } from "../../base/message-of.ts";
import { required } from "../../base/required.ts";
import type { CatalogueQuery, CatalogueRow } from "../introspect/catalogue-steps.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

/**
 * Runs statements on one connection in a transaction, or in a savepoint of an open one, and undoes it, so that their settings end
 * with them.
 * @returns the rows that `undone` of a catalogue query describes
 */
export async function runUndone(
  db: AnyKysely,
  { sql: first, undone = [] }: CatalogueQuery,
): Promise<readonly CatalogueRow[]> {
  const [begin, undo] = db.isTransaction
    ? ["savepoint odatakit_undone", "rollback to savepoint odatakit_undone"]
    : ["begin", "rollback"];
  const runOn = async (connection: AnyKysely): Promise<readonly CatalogueRow[]> => {
    const run = (sql: string): Promise<{ readonly rows: readonly unknown[] }> =>
      connection.executeQuery(CompiledQuery.raw(sql));
    const found: CatalogueRow[] = [];
    let isOpen = false;
    try {
      for (const statement of undone) {
        if (!isOpen) {
          await run(begin);
          isOpen = true;
          await run(first);
        }
        try {
          const { rows } = await run(statement);
          found.push([
            Object.values(required(rows[0] as object | undefined, "The statement returned no row."))[0],
            null,
          ]);
        } catch (error) {
          found.push([null, messageOf(error)]);
          isOpen = false;
          await run(undo);
        }
      }
    } finally {
      if (isOpen) await run(undo);
    }
    return found;
  };
  return db.isTransaction ? runOn(db) : db.connection().execute(runOn);
}
