import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { BRANCH_FLOORS } from "./coverage-floors.ts";
import { ROOT } from "./source-files.ts";

/** The branches of one file in a report of Istanbul. */
export interface FileCoverage {
  readonly path: string;
  readonly branchMap: Readonly<Record<string, { readonly loc: unknown; readonly locations: readonly unknown[] }>>;
  /** How often each branch ran. */
  readonly b: Readonly<Record<string, readonly number[]>>;
}

/** A report of one run, by file. */
export type RunCoverage = Readonly<Record<string, FileCoverage>>;

/** The branches of a room that any run took. */
interface RoomCoverage {
  readonly room: string;
  readonly percent: number;
  readonly floor: number;
}

/** Returns the branch coverage of each room by all runs together: a branch that any of them took is covered. */
export function coverageOfRooms(
  runs: readonly RunCoverage[],
  floors: Readonly<Record<string, number>>,
  root: string,
): readonly RoomCoverage[] {
  const taken = new Map<string, Map<string, boolean>>();
  for (const file of runs.flatMap((run) => Object.values(run))) {
    const name = path.relative(root, file.path).replaceAll("\\", "/");
    const branches = taken.get(name) ?? new Map<string, boolean>();
    taken.set(name, branches);
    for (const [id, { loc, locations }] of Object.entries(file.branchMap)) {
      for (const [index, location] of locations.entries()) {
        const place = JSON.stringify([loc, location, index]);
        branches.set(place, branches.get(place) === true || (file.b[id]?.[index] ?? 0) > 0);
      }
    }
  }
  return Object.entries(floors).map(([room, floor]) => {
    const below = [...taken].flatMap(([name, branches]) =>
      name.startsWith(`src/${room}/`) ? [...branches.values()] : [],
    );
    // A room of which no run reports anything is not covered.
    const percent = below.length === 0 ? 0 : (100 * below.filter(Boolean).length) / below.length;
    return { room, percent, floor };
  });
}

/** Reads the reports of the runs, which Vitest wrote with ODATAKIT_COVERAGE. */
function readRuns(): readonly RunCoverage[] {
  const folder = path.join(ROOT, "coverage");
  const files = existsSync(folder)
    ? readdirSync(folder).map((run) => path.join(folder, run, "coverage-final.json"))
    : [];
  return files.filter(existsSync).map((file) => JSON.parse(readFileSync(file, "utf8")) as RunCoverage);
}

/** `npm run check:coverage`: compares the coverage of the runs with the floors. */
function main(): void {
  const runs = readRuns();
  process.stdout.write(`${String(runs.length)} runs with coverage.\n`);
  for (const { room, percent, floor } of coverageOfRooms(runs, BRANCH_FLOORS, ROOT)) {
    const isBelow = percent < floor;
    if (isBelow) process.exitCode = 1;
    process.stdout.write(
      `${isBelow ? "below: " : ""}src/${room}: ${percent.toFixed(2)} of at least ${String(floor)}\n`,
    );
  }
}

if (process.argv[1] === import.meta.filename) main();
