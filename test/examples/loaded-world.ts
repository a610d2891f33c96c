import { randomUUID } from "node:crypto";
import { copyFileSync } from "node:fs";
import type { Kysely } from "kysely";
import { openWorld, type WorldDatabase } from "../../examples/world/database.ts";
import { oncePerRun, pathInRunFolder } from "../once-per-run.ts";

/** Opens a fresh copy of the example's database. The test run loads its rows once. */
export async function openLoadedWorld(): Promise<Kysely<WorldDatabase>> {
  const loaded = await oncePerRun("world.db", async (path) => {
    const db = await openWorld(path, () => undefined);
    await db.destroy();
  });
  const copy = pathInRunFolder(`world-${randomUUID()}.db`);
  copyFileSync(loaded, copy);
  return openWorld(copy, () => undefined);
}
