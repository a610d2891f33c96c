import {
  action,
  arraySource,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type ServiceOptions,
} from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, type Door, JSON_HEADERS, VARY } from "./doors.ts";
import { noFailures } from "./model.ts";

const Page = entityType("Page", {
  id: edm.int32().key(),
  title: edm.string().nullable(),
  version: edm.int32(),
  authorId: edm.int32().nullable(),
});
const Author = entityType("Author", { id: edm.int32().key(), name: edm.string() });

const TITLES: Readonly<Record<string, string>> = { de: "Hallo", en: "Hello" };
const AUTHORS = [{ id: 5, name: "Ann" }];

function library(door: Door, pages: object = { vary: "Accept-Language" }, service: Partial<ServiceOptions> = {}) {
  const titled = (language: string | null) => [
    { id: 1, title: TITLES[language ?? ""] ?? null, version: 7, authorId: 5 },
  ];
  return door.to(
    odataService({
      prefix: "/s",
      logger: noFailures,
      batch: { json: true },
      authenticate: ({ headers }) => (headers.has("authorization") ? { id: "ann" } : null),
      entitySets: [
        entitySet(Page, {
          ...pages,
          etag: ["version"],
          queryable: ({ request }) => arraySource(Page, titled(request.headers.get("accept-language"))),
          getByKey: (id, { request }) =>
            titled(request.headers.get("accept-language")).find((each) => each.id === id) ?? null,
          create: (page) => ({ ...page, title: page.title ?? null, authorId: null }),
          patch: (_id, _delta, { request }) => titled(request.headers.get("accept-language"))[0] ?? null,
          navigation: {
            author: hasOptional(Author, { on: { authorId: "id" }, target: "Authors", get: () => AUTHORS[0]! }),
            unnamed: hasMany(Author, { get: () => AUTHORS }),
          },
        }),
        entitySet(Author, {
          getAll: () => AUTHORS,
          getByKey: (id) => AUTHORS.find((each) => each.id === id) ?? null,
          etag: ["name"],
          navigation: { pages: hasMany(Page, { on: { id: "authorId" }, target: "Pages" }) },
          functions: { count: fn({ bound: "collection", returns: edm.int32(), handler: () => 1 }) },
        }),
      ],
      functions: { motto: fn({ returns: edm.string(), handler: () => "x" }) },
      actions: { clear: action({ handler: () => undefined }) },
      ...service,
    }),
  );
}

const varied = { vary: `${VARY}, Accept-Language` };
const JSON_BODY = { "Content-Type": "application/json" };

eachDoor((door) => {
  describe("`vary` of a set", () => {
    test("is in the Vary of each response that depends on the set, and of no other", async () => {
      const send = library(door);
      for (const [path, method, body] of [
        ["/s/Pages"],
        ["/s/Pages/$count"],
        ["/s/Pages(1)"],
        ["/s/Pages(1)/Title"],
        ["/s/Pages(1)/Version/$value"],
        ["/s/Pages(1)/Author"],
        ["/s/Pages(1)/Author/$ref"],
        ["/s/Pages(1)/Unnamed"],
        ["/s/Authors?$expand=Pages"],
        ["/s/Authors?$filter=Pages/any(p:p/Title eq 'x')"],
        ["/s/Authors?$orderby=$root/Pages(1)/Title"],
        ["/s/Authors/count()"],
        ["/s/motto()"],
        ["/s/clear", "POST", "{}"],
        ["/s/Pages", "POST", '{"Id":9,"Version":1}'],
        ["/s/Pages(1)", "PATCH", '{"Version":1}'],
      ] as const) {
        const { status, headers } = await send(encodeURI(path), body === undefined ? {} : JSON_BODY, method, body);
        expect([path, status < 300, headers["vary"]]).toEqual([path, true, varied.vary]);
      }
      for (const path of ["/s/Authors", "/s/Authors(5)", "/s", "/s/$metadata"]) {
        expect([path, (await send(path)).headers["vary"]]).toEqual([path, VARY]);
      }
      expect((await send("/s/Pages(2)")).headers["vary"]).toBeUndefined();
    });

    test("null in one language only is a 204 with Vary", async () => {
      const send = library(door);
      const empty = await send("/s/Pages(1)/Title", { "Accept-Language": "fr" });
      expect([empty.status, empty.headers]).toMatchObject([204, varied]);
      expect((await send("/s/Pages(1)/Title", { "Accept-Language": "de" })).json).toMatchObject({ value: "Hallo" });
    });

    test("reads are never 304, since all languages have one ETag; other conditions hold as before", async () => {
      const send = library(door);
      const { headers } = await send("/s/Pages(1)", { "Accept-Language": "de" });
      const { etag = "" } = headers;
      for (const path of ["/s/Pages(1)", "/s/Pages(1)/Title"]) {
        const other = await send(path, { "Accept-Language": "en", "If-None-Match": etag });
        expect([path, other.status, other.headers["etag"]]).toEqual([path, 200, etag]);
        expect(other.text).toContain("Hello");
        expect((await send(path, { "If-Match": '"x"' })).status).toBe(412);
      }
      const patch = (condition: string) =>
        send("/s/Pages(1)", { ...JSON_BODY, "If-Match": condition }, "PATCH", '{"Version":8}');
      expect([(await patch(etag)).status, (await patch('"x"')).status]).toEqual([200, 412]);
      const author = (await send("/s/Authors(5)")).headers["etag"] ?? "";
      expect((await send("/s/Authors(5)", { "If-None-Match": author })).status).toBe(304);
    });

    test("is added to the other names, in batches, too", async () => {
      const send = library(
        door,
        { vary: "accept-language, X-Region, Cookie", cacheControl: "private" },
        { cors: { origins: ["https://a.example"] } },
      );
      const { headers } = await send("/s/Pages");
      expect(headers).toEqual({
        ...JSON_HEADERS,
        vary: `${VARY}, Cookie, accept-language, X-Region, Origin`,
        "cache-control": "private",
      });
      const requests = [{ id: "1", method: "GET", url: "Pages/$count" }];
      const answer = await send("/s/$batch", JSON_BODY, "POST", JSON.stringify({ requests }));
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(answer.json).toMatchObject({
        responses: [{ headers: { vary: `${VARY}, Cookie, accept-language, X-Region` } }],
      });
    });

    test("responses to a user are not stored, and name it, too", async () => {
      const { headers } = await library(door)("/s/Pages", { Authorization: "ann" });
      expect(headers).toEqual({ ...JSON_HEADERS, ...varied, "cache-control": "no-store" });
    });

    test("is inherited from `defaults`", async () => {
      const send = library(door, {}, { defaults: { vary: " Accept-Language " } });
      expect((await send("/s/Authors")).headers["vary"]).toBe(varied.vary);
      expect((await send("/s/Pages(1)/Title")).headers).toMatchObject({ ...EMPTY_HEADERS, ...varied });
    });

    test("is not inherited where a set gives an empty one, so that its reads can be 304", async () => {
      const send = library(door, { vary: "" }, { defaults: { vary: "Accept-Language" } });
      expect((await send("/s/Authors")).headers["vary"]).toBe(varied.vary);
      const { headers } = await send("/s/Pages(1)");
      expect(headers["vary"]).toBe(VARY);
      expect((await send("/s/Pages(1)", { "If-None-Match": headers["etag"] ?? "" })).status).toBe(304);
    });
  });
});

describe("`vary` at startup", () => {
  function faultsOf(options: object, service: Partial<ServiceOptions> = {}): readonly unknown[] {
    try {
      odataService({ entitySets: [entitySet(Author, { getAll: () => [], ...options })], ...service });
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults;
      throw error;
    }
    return [];
  }

  const fix = 'Give the names of the headers that the handlers read: "Accept-Language, X-Region".';
  test.each([
    ["Accept-Language,", ""],
    ["Accept Language", "Accept Language"],
    ["A, B\r\nC: d", "B\r\nC: d"],
    ["é", "é"],
  ])("refuses %j", (vary, shown) => {
    const reason = `has the value "${shown}", which is not the name of a header.`;
    expect(faultsOf({ vary })).toEqual([{ set: "Authors", message: `\`vary\` ${reason}`, fix }]);
    expect(faultsOf({}, { defaults: { vary } })).toEqual([{ message: `\`vary\` of \`defaults\` ${reason}`, fix }]);
  });

  test.each([5, null, ["Accept-Language"]])("refuses %j", (vary) => {
    expect(faultsOf({ vary })).toEqual([expect.objectContaining({ fix: "Give a string." })]);
  });

  test("accepts all headers", () => {
    expect(faultsOf({ vary: "*" })).toEqual([]);
  });
});

test("OpenAPI lists no 304 for a set with `vary`", () => {
  const responsesOf = (vary: string | undefined): readonly unknown[] => {
    const set = entitySet(Page, { vary, etag: ["version"], getByKey: () => null, propertyRouteDocsEnabled: true });
    const { paths } = openApiDocument(odataService({ entitySets: [set] })) as {
      readonly paths: Readonly<
        Record<string, { readonly get?: { readonly responses: object; readonly parameters: object } }>
      >;
    };
    return ["/Pages({Id})", "/Pages({Id})/Title"].map((path) => {
      const { responses = {}, parameters = {} } = paths[path]?.get ?? {};
      return ["304" in responses, JSON.stringify(parameters).includes("If-None-Match")];
    });
  };
  expect(responsesOf(undefined)).toEqual([
    [true, true],
    [true, true],
  ]);
  expect(responsesOf("Accept-Language")).toEqual([
    [false, false],
    [false, false],
  ]);
});
