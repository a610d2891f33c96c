import {
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasRequired,
  odataService,
  type ODataService,
} from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { ORIGIN, url } from "../../service/http/doors.ts";
import { noFailures } from "../../service/http/model.ts";
import { everything } from "./model.ts";
import { contentOf, operationOf, operationsOf, parametersOf } from "./walk.ts";

const PROFILES = ["specification", "standard"] as const;
type Profile = (typeof PROFILES)[number];

/** Every query option of routes, with a value that is always valid. */
const VALUES: Readonly<Record<string, string>> = {
  $top: "1",
  $skip: "0",
  $filter: "true",
  $orderby: "now()",
  $select: "*",
  $expand: "*",
  $count: "true",
  $search: "word",
  $apply: "identity",
  $compute: "1 as One",
};

/** Options without effect on a count are not described. */
const STRAY = new Set(["$top", "$skip", "$orderby", "$select", "$compute"]);

const KEYS: Readonly<Record<string, string>> = { Id: "1", OrderId: "1", No: "1", Name: "a" };

async function isTaken(service: ODataService, path: string, option: string): Promise<boolean> {
  const response = await service.fetch(new Request(ORIGIN + url(path, { [option]: VALUES[option] ?? "" })));
  const { status } = response;
  const text = await response.text();
  const isRefused =
    (status === 400 && text.includes('"UnsupportedQueryOption"')) ||
    (status === 501 && text.includes('"NotImplemented"'));
  // Options are checked before the parent is loaded.
  if (!isRefused) expect([200, 204, 404], `${path} ${option} ${text}`).toContain(status);
  return !isRefused;
}

const Color = enumType("Color", { Red: 0, Green: 1 });
const Place = complexType("Place", { city: edm.string() });
const Author = entityType("Author", { id: edm.int32().key() });
const Book = entityType("Book", { id: edm.int32().key() });
const ADA = { id: 1 };

/** Authors and their books, with searches, and every kind of unbound result. */
function library(profile: Profile): ODataService {
  return odataService({
    profile,
    logger: noFailures,
    entitySets: [
      entitySet(Author, {
        getAll: () => [ADA],
        getByKey: () => ADA,
        search: () => [ADA],
        expandEnabled: false,
        maxTop: 5,
        navigation: { books: hasMany(Book, { target: "Books", get: () => [{ id: 2 }] }) },
      }),
      entitySet(Book, {
        getAll: () => [],
        getByKey: () => null,
        search: () => [],
        navigation: {
          author: hasRequired(Author, { target: "Authors", get: () => ADA }),
          others: hasMany(Book, { get: () => [] }),
        },
      }),
    ],
    functions: {
      number: fn({ returns: edm.int32(), handler: () => 7 }),
      numbers: fn({ returns: edm.collection(edm.int32()), handler: () => [1] }),
      color: fn({ returns: edm.enum(Color), handler: () => "Green" as const }),
      place: fn({ returns: edm.complex(Place), handler: () => ({ city: "Rome" }) }),
      places: fn({ returns: edm.collection(edm.complex(Place)), handler: () => [{ city: "Rome" }] }),
      author: fn({ returns: Author, handler: () => ADA }),
      writers: fn({ returns: edm.collection(Author), handler: () => [ADA] }),
      list: fn({ returns: edm.collection(Author), composable: true, handler: () => [ADA, { id: 2 }] }),
    },
  });
}

describe.each(PROFILES)("the document of a service of the profile %s", (profile) => {
  test.each([
    ["everything", everything({ profile })],
    ["a library", library(profile)],
  ])("lists exactly the query options of its routes: %s", async (_name, service) => {
    const document = openApiDocument(service);
    const told: string[] = [];
    const taken: string[] = [];
    for (const each of operationsOf(document)) {
      const [method = "", template = ""] = each.split(" ");
      const operation = operationOf(document, method, template);
      const needsParameters = operation.parameters?.some((one) => one.in === "query" && one.required === true) === true;
      // A missing argument would be reported first.
      if (method !== "GET" || needsParameters) continue;
      const listed = parametersOf(operation, "query");
      const path = template.replaceAll(/\{(\w+)\}/g, (_text, name: string) => KEYS[name] ?? "1");
      for (const option of Object.keys(VALUES)) {
        if (template.endsWith("/$count") && STRAY.has(option)) continue;
        if (listed.includes(option)) told.push(`${template} ${option}`);
        if (await isTaken(service, path, option)) taken.push(`${template} ${option}`);
      }
    }
    expect(told.length).toBeGreaterThan(20);
    expect(told).toEqual(taken);
  });
});

describe("the standard's profile", () => {
  const documents = {
    specification: openApiDocument(library("specification")),
    standard: openApiDocument(library("standard")),
  };
  const queryOf = (profile: Profile, method: string, path: string) =>
    parametersOf(operationOf(documents[profile], method, path), "query");

  test.each([
    [
      "/Authors({Id})/Books",
      ["$top", "$skip", "$orderby", "$select", "$count"],
      ["$top", "$skip", "$filter", "$orderby", "$select", "$expand", "$count", "$search", "$apply", "$compute"],
    ],
    ["/Authors({Id})/Books/$count", [], ["$filter", "$search", "$apply"]],
    ["/Authors({Id})/Books({RelatedId})", ["$select"], ["$select", "$expand", "$compute"]],
    [
      "/Authors({Id})/Books/$ref",
      ["$top", "$skip", "$orderby", "$count"],
      ["$top", "$skip", "$filter", "$orderby", "$count", "$search"],
    ],
    // Authors, the target set, expand nothing.
    ["/Books({Id})/Author", ["$select"], ["$select", "$compute"]],
    ["/Books({Id})/Author/$ref", [], []],
    // Without a target set, $search is not supported.
    [
      "/Books({Id})/Others",
      ["$top", "$skip", "$orderby", "$select", "$count"],
      ["$top", "$skip", "$filter", "$orderby", "$select", "$expand", "$count", "$apply", "$compute"],
    ],
  ])("describes the options of %s", (path, specified, standard) => {
    expect(queryOf("specification", "GET", path)).toEqual(specified);
    expect(queryOf("standard", "GET", path)).toEqual(standard);
  });

  test("the create of a related entity has the options of one entity", () => {
    const path = "/shop/Orders({Id})/Lines";
    const of = (profile: Profile) =>
      parametersOf(operationOf(openApiDocument(everything({ profile })), "POST", path), "query");
    expect(of("specification")).toEqual(["$select"]);
    expect(of("standard")).toEqual(["$select", "$expand"]);
  });

  test("an unbound composable function supports $count and paging", () => {
    const of = (profile: Profile) => {
      const { parameters } = operationOf(documents[profile], "GET", "/list");
      return parameters?.map(({ name }) => name);
    };
    expect(of("specification")).toEqual(["$top", "$skip", "$filter", "$orderby", "$select"]);
    expect(of("standard")).toEqual([
      "$top",
      "$skip",
      "$filter",
      "$orderby",
      "$select",
      "$count",
      "$apply",
      "$compute",
      "Prefer",
    ]);
    const top = (profile: Profile) =>
      operationOf(documents[profile], "GET", "/list").parameters?.find(({ name }) => name === "$top")?.schema;
    expect(top("specification")).toEqual({ type: "integer", minimum: 0 });
    expect(top("standard")).toEqual({ type: "integer", minimum: 0, maximum: 5 });
  });

  const context = { "@odata.context": expect.any(String) as unknown };
  const schemaOfContext = { "@odata.context": { type: "string", readOnly: true } };
  const integer = { type: "integer", format: "int32", minimum: -2_147_483_648, maximum: 2_147_483_647 };
  const color = { $ref: "#/components/schemas/Color" };
  const place = { $ref: "#/components/schemas/Place" };
  const author = { $ref: "#/components/schemas/Author" };
  const enveloped = (value: object) => ({
    type: "object",
    properties: { "@odata.context": { type: "string" }, value },
    required: ["value"],
  });
  const page = { $ref: "#/components/schemas/Author.collection" };
  const rows = { $ref: "#/components/schemas/Author.rows" };
  const many = (items: object) => ({ type: "array", items });

  test.each([
    ["number", integer, 7, enveloped(integer), { ...context, value: 7 }],
    ["numbers", many(integer), [1], enveloped(many(integer)), { ...context, value: [1] }],
    ["color", color, "Green", enveloped(color), { ...context, value: "Green" }],
    [
      "place",
      place,
      { City: "Rome" },
      { allOf: [place, { type: "object", properties: schemaOfContext }] },
      { ...context, City: "Rome" },
    ],
    ["places", many(place), [{ City: "Rome" }], enveloped(many(place)), { ...context, value: [{ City: "Rome" }] }],
    ["author", author, { Id: 1 }, author, { ...context, Id: 1 }],
    ["writers", many(author), [{ Id: 1 }], page, { ...context, value: [{ Id: 1 }] }],
    ["list", many(author), [{ Id: 1 }, { Id: 2 }], rows, { ...context, value: [{ Id: 1 }, { Id: 2 }] }],
  ])("describes the actual result of %s", async (name, bareSchema, bare, schema, body) => {
    const answer = async (profile: Profile): Promise<unknown> => {
      const response = await library(profile).fetch(new Request(`${ORIGIN}/${name}`));
      return response.json();
    };
    const schemaIn = (profile: Profile) => contentOf(operationOf(documents[profile], "GET", `/${name}`), "200");
    expect(schemaIn("specification")).toEqual(bareSchema);
    expect(await answer("specification")).toEqual(bare);
    expect(schemaIn("standard")).toEqual(schema);
    expect(await answer("standard")).toEqual(body);
  });
});

test("a single-valued navigation has no response without content, but 404", async () => {
  const document = openApiDocument(everything());
  for (const path of ["/shop/Orders({Id})/Parent", "/shop/Orders({Id})/Parent/$ref"]) {
    const { responses } = operationOf(document, "GET", path);
    expect(Object.keys(responses)).toEqual(["200", "400", "404", "406", "500", "503"]);
    const response = await everything().fetch(new Request(ORIGIN + path.replace("{Id}", "1")));
    expect(response.status).toBe(404);
  }
});
