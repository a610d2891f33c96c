import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { sampleService } from "../../service/http/model.ts";
import { everything, SECRET } from "./model.ts";
import { contentOf, operationOf, schemaOf } from "./walk.ts";

const document = openApiDocument(everything());
const member = (schema: string, name: string) => schemaOf(document, schema).properties?.[name];

describe("entities", () => {
  test("have the property names of responses, without ignored properties", () => {
    const { properties, required } = schemaOf(document, "Order");
    const names = Object.keys(properties ?? {});
    expect(names.filter((name) => !name.includes("@"))).toEqual([
      "Id",
      "Status",
      "Rights",
      "Total",
      "ShipTo",
      "Tags",
      "remark",
      "PlacedBy",
      "Version",
      "Lines",
      "Parent",
    ]);
    expect(required).toBeUndefined();
    expect(JSON.stringify(document)).not.toMatch(new RegExp(SECRET, "i"));
    const camel = openApiDocument(everything({ propertyNaming: "camelCase" }));
    expect(Object.keys(schemaOf(camel, "Order").properties ?? {})).toEqual(
      expect.arrayContaining(["id", "shipTo", "remark", "lines"]),
    );
  });

  test("have read-only computed properties, and descriptions", () => {
    expect(member("Order", "Version")).toMatchObject({ type: "integer", readOnly: true });
    expect(member("Order", "remark")).toEqual({
      type: ["string", "null"],
      maxLength: 80,
      description: "What the customer wrote",
    });
  });

  test("refer to related entities", () => {
    expect(member("Order", "Lines")).toMatchObject({ type: "array", items: { $ref: "#/components/schemas/Line" } });
    expect(member("Order", "Parent")).toMatchObject({
      anyOf: [{ $ref: "#/components/schemas/Order" }, { type: "null" }],
    });
  });

  test("have a typed envelope for collections", () => {
    expect(schemaOf(document, "Order.collection")).toMatchObject({
      required: ["value"],
      properties: {
        "@odata.context": { type: "string" },
        "@odata.count": { type: "integer" },
        "@odata.nextLink": { type: "string" },
        value: { type: "array", items: { $ref: "#/components/schemas/Order" } },
      },
    });
  });
});

describe("bodies", () => {
  test("write routes carry a request-body schema", () => {
    const bodyOf = (method: string, path: string) => contentOf(operationOf(document, method, path), "body");
    expect(bodyOf("POST", "/shop/Orders")).toEqual({ $ref: "#/components/schemas/Orders.deepCreate" });
    expect(bodyOf("POST", "/shop/Tags")).toEqual({ $ref: "#/components/schemas/Tag.create" });
    expect(bodyOf("PUT", "/shop/Orders({Id})")).toEqual({ $ref: "#/components/schemas/Order.replace" });
    expect(bodyOf("PATCH", "/shop/Orders({Id})")).toEqual({ $ref: "#/components/schemas/Order.patch" });
    expect(bodyOf("PUT", "/shop/Orders({Id})/Parent/$ref")).toEqual({ $ref: "#/components/schemas/odata-reference" });
    expect(bodyOf("PUT", "/shop/Orders({Id})/Total")).toMatchObject({
      required: ["value"],
      properties: { value: { type: "number" } },
    });
  });

  test("require properties without a default, and omit properties that the server sets", () => {
    const create = schemaOf(document, "Orders.deepCreate");
    expect(create.required).toEqual(["Total", "PlacedBy"]);
    expect(Object.keys(create.properties ?? {})).toEqual([
      "Status",
      "Rights",
      "Total",
      "ShipTo",
      "Tags",
      "remark",
      "PlacedBy",
      "Lines",
      "Parent",
    ]);
    expect(member("Orders.deepCreate", "Status")).toMatchObject({ default: "Draft" });
    expect(schemaOf(document, "Order.replace").required).toEqual(["Total"]);
    const patch = schemaOf(document, "Order.patch");
    expect(patch.required).toBeUndefined();
    expect(Object.keys(patch.properties ?? {})).toEqual(["Status", "Rights", "Total", "ShipTo", "Tags", "remark"]);
    expect(patch.properties?.["Status"]).not.toHaveProperty("default");
  });

  test("of related entities omit the properties that the parent determines", () => {
    const line = contentOf(operationOf(document, "POST", "/shop/Orders({Id})/Lines"), "body");
    expect(line?.required).toEqual(["No"]);
    expect(line?.properties).toHaveProperty("OrderId");
  });
});

describe("types", () => {
  const samples = openApiDocument(sampleService);
  const property = (name: string) => schemaOf(samples, "Sample").properties?.[name];

  test.each([
    ["Boolean", { type: "boolean" }],
    ["Byte", { type: "integer", format: "uint8", minimum: 0, maximum: 255 }],
    ["Int64", { type: "integer", format: "int64" }],
    ["Decimal", { type: "number", format: "decimal", description: "At most 20 digits, at most 4 fraction digits." }],
    ["MaybeBoolean", { type: ["boolean", "null"] }],
    ["MaybeGuid", { type: ["string", "null"], format: "uuid", examples: ["01234567-89ab-cdef-0123-456789abcdef"] }],
    ["Text", { type: "string", maxLength: 40 }],
    [
      "MaybeDouble",
      {
        anyOf: [
          { type: "number", format: "double" },
          { type: "string", enum: ["-INF", "INF", "NaN"] },
          { type: "null" },
        ],
      },
    ],
    ["Color", { $ref: "#/components/schemas/Color" }],
    ["MaybeColor", { anyOf: [{ $ref: "#/components/schemas/Color" }, { type: "null" }] }],
    ["Texts", { type: "array", items: { type: "string" } }],
    ["MaybeTexts", { type: "array", items: { type: ["string", "null"] } }],
    ["Homes", { type: "array", items: { $ref: "#/components/schemas/Address" } }],
    ["Date", { type: "string", format: "date", examples: ["2024-02-29"] }],
  ])("%s", (name, expected) => {
    expect(property(name)).toEqual(expected);
  });

  test("enumerations: names; flags: several of them", () => {
    expect(schemaOf(samples, "Color")).toMatchObject({ type: "string", enum: ["Red", "Green", "Blue"] });
    const pattern = new RegExp(String(schemaOf(samples, "Access")["pattern"]));
    expect(["Read", "Read,Write", "Read, Write"].filter((each) => !pattern.test(each))).toEqual([]);
    expect(["", "Eat", "Read,", "Read Write"].filter((each) => pattern.test(each))).toEqual([]);
  });

  test("complex values: a separate schema for bodies, never with ignored members", () => {
    expect(Object.keys(schemaOf(samples, "Address").properties ?? {})).toEqual(["Street", "City", "Position"]);
    expect(schemaOf(document, "Address.body").required).toEqual(["Street"]);
  });
});
