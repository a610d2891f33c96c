import { complexType, edm, entityType, enumType, odataService, type ConfigurationError } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import type { AnyDatabase } from "./orders.ts";

const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Flags = enumType("Flags", { A: 1, B: 2 }, { isFlags: true });
const Place = complexType("Place", { x: edm.int32() });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  name: edm.string(),
  status: edm.enum(Status),
  flags: edm.enum(Flags),
  active: edm.boolean(),
  tags: edm.collection(edm.string()),
  place: edm.complex(Place),
  day: edm.date(),
  time: edm.timeOfDay(),
});

/** The faults of a declaration, as messages and fixes. */
function faultsOf(db: AnyDatabase, columns: object): ReadonlyArray<readonly [message: string, fix: string]> {
  try {
    odataService({ entitySets: [sqlEntitySet(Thing, { db, table: "things", operations: ["read"], columns })] });
  } catch (error) {
    return (error as ConfigurationError).faults.map(({ message, fix }) => [message, fix]);
  }
  return [];
}

const FAULTS: ReadonlyArray<readonly [columns: object, message: RegExp, fix: RegExp]> = [
  [{ status: { storage: { values: { Draft: 0 } } } }, /maps no cell to `Paid`/, /Map every member/],
  [
    { status: { storage: { values: { Draft: 0, Paid: 1, Lost: 2 } } } },
    /maps `Lost`, which Status does not/,
    /members/,
  ],
  [{ status: { storage: { values: { Draft: 0, Paid: 0 } } } }, /maps Paid to 0, like another member/, /its own cell/],
  [{ status: { storage: { values: { Draft: 0, Paid: "1" } } } }, /mixes numbers and strings/, /only/],
  [{ status: { storage: { values: { Draft: 0.5, Paid: 1 } } } }, /maps to 0.5/, /whole numbers, or to strings/],
  [{ status: { storage: { values: { Draft: null, Paid: 1 } } } }, /maps to null/, /whole numbers, or to strings/],
  [{ status: { storage: { values: [0, 1] } } }, /values` is an array/, /the cell of each member/],
  [{ status: { storage: { values: { Draft: 0, Paid: 1 }, other: 1 } } }, /no option `other`/, /only `values`/],
  [{ status: { storage: { true: 1, false: 0 } } }, /Status, cannot be stored as \{ true, false \}/, /\{ values: /],
  [{ status: { storage: "epoch" } }, /Status, cannot be stored as "epoch"/, /\{ values: \{ Member: 0 \} \}/],
  [{ flags: { storage: { values: { A: 1, B: 2 } } } }, /whose members are flags/, /the sum of their numeric values/],
  [{ active: { storage: { true: "Y" } } }, /maps to undefined/, /whole numbers, or to strings/],
  [{ active: { storage: { true: "Y", false: "Y" } } }, /one cell for true and false, "Y"/, /its own cell/],
  [{ active: { storage: { true: "Y", false: 0 } } }, /mixes numbers and strings/, /only/],
  [{ active: { storage: { true: true, false: false } } }, /maps to true/, /whole numbers, or to strings/],
  [{ active: { storage: { values: { true: 1 } } } }, /Boolean, cannot be stored as \{ values \}/, /\{ true: "Y", /],
  [
    { name: { storage: { true: "Y", false: "N" } } },
    /String, cannot be stored as \{ true, false \}/,
    /omit `storage`/i,
  ],
  [{ tags: { columns: { x: "y" } } }, /`tags` has members in `columns`, but is stored in one column/, /its one column/],
  [
    { place: { storage: "json", columns: { x: "y" } } },
    /`place` has members in .* is stored in one column/,
    /one column/,
  ],
  [{ place: { storage: "array" } }, /Place, cannot be stored as "array"/, /omit `storage`/i],
  [{ name: { storage: "array" } }, /String, cannot be stored as "array"/, /omit `storage`/i],
  [{ day: { storage: "utc" } }, /Date, cannot be stored as "utc"/, /"epoch" or "epoch-seconds" or "julian" or/],
  [{ time: { storage: "epoch-seconds" } }, /TimeOfDay, cannot be stored as "epoch-seconds"/, /omit `storage`/i],
  [{ name: { storage: "julian" } }, /String, cannot be stored as "julian"/, /omit `storage`/i],
  [{ id: { storage: "sqlite-datetime" } }, /Int32, cannot be stored as "sqlite-datetime"/, /omit `storage`/i],
  [{ name: { storage: {} } }, /storage` is an object/, /\{ values \} for an enumeration/],
];

describe.each(ENGINES)("storage that does not fit its type: $title", (engine) => {
  test("reports the fault and the storage forms that fit", async () => {
    const { db, close } = await engine.open();
    for (const [columns, message, fix] of FAULTS) {
      expect(faultsOf(db, columns)[0], JSON.stringify(columns)).toEqual([
        expect.stringMatching(message),
        expect.stringMatching(fix),
      ]);
    }
    await close();
  });
});
