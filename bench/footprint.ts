/**
 * Compares processes: the library over a SQLite file, `odatakit serve` over the same file, and a server written by hand. Each is
 * started anew in each round, one after another: the time and the CPU time until the first response, the resident memory when
 * idle, and after a fixed mix of reads. Build the package first.
 *
 * `node --conditions=source bench/footprint.ts [rounds]`
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePrograms, measureProcess, PROGRAMS } from "./footprint-process.ts";
import { toFootprintTable, type Footprint } from "./footprint-table.ts";
import { makeFolder, writeBenchDatabase } from "./with-servers.ts";

const DEFAULT_ROUNDS = 5;

const rounds = Number(process.argv[2] ?? DEFAULT_ROUNDS);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("Give the number of rounds: 1 or more.");
const folder = makeFolder();
const original = writeBenchDatabase(folder);
await bundlePrograms();
const measured = new Map<string, Footprint[]>(PROGRAMS.map(({ name }) => [name, []]));
// The first round fills the caches of the system, and the compile cache of the command.
for (let round = 0; round <= rounds; round += 1) {
  for (const program of PROGRAMS) {
    console.error(`round ${String(round)}, ${program.name} …`);
    const file = join(folder, `${program.id}.db`);
    copyFileSync(original, file);
    const footprint = await measureProcess(program, file, folder);
    if (round > 0) measured.get(program.name)?.push(footprint);
  }
}
console.log(`Medians of ${String(rounds)} interleaved rounds, and their range:\n\n${toFootprintTable(measured)}`);
