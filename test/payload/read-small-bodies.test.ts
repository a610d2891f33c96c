import { describe, expect, test } from "vitest";
import type { OperationParameter, StructuralProperty } from "../../src/edm/model.ts";
import { PRIMITIVE_TYPES } from "../../src/edm/primitive-type.ts";
import { compileParametersReader } from "../../src/payload/read-parameters.ts";
import { compilePropertyBodyReader } from "../../src/payload/read-property-body.ts";
import { readReference } from "../../src/payload/write-entity-reference.ts";
import { fault, json } from "./bodies.ts";
import { typeOf } from "./body-model.ts";

describe("a reference", () => {
  test.each(["Customers(5)", "http://a/Customers(5)", "../x", "Ü"])("%s is handed on as it is", (id) => {
    expect(readReference(json({ "@odata.id": id }))).toBe(id);
    expect(readReference(json({ "@odata.context": "x", "@odata.id": id }))).toBe(id);
  });

  test.each([
    ["null", undefined],
    ["[]", undefined],
    ['"Customers(5)"', undefined],
    ["{}", "@odata.id"],
    ['{"@odata.id":null}', "@odata.id"],
    ['{"@odata.id":5}', "@odata.id"],
    ['{"@odata.id":" "}', "@odata.id"],
    ['{"@odata.id":{"a":1}}', "@odata.id"],
    ['{"@ODATA.ID":"x"}', "@odata.id"],
    ['{"@odata.id":"x","Id":1}', "Id"],
  ])("%s is refused", (text, target) => {
    expect(fault(() => readReference(json(text)))).toMatchObject({ status: 400, code: "InvalidBody", target });
  });
});

describe("the body of a property", () => {
  const property = (name: string): StructuralProperty => {
    const found = typeOf("Orders").properties.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no property ${name}.`);
    return found;
  };
  const read = (name: string, text: string, ieee754Compatible = false): unknown =>
    compilePropertyBodyReader(property(name), { unknownMembers: "reject" })(json(text), ieee754Compatible);

  test("is its value", () => {
    expect(read("CustomerId", '{"value":5}')).toBe(5);
    expect(read("CustomerId", '{"@odata.context":"x","value":"5"}', true)).toBe(5);
    expect(read("remark", '{"value":null}')).toBeNull();
    expect(read("Tags", '{"value":["a"]}')).toEqual(["a"]);
    expect(read("ShipTo", '{"value":{"Street":"A"}}')).toMatchObject({ street: "A", city: null });
  });

  test.each([
    ["CustomerId", "5", "InvalidBody", undefined],
    ["CustomerId", "[]", "InvalidBody", undefined],
    ["CustomerId", "null", "InvalidBody", undefined],
    ["CustomerId", "{}", "InvalidBody", "value"],
    ["CustomerId", '{"Value":5}', "InvalidBody", "value"],
    ["CustomerId", '{"value":5,"x":1}', "InvalidBody", "x"],
    ["CustomerId", '{"value":null}', "NullNotAllowed", "CustomerId"],
    ["CustomerId", '{"value":"x"}', "InvalidBody", "CustomerId"],
    ["Tags", '{"value":null}', "NullNotAllowed", "Tags"],
    ["Tags", '{"value":[null]}', "NullNotAllowed", "Tags/0"],
    ["ShipTo", '{"value":{"Street":5}}', "InvalidBody", "ShipTo/Street"],
  ])("%s: %s is refused", (name, text, code, target) => {
    expect(fault(() => read(name, text))).toMatchObject({ status: 400, code, target });
  });

  test("a link in it is not implemented", () => {
    const text = '{"value":5,"value@odata.bind":"x"}';
    expect(fault(() => read("CustomerId", text))).toMatchObject({ status: 501, code: "NotImplemented" });
  });
});

describe("the body of an action", () => {
  const parameter = (name: string, extra: Partial<OperationParameter> = {}): OperationParameter => ({
    name,
    type: PRIMITIVE_TYPES["Edm.Int32"],
    isCollection: false,
    nullable: false,
    facets: {},
    ...extra,
  });
  const address = typeOf("Orders").properties.find(({ name }) => name === "ShipTo")!.type;
  const read = compileParametersReader(
    {
      name: "Approve",
      parameters: [
        parameter("days"),
        parameter("note", { type: PRIMITIVE_TYPES["Edm.String"], nullable: true, facets: { maxLength: 3 } }),
        parameter("limit", { defaultValue: 7 }),
        parameter("marks", { isCollection: true, defaultValue: [] }),
        parameter("address", { type: address, nullable: true }),
        parameter("constructor", { nullable: true }),
      ],
    },
    { unknownMembers: "reject" },
  );

  test("has its parameters by name; missing parameters become their default or null", () => {
    const absent = { note: null, limit: 7, marks: [], address: null, constructor: null };
    expect(read(json({ days: 1 }), false)).toStrictEqual({ days: 1, ...absent });
    const all = { days: 1, note: "abc", limit: 8, marks: [1], address: { Street: "A" }, constructor: 2 };
    expect(read(json(all), false)).toMatchObject({ ...all, address: { street: "A", city: null } });
    expect(read(json({ days: "1" }), true)).toMatchObject({ days: 1 });
  });

  test.each([
    ["{}", "MissingParameter", "days"],
    ['{"days":null}', "InvalidParameter", "days"],
    ['{"days":"1"}', "InvalidParameter", "days"],
    ['{"days":1,"note":"abcd"}', "InvalidParameter", "note"],
    ['{"days":1,"marks":[1,"x"]}', "InvalidParameter", "marks/1"],
    ['{"days":1,"address":{}}', "InvalidParameter", "address/Street"],
    ['{"days":1,"Note":"a"}', "InvalidBody", "Note"],
    ["[]", "InvalidBody", undefined],
    ["null", "InvalidBody", undefined],
  ])("%s is refused", (text, code, target) => {
    expect(fault(() => read(json(text), false))).toMatchObject({ status: 400, code, target });
  });
});
