import { describe, expect, test } from "vitest";
import type { CatalogueQuery, CatalogueSteps } from "../../../src/databases/introspect/catalogue-steps.ts";
import { readPostgresCatalogue } from "../../../src/databases/postgres/introspect/postgres-catalogue.ts";
import { readPostgresDatabase } from "../../../src/databases/postgres/introspect/postgres-database.ts";

const DROPPED = ["could not open relation with OID 71281", "cache lookup failed for constraint 7"];

/** Runs steps whose statements find no rows; the one with the number `failing` fails first. @returns the statements */
function run(steps: CatalogueSteps<unknown>, failing: number, messages: readonly string[]): readonly CatalogueQuery[] {
  const sent: CatalogueQuery[] = [];
  const waiting = [...messages];
  let step = steps.next();
  while (step.done !== true) {
    sent.push(step.value);
    const message = sent.length >= failing ? waiting.shift() : undefined;
    step = message === undefined ? steps.next([]) : steps.throw(new Error(message));
  }
  return sent;
}

describe.each([
  ["introspection", () => readPostgresDatabase(), 1],
  ["the schema check", () => readPostgresCatalogue([]), 0],
] as const)("%s, while another session drops an object", (_name, read, before) => {
  const statements = run(read(), 1, []).length;

  test.each([1, 2])("reads statement %i of the catalogue again", (place) => {
    const sent = run(read(), before + place, DROPPED);
    expect(sent.length).toBe(statements + DROPPED.length);
    expect(new Set(sent.slice(before + place - 1, before + place + 2)).size).toBe(1);
  });

  test("gives up after the fifth time, and at once for another error", () => {
    const often = Array.from({ length: 5 }, () => "cache lookup failed for relation 7");
    expect(() => run(read(), before + 1, often)).toThrow("cache lookup failed for relation 7");
    expect(() => run(read(), before + 1, ["permission denied for table pg_class"])).toThrow("permission denied");
  });
});
