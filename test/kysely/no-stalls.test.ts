// Statements: docs/reference/limits.md#large-bodies
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTACKS } from "../../bench/attack-requests.ts";
import { attack, openAttackedService, writeAttackedDatabase, type AttackedService } from "../../bench/attacks.ts";

/** Milliseconds of CPU time that a loaded machine may add to twice the budget: 500 in total for a body of up to 1 MiB. */
const ALLOWANCE = 400;
const QUERY_TIMEOUT = 1500;

const folder = mkdtempSync(join(tmpdir(), "no-stalls-"));
let attacked: AttackedService;

beforeAll(async () => {
  const file = join(folder, "attacked.db");
  writeAttackedDatabase(file);
  attacked = openAttackedService(file, { queryTimeout: QUERY_TIMEOUT });
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
  const { status, code, pause, budget } = await attack(attacked.service, each);
  const expected =
    each.refusal === undefined
      ? [String(each.status ?? (each.method === "POST" ? 201 : 200)), ...LIMITS]
      : [each.refusal];
  expect(expected).toContain([status, code].filter(Boolean).join(" "));
  expect(pause).toBeLessThan(2 * budget + ALLOWANCE);
});

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
