import { sqlSource } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { atOnce } from "../../src/base/maybe.ts";
import { declaredEntityType } from "../../src/definition/model/declared-entity-type.ts";
import { PRIMITIVE_TYPES } from "../../src/edm/primitive-type.ts";
import { Evaluation } from "../../src/memory/evaluation.ts";
import { groupRows } from "../../src/memory/apply-steps.ts";
import { ENGINES } from "./engines.ts";
import { thingRows } from "./thing-rows.ts";
import { Thing, columns, storableRows, thingsDatabase } from "./things.ts";

const entityType: any = declaredEntityType(Thing);
const it: any = { kind: "it", type: entityType };
const prop = (property: any, source: any = it): any => ({ kind: "property", source, property, type: property.type });
const synthetic = (name: string, type: any, index = 0, facets: any = {}): any => ({
  kind: "StructuralProperty", name, field: name, type, isCollection: false, nullable: true, isKey: false, computed: false, immutable: false, facets, index,
});
const typeOf = (properties: any[]): any => ({ ...entityType, properties, key: [], ignoredProperties: [], navigationProperties: [], members: new Map(properties.map((p) => [p.name, p])), membersIgnoringCase: new Map() });
const D = PRIMITIVE_TYPES["Edm.Decimal"];
const INTS = new Set(["Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32"]);
const sumType = (t: any): any => (INTS.has(t.name) ? PRIMITIVE_TYPES["Edm.Int64"] : t.name === "Edm.Int64" || t.name === "Edm.Decimal" ? D : t.name === "Edm.Duration" ? t : PRIMITIVE_TYPES["Edm.Double"]);
const avgType = (t: any): any => (t.name === "Edm.Decimal" ? D : t.name === "Edm.Duration" ? t : PRIMITIVE_TYPES["Edm.Double"]);

const paths: [string, any][] = [];
for (const p of entityType.properties) {
  if (p.isCollection) continue;
  if (p.type.kind === "ComplexType") {
    for (const m of p.type.properties) {
      if (m.isCollection) continue;
      if (m.type.kind === "ComplexType") { for (const n of m.type.properties) paths.push([`${p.name}/${m.name}/${n.name}`, prop(n, prop(m, prop(p)))]); continue; }
      paths.push([`${p.name}/${m.name}`, prop(m, prop(p))]);
    }
    continue;
  }
  if (p.name === "secret") continue;
  paths.push([p.name, prop(p)]);
}
const aggregatesFor = (e: any): any[] => {
  const t = e.type;
  const out: any[] = [{ property: synthetic("dist", D), method: "countdistinct", expression: e, filter: null }, { property: synthetic("n", D), method: "count", expression: null, filter: null }];
  const flags = t.kind === "EnumType" && t.isFlags;
  if (!["Edm.Boolean", "Edm.Guid", "Edm.Binary"].includes(t.name) && !flags) for (const m of ["min", "max"]) out.push({ property: synthetic(m, t, 0, e.property?.facets ?? {}), method: m, expression: e, filter: null });
  if (sumable(t)) {
    out.push({ property: synthetic("sum", sumType(t)), method: "sum", expression: e, filter: null });
    out.push({ property: synthetic("avg", avgType(t)), method: "average", expression: e, filter: null });
  }
  return out.map((a, i) => ({ ...a, property: { ...a.property, index: i } }));
};
const sumable = (t: any): boolean => ["Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Decimal", "Edm.Single", "Edm.Double", "Edm.Duration"].includes(t.name);

const shapeOf = (steps: any[], type: any): any => ({ key: "k", entitySet: { name: "Things" }, entityType: type, apply: { branches: [{ steps, entityType: type, isTransformed: true, computed: [], orderBy: [] }], entityType: type }, filter: null, orderBy: [], selectExpand: { selected: [], isSelection: false, contextSelect: [], expanded: [] }, parameters: [], roundingMode: "spec-compliant" });
const text = (v: any): string => JSON.stringify(v, (_k, x) => (typeof x === "bigint" ? `${x}n` : typeof x === "number" ? (Object.is(x, -0) ? "-0" : String(x)) : x instanceof Uint8Array ? `x${Buffer.from(x).toString("hex")}` : x));

describe.each(ENGINES)("$title", (engine) => {
  test("values", { timeout: 300_000 }, async () => {
    const rows = storableRows(thingRows(200, 5), engine.name);
    const { db, close } = await thingsDatabase(engine, rows);
    const source: any = sqlSource(Thing, { db, from: "things", columns } as any);
    const faults: string[] = [];
    for (const [name, e] of paths) {
      for (const grouped of [false, true, "key"]) {
        const key = synthetic("key", e.type, 0, e.property.facets);
        const other = synthetic("other", PRIMITIVE_TYPES["Edm.Boolean"]);
        const keys: any[] = grouped === "key" ? [{ kind: "value", property: key, expression: e }] : grouped ? [{ kind: "value", property: other, expression: prop(entityType.members.get("flag") ?? entityType.properties.find((p: any) => p.field === "flag")) }] : [];
        const aggregates = grouped === "key" ? aggregatesFor(e).filter((a) => a.method === "count") : aggregatesFor(e);
        const type = typeOf([...keys.map((k) => k.property), ...aggregates.map((a) => a.property)]);
        const step: any = { kind: "group", inputType: entityType, keys, aggregates, entityType: type };
        const selected = type.properties.map((property: any) => ({ property }));
        let expected: string[]; let found: string[];
        try {
          const made: any = atOnce((pace) => groupRows(rows, step, { roundingMode: "spec-compliant", evaluation: new Evaluation([]), maxGroups: null }, pace));
          expected = made.map(text).sort();
        } catch (error) { faults.push(`${name} memory ${String(error)}`); continue; }
        try {
          const query = { shape: shapeOf([step], type), values: [], filter: null, orderBy: [], selected, skip: 0, top: undefined, count: false, signal: undefined };
          const page: any = await source.read(query);
          found = page.entities.map((row: any) => text(Object.fromEntries(type.properties.map((p: any) => { const c = page.rowShape.columns.get(p); return [p.field, c.toValue(row[c.index])]; })))).sort();
        } catch (error: any) { faults.push(`${name} ${String(grouped)} sql ${String(error?.message)} ${String(error?.cause?.message ?? "")}`); continue; }
        if (JSON.stringify(found) !== JSON.stringify(expected)) {
          const missing = expected.filter((x) => !found.includes(x)).slice(0, 3); const extra = found.filter((x) => !expected.includes(x)).slice(0, 3);
          faults.push(`${name} ${String(grouped)}\n   memory ${missing.join("  ")}\n   sql    ${extra.join("  ")}`);
        }
      }
    }
    await close();
    expect(faults.join("\n")).toBe("");
  });
});
