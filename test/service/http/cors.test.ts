import { readFile } from "node:fs/promises";
import { action, edm, entitySet, entityType, fn, hasMany, odataService, role, type ServiceOptions } from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { MULTIPART, multipart } from "./batch-model.ts";
import { eachDoor, expectError, type HeaderTable, VARY } from "./doors.ts";
import { noFailures } from "./model.ts";

const PAGE = "https://app.example";
const EXPOSED =
  "ETag, Location, Content-Location, OData-EntityId, OData-Version, OData-MaxVersion, Preference-Applied, WWW-Authenticate, Retry-After, X-Request-Id";
const VARY_PREFLIGHT = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

const Line = entityType("Line", { id: edm.int32().key() });
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), version: edm.int32() });
const ITEM = { id: 1, name: "one", version: 7 };

let asked = 0;

function shop(options: Partial<ServiceOptions> = {}) {
  return odataService({
    prefix: "/odata",
    logger: noFailures,
    authenticate: ({ headers }) => {
      asked += 1;
      return headers.get("authorization") === null ? null : { id: "ann", roles: ["reader"] };
    },
    entitySets: [
      entitySet(Line, { getByKey: (id) => ({ id }), authorization: { all: role("reader") } }),
      entitySet(Item, {
        etag: ["version"],
        getAll: () => [ITEM],
        getByKey: (id) => (id === 1 ? ITEM : null),
        create: () => ITEM,
        patch: () => ITEM,
        delete: () => true,
        navigation: {
          lines: hasMany(Line, {
            target: "Lines",
            get: () => [{ id: 1 }],
            addRef: () => undefined,
            removeRef: () => undefined,
          }),
        },
        functions: { size: fn({ bound: "entity", returns: edm.int32(), handler: (_key) => 1 }) },
        actions: { clear: action({ bound: "collection", handler: () => undefined }) },
      }),
    ],
    functions: { now: fn({ returns: edm.int32(), handler: () => 1, authorization: [] }) },
    actions: { reset: action({ handler: () => undefined, authorization: [] }) },
    routes: [openApiRoute({ viewer: true })],
    cors: { origins: [PAGE, "https://other.example:8443"] },
    ...options,
  });
}

const preflightOf = (method: string, headers?: string, origin = PAGE): HeaderTable => ({
  Origin: origin,
  "Access-Control-Request-Method": method,
  ...(headers === undefined ? {} : { "Access-Control-Request-Headers": headers }),
});

const READ = "GET, HEAD, OPTIONS";
/** Each kind of path with its methods. */
const PATHS: ReadonlyArray<readonly [path: string, methods: string]> = [
  ["", READ],
  ["/$metadata", READ],
  ["/openapi.json", READ],
  ["/openapi", READ],
  ["/$batch", "POST, OPTIONS"],
  ["/Items", "GET, POST, HEAD, OPTIONS"],
  ["/Items/$count", READ],
  ["/Items(1)", "GET, PATCH, DELETE, HEAD, OPTIONS"],
  ["/Items(99)", "GET, PATCH, DELETE, HEAD, OPTIONS"],
  ["/Items(1)/Name", "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"],
  ["/Items(1)/Name/$value", READ],
  ["/Items(1)/Lines", READ],
  ["/Items(1)/Lines(1)", READ],
  ["/Items(1)/Lines/$count", READ],
  ["/Items(1)/Lines/$ref", "GET, POST, DELETE, HEAD, OPTIONS"],
  ["/Items(1)/size()", READ],
  ["/Items/clear", "POST, OPTIONS"],
  ["/Lines(1)", READ],
  ["/now()", READ],
  ["/reset", "POST, OPTIONS"],
];

/** Clients, a request that they send, and the names of its headers. */
const CLIENTS: ReadonlyArray<readonly [client: string, path: string, method: string, names: string]> = [
  ["UI5, with $metadata", "/$metadata", "GET", "x-sap-security-session"],
  ["UI5, with $batch", "/$batch", "POST", "content-type,mime-version,odata-maxversion,odata-version,x-csrf-token"],
  ["UI5, with a session", "/Items", "GET", "sap-cancel-on-close,sap-contextid,sap-contextid-accept"],
  ["DevExtreme, Kendo UI and Syncfusion", "/Items(1)", "PATCH", "content-type,if-match,prefer,x-requested-with"],
  ["Breeze", "/Items", "GET", "dataserviceversion,maxdataserviceversion,odata-isolation,odata-maxversion"],
  ["OData 4.01", "/Items", "GET", "isolation"],
  ["W3C Trace Context and Baggage", "/Items", "GET", "baggage,traceparent,tracestate"],
];

eachDoor((door) => {
  describe("preflights", () => {
    test.each(PATHS)("%s lists its methods, before authentication", async (path, methods) => {
      asked = 0;
      const answer = await door.to(shop())(`/odata${path}`, preflightOf("GET"), "OPTIONS");
      expect({ status: answer.status, headers: answer.headers, text: answer.text, asked }).toEqual({
        status: 204,
        headers: {
          "odata-version": "4.0",
          allow: methods,
          vary: VARY_PREFLIGHT,
          "access-control-allow-origin": PAGE,
          "access-control-allow-methods": methods,
        },
        text: "",
        asked: 0,
      });
    });

    test("allow the requested headers that OData clients or the application use", async () => {
      const send = door.to(shop({ cors: { origins: [PAGE], credentials: true, maxAge: 600, headers: ["X-Api-Key"] } }));
      const known =
        "content-type,If-Match, odata-maxversion, OData-Version, prefer, authorization, x-csrf-token, X-Requested-With";
      const answer = await send("/odata/Items", preflightOf("POST", `${known}, X-Own, x-api-key`), "OPTIONS");
      expect(answer.headers).toEqual({
        "odata-version": "4.0",
        allow: "GET, POST, HEAD, OPTIONS",
        vary: VARY_PREFLIGHT,
        "access-control-allow-origin": PAGE,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, POST, HEAD, OPTIONS",
        "access-control-allow-headers": `${known.replace("content-type,", "content-type, ")}, x-api-key`,
        "access-control-max-age": "600",
      });
    });

    test("allow the headers that the guide lists for the CORS of hosts", async () => {
      const guide = await readFile(new URL("../../../docs/guides/browsers.md", import.meta.url), "utf8");
      const names = /^\| allowed headers \| `(?<names>[^`]+)`/mu.exec(guide)?.groups?.["names"] ?? "";
      for (const [, , , sent] of CLIENTS) {
        expect(names.toLowerCase().split(", ")).toEqual(expect.arrayContaining(sent.split(",")));
      }
      const answer = await door.to(shop())("/odata/Items", preflightOf("GET", names), "OPTIONS");
      expect(answer.headers["access-control-allow-headers"]).toBe(names);
    });

    test.each(CLIENTS)("allow the headers of %s", async (_client, path, method, names) => {
      const answer = await door.to(shop())(`/odata${path}`, preflightOf(method, names), "OPTIONS");
      expect(answer.status).toBe(204);
      expect(answer.headers["access-control-allow-headers"]).toBe(names.replaceAll(",", ", "));
    });

    test("without allowed headers list none", async () => {
      const answer = await door.to(shop())("/odata/Items", preflightOf("GET", "x-own, *"), "OPTIONS");
      expect(answer.headers).not.toHaveProperty("access-control-allow-headers");
    });

    test("from other origins learn nothing", async () => {
      for (const origin of [
        "https://evil.example",
        "http://app.example",
        `${PAGE}.evil.example`,
        "null",
        `${PAGE}:443`,
      ]) {
        const answer = await door.to(shop())("/odata/Items", preflightOf("PATCH", "if-match", origin), "OPTIONS");
        expect(answer.headers).toEqual({
          "odata-version": "4.0",
          allow: "GET, POST, HEAD, OPTIONS",
          vary: VARY_PREFLIGHT,
        });
      }
    });

    const EVERY_METHOD = "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS";
    test.each(["/Itemz", "/Items(1)/Nothing", "/Items(x", "/$crossjoin(Items)"])(
      "of %s, which has no route, let the page send its request and read the error",
      async (path) => {
        const to = door.to(shop());
        const answer = await to(`/odata${path}`, preflightOf("GET", "content-type"), "OPTIONS");
        expect({ status: answer.status, headers: answer.headers, text: answer.text }).toEqual({
          status: 204,
          headers: {
            "odata-version": "4.0",
            allow: EVERY_METHOD,
            vary: VARY_PREFLIGHT,
            "access-control-allow-origin": PAGE,
            "access-control-allow-methods": EVERY_METHOD,
            "access-control-allow-headers": "content-type",
          },
          text: "",
        });
        const sent = await to(`/odata${path}`, { Origin: PAGE });
        expect([sent.status >= 400 && sent.status < 500, sent.headers["access-control-allow-origin"]]).toEqual([
          true,
          PAGE,
        ]);
      },
    );

    test("of unknown paths from other origins are 404", async () => {
      const answer = await door.to(shop())(
        "/odata/Itemz",
        preflightOf("GET", undefined, "https://no.example"),
        "OPTIONS",
      );
      expectError(answer, { status: 404, code: "NotFound", headers: { vary: VARY_PREFLIGHT } });
    });

    test("a plain OPTIONS request is not a preflight", async () => {
      const answer = await door.to(shop())("/odata/Items", { Origin: PAGE }, "OPTIONS");
      expect(answer.headers).toEqual({
        "odata-version": "4.0",
        allow: "GET, POST, HEAD, OPTIONS",
        vary: VARY_PREFLIGHT,
        "access-control-allow-origin": PAGE,
        "access-control-expose-headers": EXPOSED,
      });
    });
  });

  describe("responses", () => {
    const ALLOWED = { "access-control-allow-origin": PAGE, "access-control-expose-headers": EXPOSED };
    const JSON_TYPE = { "Content-Type": "application/json" };

    test("to listed origins can be read, whatever their status", async () => {
      const send = door.to(shop());
      const signed = { Origin: PAGE, Authorization: "x" };
      const read = await send("/odata/Items(1)", signed);
      const etag = read.headers["etag"] ?? "";
      const answers = [
        read,
        await send("/odata/Items(1)", { ...signed, "If-None-Match": etag }),
        await send("/odata/Items", { ...signed, ...JSON_TYPE }, "POST", '{"Name":"x","Version":1,"Id":1}'),
        await send("/odata/Items(1)", { ...signed, Prefer: "return=minimal", ...JSON_TYPE }, "PATCH", '{"Name":"x"}'),
        await send("/odata/Items(1)", { ...signed, "If-Match": 'W/"no"' }, "DELETE"),
        await send("/odata/Items(2)", signed),
        await send("/odata/Items", signed, "PUT"),
        await send("/odata/Lines(1)", { Origin: PAGE }),
        await send("/odata/Items(1)", signed, "HEAD"),
        await send("/odata/Items?$filter=", signed),
        await send("/odata/Items(1", signed),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 304, 201, 204, 412, 404, 405, 401, 200, 400, 400]);
      for (const { headers, status } of answers) {
        expect(headers, String(status)).toMatchObject(ALLOWED);
        expect(headers["vary"]?.split(", ")).toContain("Origin");
        expect(headers).not.toHaveProperty("access-control-allow-credentials");
      }
      expect(read.headers["vary"]).toBe(`${VARY}, Origin`);
      expect(answers[7]?.headers["www-authenticate"]).toBe("Bearer");
    });

    test("to other origins, and without an origin, vary by it", async () => {
      const send = door.to(shop());
      for (const headers of [{}, { Origin: "https://evil.example" }, { Origin: PAGE.toUpperCase() }]) {
        for (const path of ["/odata/Items", "/odata/Items(2)", "/odata/$metadata"]) {
          const answer = await send(path, headers);
          expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
          expect(answer.headers["vary"]).toBe(answer.status === 200 ? `${VARY}, Origin` : "Origin");
        }
      }
    });

    test("with every origin allowed do not vary by it", async () => {
      for (const origins of ["*", ["*"]] as const) {
        const send = door.to(shop({ cors: { origins } }));
        for (const headers of [{}, { Origin: "https://any.example" }]) {
          const answer = await send("/odata/Items", headers);
          expect(answer.headers).toMatchObject({ "access-control-allow-origin": "*", vary: VARY });
        }
        const preflight = await send("/odata/Items", preflightOf("GET", "accept"), "OPTIONS");
        expect(preflight.headers).toMatchObject({
          "access-control-allow-origin": "*",
          "access-control-allow-headers": "accept",
          vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
        });
      }
    });

    test("allow credentials where the service does", async () => {
      const answer = await door.to(shop({ cors: { origins: [PAGE], credentials: true } }))("/odata/Items", {
        Origin: PAGE,
      });
      expect(answer.headers).toMatchObject({ ...ALLOWED, "access-control-allow-credentials": "true" });
    });

    test("have no headers for other origins unless the service says so", async () => {
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await door.to(shop({ cors: undefined }))("/odata/Items", preflightOf("GET"), method);
        const names = Object.keys(answer.headers);
        expect(names.filter((name) => name.startsWith("access-control"))).toEqual([]);
        expect(answer.headers["vary"] ?? "").not.toContain("Origin");
      }
    });

    test("of batches have the headers once, for the whole batch", async () => {
      const body = multipart([{ request: "GET Items", headers: { Origin: "https://evil.example" } }]);
      const answer = await door.to(shop())("/odata/$batch", { ...MULTIPART, Origin: PAGE }, "POST", body);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ ...ALLOWED, vary: "Origin" });
      expect(answer.text.toLowerCase()).not.toContain("access-control");
      expect(answer.text).toContain(`Vary: ${VARY}\r\n`);
    });
  });

  describe("writes from pages of other sites, where the service refuses them", () => {
    const fromPage = { Origin: PAGE, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json" };

    test("are executed for listed origins", async () => {
      const send = door.to(shop({ crossSiteWrites: "refuse" }));
      expect((await send("/odata/reset", fromPage, "POST")).status).toBe(204);
      expect((await send("/odata/reset", { ...fromPage, Origin: "https://evil.example" }, "POST")).status).toBe(403);
    });

    test("are refused where every origin may read", async () => {
      const send = door.to(shop({ crossSiteWrites: "refuse", cors: { origins: "*" } }));
      const answer = await send("/odata/reset", fromPage, "POST");
      expectError(answer, {
        status: 403,
        code: "Forbidden",
        headers: { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED },
      });
    });
  });
});
