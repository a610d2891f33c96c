import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { memoryService, type Service, type Shared } from "./relations-memory.ts";
import type { Relations } from "./relations-model.ts";
import { makeTables, tablesService } from "./relations-tables.ts";

/** A service over rows, until it is ended. */
export interface Running {
  readonly service: Service;
  readonly end: () => Promise<void>;
}

/** Puts rows behind a service. */
export type Engine = (data: Relations, shared: Shared) => Promise<Running>;

const nothing = (): Promise<void> => Promise.resolve();

/** What is compared with arrays whose navigations have handlers for many parents. */
export const ENGINES: ReadonlyArray<readonly [name: string, engine: Engine]> = [
  [
    "arrays, with one handler call for each parent",
    (data, shared) => Promise.resolve({ service: memoryService(data, "handlers", shared), end: nothing }),
  ],
  [
    "tables of SQLite",
    async (data, shared) => {
      const db = new Kysely<never>({ dialect: sqliteDialect(":memory:") });
      await makeTables(db, "sqlite", data);
      return { service: tablesService(db, "sqlite", data, shared), end: () => db.destroy() };
    },
  ],
];
