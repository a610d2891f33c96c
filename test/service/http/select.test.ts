import { arraySource, entitySet, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectInvalidOption, ORIGIN, url } from "./doors.ts";
import { noFailures, SAMPLE_SETS, Sample, SAMPLES, sampleService } from "./model.ts";

const CONTEXT = `${ORIGIN}/odata/$metadata#Samples`;

/** Each selection, the list in its context URL, and sample 3 in the response. */
const SELECTIONS: ReadonlyArray<readonly [select: string, listed: string, entity: object]> = [
  ["Id", "Id", { Id: 3 }],
  ["Text,Id", "Text,Id", { Text: "Aniseed Syrup", Id: 3 }],
  ["Id, Text", "Id,Text", { Text: "Aniseed Syrup", Id: 3 }],
  ["Text", "Text", { Text: "Aniseed Syrup" }],
  ["id,TEXT", "Id,Text", { Text: "Aniseed Syrup", Id: 3 }],
  ["remark", "remark", { remark: null }],
  ["Single,Color,Date", "Single,Color,Date", { Single: 1024, Color: "Blue", Date: "9999-12-31" }],
  ["Texts", "Texts", { Texts: ["a"] }],
  ["MaybeHome", "MaybeHome", { MaybeHome: { Street: "Q 3", City: null, Position: null } }],
  ["Home/City", "Home/City", { Home: { City: "Paris" } }],
  ["Home/City,Home/Street,Id", "Home/City,Home/Street,Id", { Id: 3, Home: { City: "Paris", Street: "Side St 3" } }],
  ["Home/Position/Latitude", "Home/Position/Latitude", { Home: { Position: { Latitude: 48.85 } } }],
];

eachDoor((door) => {
  const send = door.to(sampleService);

  describe("$select: only the selected properties; the context URL lists them in the client's order", () => {
    test.each(SELECTIONS)("collection, %s", async ($select, listed, entity) => {
      expectAnswer(await send(url("/odata/Samples", { $select, $filter: "Id eq 3" })), {
        body: {
          "@odata.context": `${CONTEXT}(${listed})`,
          value: ["Id" in entity ? entity : { "@odata.id": `${ORIGIN}/odata/Samples(3)`, ...entity }],
        },
      });
    });

    test.each(SELECTIONS)("entity, %s", async ($select, listed, entity) => {
      expectAnswer(await send(url("/odata/Samples(3)", { $select })), {
        body: {
          "@odata.context": `${CONTEXT}(${listed})/$entity`,
          "@odata.id": `${ORIGIN}/odata/Samples(3)`,
          ...entity,
        },
      });
    });

    test.each(SAMPLE_SETS.slice(1))("on every form of reading: %s", async (set) => {
      for (const [$select, , entity] of SELECTIONS) {
        const { json } = await send(url(`/odata/${set}`, { $select, $filter: "Id eq 3" }));
        expect(json.value, $select).toEqual([entity]);
      }
    });

    test("null of a complex value with a selected member stays null", async () => {
      const { json } = await send(url("/odata/Samples(2)", { $select: "MaybeHome/City" }));
      expect(json.MaybeHome).toBeNull();
    });

    test.each(["*", "Id,*", "*,Id"])("%s is everything", async ($select) => {
      const all = await send("/odata/Samples(1)");
      const starred = await send(url("/odata/Samples(1)", { $select }));
      const { "@odata.context": context, ...members } = starred.json;
      const { "@odata.context": _, ...expected } = all.json;
      expect(members).toEqual(expected);
      expect(context).toBe(`${CONTEXT}(*)/$entity`);
    });

    test("without $select the context lists nothing", async () => {
      const { json } = await send("/odata/Samples(1)");
      expect(json["@odata.context"]).toBe(`${CONTEXT}/$entity`);
      const everything = await send("/odata/Samples");
      expect(everything.json["@odata.context"]).toBe(CONTEXT);
    });
  });

  describe("400 InvalidQueryOption that names $select", () => {
    const FAULTED: ReadonlyArray<readonly [select: string, message?: RegExp]> = [
      [""],
      [","],
      ["Id,"],
      ["Id,,Text"],
      ["Nope", /Nope/u],
      ["Tex", /Text/u],
      ["Id Text"],
      ["Id/Nope"],
      ["Home/Nope", /Nope/u],
      ["Secret", /Secret/u],
      ["Home/AlarmCode", /AlarmCode/u],
      ["Id eq 1"],
      ["'Id'"],
      ["Id;"],
    ];
    const FAULTS = FAULTED.map(([$select, message]) => ({ $select, message }));

    test.each(FAULTS)("collection, $$select", async ({ $select, message }) => {
      expectInvalidOption(await send(url("/odata/Samples", { $select })), "$select", message);
    });

    test.each(FAULTS)("entity, $$select", async ({ $select, message }) => {
      expectInvalidOption(await send(url("/odata/Samples(1)", { $select })), "$select", message);
    });
  });

  describe("names follow the registration", () => {
    const serve = (propertyNaming: "camelCase" | "asDeclared") =>
      door.to(
        odataService({
          prefix: "/odata",
          propertyNaming,
          logger: noFailures,
          entitySets: [
            entitySet(Sample, {
              queryable: () => arraySource(Sample, SAMPLES),
              getByKey: (key) => SAMPLES.find(({ id }) => id === key) ?? null,
            }),
          ],
        }),
      );

    test.each(["camelCase", "asDeclared"] as const)("%s", async (naming) => {
      const expected = {
        "@odata.context": `${CONTEXT}(maybeText,remark,home/city)/$entity`,
        "@odata.id": `${ORIGIN}/odata/Samples(3)`,
        maybeText: "",
        home: { city: "Paris" },
        remark: null,
      };
      expectAnswer(await serve(naming)("/odata/Samples(3)?$select=maybeText,remark,home/city"), { body: expected });
      expectInvalidOption(await serve(naming)("/odata/Samples(3)?$select=renamed"), "$select", /renamed/u);
    });
  });
});
