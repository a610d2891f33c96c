import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor } from "./doors.ts";

const Thing = entityType("Thing", { id: edm.int32().key(), serial: edm.int64().key(), text: edm.string().nullable() });
const thing = { id: 2, serial: 9_007_199_254_740_993n, text: "old" };

const serviceOf = (profile: "specification" | "standard") =>
  odataService({
    prefix: "/odata",
    profile,
    entitySets: [
      entitySet(Thing, {
        queryable: () => arraySource(Thing, [thing]),
        getByKey: ({ id, serial }) => (id === thing.id && serial === thing.serial ? thing : null),
        replace: (key, entity) => ({ ...entity, ...key }),
        patch: (key, delta) => ({ ...thing, ...delta, ...key }),
      }),
    ],
  });

const SERVICES = { specification: serviceOf("specification"), standard: serviceOf("standard") };
const STRINGS = "application/json;IEEE754Compatible=true";
const NUMBERS = "application/json";

/** Kendo UI writes each number as a string, the key included. */
eachDoor((door) => {
  describe.each(["PUT", "PATCH"])("%s", (method) => {
    const statusOf = async (profile: keyof typeof SERVICES, type: string, key: string) => {
      const send = door.to(SERVICES[profile]);
      const body = `{${key},"Text":"new"}`;
      const { status, json } = await send(
        "/odata/Things(Id=2,Serial=9007199254740993)",
        { "Content-Type": type },
        method,
        body,
      );
      return status === 200 ? [status, json.Text] : [status, json.error.code];
    };

    test.each<readonly [type: string, key: string, expected: readonly [number, string]]>([
      [STRINGS, '"Id":"2","Serial":"9007199254740993"', [200, "new"]],
      [STRINGS, '"Id":2,"Serial":9007199254740993', [200, "new"]],
      [STRINGS, '"Id":"3","Serial":"9007199254740993"', [400, "KeyMismatch"]],
      [STRINGS, '"Id":"2","Serial":"9007199254740992"', [400, "KeyMismatch"]],
      [STRINGS, '"Id":"x","Serial":"9007199254740993"', [400, "InvalidBody"]],
      [NUMBERS, '"Id":2,"Serial":9007199254740993', [200, "new"]],
      [NUMBERS, '"Id":2,"Serial":9007199254740992', [400, "KeyMismatch"]],
    ])("compares the key of the body with the URL by value: %s %s", async (type, key, expected) => {
      expect(await statusOf("specification", type, key)).toEqual(expected);
    });

    test.each([
      [STRINGS, '"Id":"3","Serial":"1"'],
      [NUMBERS, '"Id":3,"Serial":1'],
    ])("ignores the key of the body in the standard profile: %s %s", async (type, key) => {
      expect(await statusOf("standard", type, key)).toEqual([200, "new"]);
    });
  });
});
