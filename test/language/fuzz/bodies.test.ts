import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ODataError } from "../../../src/base/errors/odata-error.ts";
import type { JsonValue } from "../../../src/base/json/write-json.ts";
import { parseBody } from "../../../src/http/read-json-body.ts";
import { compileBodyReaders, compileRelatedReader } from "../../../src/payload/body-readers.ts";
import { compilePropertyBodyReader } from "../../../src/payload/read-property-body.ts";
import { readReference } from "../../../src/payload/write-entity-reference.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { entitySets, setOf, typeOf } from "../../payload/body-model.ts";

/** Every body results in a value or in an error for the client, without side effects. */

const RUNS = caseCount(300);

const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const picture = (): readonly number[] => PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);
const before = picture();

/** All readers, for both treatments of unknown members and of nested values. */
const READS: ReadonlyArray<(body: JsonValue, ieee754Compatible: boolean) => unknown> = [
  ...["Everything", "Orders", "Lines", "Trips", "Odds", "Nodes"].flatMap((name) =>
    (["reject", "ignore"] as const).flatMap((unknownMembers) =>
      [true, false].flatMap((allowDeepInsert) => {
        const readers = compileBodyReaders(setOf(name), { unknownMembers, allowDeepInsert, entitySets });
        const key = name === "Lines" ? { orderId: 1n, number: "1" } : 1;
        return [
          readers.readNew,
          readers.readDelta,
          (body: JsonValue, ieee: boolean) => readers.readReplacement(body, ieee, key),
        ];
      }),
    ),
  ),
  (body, ieee) => {
    const settings = { unknownMembers: "reject", allowDeepInsert: true, entitySets } as const;
    const stops = setOf("Trips").navigationProperties.get("Stops")!;
    return compileRelatedReader(setOf("Trips"), stops, settings)(body, ieee, 1);
  },
  ...typeOf("Everything").properties.map((property) =>
    compilePropertyBodyReader(property, { unknownMembers: "ignore" }),
  ),
  readReference,
];

function survives(text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const body = bodyOf(bytes);
  if (body === undefined) return;
  for (const read of READS) {
    endsWell(() => read(body, false));
    endsWell(() => read(body, true));
  }
  expect(picture()).toEqual(before);
}

/** Returns the body, if it is one. */
function bodyOf(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseBody(bytes, 64);
  } catch (error) {
    if (!(error instanceof ODataError)) throw error;
    return undefined;
  }
}

/** Returns whether the read returned a value. */
function endsWell(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!(error instanceof ODataError)) throw error;
    const { status, message, target = "" } = error;
    // Assertions are slow, and this runs a million times.
    if ((status === 400 || status === 501) && message.length < 1200 && target.length < 200) return false;
    throw new Error(`${String(status)} ${target} ${message}`, { cause: error });
  }
}

const names = [...entitySets.values()].flatMap(({ entityType }) => [...entityType.members.keys()]);
const name = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom(
    "Street",
    "City",
    "Geo",
    "Latitude",
    "Notes",
    "value",
    "@odata.id",
    "@odata.type",
    "Lines@odata.bind",
  ),
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "length", ""),
  fc.string({ unit: anyCharacter, maxLength: 4 }),
);
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: anyCharacter, maxLength: 5 }),
  fc.constantFrom("INF", "Low", "Read,Write", "2024-02-29", "PT1S", "01234567-89ab-cdef-0123-456789abcdef", "T0RhdGE"),
);
const { value } = fc.letrec<{ value: unknown; object: unknown; array: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, tie("object"), tie("array")),
  array: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.array(fc.tuple(name, tie("value")), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
}));

describe("bodies", () => {
  test("any JSON with the names of the model", () => {
    fc.assert(
      fc.property(value, (body) => survives(JSON.stringify(body))),
      { numRuns: RUNS },
    );
  });

  test("damaged bytes", () => {
    fc.assert(
      fc.property(value, fc.nat(), fc.nat(255), (body, place, byte) => {
        const bytes = new TextEncoder().encode(JSON.stringify(body));
        bytes[place % bytes.length] = byte;
        survives(bytes);
      }),
      { numRuns: RUNS },
    );
  });

  test("any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => survives(bytes)),
      { numRuns: RUNS },
    );
  });

  test.each([
    "1E400",
    "-0",
    "1e999999999999999999999999",
    `1e${"9".repeat(3000)}`,
    "9".repeat(20_000),
    `0.${"0".repeat(20_000)}1`,
    `-${"9".repeat(3000)}`,
    String.raw`"\ud800"`,
    String.raw`"\u0000"`,
    `"${"x".repeat(20_000)}"`,
    `"${"A".repeat(20_000)}"`,
    `"${"1".repeat(20_000)}"`,
    `"P${"1".repeat(20_000)}D"`,
    `"2024-01-01T00:00:00.${"1".repeat(20_000)}Z"`,
    `"${"Read,".repeat(5000)}"`,
    `[${"1,".repeat(20_000)}1]`,
    `{"a":${"[".repeat(60)}${"]".repeat(60)}}`,
    "[".repeat(1_000_000),
    '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
  ])("hostile value %# in every place", (json) => {
    survives(json);
    const properties = typeOf("Everything").properties.map((property) => property.name);
    survives(`{${properties.map((each) => `"${each}":${json}`).join(",")}}`);
    for (const each of ["Strings", "Decimal", "Address", "Duration", "Access"]) {
      survives(`{"Id":1,"${each}":${json}}`);
    }
    survives(`{"Id":1,"Address":{"Street":"A","Geo":{"Latitude":${json}}}}`);
  });
});
