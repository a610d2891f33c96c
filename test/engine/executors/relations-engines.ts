import { watching } from "../../databases/distributed/watched-database.ts";
import { ENGINES as DATABASES } from "./engines.ts";
import { LAYOUTS } from "./relations-distributions.ts";
import { memoryService, type Service, type Shared } from "./relations-memory.ts";
import type { Relations } from "./relations-model.ts";
import { makeTables, mixedService, namesFrom, tablesService } from "./relations-tables.ts";

/** A service over rows, until it is closed. */
export interface Running {
  readonly service: Service;
  readonly end: () => Promise<void>;
}

/** Starts a service over rows; only one runs at a time. */
export type Engine = (data: Relations, shared: Shared) => Promise<Running>;

/** Arrays, with one call of a handler for each parent. */
const handlers: Engine = (data, shared) =>
  Promise.resolve({ service: memoryService(data, "handlers", shared), end: () => Promise.resolve() });

/** Tables of a database; in the second form treated as distributed. */
const tablesOf = (distributed: boolean): ReadonlyArray<readonly [name: string, engine: Engine]> =>
  DATABASES.map(({ name: database, title, ...engine }) => [
    distributed ? `tables of ${title}, as if spread over machines` : `tables of ${title}`,
    async (data, shared) => {
      const open = distributed ? watching({ name: database, ...engine }) : engine.open;
      const { db, close } = await open();
      await makeTables(db, database, data);
      return { service: tablesService({ db, database, distributed }, data, shared), end: close };
    },
  ]);

/** Tables of PostgreSQL as if spread over machines in the way that their sets declare. */
export const DECLARED: ReadonlyArray<readonly [name: string, engine: Engine]> = DATABASES.filter(
  ({ name }) => name === "postgres",
).flatMap(({ name: database, title, ...engine }) =>
  LAYOUTS.map(([layout, distributed]) => [
    `tables of ${title}, as if distributed ${layout}`,
    async (data, shared) => {
      const { db, close } = await watching({ name: database, ...engine }, distributed.placements)();
      await makeTables(db, database, data);
      return { service: tablesService({ db, database, distributed }, data, shared), end: close };
    },
  ]),
);

/** Some sets over arrays, some over tables. */
const mixed: ReadonlyArray<readonly [name: string, engine: Engine]> = DATABASES.map(
  ({ name: database, title, open }) => [
    `arrays and tables of ${title}`,
    async (data, shared) => {
      const { db, close } = await open();
      await makeTables(db, database, data);
      return { service: mixedService({ db, database }, data, shared), end: close };
    },
  ],
);

/** Names that statements use for their own relations and cells. */
const CELLS = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
const PARTS = ["n", "k0", "k1", "keys", "found", "page", "it", "r1", "one", "value", "ordinal", "key"];

/** Tables whose columns have such names. */
export const RENAMED: ReadonlyArray<readonly [name: string, engine: Engine]> = DATABASES.flatMap(
  ({ name: database, title, open }) =>
    [CELLS, PARTS].map((names) => [
      `tables of ${title} with columns such as ${names.slice(0, 2).join(" and ")}`,
      async (data, shared) => {
        const { db, close } = await open();
        const nameColumn = namesFrom(names);
        await makeTables(db, database, data, nameColumn);
        return { service: tablesService({ db, database, nameColumn }, data, shared), end: close };
      },
    ]),
);

/** Engines that refuse queries which need more than one statement, and support all others. */
export const PARTIAL: ReadonlyArray<readonly [name: string, engine: Engine]> = [
  ...mixed,
  ...tablesOf(true),
  ...DECLARED,
];

/** The engines that are compared with arrays whose navigations have handlers for many parents. */
export const ENGINES: ReadonlyArray<readonly [name: string, engine: Engine]> = [
  ["arrays, with one handler call for each parent", handlers],
  ...tablesOf(false),
];
