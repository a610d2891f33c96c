import { action, complexType, edm, entitySet, entityType, fn, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectError, JSON_HEADERS, ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

const Dimension = complexType("Dimension", { width: edm.double({ minimum: 0.5 }), unit: edm.string({ minLength: 1 }) });
const Product = entityType("Product", {
  id: edm.int32({ minimum: 10 }).key(),
  code: edm.string({ minLength: 2, maxLength: 6, pattern: "^[A-Z]+$" }).nullable(),
  city: edm.string({ pattern: /^\p{Lu}/u }).nullable(),
  zip: edm.string({ pattern: RE2JS.compile("^[0-9]{5}$") }).nullable(),
  byte: edm.byte({ minimum: 1, maximum: 200 }).default(1),
  sByte: edm.sByte({ minimum: -5 }).nullable(),
  int16: edm.int16({ maximum: 100 }).nullable(),
  stock: edm.int64({ minimum: -1, maximum: 9_007_199_254_740_993n }).nullable(),
  single: edm.single({ minimum: 0, maximum: 1 }).nullable(),
  double: edm.double({ maximum: 1e300 }).nullable(),
  price: edm.decimal({ precision: 30, scale: 20, minimum: "0.00000000000000000001", maximum: "99.5" }).nullable(),
  tags: edm.collection(edm.string({ minLength: 2 }), { minItems: 1, maxItems: 3 }).default(["new"]),
  size: edm.complex(Dimension).nullable(),
  sizes: edm.collection(edm.complex(Dimension)),
});

const model = () => {
  const rows = new Map<number, object>();
  const service = odataService({
    prefix: "/s",
    logger: noFailures,
    entitySets: [
      entitySet(Product, {
        getAll: () => [...rows.values()] as never[],
        getByKey: (id) => (rows.get(id) ?? null) as never,
        create: (product) => {
          rows.set(product.id, product);
          return product;
        },
        patch: (id, delta) => ({ ...rows.get(id), ...delta }) as never,
        actions: {
          order: action({
            bound: "entity",
            params: {
              amount: edm.int32({ minimum: 1, maximum: 9 }),
              codes: edm.collection(edm.string(), { maxItems: 2 }),
            },
            handler: (_key, _params) => undefined,
          }),
        },
      }),
    ],
    functions: {
      half: fn({
        params: { n: edm.int32({ minimum: 2 }), s: edm.string({ pattern: "^a" }).default("a") },
        returns: edm.int32(),
        handler: ({ n }) => n / 2,
      }),
    },
  });
  return { service, rows };
};

const NEW = { Id: 10, Sizes: [] };

eachDoor((door) => {
  const post = (member: object, path = "/s/Products") =>
    door.to(model().service)(path, JSON_BODY, "POST", JSON.stringify({ ...NEW, ...member }));

  test.each<[string, object]>([
    ["a text of the least length", { Code: "AB" }],
    ["a text of characters with two units", { Size: { Width: 1, Unit: "😀" } }],
    ["a text that matches", { Code: "ABCDEF", City: "Éze", Zip: "12345" }],
    [
      "bounds of every number",
      { Byte: 200, SByte: -5, Int16: 100, Stock: "9007199254740993", Single: 0, Double: 1e300 },
    ],
    ["the exact bounds of a decimal", { Price: "99.50" }],
    ["the least decimal", { Price: "0.00000000000000000001" }],
    ["-INF below a maximum", { Double: "-INF" }],
    ["numbers of items", { Tags: ["aa", "bb", "cc"] }],
    ["null, which facets do not limit", { Code: null, Price: null, Size: null }],
  ])("accepts %s", async (_title, member) => {
    expect((await post(member)).status).toBe(201);
  });

  test.each<[object, string, string]>([
    [{ Id: 9 }, "Id", "9 is too small: write a number of at least 10."],
    [{ Code: "A" }, "Code", '"A" is too short: write at least 2 characters.'],
    [{ Code: "😀" }, "Code", '"😀" is too short: write at least 2 characters.'],
    [{ Code: "ABCDEFG" }, "Code", '"ABCDEFG" is too long: write at most 6 characters.'],
    [{ Code: "Ab" }, "Code", '"Ab" does not match the pattern ^[A-Z]+$.'],
    [{ Code: "AB\n" }, "Code", '"AB\n" does not match the pattern ^[A-Z]+$.'],
    [{ City: "rome" }, "City", '"rome" does not match the pattern ^\\p{Lu}.'],
    [{ Zip: "1234" }, "Zip", '"1234" does not match the pattern ^[0-9]{5}$.'],
    [{ Byte: 0 }, "Byte", "0 is too small: write a number from 1 to 200."],
    [{ Byte: 201 }, "Byte", "201 is too large: write a number from 1 to 200."],
    [{ SByte: -6 }, "SByte", "-6 is too small: write a number of at least -5."],
    [{ Int16: 101 }, "Int16", "101 is too large: write a number of at most 100."],
    [
      { Stock: "9007199254740994" },
      "Stock",
      "9007199254740994 is too large: write a number from -1 to 9007199254740993.",
    ],
    [{ Single: 1.5 }, "Single", "1.5 is too large: write a number from 0 to 1."],
    [{ Single: "NaN" }, "Single", "NaN is too small: write a number from 0 to 1."],
    [{ Double: "INF" }, "Double", "INF is too large: write a number of at most 1e+300."],
    [{ Price: "0" }, "Price", "0 is too small: write a number from 0.00000000000000000001 to 99.5."],
    [
      { Price: "99.50000000000000000001" },
      "Price",
      "99.50000000000000000001 is too large: write a number from 0.00000000000000000001 to 99.5.",
    ],
    [{ Tags: [] }, "Tags", "The collection has 0 items: write at least 1."],
    [{ Tags: ["aa", "bb", "cc", "dd"] }, "Tags", "The collection has 4 items: write at most 3."],
    [{ Tags: ["aa", "b"] }, "Tags/1", '"b" is too short: write at least 2 characters.'],
    [{ Size: { Width: 0, Unit: "m" } }, "Size/Width", "0 is too small: write a number of at least 0.5."],
    [{ Sizes: [{ Width: 1, Unit: "" }] }, "Sizes/0/Unit", '"" is too short: write at least 1 characters.'],
  ])("refuses %j", async (member, target, problem) => {
    expectError(await post(member), { status: 400, code: "InvalidBody", target, message: `${target}: ${problem}` });
  });

  test("judges changes and values of properties, and not keys of URLs", async () => {
    const { service, rows } = model();
    rows.set(5, { id: 5, tags: ["aa"], sizes: [], byte: 1 });
    const send = door.to(service);
    const fault = {
      status: 400,
      code: "InvalidBody",
      target: "Code",
      message: 'Code: "A" is too short: write at least 2 characters.',
    };
    expectError(await send("/s/Products(5)", JSON_BODY, "PATCH", '{"Code":"A"}'), fault);
    expectError(await send("/s/Products(5)/Code", JSON_BODY, "PUT", '{"value":"A"}'), fault);
    expectAnswer(await send("/s/Products(5)/Id/$value"), {
      headers: { ...JSON_HEADERS, "content-type": "text/plain" },
      body: "5",
    });
    expectAnswer(await send("/s/Products?$filter=Id%20eq%205%20and%20Code%20ne%20'x'&$select=Id"), {
      body: { "@odata.context": `${ORIGIN}/s/$metadata#Products(Id)`, value: [{ Id: 5 }] },
    });
  });

  test("judges parameters of actions and functions", async () => {
    const send = door.to(model().service);
    const call = (body: object) => send("/s/Products(10)/order", JSON_BODY, "POST", JSON.stringify(body));
    expectError(await call({ amount: 0, codes: [] }), {
      status: 400,
      code: "InvalidParameter",
      target: "amount",
      message: "amount: 0 is too small: write a number from 1 to 9.",
    });
    expectError(await call({ amount: 1, codes: ["a", "b", "c"] }), {
      status: 400,
      code: "InvalidParameter",
      target: "codes",
      message: "codes: The collection has 3 items: write at most 2.",
    });
    expectAnswer(await send("/s/half(n=4)"), {
      body: 2,
    });
    expectError(await send("/s/half(n=1)"), {
      status: 400,
      code: "InvalidParameter",
      target: "n",
      message: /1 is too small: write a number of at least 2\./,
    });
    expectError(await send("/s/half?n=4&s=b"), {
      status: 400,
      code: "InvalidParameter",
      target: "s",
      message: /"b" does not match the pattern \^a\./,
    });
  });

  test("a collection with `minItems` is required, and a key of a URL that creates is judged", async () => {
    const List = entityType("List", {
      id: edm.int32({ minimum: 10 }).key(),
      items: edm.collection(edm.int32(), { minItems: 1 }),
      fixed: edm.collection(edm.int32(), { minItems: 1 }).immutable(),
    });
    const stored = new Map<number, object>();
    const lists = entitySet(List, {
      allowUpsert: true,
      getByKey: (id) => (stored.get(id) ?? null) as never,
      create: (list) => list,
      replace: (_id, list) => list,
    });
    const send = door.to(odataService({ entitySets: [lists], logger: noFailures }));
    const required = { status: 400, code: "InvalidBody", message: /This member is required/ };
    expectError(await send("/Lists", JSON_BODY, "POST", '{"Id":10,"Fixed":[1]}'), { ...required, target: "Items" });
    expectError(await send("/Lists(10)", JSON_BODY, "PUT", '{"Fixed":[1]}'), { ...required, target: "Items" });
    expectError(await send("/Lists(10)", JSON_BODY, "PUT", '{"Items":[1]}'), { ...required, target: "Fixed" });
    expectError(await send("/Lists(9)", JSON_BODY, "PUT", '{"Items":[1],"Fixed":[1]}'), {
      status: 400,
      code: "InvalidKey",
      target: "key",
      message: "Id: 9 is too small: write a number of at least 10.",
    });
    expect((await send("/Lists(10)", JSON_BODY, "PUT", '{"Items":[1],"Fixed":[1]}')).status).toBe(201);
    stored.set(9, { id: 9, items: [1], fixed: [2] });
    const replaced = await send("/Lists(9)", JSON_BODY, "PUT", '{"Items":[3]}');
    expect([replaced.status, replaced.json.Items, replaced.json.Fixed]).toEqual([200, [3], [2]]);
  });

  test("evaluates patterns in linear time", async () => {
    const Text = entityType("Text", { id: edm.int32().key(), text: edm.string({ pattern: "^(a+)+$" }) });
    const texts = entitySet(Text, { create: (text) => text });
    const send = door.to(odataService({ entitySets: [texts], logger: noFailures }));
    const answer = await send("/Texts", JSON_BODY, "POST", JSON.stringify({ Id: 1, Text: `${"a".repeat(100_000)}b` }));
    expectError(answer, { status: 400, code: "InvalidBody", target: "Text", message: /does not match the pattern/ });
  });
});

describe("descriptions of facets", () => {
  test("$metadata has the annotations of the vocabulary, and its reference", async () => {
    const { service } = model();
    const xml = await (await service.fetch(new Request(`${ORIGIN}/s/$metadata`))).text();
    expect(xml).toContain('<edmx:Include Namespace="Org.OData.Validation.V1"/>');
    const properties = [...xml.matchAll(/<Property Name="(?:Code|Stock|Price|Single|Tags|Width)".*?<\/Property>/gsu)];
    expect(properties.map(([text]) => text.replaceAll(/\s*\n\s*/gu, "")).join("\n")).toMatchInlineSnapshot(`
      "<Property Name="Width" Type="Edm.Double" Nullable="false"><Annotation Term="Org.OData.Validation.V1.Minimum" Float="0.5"/></Property>
      <Property Name="Code" Type="Edm.String" MaxLength="6"><Annotation Term="Org.OData.Validation.V1.Pattern" String="^[A-Z]+$"/></Property>
      <Property Name="Stock" Type="Edm.Int64"><Annotation Term="Org.OData.Validation.V1.Minimum" Int="-1"/><Annotation Term="Org.OData.Validation.V1.Maximum" Int="9007199254740993"/></Property>
      <Property Name="Single" Type="Edm.Single"><Annotation Term="Org.OData.Validation.V1.Minimum" Float="0"/><Annotation Term="Org.OData.Validation.V1.Maximum" Float="1"/></Property>
      <Property Name="Price" Type="Edm.Decimal" Precision="30" Scale="20"><Annotation Term="Org.OData.Validation.V1.Minimum" Decimal="0.00000000000000000001"/><Annotation Term="Org.OData.Validation.V1.Maximum" Decimal="99.5"/></Property>
      <Property Name="Tags" Type="Collection(Edm.String)" Nullable="false"><Annotation Term="Org.OData.Validation.V1.MinItems" Int="1"/><Annotation Term="Org.OData.Validation.V1.MaxItems" Int="3"/></Property>"
    `);
    expect(xml.replaceAll(/\s*\n\s*/gu, "")).toContain(
      '<Parameter Name="amount" Type="Edm.Int32" Nullable="false"><Annotation Term="Org.OData.Validation.V1.Minimum" Int="1"/><Annotation Term="Org.OData.Validation.V1.Maximum" Int="9"/></Parameter>',
    );
  });

  test("$metadata without such facets has no reference", async () => {
    const Plain = entityType("Plain", { id: edm.int32().key(), text: edm.string({ minLength: 1 }) });
    const service = odataService({ entitySets: [entitySet(Plain, {})] });
    expect(await (await service.fetch(new Request(`${ORIGIN}/$metadata`))).text()).not.toContain("Validation");
  });

  test("CSDL JSON has them, too", async () => {
    const Plain = entityType("Plain", { id: edm.int32({ minimum: 1 }).key(), name: edm.string({ pattern: "^a$" }) });
    const service = odataService({ profile: "standard", entitySets: [entitySet(Plain, {})] });
    const response = await service.fetch(new Request(`${ORIGIN}/$metadata?$format=json`));
    expect(((await response.json()) as { Default: { Plain: unknown } }).Default.Plain).toEqual({
      $Kind: "EntityType",
      $Key: ["Id"],
      Id: { $Type: "Edm.Int32", "@Org.OData.Validation.V1.Minimum": 1 },
      Name: { "@Org.OData.Validation.V1.Pattern": "^a$" },
    });
  });

  test("an annotation of the application replaces that of a facet", async () => {
    const Plain = entityType("Plain", { id: edm.int32({ minimum: 1 }).annotate({ "Validation.Minimum": 5 }).key() });
    const warnings: string[] = [];
    const logger = { ...noFailures, warn: (message: string) => void warnings.push(message) };
    const service = odataService({ entitySets: [entitySet(Plain, {})], logger });
    const xml = await (await service.fetch(new Request(`${ORIGIN}/$metadata`))).text();
    expect(xml.match(/<Annotation Term="[^"]*Minimum"[^>]*>/gu)).toEqual([
      '<Annotation Term="Validation.Minimum" Int="5"/>',
    ]);
    expect(xml.match(/Namespace="Org\.OData\.Validation\.V1"/gu)).toHaveLength(1);
  });

  test("OpenAPI has the keywords of JSON Schema", () => {
    const document = openApiDocument(model().service) as unknown as {
      readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, unknown> }> };
    };
    const { properties } = document.components.schemas["Product.create"] ?? { properties: {} };
    expect(properties).toMatchInlineSnapshot(`
      {
        "Byte": {
          "default": 1,
          "format": "uint8",
          "maximum": 200,
          "minimum": 1,
          "type": "integer",
        },
        "City": {
          "pattern": "^\\p{Lu}",
          "type": [
            "string",
            "null",
          ],
        },
        "Code": {
          "maxLength": 6,
          "minLength": 2,
          "pattern": "^[A-Z]+$",
          "type": [
            "string",
            "null",
          ],
        },
        "Double": {
          "anyOf": [
            {
              "format": "double",
              "maximum": 1e+300,
              "type": "number",
            },
            {
              "enum": [
                "-INF",
              ],
              "type": "string",
            },
            {
              "type": "null",
            },
          ],
        },
        "Id": {
          "format": "int32",
          "maximum": 2147483647,
          "minimum": 10,
          "type": "integer",
        },
        "Int16": {
          "format": "int16",
          "maximum": 100,
          "minimum": -32768,
          "type": [
            "integer",
            "null",
          ],
        },
        "Price": {
          "description": "At most 30 digits, at most 20 fraction digits.",
          "format": "decimal",
          "maximum": 99.5,
          "type": [
            "number",
            "null",
          ],
        },
        "SByte": {
          "format": "int8",
          "maximum": 127,
          "minimum": -5,
          "type": [
            "integer",
            "null",
          ],
        },
        "Single": {
          "format": "float",
          "maximum": 1,
          "minimum": 0,
          "type": [
            "number",
            "null",
          ],
        },
        "Size": {
          "anyOf": [
            {
              "$ref": "#/components/schemas/Dimension.body",
            },
            {
              "type": "null",
            },
          ],
        },
        "Sizes": {
          "items": {
            "$ref": "#/components/schemas/Dimension.body",
          },
          "type": "array",
        },
        "Stock": {
          "format": "int64",
          "minimum": -1,
          "type": [
            "integer",
            "null",
          ],
        },
        "Tags": {
          "items": {
            "minLength": 2,
            "type": "string",
          },
          "maxItems": 3,
          "minItems": 1,
          "type": "array",
        },
        "Zip": {
          "pattern": "^[0-9]{5}$",
          "type": [
            "string",
            "null",
          ],
        },
      }
    `);
  });

  test("OpenAPI limits bodies and parameters, but no results", () => {
    const document = JSON.parse(JSON.stringify(openApiDocument(model().service))) as {
      readonly paths: Record<string, Record<string, { readonly parameters?: unknown; readonly responses?: unknown }>>;
      readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, object> }> };
    };
    const { schemas } = document.components;
    const { Code, City, Byte, Price, Tags, Stock, Single, Id } = schemas["Product"]?.properties ?? {};
    expect({ Code, City, Byte, Price, Tags, Stock, Single, Id }).toEqual({
      Code: { type: ["string", "null"], maxLength: 6 },
      City: { type: ["string", "null"] },
      Byte: { type: "integer", format: "uint8", minimum: 0, maximum: 255 },
      Price: {
        type: ["number", "null"],
        format: "decimal",
        description: "At most 30 digits, at most 20 fraction digits.",
      },
      Tags: { type: "array", items: { type: "string" } },
      Stock: { type: ["integer", "null"], format: "int64" },
      Single: {
        anyOf: [
          { type: "number", format: "float" },
          { type: "string", enum: ["-INF", "INF", "NaN"] },
          { type: "null" },
        ],
      },
      Id: { type: "integer", format: "int32", minimum: -2_147_483_648, maximum: 2_147_483_647 },
    });
    expect(schemas["Dimension"]?.properties).toEqual({
      Width: {
        anyOf: [
          { type: "number", format: "double" },
          { type: "string", enum: ["-INF", "INF", "NaN"] },
        ],
      },
      Unit: { type: "string" },
    });
    for (const [name, wanted] of [
      ["Product.patch", { Code: { type: ["string", "null"], minLength: 2, maxLength: 6, pattern: "^[A-Z]+$" } }],
      ["Dimension.body", { Unit: { type: "string", minLength: 1 } }],
    ] as const) {
      expect(schemas[name]?.properties).toMatchObject(wanted);
    }
    const texts = (of: string): string => JSON.stringify(document.paths[of]);
    expect(JSON.stringify(document.paths)).toContain('"pattern":"^a"');
    // Facets do not limit keys in URLs.
    expect(texts("/s/Products({Id})")).not.toContain('"minimum":10');
  });
});
