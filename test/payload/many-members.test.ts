import { expect, test } from "vitest";
import { ODataError } from "../../src/base/errors/odata-error.ts";
import type { JsonObject, JsonValue } from "../../src/base/json/write-json.ts";
import { compileNameCheck, type UnknownMembers, refuseBindings } from "../../src/payload/body-members.ts";
import { guarded } from "../../src/payload/body-readers.ts";

const MANY = 20_000;

/** Returns an object with many members, and others at the end. */
function members(name: (index: number) => string, ...ends: ReadonlyArray<readonly [string, JsonValue]>): JsonObject {
  return Object.fromEntries([...Array.from({ length: MANY }, (_none, index) => [name(index), 1] as const), ...ends]);
}

const unknown = (index: number): string => `Unknown${String(index)}`;
const annotation = (index: number): string => `@a.b${String(index)}`;
const BINDING = ["Customer@odata.bind", "Customers(1)"] as const;
const nested = Array.from({ length: MANY }, () => ({ c: 1 }));

/** Checks a body as its readers do. */
function check(body: JsonObject, unknownMembers: UnknownMembers): unknown {
  const checkNames = compileNameCheck("A.Order", new Set(["Id", "Passed"]), unknownMembers);
  try {
    guarded(body, false, (place) => {
      checkNames(body, place);
      refuseBindings(body["Passed"] ?? null, place);
    });
    return null;
  } catch (error) {
    if (!(error instanceof ODataError)) throw error;
    const { status, code, target } = error;
    return { status, code, target };
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

test.each(BODIES)("the names of a body with many members are checked: %s", (_name, body, unknownMembers, expected) => {
  expect(check(body, unknownMembers)).toEqual(expected);
});
