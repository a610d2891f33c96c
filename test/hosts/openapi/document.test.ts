import { ConfigurationError, edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { sampleService } from "../../service/http/model.ts";
import { echoService } from "../../service/http/operation-model.ts";
import { everything, SECRET, Tag } from "./model.ts";
import { faultsOf } from "./validate.ts";
import { contentOf, operationOf, operationsOf, parametersOf } from "./walk.ts";

const document = openApiDocument(everything());

describe("an independent validator accepts the document as OpenAPI 3.1", () => {
  test.each([
    ["everything", everything],
    ["every type of property", () => sampleService],
    ["every type of parameter and result", () => echoService({ last: undefined })],
    [
      "names beyond ASCII, and the empty prefix",
      () => {
        const Größe = entityType("Größe", { schlüssel: edm.string().key() });
        return odataService({
          entitySets: [entitySet(Größe, { name: "Größen", getAll: () => [], getByKey: () => null })],
        });
      },
    ],
    ["authentication", () => everything({ authenticate: () => null, challenge: 'Basic realm="a, b", Bearer' })],
  ])("%s", async (_what, service) => {
    expect(await faultsOf(openApiDocument(service()))).toEqual([]);
  });

  test("several services", async () => {
    const several = [everything({ name: "v1", prefix: "/v1" }), everything({ name: "v2", prefix: "/v2" })];
    expect(await faultsOf(openApiDocument(several))).toEqual([]);
  });

  test("every reference resolves, and every operation has a unique name", () => {
    const text = JSON.stringify(document);
    const names = Array.from(text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g), ([, kind, name]) => [kind, name]);
    const { schemas, responses } = document.components;
    const known: Readonly<Record<string, object>> = { schemas, responses };
    expect(names.filter(([kind = "", name = ""]) => !Object.hasOwn(known[kind] ?? {}, name))).toEqual([]);
    const ids = operationsOf(document).map((each) => {
      const [method = "", path = ""] = each.split(" ");
      return operationOf(document, method, path).operationId;
    });
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("routes", () => {
  test("are exactly the routes of the service", () => {
    const order = "/shop/Orders({Id})";
    expect(operationsOf(document)).toEqual(
      [
        "GET /shop",
        "GET /shop/$metadata",
        ...["GET", "POST"].map((method) => `${method} /shop/Orders`),
        ...["Orders", "Lines", "Tags"].map((name) => `POST /shop/${name}/$query`),
        `POST ${order}/Lines/$query`,
        "GET /shop/Orders/$count",
        ...["GET", "PUT", "PATCH", "DELETE"].map((method) => `${method} ${order}`),
        ...["GET", "POST"].map((method) => `${method} ${order}/Lines`),
        `GET ${order}/Lines/$count`,
        `GET ${order}/Lines(OrderId={OrderId},No={No})`,
        ...["GET", "POST", "DELETE"].map((method) => `${method} ${order}/Lines/$ref`),
        `GET ${order}/Parent`,
        ...["GET", "PUT", "DELETE"].map((method) => `${method} ${order}/Parent/$ref`),
        ...["Id", "Status", "Rights", "Total", "ShipTo", "Tags", "remark", "PlacedBy", "Version"].map(
          (name) => `GET ${order}/${name}`,
        ),
        ...["Id", "Status", "Rights", "Total", "remark", "PlacedBy", "Version"].map(
          (name) => `GET ${order}/${name}/$value`,
        ),
        ...["Status", "Rights", "Total", "ShipTo", "Tags", "remark"].map((name) => `PUT ${order}/${name}`),
        ...["Status", "Rights", "Total", "remark"].map((name) => `PATCH ${order}/${name}`),
        ...["Rights", "ShipTo", "remark"].map((name) => `DELETE ${order}/${name}`),
        `GET ${order}/Similar`,
        `POST ${order}/Ship`,
        "GET /shop/Orders/Late",
        "POST /shop/Orders/Purge",
        "GET /shop/Lines",
        "GET /shop/Lines/$count",
        "GET /shop/Lines(OrderId={OrderId},No={No})",
        "GET /shop/Tags",
        "POST /shop/Tags",
        "GET /shop/Tags/$count",
        "GET /shop/Tags('{Name}')",
        "GET /shop/Version",
        "POST /shop/Reset",
        "POST /shop/$batch",
      ].toSorted(),
    );
  });

  test("all exist in the service", async () => {
    const service = everything({ logger: { error: () => {}, warn: () => {}, info: () => {} } });
    const keys: Readonly<Record<string, string>> = { Id: "1", OrderId: "1", No: "1", Name: "a" };
    for (const each of operationsOf(document)) {
      const [method = "", template = ""] = each.split(" ");
      const path = template.replaceAll(/\{(\w+)\}/g, (_text, name: string) => keys[name] ?? "");
      const body = method === "GET" || method === "DELETE" ? null : "{}";
      const headers = { "Content-Type": "application/json" };
      const answer = await service.fetch(new Request(`http://x${path}`, { method, body, headers }));
      const text = await answer.text();
      expect([405, 501], each).not.toContain(answer.status);
      expect(text, each).not.toContain("This path has no resource");
    }
  });

  test("omit the read of links that can only be written", () => {
    const T = entityType("T", { id: edm.int32().key() });
    const parts = hasMany(T, { target: "Ts", addRef: () => undefined });
    const service = odataService({ entitySets: [entitySet(T, { getByKey: () => null, navigation: { parts } })] });
    expect(operationsOf(openApiDocument(service))).toEqual([
      "GET /",
      "GET /$metadata",
      "GET /Ts({Id})",
      "POST /$batch",
      "POST /Ts({Id})/Parts/$ref",
    ]);
  });

  test("property routes are omitted unless PropertyRouteDocsEnabled; they stay live", async () => {
    const T = entityType("T", { id: edm.int32().key() });
    const service = odataService({ entitySets: [entitySet(T, { getByKey: (id) => ({ id }) })] });
    expect(operationsOf(openApiDocument(service))).toEqual([
      "GET /",
      "GET /$metadata",
      "GET /Ts({Id})",
      "POST /$batch",
    ]);
    expect((await service.fetch(new Request("http://x/Ts(1)/Id"))).status).toBe(200);
  });
});

describe("parameters of collection GET routes", () => {
  const ALL = ["$top", "$skip", "$filter", "$orderby", "$select", "$expand", "$count", "$search"];

  test("all enabled options, and $search with a handler", () => {
    expect(parametersOf(operationOf(document, "GET", "/shop/Orders"), "query")).toEqual(ALL);
    expect(parametersOf(operationOf(document, "GET", "/shop/Lines"), "query")).toEqual(ALL.slice(0, -1));
  });

  test("$top and $skip always", () => {
    expect(parametersOf(operationOf(document, "GET", "/shop/Tags"), "query")).toEqual(["$top", "$skip"]);
  });

  test.each([
    ["$filter", { filterEnabled: false }],
    ["$orderby", { orderByEnabled: false }],
    ["$select", { selectEnabled: false }],
    ["$expand", { expandEnabled: false }],
    ["$count", { countEnabled: false }],
  ])("%s only by its flag", (option, setting) => {
    const set = entitySet(Tag, { getAll: () => [], search: () => [], ...setting });
    const operation = operationOf(openApiDocument(odataService({ entitySets: [set] })), "GET", "/Tags");
    expect(parametersOf(operation, "query")).toEqual(ALL.filter((each) => each !== option));
  });

  test("the description of $top states MaxTop", () => {
    const topOf = (path: string) => operationOf(document, "GET", path).parameters?.find(({ name }) => name === "$top");
    expect(topOf("/shop/Orders")).toMatchObject({
      description: "The number of items to return. At most 50 (MaxTop), which is also the size of a page.",
      schema: { type: "integer", minimum: 0, maximum: 50 },
    });
    expect(topOf("/shop/Tags")).toEqual({
      name: "$top",
      in: "query",
      description: "The number of items to return.",
      schema: { type: "integer", minimum: 0 },
    });
  });

  test("descriptions list allowlists, and examples obey them", () => {
    const filter = operationOf(document, "GET", "/shop/Orders").parameters?.find(({ name }) => name === "$filter");
    expect(filter).toMatchObject({ description: "The condition that items must meet. Allowed: Status, Total." });
    expect(filter?.schema).toEqual({ type: "string" });
    const order = operationOf(document, "GET", "/shop/Orders").parameters?.find(({ name }) => name === "$orderby");
    expect(order?.schema).toEqual({ type: "string", examples: ["Id desc"] });
  });

  test("examples belong to schemas, because viewers would send examples of parameters", () => {
    const shown = operationsOf(document).flatMap((each) => {
      const [method = "", path = ""] = each.split(" ");
      return operationOf(document, method, path).parameters ?? [];
    });
    expect(shown.filter((parameter) => parameter.example !== undefined)).toEqual([]);
    const examplesOf = (option: string) =>
      operationOf(document, "GET", "/shop/Lines").parameters?.find(({ name }) => name === option)?.schema?.["examples"];
    expect(["$filter", "$orderby", "$select", "$top", "Prefer"].map(examplesOf)).toEqual([
      ["Text eq 'text'"],
      ["OrderId desc"],
      ["OrderId,No"],
      undefined,
      ["maxpagesize=50"],
    ]);
  });
});

describe("other parameters", () => {
  test("of navigation routes: the supported options that the target allows", () => {
    const lines = operationOf(document, "GET", "/shop/Orders({Id})/Lines");
    expect(parametersOf(lines, "query")).toEqual(["$top", "$skip", "$orderby", "$select", "$count"]);
    expect(parametersOf(lines, "path")).toEqual(["Id"]);
  });

  test("of two keys in one path: different names", () => {
    const T = entityType("T", { id: edm.int32().key() });
    const parts = hasMany(T, { target: "Ts", get: () => [] });
    const service = odataService({ entitySets: [entitySet(T, { getByKey: () => null, navigation: { parts } })] });
    const operation = operationOf(openApiDocument(service), "GET", "/Ts({Id})/Parts({RelatedId})");
    expect(parametersOf(operation, "path")).toEqual(["Id", "RelatedId"]);
  });

  test("conditions for entities with an ETag", () => {
    const read = operationOf(document, "GET", "/shop/Orders({Id})");
    expect(parametersOf(read, "header")).toEqual(["If-Match", "If-None-Match"]);
    expect(read.responses).toHaveProperty("412");
    const conditions = { PUT: ["If-Match"], PATCH: ["If-Match", "If-None-Match"] };
    for (const [method, names] of Object.entries(conditions)) {
      const operation = operationOf(document, method, "/shop/Orders({Id})");
      expect(parametersOf(operation, "header")).toEqual([...names, "Prefer"]);
      expect(operation.responses["200"]?.headers).toHaveProperty("ETag");
      expect(operation.responses).toHaveProperty("412");
    }
    expect(parametersOf(operationOf(document, "DELETE", "/shop/Orders({Id})"), "header")).toEqual([
      "If-Match",
      "If-None-Match",
    ]);
    const untagged = operationOf(document, "GET", "/shop/Tags('{Name}')");
    expect(untagged.responses).not.toHaveProperty("304");
    expect(untagged.responses).not.toHaveProperty("412");
    expect(parametersOf(untagged, "header")).toEqual([]);
  });

  test("of functions: by name, structured values as JSON; composable functions also have query options", () => {
    const late = operationOf(document, "GET", "/shop/Orders/Late");
    expect(parametersOf(late, "query")).toEqual([
      "near",
      "by",
      "$top",
      "$skip",
      "$filter",
      "$orderby",
      "$select",
      "$expand",
      "$count",
    ]);
    const [near, by] = late.parameters ?? [];
    expect(near).toMatchObject({ required: true, content: { "application/json": {} } });
    expect(by).toMatchObject({ required: false, schema: { type: "string", default: "x" } });
  });
});

describe("operations", () => {
  test("bodies of actions, but not without parameters", () => {
    const ship = contentOf(operationOf(document, "POST", "/shop/Orders({Id})/Ship"), "body");
    expect(ship).toMatchObject({ type: "object", required: ["to"] });
    expect(contentOf(operationOf(document, "POST", "/shop/Reset"), "body")).toEqual({
      type: "object",
      properties: { hard: { type: "boolean", default: false } },
    });
    expect(operationOf(document, "POST", "/shop/Orders/Purge").requestBody).toBeUndefined();
  });

  test("results", () => {
    const resultOf = (method: string, path: string) => contentOf(operationOf(document, method, path), "200");
    expect(resultOf("GET", "/shop/Orders/Late")).toEqual({ $ref: "#/components/schemas/Order.collection" });
    expect(resultOf("POST", "/shop/Orders({Id})/Ship")).toEqual({ $ref: "#/components/schemas/Order" });
    expect(resultOf("GET", "/shop/Version")).toEqual({ type: "string" });
    expect(resultOf("GET", "/shop/Orders({Id})/Similar")).toMatchObject({
      required: ["value"],
      properties: { value: { type: "integer", format: "int32" } },
    });
    expect(operationOf(document, "POST", "/shop/Orders/Purge").responses).not.toHaveProperty("200");
  });
});

describe("errors and security", () => {
  test("the statuses of a route, with the envelope", () => {
    const statusesOf = (method: string, path: string) => Object.keys(operationOf(document, method, path).responses);
    expect(statusesOf("GET", "/shop/Orders")).toEqual(["200", "400", "406", "500", "503"]);
    expect(statusesOf("POST", "/shop/Orders")).toEqual([
      "201",
      "204",
      "400",
      "406",
      "409",
      "413",
      "415",
      "500",
      "501",
      "503",
    ]);
    // Its body has no limit.
    expect(statusesOf("POST", "/shop/Tags")).not.toContain("413");
    expect(statusesOf("PUT", "/shop/Orders({Id})")).toEqual([
      "200",
      "204",
      "400",
      "404",
      "406",
      "409",
      "412",
      "413",
      "415",
      "500",
      "501",
      "503",
    ]);
    // A PUT that may create has If-None-Match.
    const upsert = entitySet(Tag, { replace: (_key, tag) => tag, allowUpsert: true });
    const put = operationOf(openApiDocument(odataService({ entitySets: [upsert] })), "PUT", "/Tags('{Name}')");
    expect(put.responses).toHaveProperty("201");
    expect(document.components.responses["NotFound"]).toMatchObject({
      content: { "application/json": { schema: { $ref: "#/components/schemas/odata-error" } } },
    });
    expect(document.components.schemas["odata-error"]).toMatchObject({
      required: ["error"],
      properties: { error: { required: ["code", "message"] } },
    });
  });

  test("the schemes of the challenge, and 401, with authentication", () => {
    const guarded = openApiDocument(everything({ authenticate: () => null, challenge: 'Basic realm="a", Bearer' }));
    expect(guarded.components.securitySchemes).toEqual({
      basic: { type: "http", scheme: "basic" },
      bearer: { type: "http", scheme: "bearer" },
    });
    const operation = operationOf(guarded, "GET", "/shop/Orders");
    expect(operation.security).toEqual([{ basic: [] }, { bearer: [] }, {}]);
    // Credentials may be rejected, and handlers may require a user; without rules, 403 is not possible.
    expect(operation.responses).toHaveProperty("401");
    expect(operation.responses).not.toHaveProperty("403");
    expect(document.components).not.toHaveProperty("securitySchemes");
    expect(operationOf(document, "GET", "/shop/Orders").security).toEqual([]);
  });

  test("only public names", () => {
    const text = JSON.stringify(
      openApiDocument(everything({ secret: "a secret of the service", authenticate: () => null })),
    );
    for (const hidden of [SECRET, SECRET.toLowerCase(), "HushHush", "secret of", "shipTo", "placedBy", "handler"]) {
      expect(text).not.toContain(hidden);
    }
  });
});

describe("several registrations", () => {
  const v1 = everything({ name: "v1", prefix: "/v1", group: "old" });
  const v2 = everything({ name: "v2", prefix: "/v2", group: "new", publicUrl: "https://api.example.com" });

  test("share one document with different prefixes and names", () => {
    const both = openApiDocument([v1, v2]);
    expect(Object.keys(both.paths)).toEqual(expect.arrayContaining(["/v1/Orders", "/v2/Orders"]));
    expect(contentOf(operationOf(both, "GET", "/v2/Orders"), "200")).toEqual({
      $ref: "#/components/schemas/v2.Order.collection",
    });
    expect(operationOf(both, "GET", "/v1/Orders")).toMatchObject({
      operationId: "v1.Orders.list",
      tags: ["v1.Orders"],
    });
    expect(operationOf(both, "GET", "/v2/Orders").servers).toEqual([{ url: "https://api.example.com" }]);
    expect(both.servers).toEqual([{ url: "/" }]);
  });

  test("are partitioned by group", () => {
    const old = openApiDocument([v1, v2], { group: "old" });
    expect(Object.keys(old.paths).filter((path) => path !== "/v1" && !path.startsWith("/v1/"))).toEqual([]);
    expect(openApiDocument([v1, v2], { group: "new" })).toEqual(openApiDocument(v2));
    expect(openApiDocument(v2).servers).toEqual([{ url: "https://api.example.com" }]);
  });

  test.each([
    ["a group without services", () => openApiDocument([v1, v2], { group: "x" }), 'No service has the group "x".'],
    ["an empty list of services", () => openApiDocument([]), "needs at least one service"],
    [
      "another value than a service",
      () => openApiDocument({ name: "a", prefix: "/a", group: undefined }),
      "a value that is not a service",
    ],
    ["a mistyped option", () => openApiDocument(v1, { gruop: "old" } as never), "Did you mean `group`?"],
    [
      "a group that is not a string",
      () => openApiDocument(v1, { group: 5 as never }),
      "`group` of openApiDocument cannot be 5.",
    ],
    [
      "options that are not an object",
      () => openApiDocument(v1, "old" as never),
      'The options of openApiDocument cannot be "old".',
    ],
    [
      "two services with one prefix",
      () => openApiDocument([v1, everything({ name: "v3", prefix: "/v1" })]),
      "the same prefix",
    ],
    [
      "two services with one name",
      () => openApiDocument([v1, everything({ name: "v1", prefix: "/v3" })]),
      "the same name",
    ],
  ])("%s is refused", (_what, make, message) => {
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });
});
