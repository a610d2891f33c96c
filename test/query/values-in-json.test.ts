import { complexType, edm, entityType } from "odatakit";
import { describe, expect, test } from "vitest";
import { declaredEntityType } from "../../src/definition/model/declared-entity-type.ts";
import { lastValuesOf } from "../../src/query/values-in-json.ts";

const Address = complexType("Address", { city: edm.string() });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  big: edm.int64().nullable(),
  single: edm.single().nullable(),
  code: edm.guid().nullable(),
  address: edm.complex(Address).nullable(),
});
const { properties } = declaredEntityType(Thing);

/** Reads values of the last of two entities. */
function read(last: string, names: readonly string[]) {
  const first = '{"Id":1}';
  const bytes = new TextEncoder().encode(`${first},${last}`);
  const lastStart = first.length + 1;
  const wanted = names.flatMap((name) => properties.filter((property) => property.name === name));
  return lastValuesOf({ bytes, length: 2, total: 2, lastStart, previousStart: 0 }, wanted);
}

describe("the values in the last entity of a page as JSON", () => {
  test("are those of its members", () => {
    expect(read('{"Id":7,"Big":9007199254740993,"Single":null}', ["Big", "Id", "Single"])).toEqual([
      9_007_199_254_740_993n,
      7,
      null,
    ]);
  });

  test.each([
    ["of a text that is not an entity", "7", ["Id"]],
    ["of a member that is missing", '{"Id":7}', ["Id", "Big"]],
    ["of a complex value", '{"Address":{"City":"Rome"}}', ["Address"]],
    ["that its type does not accept", '{"Single":1e39}', ["Single"]],
    ["that a row has in another form", '{"Code":"0B5E3D4C-8C3F-4B1E-8D1F-0123456789AB"}', ["Code"]],
  ])("are unknown if there is one %s", (_title, last, names) => {
    expect(read(last, names)).toBeNull();
  });
});
