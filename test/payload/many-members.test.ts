import { afterEach, describe, expect, test, vi } from "vitest";
import type { Pace, Steps } from "../../src/base/turn.ts";
import { ODataError } from "../../src/errors/odata-error.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { compileNameCheck, type UnknownMembers } from "../../src/payload/body-members.ts";
import { guarded } from "../../src/payload/body-readers.ts";
import { ReadingProgress } from "../../src/payload/reading-progress.ts";
import { refuseBindings } from "../../src/payload/refuse-binding.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const MANY = 20_000;

/** Returns an object with many members, and others at the end. */
function members(name: (index: number) => string, ...ends: ReadonlyArray<readonly [string, JsonValue]>): JsonObject {
  return Object.fromEntries([...Array.from({ length: MANY }, (_none, index) => [name(index), 1] as const), ...ends]);
}

const unknown = (index: number): string => `Unknown${String(index)}`;
const annotation = (index: number): string => `@a.b${String(index)}`;
const BINDING = ["Customer@odata.bind", "Customers(1)"] as const;
const nested = Array.from({ length: MANY }, () => ({ c: 1 }));

interface Outcome {
  readonly outcome: unknown;
  readonly attempts: number;
}

/** Checks a body as its readers do. @param milliseconds between two readings of the clock */
async function check(body: JsonObject, unknownMembers: UnknownMembers, milliseconds: number): Promise<Outcome> {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += milliseconds));
  const checkNames = compileNameCheck("A.Order", new Set(["Id", "Passed"]), unknownMembers);
  let attempts = 0;
  try {
    await guarded(body, false, (place) => {
      attempts += 1;
      checkNames(body, place);
      refuseBindings(body["Passed"] ?? null, place);
    });
    return { outcome: null, attempts };
  } catch (error) {
    if (!(error instanceof ODataError)) throw error;
    const { status, code, target, message } = error;
    return { outcome: { status, code, target, message }, attempts };
  }
}

const REFUSED = { status: 400, code: "InvalidBody", target: "Unknown0" };
const UNSUPPORTED = { status: 501, code: "NotImplemented", target: "Customer@odata.bind" };

const IN_PASSED = { ...UNSUPPORTED, target: "Passed/Customer@odata.bind" };

const BODIES: ReadonlyArray<readonly [string, JsonObject, UnknownMembers, object | null]> = [
  ["unknown members", members(unknown), "reject", REFUSED],
  ["unknown members, then a link", members(unknown, BINDING), "reject", UNSUPPORTED],
  ["ignored members", members(unknown), "ignore", null],
  ["ignored members, then a link", members(unknown, BINDING), "ignore", UNSUPPORTED],
  ["annotations", members(annotation), "reject", null],
  ["annotations, then an unknown member", members(annotation, ["Unknown0", 1]), "reject", REFUSED],
  ["annotations, then both", members(annotation, ["Unknown0", 1], BINDING), "reject", UNSUPPORTED],
  ["an annotation of many objects", { Id: 1, "@a.b": nested }, "reject", null],
  [
    "an annotation of many objects, then a link",
    { Id: 1, "@a.b": [...nested, { "C@odata.bind": "D" }] },
    "reject",
    { ...UNSUPPORTED, target: `@a.b/${String(MANY)}/C@odata.bind` },
  ],
  ["many annotations with objects", members(annotation, ["@c.d", { e: nested }]), "reject", null],
  ["a member that is passed over", { Passed: members(unknown) }, "reject", null],
  ["a link in a member that is passed over", { Passed: members(unknown, BINDING) }, "reject", IN_PASSED],
  [
    "an unknown member beside one that is passed over",
    { Unknown0: 1, Passed: members(unknown, BINDING) },
    "reject",
    IN_PASSED,
  ],
];

describe("the names of a body with many members", () => {
  test.each(BODIES)("are checked in turns as at once: %s", async (_name, body, unknownMembers, expected) => {
    const atOnce = await check(body, unknownMembers, 0);
    const inTurns = await check(body, unknownMembers, 6);
    expect(atOnce.attempts).toBe(1);
    expect(inTurns.attempts).toBeGreaterThan(5);
    expect(inTurns.outcome).toEqual(atOnce.outcome);
    if (expected === null) expect(atOnce.outcome).toBeNull();
    else expect(atOnce.outcome).toMatchObject(expected);
  });

  test("are listed once, also for the search for links after a fault", async () => {
    const body = members(unknown);
    const list = vi.spyOn(Object, "keys");
    await check(body, "reject", 6);
    expect(list.mock.calls.filter(([object]) => object === body)).toHaveLength(1);
  });

  test("are checked apart for each task", () => {
    const progress = new ReadingProgress();
    const work = (result: string) =>
      function* (pace: Pace): Steps<string> {
        if (pace.isOver) yield;
        return result;
      };
    const part = {};
    expect(progress.doSteps("names", part, work("a"))).toBe("a");
    expect(progress.continues("links", part)).toBe(false);
    expect(progress.doSteps("links", part, work("b"))).toBe("b");
    expect(progress.doSteps("names", part, work("c"))).toBe("a");
    expect(progress.continues("names", part)).toBe(true);
  });
});
