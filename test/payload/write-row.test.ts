import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StructuralProperty } from "../../src/edm/model.ts";
import type { PrimitiveValue } from "../../src/edm/value-codec.ts";
import type { SelectExpandClause, SelectedProperty } from "../../src/language/query/clauses.ts";
import type { Row, RowColumn, RowShape } from "../../src/language/query/row-shape.ts";
import { etagWriter } from "../../src/payload/etag.ts";
import type { PayloadFormat } from "../../src/payload/payload-format.ts";
import { entityUrl } from "../../src/payload/urls.ts";
import { compileEntityWriter } from "../../src/payload/write-entity.ts";
import { anyCharacter } from "../any-character.ts";
import { orders, orderType, property, entitySet, entityType } from "./model.ts";

const root = "https://example.com/odata";

/** Makes a layout like a source: one cell per property, several for complex properties, documents for collections. */
function layOut(
  properties: readonly StructuralProperty[],
  next: { index: number },
): Map<StructuralProperty, RowColumn> {
  const columns = new Map<StructuralProperty, RowColumn>();
  for (const item of properties) {
    if (item.isCollection) columns.set(item, { kind: "document", index: next.index++, toValue: (cell) => cell });
    else if (item.type.kind === "ComplexType") {
      columns.set(item, { kind: "complex", members: layOut(item.type.properties, next) });
    } else {
      columns.set(item, { kind: "scalar", index: next.index++, toValue: (cell) => cell as PrimitiveValue | null });
    }
  }
  return columns;
}

function toRow(columns: RowShape["columns"], source: Readonly<Record<string, unknown>> | null, row: unknown[]): Row {
  for (const [item, column] of columns) {
    const value = source?.[item.field] ?? null;
    if (column.kind === "complex") toRow(column.members, value as Readonly<Record<string, unknown>> | null, row);
    else row[column.index] = value;
  }
  return row;
}

const rowShape: RowShape = { columns: layOut(orderType.properties, { index: 0 }) };

const formats: readonly PayloadFormat[] = (["none", "minimal", "full"] as const).flatMap((metadata) => [
  { metadata, ieee754Compatible: false },
  { metadata, ieee754Compatible: true },
]);

function clauseOf(selected: readonly SelectedProperty[]): SelectExpandClause {
  return { selected, isSelection: selected.length < orderType.properties.length, contextSelect: [], expanded: [] };
}

const text = fc.string({ unit: anyCharacter, maxLength: 8 });
const geo = fc.record({ latitude: fc.double(), longitude: fc.double() });
const address = fc.record({ street: text, city: fc.option(text), geo: fc.option(geo) });
const order = fc.record({
  id: fc.bigInt(0n, 2n ** 63n - 1n),
  customerId: fc.integer(),
  active: fc.boolean(),
  total: fc.constantFrom("0", "10.50", "-0.01"),
  status: fc.constantFrom("Draft", "Paid"),
  tags: fc.array(text, { maxLength: 3 }),
  marks: fc.array(fc.option(fc.constantFrom("1.0", "2")), { maxLength: 3 }),
  statuses: fc.array(fc.constantFrom("Draft", "Paid"), { maxLength: 2 }),
  stops: fc.array(address, { maxLength: 2 }),
  shipTo: address,
});

describe("rows", () => {
  test("are written like objects with the same values, in every format and for every selection", () => {
    const writable = orderType.properties.filter((item) => item.field in sample());
    fc.assert(
      fc.property(
        order,
        fc.subarray([...writable], { minLength: 1 }),
        fc.constantFrom(...formats),
        (entity, chosen, format) => {
          const clause = clauseOf(chosen.map((item) => ({ property: item })));
          const target = { entitySet: orders, entityType: orderType };
          const row = toRow(rowShape.columns, entity, []);
          const ofObjects = compileEntityWriter(target, clause, format);
          const ofRows = compileEntityWriter(target, clause, format, rowShape);
          expect(ofRows.writeItem(row, root)).toBe(ofObjects.writeItem(entity, root));
          expect(ofRows.writeEntity(row, root, "c")).toBe(ofObjects.writeEntity(entity, root, "c"));
          expect(entityUrl(root, orders, row, rowShape)).toBe(entityUrl(root, orders, entity));
          expect(etagWriter(orders, rowShape)?.(row)).toBe(etagWriter(orders)?.(entity));
        },
      ),
    );
  });

  test("without a required value are an error with the property", () => {
    const id = property("Id", "Edm.Int32");
    const things = entitySet("Things", entityType("Thing", [id]));
    const shape: RowShape = { columns: layOut([id], { index: 0 }) };
    const target = { entitySet: things, entityType: things.entityType };
    const writer = compileEntityWriter(target, clauseOf([{ property: id }]), formats[0] ?? raise(), shape);
    expect(() => writer.writeItem([null], root)).toThrow("Thing/Id");
    expect(() => writer.writeItem({ id: 1 }, root)).toThrow("row");
    const bare: RowShape = { columns: new Map() };
    expect(() => compileEntityWriter(target, clauseOf([{ property: id }]), formats[0] ?? raise(), bare)).toThrow(
      "Thing/Id",
    );
  });
});

function sample(): object {
  return fc.sample(order, { numRuns: 1, seed: 1 })[0] ?? raise();
}

function raise(): never {
  throw new Error("There is no sample.");
}
