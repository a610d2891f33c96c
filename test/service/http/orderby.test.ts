import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectInvalidOption, ORIGIN, url } from "./doors.ts";
import { idsOf, SAMPLE_SETS, sampleService } from "./model.ts";

const ORDERS: ReadonlyArray<readonly [orderby: string, ids: readonly number[]]> = [
  ["Id", [1, 2, 3, 4, 5, 6]],
  ["Id asc", [1, 2, 3, 4, 5, 6]],
  ["Id desc", [6, 5, 4, 3, 2, 1]],
  ["Text", [3, 1, 5, 2, 4, 6]],
  ["Text desc", [6, 4, 2, 5, 1, 3]],
  // Null is below every value; ties go by the key, in the direction of the last term (decision 0007).
  ["MaybeInt32", [2, 5, 4, 6, 1, 3]],
  ["MaybeInt32 desc", [3, 1, 6, 4, 5, 2]],
  ["MaybeInt32 desc,Id", [3, 1, 6, 4, 2, 5]],
  ["MaybeBoolean", [2, 5, 3, 6, 1, 4]],
  ["MaybeBoolean desc", [4, 1, 6, 3, 5, 2]],
  ["Boolean,Text desc", [6, 4, 2, 5, 1, 3]],
  ["Boolean desc,Id desc", [5, 3, 1, 6, 4, 2]],
  ["Boolean asc, Id desc", [6, 4, 2, 5, 3, 1]],
  ["Home/City", [2, 5, 1, 4, 3, 6]],
  ["MaybeHome/City desc", [6, 1, 5, 4, 3, 2]],
  ["MaybeHome/Position/Latitude desc,Id desc", [1, 6, 5, 4, 3, 2]],
  ["length(Text)", [1, 2, 6, 4, 3, 5]],
  ["Id mod 2,Id desc", [6, 4, 2, 5, 3, 1]],
  ["-Id", [6, 5, 4, 3, 2, 1]],
  ["year(Date) desc", [3, 6, 2, 1, 5, 4]],
  ["DateTimeOffset", [4, 1, 5, 6, 2, 3]],
  ["TimeOfDay", [4, 1, 6, 5, 2, 3]],
  ["Duration", [4, 6, 1, 5, 2, 3]],
  ["Decimal desc", [3, 2, 1, 6, 5, 4]],
  ["Amount", [4, 5, 1, 2, 6, 3]],
  ["Int64", [4, 6, 1, 5, 2, 3]],
  ["Int64 desc", [3, 2, 5, 1, 6, 4]],
  ["Color desc", [6, 3, 5, 2, 4, 1]],
  ["Access", [3, 1, 5, 2, 6, 4]],
  ["Guid", [1, 2, 4, 5, 6, 3]],
  ["contains(Text,'ha')", [3, 4, 5, 6, 1, 2]],
  ["Id gt 3 desc,Id", [4, 5, 6, 1, 2, 3]],
  ["Texts/$count desc", [4, 1, 6, 3, 5, 2]],
  ["remark", [2, 3, 5, 4, 1, 6]],
  ["id desc", [6, 5, 4, 3, 2, 1]],
  // Null, NaN, then all numbers from -INF on (decision 0007).
  ["MaybeDouble", [2, 5, 6, 4, 1, 3]],
  ["MaybeDouble desc", [3, 1, 4, 6, 5, 2]],
];

const read = (set: string, options: Readonly<Record<string, string>>) =>
  url(`/odata/${set}`, { ...options, $select: "Id" });

eachDoor((door) => {
  const send = door.to(sampleService);

  describe("$orderby", () => {
    test.each(ORDERS)("%s", async ($orderby, ids) => {
      const body = { "@odata.context": `${ORIGIN}/odata/$metadata#Samples(Id)`, value: ids.map((Id) => ({ Id })) };
      expectAnswer(await send(read("Samples", { $orderby })), { body });
    });

    test("infinity bounds the numbers", async () => {
      const { json } = await send(read("Samples", { $orderby: "Double desc", $filter: "Double eq Double" }));
      expect(idsOf(json)).toEqual([5, 3, 2, 1, 4]);
    });

    test("NaN has one place, whatever the direction the order is total", async () => {
      const up = await send(read("Samples", { $orderby: "Double" }));
      const down = await send(read("Samples", { $orderby: "Double desc" }));
      expect(new Set(idsOf(up.json)).size).toBe(6);
      expect(idsOf(down.json)).toEqual(idsOf(up.json).toReversed());
    });

    test("accepts a parameter alias", async () => {
      const { json } = await send(read("Samples", { $orderby: "Id mul @sign", "@sign": "-1" }));
      expect(idsOf(json)).toEqual([6, 5, 4, 3, 2, 1]);
    });
  });

  test.each(SAMPLE_SETS.slice(1))("every form of reading orders alike: %s", async (set) => {
    const answers = await Promise.all(ORDERS.map(([$orderby]) => send(read(set, { $orderby }))));
    const actual = answers.map(({ status, json }, index) => [ORDERS[index]![0], status === 200 ? idsOf(json) : json]);
    expect(actual).toEqual(ORDERS);
  });

  describe("400 InvalidQueryOption that names $orderby", () => {
    const FAULTS: ReadonlyArray<readonly [orderby: string, message?: RegExp]> = [
      [""],
      [","],
      ["Id,"],
      ["Id,,Text"],
      ["Id foo", /foo|asc/u],
      ["Id asc desc"],
      ["Id desc Text"],
      ["Id;desc"],
      ["Nope", /Nope/u],
      ["Home/Nope"],
      ["Tex", /Text/u],
      ["Texts"],
      ["Home"],
      ["Homes/Street"],
      ["Secret", /Secret/u],
      ["nofunction(Id)"],
      ["Id add"],
      ["Id div 0", /zero/iu],
      [Array.from({ length: 11 }, () => "Id").join(","), /10/u],
    ];

    test.each(FAULTS.map(([$orderby, message]) => ({ $orderby, message })))(
      "$$orderby",
      async ({ $orderby, message }) => {
        expectInvalidOption(await send(read("Samples", { $orderby })), "$orderby", message);
      },
    );
  });
});
