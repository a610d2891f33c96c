import { copyFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Kysely } from "kysely";
import type { ODataService } from "odatakit";
import { openWorld, type WorldDatabase } from "../../../examples/world/database.ts";
import { bundleExplorer } from "../../../packaging/explorer.ts";
import { oncePerRun, pathInRunFolder } from "../../once-per-run.ts";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const TRIP = { title: "Lisbon to Porto", status: "Planned", startsOn: "2026-05-01", budget: 120_050, rowVersion: 1 };
const STOP = { tripId: 1, position: 1, place: "Lisbon", nights: 2, cityId: 2_267_057 };

/** Builds the explorer of the sources, once for a run. @returns the folder of its files */
export function explorerFolder(): Promise<string> {
  return oncePerRun("explorer", (folder) => bundleExplorer(PROJECT, folder));
}

/** Opens a copy of the whole world, with one trip that has one stop. */
export async function openWorldCopy(): Promise<Kysely<WorldDatabase>> {
  const file = await oncePerRun("world.db", async (path) => {
    const db = await openWorld(path, () => undefined);
    await db.destroy();
  });
  const copy = pathInRunFolder(`world-${String(process.pid)}.db`);
  copyFileSync(file, copy);
  const db = await openWorld(copy, () => undefined);
  await addTrip(db);
  return db;
}

/** Reads until the threads of the world have started: on a loaded machine, that takes longer than a statement may. */
export async function startThreads(world: ODataService): Promise<void> {
  const request = () => new Request("http://localhost/odata/Cities?$top=1&$filter=contains(Name,'x')&$count=true");
  for (let isOk = false; !isOk;) {
    const answers = await Promise.all([1, 2, 3, 4].map(() => world.fetch(request())));
    isOk = answers.every(({ status }) => status === 200);
  }
}

/** Adds a trip with a stop. */
export async function addTrip(db: Kysely<WorldDatabase>): Promise<void> {
  await db.insertInto("trips").values(TRIP).execute();
  await db.insertInto("stops").values(STOP).execute();
}
