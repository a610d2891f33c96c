import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PayloadFormat } from "../../src/payload/payload-format.ts";
import { writeCollection } from "../../src/payload/write-collection.ts";
import { compileEntityWriter } from "../../src/payload/write-entity.ts";
import { caseCount } from "../cases.ts";
import { customers } from "./model.ts";
import { written } from "./written.ts";

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

const decode = (chunks: Iterable<Uint8Array>): string => Buffer.concat([...chunks]).toString();

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
    expect(writeCollection({ contextUrl, serviceRoot, parts: [{ entities: [], writer }], ...envelope })).toBe(expected);
  });

  test("contains its entities in order", () => {
    const entities = [
      { id: 2, name: "B" },
      { id: 1, name: "A" },
    ];
    expect(writeCollection({ contextUrl, serviceRoot, parts: [{ entities, writer: writerOf("minimal") }] })).toBe(
      `{${context},"value":[{"Id":2,"Name":"B"},{"Id":1,"Name":"A"}]}`,
    );
  });

  test("of up to 1,000 entities is one string if it is short, and otherwise the same text as bytes", () => {
    const writer = writerOf("minimal");
    for (const length of [0, 1, 20, 200, 1000]) {
      const entities = people(length);
      const body = writeCollection({ contextUrl, serviceRoot, parts: [{ entities, writer }] });
      const items = entities.map((entity) => written(writer.writeItem(entity, serviceRoot))).join(",");
      const text = `{${context},"value":[${items}]}`;
      expect(body).toEqual(length < 200 ? text : new TextEncoder().encode(text));
    }
    const body = writeCollection({ contextUrl, serviceRoot, parts: [{ entities: people(1001), writer }] });
    expect(body).not.toBeInstanceOf(Uint8Array);
    expect(body).toBeTypeOf("object");
  });

  test("of more entities is written in chunks of 64 KiB with the same bytes, in each iteration", () => {
    const entities = people(5000);
    const writer = writerOf("minimal");
    const body = writeCollection({ contextUrl, serviceRoot, count: 5000, parts: [{ entities, writer }] });
    const chunks = Array.from(body as Iterable<Uint8Array>);
    const items = entities.map((entity) => written(writer.writeItem(entity, serviceRoot))).join(",");
    expect(decode(chunks)).toBe(`{${context},"@odata.count":5000,"value":[${items}]}`);
    expect(Array.from(body as Iterable<Uint8Array>)).toEqual(chunks);
    expect(chunks.slice(0, -1).every(({ length }) => length >= 65_536 && length < 65_536 + 9000)).toBe(true);
    expect(chunks.length).toBeGreaterThan(5);
  });

  test("is the same with texts of any length and characters, in one body and in chunks", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .tuple(fc.constantFrom("a", "é", "€", "😀", '"', "\\", "\n", "\ud800"), fc.constantFrom(1, 100, 5000, 30_000))
        .map(([character, length]) => character.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), fc.boolean(), (names, isChunked) => {
        const entities = names.map((each, id) => ({ id, name: each }));
        const body = writeCollection({
          contextUrl,
          serviceRoot,
          parts: [{ entities, writer: writerOf("minimal"), total: isChunked ? 1001 : undefined }],
        });
        const value = entities.map((each) => ({ Id: each.id, Name: each.name }));
        const reference = JSON.stringify({ "@odata.context": contextUrl, value });
        expect(isChunked).toBe(typeof body !== "string" && !(body instanceof Uint8Array));
        expect(typeof body === "string" ? body : decode(body instanceof Uint8Array ? [body] : body)).toBe(reference);
      }),
      { numRuns: caseCount(300) },
    );
  });
});
