import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTACKS } from "../../../bench/attack-requests.ts";
import { attack, openAttackedService, writeAttackedDatabase, type AttackedService } from "../../../bench/attacks.ts";

/** Milliseconds of CPU time that a loaded machine may add to twice the budget: 500 in total for a body of up to 1 MiB. */
const ALLOWANCE = 400;
/** Milliseconds of CPU time that `knownWork` takes on a machine for which the budgets are written. */
const KNOWN_TIME = 45;
const ATTEMPTS = 3;
const QUERY_TIMEOUT = 1500;

const KNOWN_TEXT = JSON.stringify(
  Array.from({ length: 100_000 }, (_, id) => ({ id, name: `Name ${String(id)}`, tags: ["a", "b"] })),
);

const folder = mkdtempSync(join(tmpdir(), "no-stalls-"));
const databaseFile = join(folder, "attacked.db");
let attacked: AttackedService;

beforeAll(async () => {
  writeAttackedDatabase(databaseFile);
  attacked = openAttackedService(databaseFile, { queryTimeout: QUERY_TIMEOUT });
  await attacked.service.fetch(new Request("http://attacked.example/Cities(1)"));
});
afterAll(async () => {
  await attacked.close();
  rmSync(folder, { recursive: true });
});

/** Limits that an attack may meet, besides a response of the expected status. */
const LIMITS: readonly string[] = [
  "400 InvalidQueryOption",
  "400 InvalidBody",
  "413 PayloadTooLarge",
  "503 QueryTimeout",
];

test.each(ATTACKS)("$name stops nothing else", async (each) => {
  const expected =
    each.refusal === undefined
      ? [String(each.status ?? (each.method === "POST" ? 201 : 200)), ...LIMITS]
      : [each.refusal];
  // A long pause of the service comes again, one of the machine does not.
  let excess = Infinity;
  const stored = new Set(createdIds());
  for (let attempt = 0; attempt < ATTEMPTS && excess > 0; attempt++) {
    if (attempt > 0) removeCities(createdIds().filter((id) => !stored.has(id)));
    const before = knownWork();
    const { status, code, pause, budget } = await attack(attacked.service, each);
    expect(expected).toContain([status, code].filter(Boolean).join(" "));
    const slowness = Math.max(1, before / KNOWN_TIME, excess === Infinity ? 1 : knownWork() / KNOWN_TIME);
    excess = Math.min(excess, pause - slowness * (2 * budget + ALLOWANCE));
  }
  expect(excess).toBeLessThan(0);
});

/** Returns the keys of cities that attacks created. */
function createdIds(): readonly number[] {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const rows = database.prepare("select id from city where id > 34000").all();
  database.close();
  return rows.map(({ id }) => Number(id));
}

/** Removes what an attempt created, so that the next one can create it. */
function removeCities(ids: readonly number[]): void {
  const database = new DatabaseSync(databaseFile);
  const remove = database.prepare("delete from city where id = ?");
  for (const id of ids) remove.run(id);
  database.exec("delete from country where id > 244 and id not in (select country_id from city)");
  database.close();
}

/** Does work of a known length. @returns the milliseconds of CPU time that it took */
function knownWork(): number {
  const begun = process.threadCpuUsage();
  const rows = JSON.parse(KNOWN_TEXT) as Array<{ name: string }>;
  rows.sort((one, other) => (one.name < other.name ? -1 : 1));
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}

test("other requests are served during an attack", async () => {
  const long = ATTACKS.find(({ name }) => name === "any within any within any");
  if (long === undefined) throw new Error("There is no such attack.");
  const begun = performance.now();
  const attacking = attack(attacked.service, long);
  let served = 0;
  while (performance.now() - begun < QUERY_TIMEOUT - 200) {
    const response = await attacked.service.fetch(new Request(`http://attacked.example/Cities(${String(1 + served)})`));
    expect(response.status).toBe(200);
    served += 1;
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  expect(await attacking).toMatchObject({ status: 503, code: "QueryTimeout" });
  expect(served).toBeGreaterThan(20);
});
