/**
 * Reports how long requests that attack a service stop its main thread: over a SQLite file, or over the PostgreSQL server whose
 * URL is the argument. `--only` is a regular expression for the names of attacks. Nothing is asserted: a test does that.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeAttackedDatabase, writeAttackedTables } from "./attacks.ts";
import { deleteDatabase, makeDatabase } from "./open-database.ts";
import { budgetOf, measureStalls, MEMORY_BUDGET, type Stall } from "./record/stalls.ts";
import { makeFolder } from "./with-servers.ts";

const { values, positionals } = parseArgs({ options: { only: { type: "string" } }, allowPositionals: true });
const only = new RegExp(values.only ?? "", "u");
const [server] = positionals;
const NAME = "odatakit_attacked";

console.log(
  `${"request".padEnd(45)}${"response".padEnd(24)}${"ms".padStart(8)}${"pause ms".padStart(10)}${"budget ms".padStart(11)}${"memory MB".padStart(11)}  budget ${String(MEMORY_BUDGET)}`,
);
if (server === undefined) {
  const file = join(makeFolder(), "attacked.db");
  writeAttackedDatabase(file);
  await measureStalls(file, print, only);
} else {
  try {
    const place = await makeDatabase(server, NAME);
    await writeAttackedTables(place);
    await measureStalls(place, print, only);
  } finally {
    await deleteDatabase(server, NAME);
  }
}

function print(stall: Stall): void {
  const { name, answer, time, pause, memory = 0 } = stall;
  const budget = budgetOf(stall);
  const verdict = pause <= budget && memory <= MEMORY_BUDGET ? "within" : "above";
  console.log(
    `${name.padEnd(45)}${answer.padEnd(24)}${time.toFixed(0).padStart(8)}${pause.toFixed(1).padStart(10)}${String(budget).padStart(11)}${String(memory).padStart(11)}  ${verdict}`,
  );
}
