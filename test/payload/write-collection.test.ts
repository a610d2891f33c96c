import { describe, expect, test } from "vitest";
import type { PayloadFormat } from "../../src/payload/payload-format.ts";
import { writeCollection } from "../../src/payload/write-collection.ts";
import { compileEntityWriter } from "../../src/payload/write-entity.ts";
import { customers } from "./model.ts";

const serviceRoot = "https://example.com/odata";
const contextUrl = `${serviceRoot}/$metadata#Customers`;
const clause = {
  selected: customers.entityType.properties.map((property) => ({ property })),
  isSelection: false,
  expanded: [],
  contextSelect: [],
};
const writerOf = (metadata: PayloadFormat["metadata"], ieee754Compatible = false) =>
  compileEntityWriter({ entitySet: customers, entityType: customers.entityType }, clause, {
    metadata,
    ieee754Compatible,
  });
const people = (length: number): readonly object[] =>
  Array.from({ length }, (_, id) => ({ id, name: `Customer number ${String(id)} ${"x".repeat(id % 200)}` }));

describe("a collection", () => {
  const context = `"@odata.context":"${contextUrl}"`;
  const link = "https://example.com/odata/Customers?$skiptoken=AQAAAA%3D%3D";
  test.each([
    ["nothing else", writerOf("minimal"), {}, `{${context},"value":[]}`],
    ["a count", writerOf("minimal"), { count: 3 }, `{${context},"@odata.count":3,"value":[]}`],
    [
      "a count of zero and a link",
      writerOf("minimal"),
      { count: 0, nextLink: link },
      `{${context},"@odata.count":0,"@odata.nextLink":"${link}","value":[]}`,
    ],
    [
      "a count as a string",
      writerOf("minimal", true),
      { count: 9_007_199_254_740_993n },
      `{${context},"@odata.count":"9007199254740993","value":[]}`,
    ],
    [
      "no metadata",
      writerOf("none"),
      { count: 1n, nextLink: link },
      `{"@odata.count":1,"@odata.nextLink":"${link}","value":[]}`,
    ],
  ])("with %s", (_, writer, envelope, expected) => {
    expect(writeCollection({ contextUrl, serviceRoot, entities: [], writer, ...envelope })).toBe(expected);
  });

  test("contains its entities in order", () => {
    const entities = [
      { id: 2, name: "B" },
      { id: 1, name: "A" },
    ];
    expect(writeCollection({ contextUrl, serviceRoot, entities, writer: writerOf("minimal") })).toBe(
      `{${context},"value":[{"Id":2,"Name":"B"},{"Id":1,"Name":"A"}]}`,
    );
  });

  test("of up to 1,000 entities is one string", () => {
    const writer = writerOf("minimal");
    expect(writeCollection({ contextUrl, serviceRoot, entities: people(1000), writer })).toBeTypeOf("string");
    expect(writeCollection({ contextUrl, serviceRoot, entities: people(1001), writer })).toBeTypeOf("object");
  });

  test("of more entities is written in chunks of 64 kB with the same bytes, in each iteration", () => {
    const entities = people(5000);
    const writer = writerOf("minimal");
    const body = writeCollection({ contextUrl, serviceRoot, count: 5000, entities, writer });
    const chunks = Array.from(body as Iterable<string>);
    const items = entities.map((entity) => writer.writeItem(entity, serviceRoot)).join(",");
    expect(chunks.join("")).toBe(`{${context},"@odata.count":5000,"value":[${items}]}`);
    expect(Array.from(body as Iterable<string>)).toEqual(chunks);
    expect(chunks.slice(0, -1).every(({ length }) => length >= 65_536 && length < 66_000)).toBe(true);
    expect(chunks.length).toBeGreaterThan(5);
  });
});
