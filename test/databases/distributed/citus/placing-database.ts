import { CompiledQuery, type DatabaseConnection } from "kysely";
import type { OpenDatabase } from "../../../engine/executors/open-database.ts";
import { connectionsOf } from "../../sql/sent-statements.ts";
import { runPlacing, type Run } from "./place-table.ts";

/** Distributes the tables of a database over the machines of its cluster as tests create them. */
export async function placing({ db, close }: OpenDatabase): Promise<OpenDatabase> {
  const connections = await connectionsOf(db);
  const executeQuery = Reflect.get(connections, "executeQuery");
  const placed: DatabaseConnection["executeQuery"] = function placed(this: DatabaseConnection, query) {
    const run: Run = async (text, parameters = []) =>
      (await executeQuery.call(this, CompiledQuery.raw(text, [...parameters]))).rows;
    return runPlacing(run, query.sql, () => executeQuery.call(this, query)) as never;
  };
  connections.executeQuery = placed;
  return {
    db,
    close: async () => {
      if (connections.executeQuery === placed) connections.executeQuery = executeQuery;
      await close();
    },
  };
}
