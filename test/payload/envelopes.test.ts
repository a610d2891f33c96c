import { describe, expect, test } from "vitest";
import { odataError, protocolError } from "../../src/base/errors/odata-error.ts";
import { writeError } from "../../src/payload/write-error.ts";
import { writeServiceDocument } from "../../src/payload/write-service-document.ts";
import { model } from "./model.ts";

describe("an error", () => {
  test.each([
    [protocolError("NotFound", "No such thing."), '{"error":{"code":"NotFound","message":"No such thing."}}'],
    [
      protocolError("InvalidQueryOption", 'Bad "x"', { target: "$top", cause: new Error("secret") }),
      '{"error":{"code":"InvalidQueryOption","message":"Bad \\"x\\"","target":"$top"}}',
    ],
    [odataError(409, "Duplicate", "ü"), '{"error":{"code":"Duplicate","message":"ü"}}'],
  ])("%o", (error, expected) => {
    expect(writeError(error)).toBe(expected);
  });
});

describe("the service document", () => {
  const root = "https://example.com/odata";
  const value = [
    { name: "Orders", kind: "EntitySet", url: "Orders" },
    { name: "Customers", kind: "EntitySet", url: "Customers" },
    { name: "Lines", kind: "EntitySet", url: "Lines" },
    { name: "Greet", kind: "FunctionImport", url: "Greet" },
    { name: "Reset", kind: "ActionImport", url: "Reset" },
  ];
  test("lists sets, functions and actions after its context", () => {
    expect(writeServiceDocument(model, root, { metadata: "minimal", ieee754Compatible: false })).toBe(
      JSON.stringify({ "@odata.context": `${root}/$metadata`, value }),
    );
  });

  test("has no context without metadata", () => {
    expect(writeServiceDocument(model, root, { metadata: "none", ieee754Compatible: false })).toBe(
      JSON.stringify({ value }),
    );
  });
});
