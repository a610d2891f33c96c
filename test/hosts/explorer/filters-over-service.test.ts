import { arraySource, edm, entitySet, entityType, enumType, odataService } from "odatakit";
import { expect, test } from "vitest";
import { memberOf, textIn } from "../../../explorer/src/client/json-members.ts";
import type { PropertyType } from "../../../explorer/src/model/model.ts";
import { NO_FILTER, writeFilter } from "../../../explorer/src/query/filter-tree.ts";
import { keyPredicate, literalText, readTyped, toLiteral } from "../../../explorer/src/query/literals.ts";
import { conditionOf, operatorsFor } from "../../../explorer/src/query/operators.ts";
import { toRequestTarget } from "../../../explorer/src/query/option-text.ts";
import { faultOfService } from "../../../explorer/src/screens/query/query-view.ts";
import { COLOR, DAYS, entityType as typeOf, property } from "./sample-model.ts";

const Thing = entityType("Thing", {
  code: edm.string().key(),
  no: edm.int64().key(),
  boolean: edm.boolean().nullable(),
  byte: edm.byte().nullable(),
  sByte: edm.sByte().nullable(),
  int16: edm.int16().nullable(),
  int32: edm.int32().nullable(),
  decimal: edm.decimal({ precision: 20, scale: 4 }).nullable(),
  single: edm.single().nullable(),
  double: edm.double().nullable(),
  infinite: edm.double().nullable(),
  guid: edm.guid().nullable(),
  binary: edm.binary().nullable(),
  date: edm.date().nullable(),
  time: edm.timeOfDay().nullable(),
  at: edm.dateTimeOffset().nullable(),
  wait: edm.duration().nullable(),
  color: edm.enum(enumType("Color", { Red: 0, Blue: 1 })).nullable(),
  days: edm.enum(enumType("Days", { Monday: 1, Tuesday: 2 }, { isFlags: true })).nullable(),
});

const CODE = "it's 100% a/b?c#d&e=f;g+h (ü)";
const thing = {
  code: CODE,
  no: 9007199254740993n,
  boolean: true,
  byte: 255,
  sByte: -128,
  int16: -5,
  int32: 5,
  decimal: "-1.5000",
  single: 1.5,
  double: 1e21,
  infinite: -Infinity,
  guid: "01234567-89ab-cdef-0123-456789abcdef",
  binary: new Uint8Array([255, 254, 253]),
  date: "2024-02-29",
  time: "13:20:00.5",
  at: "2024-02-29T13:20:00+01:00",
  wait: "P1DT2H",
  color: "Blue",
  days: "Monday,Tuesday",
} as const;

const service = odataService({
  prefix: "/s",
  namespace: "Shop",
  entitySets: [
    entitySet(Thing, {
      applyEnabled: true,
      queryable: () => arraySource(Thing, [thing]),
      getByKey: ({ code, no }) => (code === CODE && no === thing.no ? thing : null),
    }),
  ],
});

/** The properties as the page knows them, the key first. */
const TYPES: Readonly<Record<string, PropertyType | string>> = {
  Code: "String",
  No: "Int64",
  Boolean: "Boolean",
  Byte: "Byte",
  SByte: "SByte",
  Int16: "Int16",
  Int32: "Int32",
  Decimal: "Decimal",
  Single: "Single",
  Double: "Double",
  Infinite: "Double",
  Guid: "Guid",
  Binary: "Binary",
  Date: "Date",
  Time: "TimeOfDay",
  At: "DateTimeOffset",
  Wait: "Duration",
  Color: { kind: "enum", enum: COLOR },
  Days: { kind: "enum", enum: DAYS },
};
const PROPERTIES = Object.entries(TYPES).map(([name, type]) => property(name, type));
const TYPE = typeOf("Thing", PROPERTIES, 2);

async function get(target: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const headers = { Accept: "application/json;IEEE754Compatible=true" };
  const response = await service.fetch(new Request(`http://localhost/s/${target}`, { headers }));
  const text = await response.text();
  const body: unknown = JSON.parse(text);
  return { status: response.status, body: typeof body === "object" && body !== null ? { ...body } : { text } };
}

async function only(): Promise<Record<string, unknown>> {
  const { body } = await get("Things");
  const [entity]: unknown[] = Array.isArray(body["value"]) ? body["value"] : [];
  return typeof entity === "object" && entity !== null ? { ...entity } : {};
}

test("an entity is found by the key predicate of a row that the service sent", async () => {
  const entity = await only();
  const { status, body } = await get(`Things${keyPredicate(TYPE, entity) ?? ""}`);
  expect(status).toBe(200);
  expect(body).toMatchObject(entity);
});

test.for(PROPERTIES)("an entity is found by its $name", async ({ name, type }) => {
  const literal = toLiteral((await only())[name], type);
  const typed = readTyped(literalText(literal), type);
  expect(typed).toEqual({ literal, message: null });
  for (const operator of operatorsFor(property(name, type))) {
    const filter = writeFilter({ ...NO_FILTER, items: [conditionOf(name, operator, [literal])] });
    const { status, body } = await get(toRequestTarget({ path: "Things", options: new Map([["$filter", filter]]) }));
    const isFound = Array.isArray(body["value"]) && body["value"].length === 1;
    const { operator: word, isNegated, values } = operator;
    const matches = values === "none" ? ["ne"] : ["eq", "in", "ge", "le", "has", "contains", "startswith", "endswith"];
    const isEqual = !isNegated && matches.includes(word);
    expect([filter, status, isFound]).toEqual([filter, 200, isEqual]);
  }
});

test.for([
  ["Things?$expand=Items($foo=1)", "Things?$expand=Items(¦$foo=1)", "Unknown option"],
  ["Things?$orderby=Code down", "Things?$orderby=Code ¦down", "expected asc, desc"],
  ["Things?$apply=group((A))", "Things?$apply=¦group((A))", "Write groupby"],
  ["Things?$select=Code,,No", "Things?$select=Code,¦,No", "is missing"],
] as const)("the fault of %s is at the place that the service names", async ([text, marked, sentence]) => {
  const { status, body } = await get(text);
  const fault = faultOfService(text, "", textIn(memberOf(body, "error"), "message") ?? "");
  expect([status, `${text.slice(0, fault?.position)}¦${text.slice(fault?.position ?? 0)}`]).toEqual([400, marked]);
  expect(fault?.message).toContain(sentence);
});
