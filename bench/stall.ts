/** Reports how long requests that attack a service stop its main thread. Nothing is asserted: a test does that. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ATTACKS } from "./attack-requests.ts";
import { attack, openAttackedService, writeAttackedDatabase } from "./attacks.ts";

/** The longest pause that is acceptable, in milliseconds. */
const BUDGET = 50;

const directory = mkdtempSync(join(tmpdir(), "odatakit-stall-"));
const file = join(directory, "attacked.db");
writeAttackedDatabase(file);
const { service, close } = openAttackedService(file, {});
await service.fetch(new Request("http://attacked.example/Cities(1)"));
console.log(
  `${"request".padEnd(45)}${"response".padEnd(24)}${"ms".padStart(8)}${"pause ms".padStart(10)}  budget ${String(BUDGET)}`,
);
const [, , part = ""] = process.argv;
for (const each of ATTACKS.filter(({ name }) => name.includes(part))) {
  const { status, code, time, pause } = await attack(service, each);
  const answer = [status, code].filter(Boolean).join(" ");
  const verdict = pause <= BUDGET ? "within" : "above";
  console.log(
    `${each.name.padEnd(45)}${answer.padEnd(24)}${time.toFixed(0).padStart(8)}${pause.toFixed(1).padStart(10)}  ${verdict}`,
  );
}
await close();
rmSync(directory, { recursive: true });
