import process from "node:process";
import type * as Sets from "odatakit/kysely";
import { vi } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { isDistributed } from "./watched-database.ts";

/** Declares the sets of each test as `distributed` if their database is spread over machines. */
vi.mock("odatakit/kysely", async (original) => {
  const sets = await original<typeof Sets>();
  return {
    ...sets,
    sqlEntitySet: (type: never, options: Options) => sets.sqlEntitySet(type, spread(options) as never),
    sqlSource: (type: never, options: Options) => sets.sqlSource(type, spread(options) as never),
  };
});

interface Options {
  readonly db: AnyDatabase;
  readonly distributed?: boolean;
}

/** A cluster of Citus cannot execute the statements for one machine at all. */
function spread(options: Options): Options {
  const { db } = options;
  const isCluster = process.env["ODATAKIT_CITUS"] !== undefined;
  const distributed = isCluster ? isDistributed(db) : (options.distributed ?? isDistributed(db));
  return distributed ? { ...options, distributed } : options;
}
