import { arraySource, entitySet, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, JSON_HEADERS, ORIGIN } from "./doors.ts";
import { Item, ITEMS, noFailures, Sample, SAMPLES, sampleService } from "./model.ts";

const SERVICE = `${ORIGIN}/odata`;

/** Sample 1 as JSON text, letter by letter. */
const MEMBERS =
  '"Id":1,"Text":"Chai","MaybeText":"hot & sweet","Boolean":true,"MaybeBoolean":true,"Byte":1,"MaybeByte":1,' +
  '"SByte":1,"MaybeSByte":1,"Int16":1,"MaybeInt16":1,"Int32":5,"MaybeInt32":5,"Int64":5,"MaybeInt64":5,' +
  '"Single":0.5,"MaybeSingle":0.5,"Double":2.5,"MaybeDouble":0.1,"Decimal":18.0000,"MaybeDecimal":18.0000,' +
  '"Amount":1.10,"Guid":"00000000-0000-0000-0000-000000000001","MaybeGuid":"00000000-0000-0000-0000-000000000001",' +
  '"Binary":"AQID","MaybeBinary":"AQID","Date":"2024-02-29","MaybeDate":"2024-02-29","TimeOfDay":"08:30:00",' +
  '"MaybeTimeOfDay":"08:30:00","DateTimeOffset":"2024-02-29T10:20:30Z","MaybeDateTimeOffset":"2024-02-29T10:20:30Z",' +
  '"Duration":"PT1H30M","MaybeDuration":"PT1H30M","Color":"Red","MaybeColor":"Green","Access":"Read",' +
  '"MaybeAccess":"Read,Write","Home":{"Street":"Main St 1","City":"Berlin","Position":{"Latitude":52.5,"Longitude":13.4}},' +
  '"MaybeHome":{"Street":"Main St 1","City":"Berlin","Position":{"Latitude":52.5,"Longitude":13.4}},' +
  '"Texts":["a","b"],"MaybeTexts":["a",null],"Numbers":[1,2],"Amounts":[1.10,2],"Colors":["Red","Blue"],' +
  '"Homes":[{"Street":"A 1","City":"Berlin","Position":{"Latitude":1.5,"Longitude":null}},' +
  '{"Street":"A 2","City":null,"Position":null}],"remark":"said"';

/** Sample 2, whose nullable members the handler left out. */
const NULLED = {
  Id: 2,
  Text: "chang",
  MaybeText: null,
  Boolean: false,
  MaybeBoolean: null,
  Byte: 2,
  MaybeByte: null,
  SByte: 2,
  MaybeSByte: null,
  Int16: 2,
  MaybeInt16: null,
  Int32: 10,
  MaybeInt32: null,
  Int64: "9007199254740993",
  MaybeInt64: null,
  Single: 1.5,
  MaybeSingle: null,
  Double: 3.5,
  MaybeDouble: null,
  Decimal: "19.5000",
  MaybeDecimal: null,
  Amount: "1.1",
  Guid: "00000000-0000-0000-0000-000000000002",
  MaybeGuid: null,
  Binary: "",
  MaybeBinary: null,
  Date: "2024-03-01",
  MaybeDate: null,
  TimeOfDay: "17:00:00",
  MaybeTimeOfDay: null,
  DateTimeOffset: "2024-03-01T00:30:00+02:00",
  MaybeDateTimeOffset: null,
  Duration: "P1D",
  MaybeDuration: null,
  Color: "Green",
  MaybeColor: null,
  Access: "Read,Write",
  MaybeAccess: null,
  Home: { Street: "Side St 2", City: null, Position: null },
  MaybeHome: null,
  Texts: [],
  MaybeTexts: [],
  Numbers: [],
  Amounts: [],
  Colors: [],
  Homes: [],
  remark: null,
};

const IEEE = { Accept: "application/json;IEEE754Compatible=true" };
const IEEE_HEADERS = {
  ...JSON_HEADERS,
  "content-type": "application/json;odata.metadata=minimal;IEEE754Compatible=true",
};
const level = (metadata: string) => ({ Accept: `application/json;odata.metadata=${metadata}` });
const levelHeaders = (metadata: string) => ({
  ...JSON_HEADERS,
  "content-type": `application/json;odata.metadata=${metadata}`,
});

eachDoor((door) => {
  const send = door.to(sampleService);

  test("an entity, letter by letter: context first, then id, then the members as declared", async () => {
    expectAnswer(await send("/odata/Samples(1)"), {
      body: `{"@odata.context":"${SERVICE}/$metadata#Samples/$entity","@odata.id":"${SERVICE}/Samples(1)",${MEMBERS}}`,
    });
  });

  test("an entity in a collection has no @odata.id at the minimal level", async () => {
    expectAnswer(await send("/odata/Samples?$filter=Id eq 1".replaceAll(" ", "%20")), {
      body: `{"@odata.context":"${SERVICE}/$metadata#Samples","value":[{${MEMBERS}}]}`,
    });
  });

  test("null members are written, including members that the handler omits", async () => {
    expectAnswer(await send("/odata/Samples(2)", IEEE), {
      headers: IEEE_HEADERS,
      body: {
        "@odata.context": `${SERVICE}/$metadata#Samples/$entity`,
        "@odata.id": `${SERVICE}/Samples(2)`,
        ...NULLED,
      },
    });
  });

  test.each([
    [2, ['"Int64":9007199254740993,', '"Decimal":19.5000,']],
    [
      3,
      [
        '"Int64":9223372036854775807,',
        '"Decimal":9999999999999999.9999,',
        '"Amount":123456789012345678901234567890.123456789,',
        '"Numbers":[9007199254740993]',
        '"Double":1.7976931348623157e+308,',
        '"Single":1024,',
        '"Binary":"__79",',
        '"TimeOfDay":"23:59:59.999999999999",',
        '"Duration":"P1000DT2H48M5.477S",',
      ],
    ],
    [
      4,
      [
        '"Int64":-9223372036854775808,',
        '"Decimal":-2.5000,',
        '"MaybeDouble":"-INF",',
        '"Access":"Read,Write,Execute",',
        '"Date":"0001-01-01",',
        '"Duration":"-P1DT1S",',
        '"Amounts":[0.0000001]',
        '"Numbers":[-9223372036854775808,0]',
      ],
    ],
    [
      5,
      [
        '"Single":"INF",',
        '"Double":"INF",',
        '"Text":"O\'Neil & Söhne",',
        '"DateTimeOffset":"2024-02-29T12:20:30+02:00",',
        '"remark":""',
      ],
    ],
    [
      6,
      [
        '"Single":"NaN",',
        '"Double":"NaN",',
        '"Text":"日本語 𝒳",',
        '"DateTimeOffset":"2024-02-29T10:20:30.5-03:30",',
        '"Duration":"PT0S",',
      ],
    ],
  ])("numbers and texts of sample %i are written without loss", async (id, parts) => {
    const { text } = await send(`/odata/Samples(${String(id)})`);
    for (const part of parts) expect(text).toContain(part);
  });

  test("IEEE754Compatible=true: Int64, Decimal and the count are strings, and the response says so", async () => {
    const { text, headers } = await send("/odata/Samples?$count=true&$skip=2&$top=1", IEEE);
    expect(headers).toEqual(IEEE_HEADERS);
    for (const part of [
      '"@odata.count":"6"',
      '"Id":3,',
      '"Int32":2147483647,',
      '"Int64":"9223372036854775807",',
      '"MaybeInt64":"9223372036854775807",',
      '"Decimal":"9999999999999999.9999",',
      '"Amount":"123456789012345678901234567890.123456789",',
      '"Numbers":["9007199254740993"]',
      '"Amounts":["123456789012345678901234567890.123456789"]',
      '"Double":1.7976931348623157e+308,',
    ]) {
      expect(text).toContain(part);
    }
    expect((await send("/odata/Samples?$format=application/json;IEEE754Compatible=true")).headers).toEqual(
      IEEE_HEADERS,
    );
    expect((await send("/odata/Samples", { Accept: "application/json;IEEE754Compatible=false" })).headers).toEqual(
      JSON_HEADERS,
    );
  });

  test("ignored properties never cross the wire, at any level, nested neither", async () => {
    for (const metadata of ["none", "minimal", "full"]) {
      for (const path of ["/odata/Samples", "/odata/Samples(1)", "/odata/ArraySamples", "/odata/$metadata"]) {
        expect((await send(path, level(metadata))).text).not.toMatch(/secret|alarmcode/iu);
      }
    }
  });

  test("navigations that are not expanded are omitted, even if a handler populates them", async () => {
    const { json } = await send("/odata/Samples(1)");
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(["Parts"]));
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(["Favourite"]));
  });

  describe("the order of the envelope: context, count, nextLink, value", () => {
    const service = odataService({
      prefix: "/odata",
      logger: noFailures,
      entitySets: [
        entitySet(Item, {
          maxTop: 1,
          etag: ["name"],
          queryable: () => arraySource(Item, ITEMS),
          getByKey: () => ITEMS[0]!,
        }),
        entitySet(Item, { name: "Lazy", maxTop: 1, getAll: () => ITEMS }),
      ],
    });

    test.each(["Items", "Lazy"])("%s", async (set) => {
      const { json } = await door.to(service)(`/odata/${set}?$count=true`);
      expect(Object.keys(json)).toEqual(["@odata.context", "@odata.count", "@odata.nextLink", "value"]);
    });

    test("of one entity: context, id, etag, then members", async () => {
      const { json } = await door.to(service)("/odata/Items(1)");
      expect(Object.keys(json)).toEqual([
        "@odata.context",
        "@odata.id",
        "@odata.etag",
        "Id",
        "Name",
        "Rank",
        "Price",
        "Place",
      ]);
    });

    test("in a collection: etag, then members", async () => {
      const { json } = await door.to(service)("/odata/Items?$top=1");
      expect(Object.keys(json.value[0])).toEqual(["@odata.etag", "Id", "Name", "Rank", "Price", "Place"]);
    });
  });

  describe("odata.metadata=none", () => {
    test("keeps nothing but count and next link", async () => {
      const page = await send("/odata/Samples?$select=Id&$count=true&$top=1", level("none"));
      expectAnswer(page, { headers: levelHeaders("none"), body: '{"@odata.count":6,"value":[{"Id":1}]}' });
      const entity = await send("/odata/Samples(1)", level("none"));
      expectAnswer(entity, { headers: levelHeaders("none"), body: `{${MEMBERS}}` });
      const root = await send("/odata", level("none"));
      expect(Object.keys(root.json)).toEqual(["value"]);
    });
  });

  describe("odata.metadata=full", () => {
    test("an entity has type, id and edit link, and the types of what JSON does not tell", async () => {
      const { json, headers, status } = await send(
        "/odata/Samples(1)?$select=Id,Text,Int64,Double,Decimal,Guid,Date,Color,Numbers",
        level("full"),
      );
      expect([status, headers]).toEqual([200, levelHeaders("full")]);
      expect(json).toMatchObject({
        "@odata.type": "#Kit.Sample",
        "@odata.id": `${SERVICE}/Samples(1)`,
        "Int64@odata.type": "#Int64",
        "Decimal@odata.type": "#Decimal",
        "Guid@odata.type": "#Guid",
        "Date@odata.type": "#Date",
        "Color@odata.type": "#Kit.Color",
        "Numbers@odata.type": "#Collection(Int64)",
      });
      expect(json).toHaveProperty(["@odata.editLink"]);
      expect(Object.keys(json)[0]).toBe("@odata.context");
      for (const name of ["Text", "Double"]) expect(json).not.toHaveProperty([`${name}@odata.type`]);
    });

    test("@odata.id is on every entity of a collection, and complex values have a type", async () => {
      const { json } = await send("/odata/Samples?$top=2&$select=Id,Home", level("full"));
      expect(json.value).toMatchObject([
        { "@odata.type": "#Kit.Sample", "@odata.id": `${SERVICE}/Samples(1)`, Home: { "@odata.type": "#Kit.Address" } },
        { "@odata.type": "#Kit.Sample", "@odata.id": `${SERVICE}/Samples(2)`, Home: { "@odata.type": "#Kit.Address" } },
      ]);
    });
  });

  describe("Content-Type of the response", () => {
    test.each([
      [
        "application/json;odata.metadata=full;IEEE754Compatible=true",
        "application/json;odata.metadata=full;IEEE754Compatible=true",
      ],
      [
        "application/json;IEEE754Compatible=true;odata.metadata=none",
        "application/json;odata.metadata=none;IEEE754Compatible=true",
      ],
      ["application/json;charset=utf-8", "application/json;odata.metadata=minimal;charset=utf-8"],
      ["application/json;odata.streaming=true", "application/json;odata.metadata=minimal;odata.streaming=true"],
      ["application/json;odata=verbose", "application/json;odata.metadata=minimal"],
      ["application/json;odata.metadata=full;q=0.5, application/json;q=0.9", "application/json;odata.metadata=minimal"],
      ["application/json;q=0.5, application/json;odata.metadata=none", "application/json;odata.metadata=none"],
    ])("%s is answered as %s", async (accept, type) => {
      const { status, headers } = await send("/odata/Samples?$top=0", { Accept: accept });
      expect([status, headers["content-type"]]).toEqual([200, type]);
    });

    test("Accept-Charset adds a charset parameter", async () => {
      const { headers } = await send("/odata/Samples?$top=0", { "Accept-Charset": "UTF-8" });
      expect(headers["content-type"]).toBe("application/json;odata.metadata=minimal;charset=utf-8");
    });
  });

  test("handlers may return Date, number and bigint where that is unambiguous", async () => {
    const entity = {
      ...SAMPLES[0]!,
      int64: 7,
      decimal: 18,
      amount: 0.1,
      date: new Date("2024-02-29T00:00:00Z"),
      dateTimeOffset: new Date("2024-02-29T10:20:30.5Z"),
      guid: "ABCDEF01-2345-6789-ABCD-EF0123456789",
    };
    const set = entitySet(Sample, { getAll: () => [entity], getByKey: () => entity });
    const ask = door.to(odataService({ prefix: "/odata", entitySets: [set], logger: noFailures }));
    const members =
      '"Int64":7,"Decimal":18,"Amount":0.1,"Guid":"abcdef01-2345-6789-abcd-ef0123456789","Date":"2024-02-29","DateTimeOffset":"2024-02-29T10:20:30.5';
    const $select = "$select=Int64,Decimal,Amount,Guid,Date,DateTimeOffset";
    expect((await ask(`/odata/Samples(1)?${$select}`)).text).toContain(members);
    expect((await ask(`/odata/Samples?${$select}`)).text).toContain(members);
    const filters = [
      "Int64 eq 7",
      "Decimal eq 18.0",
      "Amount eq 0.1",
      "Date eq 2024-02-29",
      "DateTimeOffset eq 2024-02-29T10:20:30.5Z",
      "year(Date) eq 2024",
      "Guid eq abcdef01-2345-6789-abcd-ef0123456789",
    ];
    for (const filter of filters) {
      expect((await ask(`/odata/Samples/$count?$filter=${encodeURIComponent(filter)}`)).text, filter).toBe("1");
    }
  });

  describe("the base of every URL", () => {
    const sets = [entitySet(Sample, { getAll: () => SAMPLES, getByKey: () => SAMPLES[0]! })];
    const contextOf = async (options: object, headers: Record<string, string> = {}) => {
      const service = odataService({ prefix: "/odata", logger: noFailures, entitySets: sets, ...options });
      const { json } = await door.to(service)("/odata/Samples(1)?$select=Id", headers);
      expect(json["@odata.id"]).toBe(String(json["@odata.context"]).replace(/\/\$metadata.*$/u, "/Samples(1)"));
      return String(json["@odata.context"]).replace(/\/\$metadata.*$/u, "");
    };
    const forwarded = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "api.example.com" };

    test("is scheme and host of the request", async () => {
      expect(await contextOf({})).toBe(SERVICE);
    });

    test("is the configured publicUrl, if any", async () => {
      expect(await contextOf({ publicUrl: "https://public.example" })).toBe("https://public.example/odata");
      expect(await contextOf({ publicUrl: "https://public.example", trustProxy: true }, forwarded)).toBe(
        "https://public.example/odata",
      );
    });

    test("ignores proxy headers unless they are trusted", async () => {
      expect(await contextOf({}, forwarded)).toBe(SERVICE);
      expect(await contextOf({ trustProxy: true }, forwarded)).toBe("https://api.example.com/odata");
      expect(
        await contextOf(
          { trustProxy: true },
          { "X-Forwarded-Proto": "https, http", "X-Forwarded-Host": "a.example, b.example" },
        ),
      ).toBe("https://a.example/odata");
      expect(
        await contextOf({ trustProxy: true }, { Forwarded: 'for=1.2.3.4;proto=https;host="c.example:8443"' }),
      ).toBe("https://c.example:8443/odata");
    });
  });
});
