import { authenticated, edm, entitySet, entityType, odataError, odataService, resource, role } from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  eachDoor,
  EMPTY_HEADERS,
  expectAnswer,
  expectError,
  type HeaderTable,
  type Send,
} from "./doors.ts";
import {
  as,
  authenticate,
  CHALLENGE,
  type Folder,
  type GuardedOptions,
  guardedService,
  REQUESTS,
} from "./guarded-model.ts";
import { noFailures } from "./model.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"] as const;

/** Paths below the set, of names that it has or lacks, with faults that only a known name could have. */
const BELOW: readonly string[] = [
  "",
  "(1)",
  "(x)",
  "(Nope=1)",
  "(1)(2)",
  "()",
  "/$count",
  "/$ref",
  "/$query",
  "/$nope",
  "(1)/Name",
  "(1)/Nam",
  "(1)/name",
  "(1)/Secret",
  "(1)/Name/$value",
  "(1)/Nope/$value",
  "(1)/Name/Nope",
  "(1)/Papers",
  "(1)/Paper",
  "(1)/Papers/$count",
  "(1)/Papers/$ref",
  "(1)/Papers(10)",
  "(1)/Papers/$query",
  "(1)/Keeper/$ref",
  "(1)/weight",
  "(1)/Default.weight",
  "(1)/wait",
  "(1)/lock",
  "/newest",
  "/newer",
  "/Default.sweep",
  "?$filter=Nope eq 1",
  "?$filter=Name eq",
  "?$expand=Nope",
  "?$nope=1",
  "?$format=nope",
  "?$select=Nope&$select=Name",
];

/** Paths of the service itself. */
const OWN: readonly string[] = [
  "",
  "/",
  "/$metadata",
  "/$metadat",
  "/$metadata/Folders",
  "/$metadata()",
  "/openapi.json",
  "/openapi",
  "/$batch",
  "/Folders/$batch",
  "/Nope/$batch",
  "/$crossjoin(Folders)",
  "/$all",
  "/$entity?$id=Folders(1)",
  "/greet",
  "/greet()",
  "/greeting",
  "/reset",
];

const sets = (suffixes: readonly string[]): readonly string[] =>
  ["Folders", "Folder", "folders", "Nope"].flatMap((set) => suffixes.map((suffix) => `/${set}${suffix}`));

interface Guarded {
  readonly options: GuardedOptions;
  readonly message: string;
  /** The paths all of whose methods have the same response. */
  readonly paths: readonly string[];
}

const GUARDED: Readonly<Record<string, Guarded>> = {
  "a guarded service": {
    options: { registration: authenticated() },
    message: "Authentication is required to use this service. Send credentials with the request.",
    paths: [...OWN, ...sets(BELOW)],
  },
  "a guarded set": {
    options: { folders: { all: role("reader") }, unbound: [] },
    message: "Authentication is required to use Folders. Send credentials with the request.",
    paths: BELOW.map((suffix) => `/Folders${suffix}`),
  },
  "a set whose categories are guarded one by one": {
    options: {
      folders: {
        read: authenticated(),
        create: role("editor"),
        update: resource<typeof Folder>(() => true),
        delete: [role("editor"), role("admin")],
        invoke: role("reader"),
      },
      unbound: [],
      isBoundToEntities: true,
    },
    message: "Authentication is required to use Folders. Send credentials with the request.",
    paths: BELOW.map((suffix) => `/Folders${suffix}`),
  },
};

/** A response without the id of its request. */
function shown({ status, headers, text }: Answer) {
  return { status, headers, text };
}

const encoded = (path: string): string => `/g${path.replaceAll(" ", "%20")}`;

eachDoor((door) => {
  describe.each(Object.entries(GUARDED))("%s", (_name, { options, message, paths }) => {
    const { service, calls } = guardedService(options);
    const send = door.to(service);

    test.each(METHODS)("%s has one response for known and unknown names", async (method) => {
      const [first = "", ...others] = paths.map(encoded);
      const refusal = await send(first, {}, method);
      expect([refusal.status, refusal.headers["www-authenticate"]]).toEqual([401, CHALLENGE["www-authenticate"]]);
      expect(refusal.headers).not.toHaveProperty("allow");
      if (method !== "HEAD") expectError(refusal, { status: 401, code: "Unauthorized", message, headers: CHALLENGE });
      for (const path of others) expect([path, shown(await send(path, {}, method))]).toEqual([path, shown(refusal)]);
      expect(calls).toEqual([]);
    });

    test("OPTIONS is 204 without Allow", async () => {
      for (const path of paths.map(encoded)) {
        expectAnswer(await send(path, {}, "OPTIONS"), { status: 204, headers: EMPTY_HEADERS, body: "" });
      }
    });

    test("the versions and the shape of the URL are checked before", async () => {
      const [path = ""] = paths.slice(-1).map(encoded);
      const version = await send(path, { "OData-MaxVersion": "3.0" });
      expectError(version, { status: 400, code: "UnsupportedODataVersion", target: "OData-MaxVersion" });
      const [bare = ""] = path.split("?");
      expect((await send(`${bare}/%zz`)).status).toBe(400);
      expect((await send(`${bare}//Nope`)).status).toBe(404);
      expect((await send(`${bare}?x=${"x".repeat(20_000)}`)).status).toBe(400);
    });

    test("a known user gets 404 with a suggestion, 405 with Allow, and OPTIONS with Allow", async () => {
      const user = as("ann:reader,editor");
      const missing = await send("/g/Folders(1)/Nam", user);
      expectError(missing, { status: 404, code: "NotFound", message: /Did you mean 'Name'\?$/u });
      const wrong = await send("/g/Folders", user, "DELETE");
      expectError(wrong, { status: 405, code: "MethodNotAllowed", headers: { allow: "GET, POST, HEAD, OPTIONS" } });
      const { status, headers } = await send("/g/Folders", user, "OPTIONS");
      expect([status, headers["allow"]]).toEqual([204, "GET, POST, HEAD, OPTIONS"]);
      expect((await send("/g/Folders/Nope", user, "OPTIONS")).status).toBe(404);
    });

    test.skipIf(options.registration !== undefined)("the operations of a batch have the same responses", async () => {
      const urls = paths.map((path) => path.slice(1).replaceAll(" ", "%20"));
      const refusals = new Set<string>();
      for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
        for (const url of urls) refusals.add(await inBatch(send, method, url));
      }
      expect(refusals.size).toBe(2);
      // A change set refuses reads, whatever their names.
      const written = urls.filter((url) => !url.endsWith("$query"));
      const changes = ["POST", "PATCH", "DELETE"].flatMap((method) => written.map((url) => [method, url] as const));
      const inSets = new Set<string>();
      for (const [method, url] of changes) inSets.add(await inChangeSet(send, method, url));
      expect([...inSets]).toHaveLength(1);
      expect([...inSets][0]).toContain(message);
    });
  });

  describe("a set with a route that needs no user", () => {
    test.each<readonly [string, GuardedOptions["folders"] & object]>([
      ["no rule for reads", { create: authenticated(), update: authenticated(), delete: authenticated() }],
      ["an empty list for one category", { all: authenticated(), invoke: [] }],
      ["row rules alone", { rows: (user, row) => row.ownerId.eq(String(user.id)) }],
    ])("%s: names that do not exist are 404", async (_name, folders) => {
      const send = door.to(guardedService({ folders, unbound: [] }).service);
      expectError(await send("/g/Folders(1)/Nam"), { status: 404, code: "NotFound", message: /'Name'\?$/u });
      const wrong = await send("/g/Folders", {}, "DELETE");
      expectError(wrong, { status: 405, code: "MethodNotAllowed", headers: { allow: "GET, POST, HEAD, OPTIONS" } });
      expect((await send("/g/Folders", {}, "OPTIONS")).headers["allow"]).toBe("GET, POST, HEAD, OPTIONS");
    });

    test("next to a guarded set: unknown names are 404", async () => {
      const send = door.to(guardedService({ folders: { all: authenticated() }, unbound: [] }).service);
      expectError(await send("/g/Folder"), { status: 404, code: "NotFound", message: /Did you mean 'Folders'\?$/u });
      expect((await send("/g/People(100)/Nope")).status).toBe(404);
    });
  });

  test("a category without a route needs no rule", async () => {
    const Thing = entityType("Thing", { id: edm.int32().key() });
    const things = entitySet(Thing, { getAll: () => [], authorization: { read: authenticated() } });
    const send = door.to(odataService({ entitySets: [things], logger: noFailures }));
    for (const path of ["/Things", "/Things(1)", "/Things/Nope"]) {
      for (const method of METHODS) {
        expect([path, method, (await send(path, {}, method)).status]).toEqual([path, method, 401]);
      }
    }
  });

  test("the response to a known name is that of a request whose every check would pass", async () => {
    const send = door.to(guardedService({ registration: authenticated() }).service);
    const refusal = shown(await send("/g/Nope"));
    for (const { path, method, body } of REQUESTS) {
      const headers: HeaderTable = body === undefined ? {} : { "Content-Type": "application/json" };
      expect(shown(await send(path, headers, method, body))).toEqual(refusal);
    }
  });

  test("a public route of a guarded service is served, and lists its methods", async () => {
    const Thing = entityType("Thing", { id: edm.int32().key() });
    const send = door.to(
      odataService({
        entitySets: [entitySet(Thing, { getAll: () => [] })],
        authorization: authenticated(),
        routes: [openApiRoute({ public: true })],
        logger: noFailures,
      }),
    );
    expect((await send("/openapi.json")).status).toBe(200);
    expect((await send("/openapi.json", {}, "POST")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
    expect((await send("/openapi.json", {}, "OPTIONS")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
    expect((await send("/openapi")).status).toBe(401);
  });

  describe("a service with other options", () => {
    const Thing = entityType("Thing", { id: edm.int32().key() });
    const things = entitySet(Thing, { getAll: () => [], create: (thing) => thing });
    const open = (options: object): Send =>
      door.to(
        odataService({
          entitySets: [things],
          authorization: authenticated(),
          authenticate,
          logger: noFailures,
          ...options,
        }),
      );

    test("the profile of the standard refuses resources of the standard in the same way", async () => {
      const send = open({ profile: "standard" });
      const refusal = shown(await send("/Things"));
      expect(refusal.status).toBe(401);
      for (const path of ["/$crossjoin(Things)", "/$all", "/Things/$each", "/Things(1)/$links", "/Nope?filter=x"]) {
        expect([path, shown(await send(path))]).toEqual([path, refusal]);
      }
      expect((await send("/$all", as("ann"))).status).toBe(501);
    });

    test("batches of version 4.01 do not reveal sets", async () => {
      const send = open({ batch: { json: true } });
      const headers = { "OData-Version": "4.01", "Content-Type": "application/json" };
      const [known, unknown] = [
        await send("/Things/$batch", headers, "POST", "{}"),
        await send("/Nope/$batch", headers, "POST", "{}"),
      ];
      expect(known.status).toBe(401);
      expect(shown(known)).toEqual(shown(unknown));
    });

    test("a write from a page of another site is 401 whatever its path", async () => {
      const send = open({ crossSiteWrites: "refuse" });
      const headers = { "Sec-Fetch-Site": "cross-site" };
      const [known, unknown] = [await send("/Things", headers, "POST"), await send("/Nope", headers, "POST")];
      expect(known.status).toBe(401);
      expect(shown(known)).toEqual(shown(unknown));
      expect((await send("/Things", { ...headers, ...as("ann") }, "POST")).status).toBe(403);
    });

    test("a preflight lists the methods of its path, as before", async () => {
      const send = open({ cors: { origins: ["https://app.example"] } });
      const headers = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
      const preflight = await send("/Things", headers, "OPTIONS");
      expect([preflight.status, preflight.headers["access-control-allow-methods"]]).toEqual([
        204,
        "GET, POST, HEAD, OPTIONS",
      ]);
      expect((await send("/Nope", headers, "OPTIONS")).status).toBe(204);
      const stranger = { ...headers, Origin: "https://other.example" };
      expect((await send("/Things", stranger, "OPTIONS")).headers).not.toHaveProperty("allow");
      expect(shown(await send("/Nope", stranger, "OPTIONS"))).toEqual(
        shown(await send("/Things", stranger, "OPTIONS")),
      );
    });

    test("an error of authenticate is the response for every name, except for OPTIONS", async () => {
      const send = open({
        authenticate: () => {
          throw odataError(429, "TooManyRequests", "Wait.");
        },
      });
      for (const path of ["/Things", "/Nope", "/Things/Nope"]) {
        expectError(await send(path), { status: 429, code: "TooManyRequests", message: "Wait." });
        expectAnswer(await send(path, {}, "OPTIONS"), { status: 204, headers: EMPTY_HEADERS, body: "" });
      }
    });

    test("a defect in authenticate is 500 for every name and method", async () => {
      const send = open({
        authenticate: () => {
          throw new Error("broken");
        },
        logger: { ...noFailures, error: () => undefined },
      });
      for (const path of ["/Things", "/Nope"]) {
        for (const method of ["GET", "OPTIONS"]) expect((await send(path, {}, method)).status).toBe(500);
      }
    });
  });
});

/** Sends one operation in a batch. Returns its response without the boundary. */
async function inBatch(send: Send, method: string, url: string): Promise<string> {
  const body = `--b\r\nContent-Type: application/http\r\n\r\n${method} ${url} HTTP/1.1\r\n\r\n\r\n--b--\r\n`;
  return partsOf(await send("/g/$batch", { "Content-Type": "multipart/mixed; boundary=b" }, "POST", body));
}

/** Sends a change set of two operations, of which the second may lead nowhere. */
async function inChangeSet(send: Send, method: string, url: string): Promise<string> {
  const part = (line: string): string => `--c\r\nContent-Type: application/http\r\n\r\n${line} HTTP/1.1\r\n\r\n\r\n`;
  const body =
    `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${part("POST reset")}${part(`${method} ${url}`)}--c--\r\n` +
    "--b--\r\n";
  return partsOf(await send("/g/$batch", { "Content-Type": "multipart/mixed; boundary=b" }, "POST", body));
}

function partsOf({ status, text }: Answer): string {
  expect(status).toBe(200);
  return text.replaceAll(/--batchresponse_[\w-]+/gu, "--").replaceAll(/X-Request-Id: [\w-]+/gu, "X-Request-Id");
}
