import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { openApiDocument, openApiRoute } from "odatakit/openapi";
import { expect, test } from "vitest";
import { toPattern } from "../../../src/edm/linear-pattern.ts";
import { textMatching } from "../../../src/hosts/openapi/pattern-example.ts";
import { nodeDoor as door } from "../../service/http/doors.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly examples?: readonly string[] };
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly example?: object } } };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const Owner = entityType("Owner", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 20 }),
  rank: edm.int32(),
});
const Plate = entityType("Plate", {
  code: edm.string({ pattern: "^[A-Z]{1,3}-\\d{2,4}$", maxLength: 8 }).key(),
  country: edm.string({ pattern: "[A-Z][A-Z]", minLength: 2, maxLength: 2 }),
  phone: edm.string({ pattern: String.raw`^(?:\+49|0)[1-9]\d{3,}$`, minLength: 9 }),
  mails: edm.collection(edm.string({ pattern: "^[^@ ]+@[^@ ]+\\.(?:com|org)$" }), { minItems: 1 }),
  note: edm.string({ pattern: "^(?:x|y)+z?$" }).nullable(),
  weight: edm.int32(),
  ownerId: edm.int32().nullable(),
});
const PLATES = [
  { code: "B-12", country: "DE", phone: "+491234567", mails: ["a@b.org"], note: null, weight: 5, ownerId: 1 },
];
const OWNERS = [{ id: 1, name: "text", rank: 1 }];

const service = odataService({
  profile: "standard",
  entitySets: [
    entitySet(Plate, {
      queryable: () => arraySource(Plate, PLATES),
      getByKey: () => PLATES[0] ?? null,
      create: (entity) => entity,
      replace: (_key, entity) => ({ ...entity, code: "B-12" }),
      patch: () => PLATES[0] ?? null,
      navigation: { owner: hasOptional(Owner, { target: "Owners", on: { ownerId: "id" } }) },
    }),
    entitySet(Owner, {
      queryable: () => arraySource(Owner, OWNERS),
      getByKey: () => OWNERS[0] ?? null,
      search: () => OWNERS,
      navigation: { plates: hasMany(Plate, { target: "Plates", on: { id: "ownerId" } }) },
    }),
  ],
});

function operationsOf(document: unknown): ReadonlyArray<readonly [method: string, path: string, operation: Operation]> {
  return Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
  );
}

test("the first examples of all query options can be sent together", async () => {
  const found: string[] = [];
  for (const [method, template, { parameters = [] }] of operationsOf(openApiDocument(service))) {
    const query = parameters.flatMap(({ name, in: place, schema }) =>
      place === "query" && schema?.examples !== undefined
        ? [`${name}=${encodeURIComponent(schema.examples[0] ?? "")}`]
        : [],
    );
    if (method !== "GET" || query.length === 0) continue;
    const path = template.replace("'{Code}'", "'B-12'").replace("{Id}", "1");
    const { status, text } = await door.to(service)(`${path}?${query.join("&")}`);
    expect([path, query, status, text]).toEqual([path, query, 200, text]);
    found.push(`${template} ${query.map((each) => each.slice(0, each.indexOf("="))).join(" ")}`);
  }
  expect(found).toContain("/Plates $filter $orderby $select $expand $apply $compute");
  expect(found).toContain("/Owners $filter $orderby $select $expand $search $apply $compute");
});

test("bodies with patterns can be sent", async () => {
  const found: string[] = [];
  for (const [method, template, { requestBody }] of operationsOf(openApiDocument(service))) {
    const example = requestBody?.content["application/json"]?.example;
    if (example === undefined) continue;
    const path = template.replace("'{Code}'", "'B-12'").replace("{Id}", "1");
    if (!path.startsWith("/Plates")) continue;
    const { status, text } = await door.to(service)(
      path,
      { "Content-Type": "application/json" },
      method,
      JSON.stringify(example),
    );
    expect([method, path, example, status, text]).toEqual([
      method,
      path,
      example,
      expect.toBeOneOf([200, 201, 204]),
      text,
    ]);
    found.push(`${method} ${template}`);
  }
  expect(found).toEqual(expect.arrayContaining(["POST /Plates", "PUT /Plates('{Code}')", "PATCH /Plates('{Code}')"]));
});

test.each([
  ["^[A-Z]{3}$", "AAA"],
  ["^\\d{3}-\\d{2}$", "111-11"],
  ["^(red|green)$", "red"],
  ["^[^a-zA-Z0-9]+$", " "],
  ["^\\p{Lu}\\p{Ll}*$", "A"],
  ["^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "00000000-0000-0000-0000-000000000000"],
  ["^https?://[\\w.]+/?$", "http://a"],
  ["^\\x41\\u0042$", "AB"],
  ["^[\\]x]$", "]"],
  ["^$|^a$", "a"],
])("%o has the example %o", (source, expected) => {
  expect(textMatching(toPattern(source))).toBe(expected);
});

test("a pattern that no text of the length matches has no example", () => {
  expect(textMatching(toPattern("^a{5}$"), 0, 4)).toBeUndefined();
  expect(textMatching(toPattern("^ab?$"), 3)).toBeUndefined();
  expect(textMatching(toPattern("^a+$"), 100)).toBe("a".repeat(128));
  expect(textMatching(toPattern("^[B-D]"), 3, 4)).toBe("Baa");
});

test("a document describes a chain of 2,000 sets", async () => {
  const types = Array.from({ length: 2000 }, (_none, index) =>
    entityType(`Link${String(index)}`, { id: edm.int32().key(), nextId: edm.int32().nullable() }),
  );
  const sets = types.map((type, index) =>
    entitySet(type, {
      name: `Links${String(index)}`,
      allowDeepInsert: true,
      getAll: () => [],
      create: () => null,
      navigation: {
        next: hasOptional(types[(index + 1) % types.length] ?? type, {
          target: `Links${String((index + 1) % types.length)}`,
          on: { nextId: "id" },
        }),
      },
    }),
  );
  const chain = odataService({ entitySets: sets, routes: [openApiRoute()] });
  const { status, text } = await door.to(chain)("/openapi.json");
  expect(status).toBe(200);
  const { schemas } = (JSON.parse(text) as Document).components;
  expect(schemas["Link1999"]).toHaveProperty(["properties", "Next", "anyOf", 0, "$ref"], "#/components/schemas/Link0");
  expect(schemas["Link1999.nested"]).toBeDefined();
});
