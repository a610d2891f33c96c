import { vi } from "vitest";
import type * as Sets from "odatakit/kysely";
import { isDistributed } from "./watched-database.ts";

/** Declares the sets of each test as `distributed` if their database is spread over machines. */
vi.mock("odatakit/kysely", async (original) => {
  const sets = await original<typeof Sets>();
  return {
    ...sets,
    sqlEntitySet: (type: never, options: { readonly db: never }) => sets.sqlEntitySet(type, spread(options) as never),
    sqlSource: (type: never, options: { readonly db: never }) => sets.sqlSource(type, spread(options) as never),
  };
});

function spread<T extends { readonly db: never; readonly distributed?: boolean }>(options: T): T {
  return isDistributed(options.db) ? { ...options, distributed: options.distributed ?? true } : options;
}
