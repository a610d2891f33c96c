import { edm, entitySet, entityType, enumType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectError, ORIGIN, targetOf } from "./doors.ts";
import { Item, ITEMS, itemService, noFailures, sampleService } from "./model.ts";

const Size = enumType("Size", { Small: 0, Large: 1 });
const Rights = enumType("Rights", { Read: 1, Write: 2 }, { isFlags: true });

/** One type per type of key; its handler answers an entity with the very key that it was given. */
const keyed = {
  Booleans: entitySet(entityType("BooleanKeyed", { id: edm.boolean().key() }), {
    name: "Booleans",
    getByKey: (id) => ({ id }),
  }),
  Bytes: entitySet(entityType("ByteKeyed", { id: edm.byte().key() }), { name: "Bytes", getByKey: (id) => ({ id }) }),
  SBytes: entitySet(entityType("SByteKeyed", { id: edm.sByte().key() }), {
    name: "SBytes",
    getByKey: (id) => ({ id }),
  }),
  Int16s: entitySet(entityType("Int16Keyed", { id: edm.int16().key() }), {
    name: "Int16s",
    getByKey: (id) => ({ id }),
  }),
  Int32s: entitySet(entityType("Int32Keyed", { id: edm.int32().key() }), {
    name: "Int32s",
    getByKey: (id) => ({ id }),
  }),
  Int64s: entitySet(entityType("Int64Keyed", { id: edm.int64().key() }), {
    name: "Int64s",
    getByKey: (id) => ({ id }),
  }),
  Decimals: entitySet(entityType("DecimalKeyed", { id: edm.decimal({ precision: 20, scale: 4 }).key() }), {
    name: "Decimals",
    getByKey: (id) => ({ id }),
  }),
  Strings: entitySet(entityType("StringKeyed", { id: edm.string().key() }), {
    name: "Strings",
    getByKey: (id) => ({ id }),
  }),
  Guids: entitySet(entityType("GuidKeyed", { id: edm.guid().key() }), { name: "Guids", getByKey: (id) => ({ id }) }),
  Dates: entitySet(entityType("DateKeyed", { id: edm.date().key() }), { name: "Dates", getByKey: (id) => ({ id }) }),
  Times: entitySet(entityType("TimeKeyed", { id: edm.timeOfDay().key() }), {
    name: "Times",
    getByKey: (id) => ({ id }),
  }),
  Stamps: entitySet(entityType("StampKeyed", { id: edm.dateTimeOffset().key() }), {
    name: "Stamps",
    getByKey: (id) => ({ id }),
  }),
  Durations: entitySet(entityType("DurationKeyed", { id: edm.duration().key() }), {
    name: "Durations",
    getByKey: (id) => ({ id }),
  }),
  Sizes: entitySet(entityType("SizeKeyed", { id: edm.enum(Size).key() }), {
    name: "Sizes",
    getByKey: (id) => ({ id }),
  }),
  RightsOf: entitySet(entityType("RightsKeyed", { id: edm.enum(Rights).key() }), {
    name: "RightsOf",
    getByKey: (id) => ({ id }),
  }),
};
const Pair = entityType("Pair", { left: edm.int32().key(), right: edm.string().key(), note: edm.string().nullable() });
const pairs = entitySet(Pair, { getByKey: async (key) => ({ ...key, note: JSON.stringify(key) }) });
const Renamed = entityType("Renamed", { code: edm.string().key().json("no_code") });
const renamed = entitySet(Renamed, { name: "RenamedSet", getByKey: (code) => ({ code }) });

const service = odataService({
  prefix: "/k",
  namespace: "Keys",
  logger: noFailures,
  entitySets: [...Object.values(keyed), pairs, renamed],
});

/** The set, a literal as in the URL, the value in the answer's JSON text, the literal in `@odata.id` if another. */
const LITERALS: ReadonlyArray<readonly [set: string, literal: string, json: string, canonical?: string]> = [
  ["Booleans", "true", "true"],
  ["Booleans", "false", "false"],
  ["Bytes", "0", "0"],
  ["Bytes", "255", "255"],
  ["SBytes", "-128", "-128"],
  ["Int16s", "-32768", "-32768"],
  ["Int32s", "1", "1"],
  ["Int32s", "-5", "-5"],
  ["Int32s", "2147483647", "2147483647"],
  ["Int32s", "007", "7", "7"],
  ["Int64s", "9007199254740993", "9007199254740993"],
  ["Int64s", "-9223372036854775808", "-9223372036854775808"],
  ["Decimals", "9999999999999999.9999", "9999999999999999.9999"],
  ["Decimals", "-0.5", "-0.5"],
  ["Decimals", "1.10", "1.10"],
  ["Decimals", "18", "18"],
  ["Strings", "'a'", '"a"'],
  ["Strings", "''", '""'],
  ["Strings", "'a''b'", '"a\'b"'],
  ["Strings", "%27a%27", '"a"', "'a'"],
  ["Strings", "'a%27%27b'", '"a\'b"', "'a''b'"],
  ["Strings", "'1'", '"1"'],
  ["Strings", "'null'", '"null"'],
  ["Guids", "abcdef01-2345-6789-abcd-ef0123456789", '"abcdef01-2345-6789-abcd-ef0123456789"'],
  [
    "Guids",
    "ABCDEF01-2345-6789-ABCD-EF0123456789",
    '"abcdef01-2345-6789-abcd-ef0123456789"',
    "abcdef01-2345-6789-abcd-ef0123456789",
  ],
  ["Dates", "2024-02-29", '"2024-02-29"'],
  ["Dates", "0001-01-01", '"0001-01-01"'],
  ["Dates", "'2024-02-29'", '"2024-02-29"', "2024-02-29"],
  ["Times", "'12:34:56.789'", '"12:34:56.789"', "12:34:56.789"],
  ["Stamps", "'2024-02-29T10:20:30Z'", '"2024-02-29T10:20:30Z"', "2024-02-29T10:20:30Z"],
  ["Times", "12:34:56.789", '"12:34:56.789"'],
  ["Stamps", "2024-02-29T10:20:30Z", '"2024-02-29T10:20:30Z"'],
  ["Durations", "duration'PT1H30M'", '"PT1H30M"'],
  ["Durations", "duration'-P1D'", '"-P1D"'],
  ["Sizes", "Keys.Size'Large'", '"Large"'],
  ["Sizes", "'Large'", '"Large"', "Keys.Size'Large'"],
  ["Sizes", "Keys.Size'1'", '"Large"', "Keys.Size'Large'"],
  ["RightsOf", "Keys.Rights'Read,Write'", '"Read,Write"'],
  ["RightsOf", "Keys.Rights'3'", '"Read,Write"', "Keys.Rights'Read,Write'"],
];

/** Texts that are not a key of the type. */
const REFUSED: ReadonlyArray<readonly [set: string, key: string]> = [
  ["Booleans", "1"],
  ["Booleans", "'true'"],
  ["Bytes", "256"],
  ["Bytes", "-1"],
  ["SBytes", "128"],
  ["Int16s", "32768"],
  ["Int32s", "2147483648"],
  ["Int32s", "1.5"],
  ["Int32s", "'1'"],
  ["Int32s", "1e3"],
  ["Int32s", "null"],
  ["Int32s", "x"],
  ["Int32s", "1,2"],
  ["Int32s", "1 2"],
  ["Int32s", ""],
  ["Int32s", "99999999999999999999"],
  ["Int32s", "Nope=1"],
  ["Int32s", "Id=1,Id=1"],
  ["Int32s", "Id="],
  ["Int32s", "=1"],
  ["Int32s", "Id=1,Other=2"],
  ["Int32s", "1 add 1"],
  ["Int64s", "9223372036854775808"],
  ["Decimals", "INF"],
  ["Strings", "a"],
  ["Strings", "1"],
  ["Strings", "'a"],
  ["Strings", "a'"],
  ["Strings", "'a'b'"],
  ["Strings", "null"],
  ["Guids", "'abcdef01-2345-6789-abcd'"],
  ["Guids", "abcdef01"],
  ["Dates", "2024-02-30"],
  ["Dates", "'2024-02-30'"],
  ["Times", "24:00:00"],
  ["Stamps", "2024-02-29T10:20:30"],
  ["Durations", "'PT1H'"],
  ["Durations", "duration'P1Y'"],
  ["Sizes", "Keys.Size'Huge'"],
  ["Sizes", "Keys.Rights'Read'"],
  ["Sizes", "'Small,Large'"],
  ["Pairs", "1"],
  ["Pairs", "1,'x'"],
  ["Pairs", "Left=1"],
  ["Pairs", "Left=1,Right='x',Left=1"],
  ["Pairs", "Left=1,Right=2"],
  ["Pairs", "Left=1,Right='x',Note='y'"],
  ["Pairs", ""],
];

/** Strings that URLs, quotes, JSON or terminals could trip over. */
const ODD_STRINGS = [
  "a/b",
  "a%2Fb",
  "%",
  "%25",
  "%zz",
  "a+b",
  "a b",
  " ",
  "'",
  "''",
  "'a'",
  '"',
  "a,b=c",
  "(1)",
  ")",
  "?#&;=$@!*~",
  "$count",
  "../..",
  ".",
  "..",
  "\\",
  "a\\b",
  "\t\n\r",
  "\u0000",
  "\u0001\u001f\u007f",
  "é",
  "é",
  "日本語",
  "𝒳😀",
  "\u2028\u2029",
  "\ufeff",
  "<script>",
  "{}[]|^`",
  "__proto__",
  "constructor",
  "x".repeat(2000),
];

eachDoor((door) => {
  const send = door.to(service);

  describe("key literals of every type", () => {
    const cases = LITERALS.map(([set, literal, json, canonical]) => ({
      set,
      literal,
      json,
      canonical: canonical ?? literal,
    }));

    test.each(cases)("$set($literal)", async ({ set, literal, json, canonical }) => {
      const { status, text } = await send(`/k/${set}(${literal})`);
      const body = JSON.parse(text) as Record<string, string>;
      expect([status, text.slice(text.indexOf('"Id":'))]).toEqual([200, `"Id":${json}}`]);
      expect(body["@odata.context"]).toBe(`${ORIGIN}/k/$metadata#${set}/$entity`);
      expect(decodeURIComponent(body["@odata.id"] ?? "")).toBe(`${ORIGIN}/k/${set}(${decodeURIComponent(canonical)})`);
      // The emitted id can be fetched, and returns the same entity.
      expect((await send(targetOf(body["@odata.id"] ?? ""))).text).toBe(text);
      // A single key may be named.
      expect((await send(`/k/${set}(Id=${literal})`)).text).toBe(text);
      expect((await send(`/k/${set}(@k)?@k=${literal}`)).text).toBe(text);
      expect((await send(`/k/${set}(Id=@k)?@k=${literal}`)).text).toBe(text);
    });

    test.each(["2024-02-29T12:20:30%2B02:00", "2024-02-29T12:20:30+02:00"])(
      "a plus sign in a path is a plus sign: %s",
      async (literal) => {
        const { json } = await send(`/k/Stamps(${literal})`);
        expect(json.Id).toBe("2024-02-29T12:20:30+02:00");
        expect((await send(targetOf(json["@odata.id"] as string))).json).toEqual(json);
      },
    );
  });

  describe("a key that is none: 400 InvalidKey", () => {
    test.each(REFUSED)("%s(%s)", async (set, key) => {
      expectError(await send(`/k/${set}(${encodeURIComponent(key)})`), {
        status: 400,
        code: "InvalidKey",
        target: "key",
      });
    });
  });

  describe("composite keys", () => {
    const body = {
      "@odata.context": `${ORIGIN}/k/$metadata#Pairs/$entity`,
      "@odata.id": `${ORIGIN}/k/Pairs(Left=1,Right='x')`,
      Left: 1,
      Right: "x",
      Note: '{"left":1,"right":"x"}',
    };

    test.each([
      "Left=1,Right='x'",
      "Right='x',Left=1",
      "Left=%31,Right=%27x%27",
      "%4Ceft=1%2CRight='x'",
      "Left=@a,Right=@b",
    ])("%s", async (key) => {
      expectAnswer(await send(`/k/Pairs(${key})${key.includes("@") ? "?@a=1&@b='x'" : ""}`), { body });
    });

    test("odd strings round-trip in them too", async () => {
      for (const right of ODD_STRINGS) {
        const key = encodeURIComponent(`Left=-7,Right='${right.replaceAll("'", "''")}'`);
        const { json } = await send(`/k/Pairs(${key})`);
        expect(json).toMatchObject({ Left: -7, Right: right });
        expect((await send(targetOf(json["@odata.id"] as string))).json).toEqual(json);
      }
    });

    test("a key of another wire name", async () => {
      const { json } = await send("/k/RenamedSet(no_code='a')");
      expect(json).toMatchObject({ no_code: "a", "@odata.id": `${ORIGIN}/k/RenamedSet('a')` });
    });
  });

  describe("string keys round-trip through @odata.id", () => {
    test.each(ODD_STRINGS.map((text) => ({ text })))("$text", async ({ text }) => {
      const first = await send(`/k/Strings(${encodeURIComponent(`'${text.replaceAll("'", "''")}'`)})`);
      expect([first.status, first.json.Id]).toEqual([200, text]);
      const id = String(first.json["@odata.id"]);
      expect(id).toMatch(/^[!-~]+$/u);
      expect(await send(targetOf(id))).toEqual(first);
    });
  });

  describe("one entity", () => {
    const items = door.to(itemService("get-all"));

    test("a missing one is 404 with the envelope", async () => {
      expectError(await items("/s/Items(99)"), { status: 404, code: "NotFound", message: /99/u });
      expectError(await items("/s/Items(99)?$select=Id"), { status: 404, code: "NotFound" });
    });

    test.each([
      ["undefined", undefined],
      ["null", null],
    ])("404 if the handler returns %s", async (_, nothing) => {
      for (const getByKey of [() => nothing as null, async () => nothing as null]) {
        const set = entitySet(Item, { getByKey });
        const found = door.to(odataService({ prefix: "/s", entitySets: [set], logger: noFailures }));
        expectError(await found("/s/Items(1)"), { status: 404, code: "NotFound" });
      }
    });

    test("an asynchronous handler", async () => {
      const set = entitySet(Item, { getByKey: async (key) => ITEMS.find(({ id }) => id === key) ?? null });
      const found = door.to(odataService({ prefix: "/s", entitySets: [set], logger: noFailures }));
      expect(await found("/s/Items(2)")).toEqual(await items("/s/Items(2)"));
    });

    test.each(["$filter=true", "$orderby=Id", "$top=1", "$skip=1", "$count=true", "$skiptoken=AAAAAA==", "$search=a"])(
      "an option of collections is refused: %s",
      async (option) => {
        const target = option.split("=")[0]!;
        expectError(await items(`/s/Items(1)?${option}`), { status: 400, code: "UnsupportedQueryOption", target });
      },
    );

    test("custom options are left alone", async () => {
      expect((await items("/s/Items(1)?a=b&sap-client=1")).status).toBe(200);
    });

    test("no parentheses are not empty parentheses", async () => {
      expectError(await items("/s/Items()"), { status: 400, code: "InvalidKey", target: "key" });
    });

    test("a set without get-by-key has no such route", async () => {
      const set = entitySet(Item, { getAll: () => ITEMS });
      const found = door.to(odataService({ prefix: "/s", entitySets: [set], logger: noFailures }));
      expectError(await found("/s/Items(1)"), { status: 404, code: "NotFound" });
      expectError(await found("/s/Items(x)"), { status: 404, code: "NotFound" });
    });
  });

  test("Set(Id=1) is the same as Set(1), in any case that is unambiguous", async () => {
    const samples = door.to(sampleService);
    const expected = await samples("/odata/Samples(1)");
    expect(await samples("/odata/Samples(Id=1)")).toEqual(expected);
    expect(await samples("/odata/Samples(Id=@x)?@x=1")).toEqual(expected);
  });
});
