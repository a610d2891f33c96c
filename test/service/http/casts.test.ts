import { edm, entitySet, entityType, enumType, arraySource, odataService, type ODataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { recordingLogger, Sample, SAMPLES } from "./model.ts";

const State = enumType("State", { Open: 0, Done: 1 });
const Access = enumType("Access", { Read: 1, Write: 2 }, { isFlags: true });
const Item = entityType("Item", {
  id: edm.int32().key(),
  code: edm.string().nullable(),
  price: edm.decimal({ precision: 12, scale: 2 }),
  ratio: edm.double(),
  sold: edm.boolean(),
  due: edm.date(),
  at: edm.dateTimeOffset(),
  span: edm.duration(),
  bytes: edm.binary(),
  state: edm.enum(State),
  access: edm.enum(Access),
  tags: edm.collection(edm.string()),
  pin: edm.string(),
});

const ITEMS = [
  {
    id: 1,
    code: "17",
    price: "1.50",
    ratio: 0.1,
    sold: true,
    due: "2024-02-29",
    at: "2024-02-29T12:00:00.500Z",
    span: "PT36H",
    bytes: Uint8Array.of(251, 255),
    state: "Open",
    access: "Read,Write",
    tags: ["7", "x"],
    pin: "11",
  },
  {
    id: 25,
    code: null,
    price: "15.00",
    ratio: 1e21,
    sold: false,
    due: "0001-01-01",
    at: "2024-02-29T12:00:00+02:00",
    span: "-PT0.5S",
    bytes: Uint8Array.of(),
    state: "Done",
    access: "Read",
    tags: [],
    pin: "22",
  },
] as const;

function serve(profile: "specification" | "standard"): ODataService {
  return odataService({
    namespace: "Shop",
    profile,
    logger: recordingLogger(),
    entitySets: [
      entitySet(Item, {
        name: "Items",
        filterProperties: [
          "id",
          "code",
          "price",
          "ratio",
          "sold",
          "due",
          "at",
          "span",
          "bytes",
          "state",
          "access",
          "tags",
        ],
        queryable: () => arraySource(Item, ITEMS),
        getByKey: () => null,
      }),
    ],
  });
}

async function get(service: ODataService, query: string): Promise<readonly [number, string | null, unknown]> {
  const response = await service.fetch(new Request(`http://x/Items?$select=Id&${query}`));
  const body: unknown = await response.json();
  return [response.status, response.headers.get("Content-Type"), body];
}

const PROFILES = ["specification", "standard"] as const;

describe.each(PROFILES)("with the profile %s", (profile) => {
  const service = serve(profile);
  const found = async (query: string): Promise<unknown> => {
    const [status, type, body] = await get(service, query);
    expect([status, type]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    const { value, ...others } = (Array.isArray(body) ? { value: body } : body) as { readonly value: unknown };
    expect(others).toEqual(Array.isArray(body) ? {} : { "@odata.context": "http://x/$metadata#Items(Id)" });
    return (value as readonly { readonly Id: number }[]).map(({ Id }) => Id);
  };

  test.each([
    ["contains(cast(Id,'Edm.String'),'2')", [25]],
    ["contains(tolower(cast(Price, 'Edm.String')),'1.5')", [1]],
    ["cast(Price,Edm.String) eq '15.00'", [25]],
    ["cast(Price mul 1.10,Edm.String) eq '1.65'", [1]],
    ["cast(Ratio,Edm.String) eq '1e%2B21'", [25]],
    ["cast(Sold,Edm.String) eq 'true'", [1]],
    ["cast(Due,Edm.String) ge '2024'", [1]],
    ["cast(At,Edm.String) eq '2024-02-29T12:00:00.500Z'", [1]],
    ["endswith(cast(At,Edm.String),'%2B02:00')", [25]],
    ["cast(Span,Edm.String) eq '-PT0.5S'", [25]],
    ["cast(Bytes,Edm.String) eq '-_8'", [1]],
    ["cast(State,Edm.String) eq 'Done'", [25]],
    ["cast(Code,Edm.Int32) eq 17", [1]],
    ["cast(Code,Edm.Int32) eq null", [25]],
    ["cast(Code,Edm.Date) ne null", []],
    ["cast(Price,Edm.Int32) eq 1", [1]],
    ["cast(Ratio,Edm.Int64) eq 0", [1]],
    ["cast(Ratio,Edm.Int64) eq null", [25]],
    ["cast('2024-02-29',Edm.Date) eq Due", [1]],
    ["cast('true',Edm.Boolean) eq Sold", [1]],
    ["cast(concat('tr',cast('ue',Edm.String)),Edm.Boolean)", [1, 25]],
    ["Tags/any(t:cast(t,Edm.Byte) eq 7)", [1]],
    ["isof(Shop.Item)", [1, 25]],
    ["isof('Shop.Item')", [1, 25]],
    ["isof(Code,Edm.String)", [1]],
    ["isof(Code,Edm.Int32)", [1]],
    ["isof(Due,Edm.DateTimeOffset)", []],
    ["isof(Id,Edm.Byte)", [1, 25]],
    ["isof(Ratio,Edm.Decimal)", [1, 25]],
    ["isof(State,Shop.State)", [1, 25]],
    ["isof(null,Edm.String)", []],
    ["not isof(Code,Edm.String)", [25]],
    ["Id divby 2 eq 12.5", [25]],
    ["Id div 2 eq 12", [25]],
    ["1 divby 3 eq 0.333333333333", [1, 25]],
    ["Ratio divby 0 eq INF", [1, 25]],
    ["Span divby 2 eq duration'PT18H'", [1]],
  ])("$filter=%s", async (filter, ids) => {
    expect(await found(`$filter=${filter}`)).toEqual(ids);
  });

  test("$orderby sorts by casts", async () => {
    expect(await found("$orderby=cast(Id,Edm.String) desc")).toEqual([25, 1]);
    expect(await found("$orderby=cast(Code,Edm.Int32) desc")).toEqual([1, 25]);
  });

  test("casts of one shape keep their types apart", async () => {
    expect(await found("$filter=isof(Code,'Edm.Int32')")).toEqual([1]);
    expect(await found("$filter=isof(Code,'Edm.Date')")).toEqual([]);
    expect(await found("$filter=isof(Code,'Edm.Int16')")).toEqual([1]);
  });

  test("a quoted word elsewhere stays a string", async () => {
    expect(await found("$filter=concat(cast(Id,Edm.String),'Edm.String') eq '1Edm.String'")).toEqual([1]);
    expect(await found("$filter=cast('17',Edm.Int32) eq 17")).toEqual([1, 25]);
  });

  const unsupported = profile === "standard" ? 501 : 400;
  const code = profile === "standard" ? "NotImplemented" : "UnsupportedQueryOption";

  test.each([
    [
      "cast(Due,Edm.DateTimeOffset) eq null",
      "'cast' cannot convert Edm.Date to Edm.DateTimeOffset. Compare them directly: a Date is its midnight in UTC.",
    ],
    ["cast(At,Edm.Date) eq null", "'cast' cannot convert Edm.DateTimeOffset to Edm.Date. Write date(…)."],
    ["cast(Span,Edm.Decimal) eq 1", "'cast' cannot convert Edm.Duration to Edm.Decimal. Write totalseconds(…)."],
    [
      "cast(Code,Edm.Binary) eq null",
      "'cast' cannot convert Edm.String to Edm.Binary. Write a literal such as binary'T0RhdGE'.",
    ],
    ["cast(Access,Edm.String) eq 'Read'", "'cast' cannot convert Shop.Access to Edm.String."],
    ["cast(State,Edm.Int32) eq 1", "'cast' cannot convert Shop.State to Edm.Int32."],
    ["cast(Code,Shop.State) eq null", "'cast' cannot convert Edm.String to Shop.State. Cast it to Edm.String."],
    ["isof(Code,Shop.State)", "'isof' cannot convert Edm.String to Shop.State. Cast it to Edm.String."],
    [
      "cast(Edm.String) eq 'x'",
      "'cast' cannot convert Shop.Item to Edm.String: it supports properties with a single value, and the entity only as Shop.Item.",
    ],
  ])("refuses %s", async (filter, message) => {
    const error = { code, message: `$filter at position 0: ${message}`, target: "$filter" };
    expect(await get(service, `$filter=${filter}`)).toEqual([
      unsupported,
      expect.stringMatching(/^application\/json/),
      { error },
    ]);
  });

  test.each([
    ["cast(Pin,Edm.Int32) eq 11", /Pin/],
    ["isof(Pin,Edm.String)", /Pin/],
    ["Id divby 0 eq 1", /zero/],
    ["Sold divby 2 eq 1", /'divby' cannot take Edm.Boolean and Edm.Int32/],
    ["cast(Id,Edm.Text) eq 'x'", /There is no type 'Edm.Text'/],
    ["cast(Id,@t) eq 'x'&@t='Edm.String'", /The last argument of 'cast' is the qualified name of a type/],
    ["matchesPattern(Code,'x')", /matchesPattern/],
  ])("rejects %s", async (filter, message) => {
    const [status, , body] = await get(service, `$filter=${filter}`);
    expect([status, body]).toEqual([
      400,
      { error: { code: "InvalidQueryOption", message: expect.stringMatching(message), target: "$filter" } },
    ]);
  });

  test("casts nested hundreds of times are refused before they are bound", async () => {
    const deep = `${"cast(".repeat(900)}Id${",Edm.String)".repeat(900)}`;
    const [status, , body] = await get(service, `$filter=${deep} eq 'x'`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(/nested deeper than/)]);
  });
});

const NUMBERS = "Byte SByte Int16 Int32 Int64 Single Double Decimal String";

/** The targets of each type. */
const TARGETS: Readonly<Record<string, string>> = {
  boolean: "Boolean String",
  byte: NUMBERS,
  sByte: NUMBERS,
  int16: NUMBERS,
  int32: NUMBERS,
  int64: NUMBERS,
  single: NUMBERS,
  double: NUMBERS,
  decimal: NUMBERS,
  text: `${NUMBERS} Boolean Guid Date TimeOfDay DateTimeOffset Duration`,
  guid: "Guid String",
  binary: "Binary String",
  date: "Date String",
  timeOfDay: "TimeOfDay String",
  dateTimeOffset: "DateTimeOffset String",
  duration: "Duration String",
};

const TYPES = `${NUMBERS} Boolean Guid Binary Date TimeOfDay DateTimeOffset Duration`.split(" ");

test.each(Object.entries(TARGETS))("%s becomes %s, and no other type", async (name, targets) => {
  const service = odataService({
    namespace: "Test",
    propertyNaming: "camelCase",
    logger: recordingLogger(),
    entitySets: [
      entitySet(Sample, { name: "Samples", queryable: () => arraySource(Sample, SAMPLES), getByKey: () => null }),
    ],
  });
  const idsOf = async (filter: string): Promise<unknown> => {
    const response = await service.fetch(new Request(`http://x/Samples?$select=id&$filter=${filter}`));
    const body: unknown = await response.json();
    return response.status === 200 ? body : response.status;
  };
  const all = await idsOf("true");
  for (const type of TYPES) {
    const isAllowed = targets.split(" ").includes(type);
    const cast = await idsOf(`cast(${name},Edm.${type}) ne null`);
    const tested = await idsOf(`isof(${name},Edm.${type})`);
    expect(cast === 400, type).toBe(!isAllowed);
    expect(tested, type).toEqual(isAllowed ? cast : await idsOf("false"));
    if (isAllowed && (type === "String" || `edm.${type}`.toLowerCase() === `edm.${name}`.toLowerCase())) {
      expect(cast, type).toEqual(all);
    }
  }
});
