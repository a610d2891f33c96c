import { afterEach, describe, expect, test, vi } from "vitest";
import { isPromiseLike } from "../../src/base/maybe.ts";
import type { StructuralProperty } from "../../src/edm/model.ts";
import { ODataError } from "../../src/errors/odata-error.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { bodyRoot } from "../../src/payload/body-place.ts";
import { ValueReaders } from "../../src/payload/read-value.ts";
import { typeOf } from "./body-model.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const NAMES = "Read,".repeat(200_000);
const access = accessProperty();

function accessProperty(): StructuralProperty {
  const found = typeOf("Everything").properties.find(({ field }) => field === "access");
  if (found === undefined) throw new Error("There is no such property.");
  return found;
}

/** Reads values as a body reads them. @param milliseconds between two readings of the clock */
async function read(
  values: readonly JsonValue[],
  milliseconds: number,
): Promise<{ attempts: number; outcome: unknown }> {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += milliseconds));
  const place = bodyRoot(false);
  const readValue = new ValueReaders("reject").ofProperty(access);
  let attempts = 0;
  try {
    const reading = place.progress.inTurns(() => {
      attempts += 1;
      return values.map((value, index) => readValue(value, place, index));
    });
    expect(isPromiseLike(reading)).toBe(milliseconds > 0);
    return { outcome: await reading, attempts };
  } catch (error) {
    if (!(error instanceof ODataError)) throw error;
    const { status, code, target, message } = error;
    return { outcome: { status, code, target, message }, attempts };
  }
}

const TEXTS: ReadonlyArray<readonly [name: string, texts: readonly string[], outcome: unknown]> = [
  ["names", [`${NAMES}Write`], ["Both"]],
  ["two texts", [`${NAMES}Read`, `${NAMES}2`], ["Read", "Both"]],
  ["names with spaces", [`${" Read , Write,".repeat(50_000)}Write`], ["Both"]],
  ["a comma at the end", [NAMES], { code: "InvalidBody", target: "0" }],
  ["an unknown name at the end", [`${NAMES}Other`], { code: "InvalidBody", target: "0" }],
  ["an unknown value", ["Read", `${NAMES}8`], { code: "InvalidBody", target: "1" }],
  ["a negative value", [`${NAMES}-1`], { code: "InvalidBody", target: "0" }],
  ["a fault before a valid text", [`${NAMES}Other`, `${NAMES}Read`], { code: "InvalidBody", target: "0" }],
];

describe("a long text of flags", () => {
  test.each(TEXTS)("is read in turns as at once: %s", async (_name, texts, expected) => {
    const atOnce = await read(texts, 0);
    const inTurns = await read(texts, 6);
    expect(atOnce.attempts).toBe(1);
    expect(inTurns.attempts).toBeGreaterThan(3);
    expect(inTurns.outcome).toEqual(atOnce.outcome);
    if (Array.isArray(expected)) expect(atOnce.outcome).toEqual(expected);
    else expect(atOnce.outcome).toMatchObject(expected as object);
  });

  test("of a million names is accepted", async () => {
    const { outcome, attempts } = await read([`${"Read,".repeat(999_999)}Read`], 6);
    expect(outcome).toEqual(["Read"]);
    expect(attempts).toBeGreaterThan(20);
  });
});
