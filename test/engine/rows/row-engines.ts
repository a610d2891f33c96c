import { watching } from "../../databases/distributed/watched-database.ts";
import { ENGINES as DATABASES } from "../executors/engines.ts";
import { BY_BOOK } from "../executors/relations-distributions.ts";
import type { Service, Shared } from "../executors/relations-memory.ts";
import { makeTables } from "../executors/relations-tables.ts";
import { memoryRows, STYLES, type ServiceData } from "./row-memory.ts";
import type { StoredRows } from "./row-store.ts";
import { FORMS, storedRows, tableRows } from "./row-tables.ts";

/** A service over rows, until it is ended. */
export interface Running {
  readonly service: Service;
  /** All rows; null where they are not in tables. */
  readonly stored: () => Promise<StoredRows | null>;
  readonly end: () => Promise<void>;
}

/** A way to serve rows; only one service runs at a time. */
export interface Engine {
  readonly name: string;
  readonly start: (given: ServiceData) => Promise<Running>;
}

/** Engines that share the requests of a run. */
export interface Family {
  readonly name: string;
  readonly engines: readonly Engine[];
}

const arrays: Family = {
  name: "arrays",
  engines: STYLES.map((style) => ({
    name: `arrays by ${style}`,
    start: (given) => {
      const { service, stored } = memoryRows(given, style);
      return Promise.resolve({ service, stored, end: () => Promise.resolve() });
    },
  })),
};

const tables = DATABASES.map(({ name: database, title, open }): Family => ({
  name: title,
  // Whole tables twice, because they are the most common.
  engines: ["tables" as const, ...FORMS].map((form) => ({
    name: `${form} of ${title}`,
    start: async (given) => {
      const placements = form === "declared" ? BY_BOOK.placements : undefined;
      const isSpread = form === "distributed" || form === "declared";
      const { db, close } = await (isSpread ? watching({ name: database, open }, placements) : open)();
      await makeTables(db, database, given.data);
      const service = tableRows(given, { db, database }, form);
      return { service, stored: () => storedRows(db), end: close };
    },
  })),
}));

/** All engines of this run. */
export const FAMILIES: readonly Family[] = [arrays, ...tables];

/**
 * Returns how many requests share their rows. Rounds are short enough that a sample has one for each engine of a family.
 * @param most the size of a round when every case runs
 */
export function roundSize(most: number, runs: number): number {
  return Math.min(most, Math.ceil(runs / Math.max(...FAMILIES.map(({ engines }) => engines.length))));
}

const APPLY = { applyEnabled: true, computeEnabled: true } as const;

/** Settings that rounds use in turn, some small enough that pages end everywhere. */
export const SETTINGS: readonly [Shared, ...Shared[]] = [
  { defaults: APPLY },
  { defaults: { ...APPLY, maxTop: 3, maxExpandTop: 2 } },
  { defaults: { ...APPLY, maxResponseEntities: 12 } },
  { secret: "a secret of the tests, long enough", defaults: { ...APPLY, paging: "keyset", maxTop: 3 } },
  { profile: "standard" },
  { profile: "standard", defaults: { maxIterableEntities: 3 } },
];
