import type { Dialect, LogEvent } from "kysely";

/** Counts the statements of a database, both through Kysely and synchronous ones. */
export interface StatementCounter {
  readonly dialect: Dialect;
  readonly log: (event: LogEvent) => void;
  /** The statements since the last reset. */
  readonly texts: () => readonly string[];
  readonly reset: () => void;
}

/** The query plans that are requested once per compiled statement. They read no rows. */
const EXPLAIN = "explain query plan ";

/** Makes a dialect whose statements are counted. */
export function countStatements(dialect: Dialect): StatementCounter {
  const texts: string[] = [];
  const counted: Dialect = {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createAdapter: () => {
      const adapter = dialect.createAdapter();
      for (const name of ["readRows", "readOne", "read", "readFirst"]) {
        const read: unknown = Reflect.get(adapter, name);
        if (typeof read !== "function") continue;
        Reflect.set(adapter, name, (...given: readonly unknown[]): unknown => {
          const text = String(given[0]);
          if (!text.startsWith(EXPLAIN)) texts.push(text);
          return Reflect.apply(read, adapter, given);
        });
      }
      return adapter;
    },
  };
  return {
    dialect: counted,
    log: ({ query }) => {
      texts.push(query.sql);
    },
    texts: () => [...texts],
    reset: () => {
      texts.length = 0;
    },
  };
}
