import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";

/** Whether a database answers. */
export interface Hang {
  hangs: boolean;
  /** Answers the last statement that waits. */
  release: () => void;
  /** How many statements the database got. */
  statements: number;
}

/** Makes a database without rows that answers no statement while `hang.hangs`. */
export function hangingDatabase(): { readonly db: Kysely<unknown>; readonly hang: Hang } {
  const hang: Hang = { hangs: false, release: () => undefined, statements: 0 };
  const executeQuery = async (): Promise<{ rows: [] }> => {
    hang.statements += 1;
    if (hang.hangs) {
      await new Promise<void>((resolve) => {
        hang.release = resolve;
      });
    }
    return { rows: [] };
  };
  const streamQuery = (): never => {
    throw new Error("unused");
  };
  const nothing = async (): Promise<void> => undefined;
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (each) => new SqliteIntrospector(each),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => ({ executeQuery, streamQuery }),
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
  });
  return { db, hang };
}
