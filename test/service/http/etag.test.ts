import { createHash } from "node:crypto";
import { arraySource, entitySet, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { processorTime } from "../../processor-time.ts";
import { type Door, eachDoor, EMPTY_HEADERS, expectAnswer, JSON_HEADERS, ORIGIN, VARY } from "./doors.ts";
import { Item, ITEMS, noFailures, Sample, SAMPLES, shown } from "./model.ts";

/** One value of the hashed bytes: null, binary, or the name of its type and its text. */
type Frame = null | Uint8Array | readonly [type: string, text: string];

function sized(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The ETag as decided, computed apart from the library. */
function etagOf(...frames: readonly Frame[]): string {
  const bytes = frames.map((frame) => {
    if (frame === null) return Buffer.of(0);
    if (frame instanceof Uint8Array) return Buffer.concat([Buffer.of(1), sized(frame)]);
    return Buffer.concat([Buffer.of(2), ...frame.map((text) => sized(Buffer.from(text, "utf8")))]);
  });
  return `"${createHash("sha256").update(Buffer.concat(bytes)).digest("base64")}"`;
}

type SampleField = keyof (typeof Sample)["properties"] & string;

/** A service with an ETag over the given properties. */
function sampled(door: Door, ...etag: SampleField[]) {
  const set = entitySet(Sample, {
    etag,
    queryable: () => arraySource(Sample, SAMPLES),
    getByKey: (key) => SAMPLES.find(({ id }) => id === key) ?? null,
  });
  return door.to(odataService({ prefix: "/odata", namespace: "Kit", entitySets: [set], logger: noFailures }));
}

/** Property, the key of a sample, the frame of its value. Texts follow the table of the specification and decision 0005. */
const FRAMES: ReadonlyArray<readonly [field: SampleField, id: number, frame: Frame]> = [
  ["id", 1, ["Edm.Int32", "1"]],
  ["text", 5, ["Edm.String", "O'Neil & Söhne"]],
  ["text", 6, ["Edm.String", "日本語 𝒳"]],
  ["maybeText", 3, ["Edm.String", ""]],
  ["maybeText", 2, null],
  ["boolean", 1, ["Edm.Boolean", "True"]],
  ["boolean", 2, ["Edm.Boolean", "False"]],
  ["byte", 3, ["Edm.Byte", "255"]],
  ["sByte", 4, ["Edm.SByte", "-128"]],
  ["int16", 4, ["Edm.Int16", "-32768"]],
  ["int32", 4, ["Edm.Int32", "-2147483648"]],
  ["maybeInt32", 2, null],
  ["int64", 3, ["Edm.Int64", "9223372036854775807"]],
  ["single", 1, ["Edm.Single", "0.5"]],
  ["double", 4, ["Edm.Double", "-2.5"]],
  ["double", 3, ["Edm.Double", "1.7976931348623157e+308"]],
  ["double", 5, ["Edm.Double", "INF"]],
  ["maybeDouble", 4, ["Edm.Double", "-INF"]],
  ["double", 6, ["Edm.Double", "NaN"]],
  ["decimal", 1, ["Edm.Decimal", "18.0000"]],
  ["amount", 1, ["Edm.Decimal", "1.10"]],
  ["amount", 2, ["Edm.Decimal", "1.1"]],
  ["guid", 3, ["Edm.Guid", "abcdef01-2345-6789-abcd-ef0123456789"]],
  ["binary", 1, Uint8Array.of(1, 2, 3)],
  ["binary", 2, Uint8Array.of()],
  ["maybeBinary", 2, null],
  ["date", 1, ["Edm.Date", "2024-02-29"]],
  ["timeOfDay", 1, ["Edm.TimeOfDay", "08:30:00.0000000"]],
  ["timeOfDay", 5, ["Edm.TimeOfDay", "12:34:56.7890000"]],
  ["dateTimeOffset", 1, ["Edm.DateTimeOffset", "2024-02-29T10:20:30.0000000+00:00"]],
  ["dateTimeOffset", 5, ["Edm.DateTimeOffset", "2024-02-29T12:20:30.0000000+02:00"]],
  ["dateTimeOffset", 6, ["Edm.DateTimeOffset", "2024-02-29T10:20:30.5000000-03:30"]],
  ["duration", 1, ["Edm.Duration", "01:30:00"]],
  ["duration", 2, ["Edm.Duration", "1.00:00:00"]],
  ["duration", 3, ["Edm.Duration", "1000.02:48:05.4770000"]],
  ["duration", 4, ["Edm.Duration", "-1.00:00:01"]],
  ["color", 3, ["Kit.Color", "Blue"]],
  ["access", 2, ["Kit.Access", "Read,Write"]],
  ["access", 3, ["Kit.Access", "None"]],
];

eachDoor((door) => {
  describe("the ETag is the Base64 SHA-256 over a frame per value", () => {
    test.each(FRAMES)("%s of sample %i", async (field, id, frame) => {
      const send = sampled(door, field);
      const etag = etagOf(frame);
      const { headers, json } = await send(`/odata/Samples(${String(id)})?$select=Id`);
      expect(headers).toEqual({ ...JSON_HEADERS, etag });
      expect(json).toEqual({
        "@odata.context": `${ORIGIN}/odata/$metadata#Samples(Id)/$entity`,
        "@odata.id": `${ORIGIN}/odata/Samples(${String(id)})`,
        "@odata.etag": etag,
        Id: id,
      });
    });

    test("of several properties, in the order in which they are named", async () => {
      const frames: Frame[] = [["Edm.String", "chang"], null, Uint8Array.of(), ["Edm.Int32", "2"]];
      const answer = await sampled(door, "text", "maybeText", "binary", "id")("/odata/Samples(2)");
      expect(answer.headers["etag"]).toBe(etagOf(...frames));
      const other = await sampled(door, "id", "binary", "maybeText", "text")("/odata/Samples(2)");
      expect(other.headers["etag"]).toBe(etagOf(...frames.toReversed()));
    });

    test("adjacent values, null and the empty string, and '1' and 1 have different ETags", async () => {
      const tags = [
        etagOf(["Edm.String", "a"], ["Edm.String", "b"]),
        etagOf(["Edm.String", "ab"], ["Edm.String", ""]),
        etagOf(null),
        etagOf(["Edm.String", ""]),
        etagOf(["Edm.String", "1"]),
        etagOf(["Edm.Int32", "1"]),
      ];
      expect(new Set(tags).size).toBe(tags.length);
    });

    test("one instant at two offsets has two", async () => {
      const send = sampled(door, "dateTimeOffset");
      expect((await send("/odata/Samples(1)")).headers["etag"]).not.toBe(
        (await send("/odata/Samples(5)")).headers["etag"],
      );
    });
  });

  describe("where it is", () => {
    const sets = [
      entitySet(Item, {
        etag: ["name", "rank"],
        getAll: () => ITEMS,
        getByKey: (key) => ITEMS.find(({ id }) => id === key) ?? null,
      }),
      entitySet(Item, { name: "Plain", getAll: () => ITEMS, getByKey: () => ITEMS[0]! }),
    ];
    const send = door.to(odataService({ prefix: "/s", entitySets: sets, logger: noFailures }));
    const tag = (id: number) => etagOf(["Edm.String", `Item ${String(id)}`], ["Edm.Int32", "0"]);

    test("on every item of a collection, without a header", async () => {
      expectAnswer(await send("/s/Items?$top=2"), {
        body: {
          "@odata.context": `${ORIGIN}/s/$metadata#Items`,
          value: [1, 2].map((id) => ({ "@odata.etag": tag(id), ...shown(id) })),
        },
      });
    });

    test("in header and body of one entity", async () => {
      expectAnswer(await send("/s/Items(2)"), {
        headers: { ...JSON_HEADERS, etag: tag(2) },
        body: {
          "@odata.context": `${ORIGIN}/s/$metadata#Items/$entity`,
          "@odata.id": `${ORIGIN}/s/Items(2)`,
          "@odata.etag": tag(2),
          ...shown(2),
        },
      });
    });

    test("not selected properties count", async () => {
      const { headers, json } = await send("/s/Items(2)?$select=Price");
      expect([headers["etag"], json["@odata.etag"]]).toEqual([tag(2), tag(2)]);
    });

    test("odata.metadata=none leaves the header", async () => {
      const { headers, json } = await send("/s/Items(2)", { Accept: "application/json;odata.metadata=none" });
      expect([headers["etag"], json["@odata.etag"]]).toEqual([tag(2), undefined]);
    });

    test("a set without one has none, and If-None-Match has no effect there", async () => {
      const { status, headers, json } = await send("/s/Plain(1)", { "If-None-Match": "*" });
      expect([status, headers["etag"], json["@odata.etag"]]).toEqual([200, undefined, undefined]);
    });

    describe("If-None-Match", () => {
      const current = tag(2);

      test.each([current, `W/${current}`, `"x", ${current}`, `${current},"x"`, `"x" , W/${current} , "y"`, "*", " * "])(
        "304 without a body: %s",
        async (tags) => {
          const answer = await send("/s/Items(2)", { "If-None-Match": tags });
          expectAnswer(answer, { status: 304, headers: { ...EMPTY_HEADERS, etag: current, vary: VARY }, body: "" });
          const head = await send("/s/Items(2)", { "If-None-Match": tags }, "HEAD");
          expectAnswer(head, { status: 304, headers: { ...EMPTY_HEADERS, etag: current, vary: VARY }, body: "" });
        },
      );

      test.each([
        '"x"',
        '"x","y"',
        current.slice(1, -1),
        `"${current.slice(1, -1).toLowerCase()}"`,
        "",
        '"',
        "W/",
        "**",
        '"*"',
      ])("200 with the entity: %s", async (tags) => {
        expect(await send("/s/Items(2)", { "If-None-Match": tags })).toEqual(await send("/s/Items(2)"));
      });

      test("a missing entity is 404 whatever it says", async () => {
        expect((await send("/s/Items(99)", { "If-None-Match": "*" })).status).toBe(404);
      });

      test("it has no effect on a collection", async () => {
        expect((await send("/s/Items", { "If-None-Match": "*" })).status).toBe(200);
      });

      test("a list without end is read in time", async () => {
        const started = processorTime();
        const list = Array.from({ length: 1000 }, (_, index) => `"${String(index)}"`).join(",");
        expect((await send("/s/Items(2)", { "If-None-Match": `${list}, ${current}` })).status).toBe(304);
        expect((await send("/s/Items(2)", { "If-None-Match": '"'.repeat(5000) })).status).toBe(200);
        expect((await send("/s/Items(2)", { "If-None-Match": ", ".repeat(3000) })).status).toBe(200);
        expect(processorTime() - started).toBeLessThan(10_000);
      });
    });
  });
});
