import { ENGINES as DATABASES } from "./engines.ts";
import { memoryService, type Service, type Shared } from "./relations-memory.ts";
import type { Relations } from "./relations-model.ts";
import { makeTables, mixedService, tablesService } from "./relations-tables.ts";

/** A service over rows, until it is ended. */
export interface Running {
  readonly service: Service;
  readonly end: () => Promise<void>;
}

/** Puts rows behind a service; one at a time. */
export type Engine = (data: Relations, shared: Shared) => Promise<Running>;

/** Arrays, with one call of a handler for each parent. */
const handlers: Engine = (data, shared) =>
  Promise.resolve({ service: memoryService(data, "handlers", shared), end: () => Promise.resolve() });

const tables = DATABASES.map(({ name, title, open }): readonly [string, Engine] => [
  `tables of ${title}`,
  async (data, shared) => {
    const { db, close } = await open();
    await makeTables(db, name, data);
    return { service: tablesService(db, name, data, shared), end: close };
  },
]);

/** Some sets over arrays, some over tables: an expression that needs both in one statement is refused. */
export const MIXED: ReadonlyArray<readonly [name: string, engine: Engine]> = DATABASES.map(({ name, title, open }) => [
  `arrays and tables of ${title}`,
  async (data, shared) => {
    const { db, close } = await open();
    await makeTables(db, name, data);
    return { service: mixedService(db, name, data, shared), end: close };
  },
]);

/** What is compared with arrays whose navigations have handlers for many parents. */
export const ENGINES: ReadonlyArray<readonly [name: string, engine: Engine]> = [
  ["arrays, with one handler call for each parent", handlers],
  ...tables,
];
