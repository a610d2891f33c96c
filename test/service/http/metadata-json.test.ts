import fc from "fast-check";
import {
  action,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { faultsOfJsonSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";

const Color = enumType(
  "Color",
  { Red: 1, Green: 2 },
  { isFlags: true, memberAnnotations: { Red: { "Core.Description": "Warm" } } },
);
const Big = enumType("Big", { Small: 0, Huge: 4_294_967_296 });
const Size = complexType("Size", { width: edm.int16(), note: edm.string().nullable() });
const Maker = entityType("Maker", { code: edm.string({ maxLength: 3 }).key(), name: edm.string().json("full_name") });
const Thing = entityType(
  "Thing",
  {
    id: edm.int64().key(),
    name: edm.string().default("x").describe("A <name>"),
    count: edm.int32().default(5),
    big: edm.int64().default(9_007_199_254_740_993n),
    isNew: edm.boolean().default(true),
    price: edm.decimal({ precision: 9, scale: 2 }),
    any: edm.decimal().nullable(),
    at: edm.dateTimeOffset({ precision: 3 }).computed(),
    color: edm.enum(Color).immutable(),
    huge: edm.enum(Big).nullable(),
    size: edm.complex(Size),
    tags: edm.collection(edm.string().nullable()),
    makerCode: edm.string({ maxLength: 3 }).nullable(),
  },
  {
    annotations: {
      "UI.LineItem": [
        { Value: { $Path: "name" }, "Value@Core.Description": "v", "@UI.Importance": "High" },
        { "@type": "UI.DataFieldForAnnotation", Target: "maker/@UI.Badge" },
      ],
      "UI.Identification#Short": [],
      "UI.Hidden": { $Path: "isNew" },
      "UI.DataPoint": { Value: { $Decimal: "1.50" }, TargetValue: { $Float: Infinity }, MinimumValue: 1.5 },
      "Common.Label": { $Null: null, "@Core.Description": "n" },
      "Common.Heading": "Makers",
      "Common.SemanticKey": ["name"],
      "Common.IsDigitSequence": true,
    },
  },
);
const Owner = { "UI.Badge": { HeadLine: { Value: { $Path: "name" } } } };

function shop(more: Partial<ServiceOptions> = {}): ODataService {
  const Badged = entityType("Maker", Maker.properties, { annotations: Owner });
  return odataService({
    namespace: "Shop",
    profile: "standard",
    entitySets: [
      entitySet(Thing, {
        getAll: () => [],
        etag: ["at"],
        navigation: {
          maker: hasOptional(Badged, { on: { makerCode: "code" }, target: "Makers", partner: "things" }),
        },
        functions: {
          late: fn({
            bound: "collection",
            params: { days: edm.int32().default(7), color: edm.enum(Color) },
            returns: edm.collection(Thing),
            composable: true,
            handler: () => [],
          }),
        },
        actions: { stop: action({ bound: "entity", handler: (_key: bigint) => undefined }) },
      }),
      entitySet(Badged, { getAll: () => [], navigation: { things: hasMany(Thing, { target: "Things" }) } }),
    ],
    functions: { now: fn({ returns: edm.dateTimeOffset(), handler: () => "2024-01-01T00:00:00Z" }) },
    actions: { reset: action({ handler: () => undefined }) },
    batch: { json: true },
    ...more,
  });
}

const get = (service: ODataService, query: string, headers: Record<string, string> = {}): Promise<Response> =>
  service.fetch(new Request(`http://localhost/$metadata${query}`, { headers }));

/** The content of both formats, the XML as the reader of the OData committee understands it. */
async function bothOf(service: ODataService): Promise<readonly [unknown, unknown]> {
  const xml = await (await get(service, "")).text();
  const json: unknown = await (await get(service, "?$format=json")).json();
  return [json, readCsdl(xml)];
}

describe("$metadata?$format=json in the profile of the standard", () => {
  test.each<[string, Partial<ServiceOptions>]>([
    ["with inline annotations", {}],
    ["with external annotations", { annotationForm: "external" }],
    ["without entity sets", { entitySets: [] }],
  ])("is CSDL JSON with the content of the XML, %s", async (_, options) => {
    const [json, fromXml] = await bothOf(shop(options));
    expect(faultsOfJsonSchema(json)).toEqual([]);
    expect(unrounded(json)).toEqual(unrounded(fromXml));
  });

  test.each([
    ["?$format=json"],
    ["?$format=application/json"],
    ["?$format=application/json;odata.metadata=full"],
    ["?%24format=application%2Fjson%3BIEEE754Compatible%3Dtrue"],
  ])("%s: status, headers and body", async (query) => {
    const response = await get(shop(), query, { Accept: "application/xml" });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/json",
      "content-length": String((await response.clone().arrayBuffer()).byteLength),
      etag: expect.stringMatching(/^"[^"]+"$/) as unknown,
      "odata-version": "4.0",
      vary: "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.any(String) as unknown,
    });
    expect(await response.json()).toMatchObject({ $Version: "4.0", $EntityContainer: "Shop.Container" });
  });

  test.each([
    ["", "application/json"],
    ["", "application/json;odata.metadata=full"],
    ["", "*/*"],
    ["?$format=xml", "application/json"],
    ["?$format=application/xml", "application/json"],
  ])("is XML for %s with Accept %s", async (query, accept) => {
    const response = await get(shop(), query, { Accept: accept });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/xml"]);
  });

  test("has its own ETag, and HEAD", async () => {
    const service = shop();
    const json = (await get(service, "?$format=json")).headers.get("etag") ?? "";
    const xml = (await get(service, "")).headers.get("etag") ?? "";
    expect(json).not.toBe(xml);
    const same = await get(service, "?$format=json", { "If-None-Match": json });
    expect([same.status, same.headers.get("etag"), await same.text()]).toEqual([304, json, ""]);
    expect((await get(service, "", { "If-None-Match": json })).status).toBe(200);
    const head = await service.fetch(new Request("http://localhost/$metadata?$format=json", { method: "HEAD" }));
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, json, ""]);
  });

  test.each([["atom"], ["application/pdf"], [""]])("rejects the format %o", async (format) => {
    const response = await get(shop(), `?$format=${format}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "UnsupportedFormat" } });
  });

  test("has the content of the XML for every model", async () => {
    await fc.assert(
      fc.asyncProperty(models, async (service) => {
        const [json, fromXml] = await bothOf(service);
        expect(faultsOfJsonSchema(json)).toEqual([]);
        expect(json).toEqual(fromXml);
      }),
      { numRuns: caseCount(200) },
    );
  });
});

test("$metadata?$format=json stays XML in the profile of the specification", async () => {
  const response = await get(shop({ profile: "specification" }), "?$format=json");
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/xml"]);
});

/** The reader of the committee rounds numbers that JavaScript cannot represent, and reads Infinity as a text. */
function unrounded(csdl: unknown): unknown {
  return JSON.parse(JSON.stringify(csdl).replaceAll(/"?900719925474099\d"?/gu, '"big"')) as unknown;
}

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/);
const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((each) => !/[\p{Cc}\p{Cs}]/u.test(each));
const property = fc.oneof(
  fc.constantFrom(
    () => edm.int32(),
    () => edm.boolean(),
    () => edm.guid(),
    () => edm.date(),
    () => edm.duration({ precision: 2 }),
    () => edm.double(),
    () => edm.binary({ maxLength: 7 }),
    () => edm.decimal({ precision: 5, scale: 0 }),
    () => edm.enum(Color),
    () => edm.complex(Size),
    () => edm.collection(edm.complex(Size)),
    () => edm.string({ maxLength: 9 }),
  ),
);

const models = fc
  .record({
    type: name,
    fields: fc.uniqueArray(name, { minLength: 1, maxLength: 6, selector: (each) => each.toLowerCase() }),
    makers: fc.array(property, { minLength: 6, maxLength: 6 }),
    flags: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    label: text,
    form: fc.constantFrom("inline" as const, "external" as const),
  })
  .map(({ type, fields, makers, flags, label, form }) => {
    const annotations = { "Common.Label": label, "Core.Description#q": label };
    const properties = Object.fromEntries(
      fields.map((field, index) => {
        const made = (makers[index] ?? (() => edm.string()))();
        const isPlain = made.declared.item === undefined && flags[index] === true;
        return [`${field}_`, isPlain ? made.nullable().annotate(annotations) : made.annotate({ "UI.Hidden": true })];
      }),
    );
    const declared = entityType(`${type}_`, { id: edm.int32().key(), ...properties }, { annotations });
    return odataService({
      namespace: "M",
      profile: "standard",
      annotationForm: form,
      entitySets: [entitySet(declared, { name: "Set", getAll: () => [] })],
    });
  });
