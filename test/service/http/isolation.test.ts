import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { Kysely, sql } from "kysely";
import { ConfigurationError, edm, entitySet, entityType, fn, hasMany, odataService, requireUser } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve, toNodeHandler } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { eachDoor, expectAnswer, expectError, HOST, JSON_HEADERS, ORIGIN, type Service } from "./doors.ts";
import { Item, ITEMS, noFailures, shown } from "./model.ts";

const items = entitySet(Item, {
  getAll: (context) => (context.service.name === "v2" ? ITEMS.slice(0, 1) : ITEMS),
  getByKey: (key) => ITEMS.find(({ id }) => id === key) ?? null,
});

const v1 = odataService({ name: "v1", namespace: "One", entitySets: [items], logger: noFailures });
const v2 = odataService({
  name: "v2",
  prefix: "/api/v2",
  namespace: "Two",
  propertyNaming: "camelCase",
  defaults: { filterEnabled: false, maxTop: 3 },
  entitySets: [items, entitySet(Item, { name: "More", getAll: () => [] })],
  logger: noFailures,
});

/** Returns the response of a node server over several services. */
async function ask(services: Service | readonly Service[], path: string, method = "GET") {
  const server = createServer(toNodeHandler(services));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<{ status: number | undefined; version: string | undefined; json: unknown }>(
      (resolve, reject) => {
        const sent = request(
          { host: "127.0.0.1", port, path, method, agent: false, headers: { Host: HOST } },
          (answer) => {
            let text = "";
            answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
            answer.on("end", () => {
              const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
              const version = answer.headersDistinct["odata-version"]?.join();
              resolve({ status: answer.statusCode, version, json: isJson ? JSON.parse(text) : text });
            });
          },
        );
        sent.on("error", reject).end();
      },
    );
  } finally {
    server.close();
  }
}

eachDoor((door) => {
  describe("two services over one set share nothing", () => {
    const [one, two] = [door.to(v1), door.to(v2)];

    test("names, namespace, settings and prefix are each one's own", async () => {
      const { "@odata.id": id, ...first } = (await one("/v1/Items(1)")).json as Record<string, unknown>;
      expect(id).toBe(`${ORIGIN}/v1/Items(1)`);
      expect(first).toEqual({ "@odata.context": `${ORIGIN}/v1/$metadata#Items/$entity`, ...shown(1) });
      const second = (await two("/api/v2/Items(1)")).json as object;
      expect(Object.keys(second)).toEqual(["@odata.context", "@odata.id", "id", "name", "rank", "price", "place"]);
      expect((await one("/v1/$metadata")).text).toContain('Namespace="One"');
      expect((await two("/api/v2/$metadata")).text).not.toContain("One");
      expect((await one("/v1/Items?$filter=true")).status).toBe(200);
      expect((await two("/api/v2/Items?$filter=true")).status).toBe(400);
      expect((await one("/v1/Items?$top=4")).status).toBe(200);
      expect((await two("/api/v2/Items?$top=4")).status).toBe(400);
      expectError(await one("/v1/More"), { status: 404, code: "NotFound" });
      expect((await two("/api/v2/More")).status).toBe(200);
    });

    test("the handler learns which registration answers", async () => {
      expect((await one("/v1/Items/$count")).text).toBe("7");
      expect((await two("/api/v2/Items/$count")).text).toBe("1");
    });

    test("neither serves the prefix of the other", async () => {
      expectError(await one("/api/v2/Items"), { status: 404, code: "NotFound" });
      expectError(await two("/v1/Items"), { status: 404, code: "NotFound" });
    });

    test("one shape asked of both is not mixed up", async () => {
      for (let round = 0; round < 3; round++) {
        expect(Object.keys((await one("/v1/Items?$select=id&$orderby=id")).json.value[0])).toEqual(["Id"]);
        expect(Object.keys((await two("/api/v2/Items?$select=id&$orderby=id")).json.value[0])).toEqual(["id"]);
      }
    });
  });

  describe("who calls", () => {
    interface Seen {
      readonly id?: string;
    }
    const handlers = {
      getAll: (context: Parameters<typeof requireUser>[0]) => [{ ...ITEMS[0]!, name: requireUser(context).id ?? "" }],
      getByKey: () => ITEMS[0]!,
    };
    const users = (challenge?: string) =>
      door.to(
        odataService({
          prefix: "/s",
          ...(challenge === undefined ? {} : { challenge }),
          authenticate: async ({ headers }): Promise<Seen | null> => {
            const token = headers.get("authorization")?.replace(/^Bearer /u, "");
            return token === undefined ? null : { id: token };
          },
          entitySets: [entitySet(Item, { ...handlers, etag: ["id"] })],
          logger: noFailures,
        }),
      );

    test("anonymous user: 401 with the challenge", async () => {
      expectError(await users()("/s/Items"), {
        status: 401,
        code: "Unauthorized",
        headers: { "www-authenticate": "Bearer" },
      });
      const challenge = 'Basic realm="shop"';
      expectError(await users(challenge)("/s/Items"), {
        status: 401,
        code: "Unauthorized",
        headers: { "www-authenticate": challenge },
      });
    });

    test("signed-in user: no cache stores the response", async () => {
      const send = users();
      const headers = { Authorization: "Bearer ann" };
      const answer = await send("/s/Items?$select=Name", headers);
      expectAnswer(answer, {
        headers: { ...JSON_HEADERS, "cache-control": "no-store" },
        body: {
          "@odata.context": `${ORIGIN}/s/$metadata#Items(Name)`,
          value: [{ "@odata.id": `${ORIGIN}/s/Items(1)`, "@odata.etag": expect.any(String), Name: "ann" }],
        },
      });
      for (const path of ["/s", "/s/$metadata", "/s/Items(1)", "/s/Items/$count"]) {
        expect((await send(path, headers)).headers["cache-control"], path).toBe("no-store");
      }
      const { etag = "" } = (await send("/s/Items(1)", headers)).headers;
      const unchanged = await send("/s/Items(1)", { ...headers, "If-None-Match": etag });
      expect([unchanged.status, unchanged.headers["cache-control"]]).toEqual([304, "no-store"]);
    });

    test("users of requests at the same time are not mixed up", async () => {
      const send = users();
      const names = Array.from({ length: 20 }, (_, index) => `user${String(index)}`);
      const answers = await Promise.all(names.map((name) => send("/s/Items", { Authorization: `Bearer ${name}` })));
      expect(answers.map(({ json }) => json.value[0].Name as string)).toEqual(names);
    });

    test("a failure of authenticate is a 500 without details", async () => {
      const send = door.to(
        odataService({
          prefix: "/s",
          authenticate: () => {
            throw new Error("no directory");
          },
          entitySets: [items],
          logger: { error: () => {}, warn: () => {}, info: () => {} },
        }),
      );
      const answer = await send("/s/Items");
      expectError(answer, { status: 500, code: "InternalServerError" });
      expect(answer.text).not.toContain("directory");
    });
  });
});

describe("services do not share caches", () => {
  const Shelf = entityType("Shelf", {
    id: edm.int32().key(),
    label: edm.string(),
    width: edm.decimal(),
    rank: edm.int32(),
  });
  const Book = entityType("Book", { id: edm.int32().key(), shelfId: edm.int32(), title: edm.string() });
  const shelves = [1, 2, 3].map((id) => ({ id, label: `shelf ${String(id)}`, width: "2.50", rank: 4 - id }));
  const books = [1, 2, 3, 4].map((id) => ({ id, shelfId: (id % 3) + 1, title: `book ${String(id)}` }));

  /** The same declarations over one table, in services that differ in every setting. */
  async function libraries() {
    const db = new Kysely<{ shelves: object; books: object }>({ dialect: sqliteDialect(":memory:") });
    await sql`create table shelves (id integer primary key, label text not null, width text not null, rank integer not null)`.execute(
      db,
    );
    await sql`create table books (id integer primary key, shelfId integer not null, title text not null)`.execute(db);
    await db.insertInto("shelves").values(shelves).execute();
    await db.insertInto("books").values(books).execute();
    const sets = [
      sqlEntitySet(Shelf, {
        db,
        table: "shelves",
        operations: ["read", "patch"],
        name: "Shelves",
        etag: ["label"],
        paging: "keyset",
        navigation: { books: hasMany(Book, { on: { id: "shelfId" }, target: "Books" }) },
        functions: { widest: fn({ bound: "collection", returns: edm.decimal(), handler: () => "1.50" }) },
      }),
      sqlEntitySet(Book, { db, table: "books", operations: ["read"] }),
    ];
    const ping = { ping: fn({ returns: edm.int32(), handler: (_, context) => (context.service.name ?? "").length }) };
    const common = { entitySets: sets, functions: ping, logger: noFailures };
    const services = [
      odataService({ ...common, secret: "first secret of sixteen" }),
      odataService({ ...common, name: "camel", propertyNaming: "camelCase", secret: "another secret of sixteen" }),
      odataService({
        ...common,
        name: "plain",
        prefix: "/a/b",
        namespace: "Plain",
        propertyNaming: "asDeclared",
        defaults: { maxTop: 2, roundingMode: "BankersRounding" },
        secret: "a third secret of sixteen",
      }),
      odataService({
        ...common,
        name: "closed",
        defaults: { selectEnabled: false, expandEnabled: false },
        secret: "x".repeat(16),
      }),
    ];
    return { services, sets, end: () => db.destroy() };
  }

  const REQUESTS = [
    "/Shelves",
    "/Shelves(1)",
    "/Shelves?$select=label,id",
    "/Shelves?$expand=books($select=title)",
    "/Shelves?$expand=books($top=1;$count=true)&$orderby=label desc",
    "/Shelves(2)/books?$select=title",
    "/Shelves(2)/Books?$select=title",
    "/Shelves?$filter=round(width) eq 2&$select=id",
    "/Shelves?$filter=books/any(b: b/id gt 2)",
    "/Shelves?$filter=Books/any(b: b/id gt 2)",
    "/Shelves?$orderby=label",
    "/Shelves/widest()",
    "/ping()",
    "/$metadata",
    "/",
  ];

  test("mixed requests return the same responses as separate services", async () => {
    const { services, end } = await libraries();
    const alone = await libraries();
    const headers = { Prefer: "maxpagesize=2", Accept: "application/json;odata.metadata=full" };
    const ask = async (service: Service, path: string): Promise<readonly unknown[]> => {
      const given = path === "/$metadata" ? {} : headers;
      const response = await service.fetch(new Request(`${ORIGIN}${service.prefix}${path}`, { headers: given }));
      // A token is of its service and of its moment.
      return [response.status, (await response.text()).replaceAll(/skiptoken=[^"]*/gu, "skiptoken=")];
    };
    // Each of these has seen nothing but its own requests.
    const wanted = await Promise.all(
      alone.services.map(async (service) => {
        const answers: unknown[] = [];
        for (const path of REQUESTS) answers.push(await ask(service, path));
        return answers;
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(services.length - 1), fc.nat(REQUESTS.length - 1)), { minLength: 20, maxLength: 60 }),
        async (picks) => {
          for (const [service, request] of picks) {
            const answer = await ask(services[service]!, REQUESTS[request]!);
            expect(answer, `${String(service)} ${REQUESTS[request]!}`).toEqual(wanted[service]![request]);
          }
        },
      ),
      { numRuns: caseCount(20) },
    );
    // The answers differ, or nothing would have been shown.
    expect(new Set(wanted.map((answers) => JSON.stringify(answers[0]))).size).toBe(services.length);
    await Promise.all([end(), alone.end()]);
  });

  test("a token of one is none of another", async () => {
    const { services, end } = await libraries();
    const [first, second] = services as [Service, Service];
    const page = await first.fetch(new Request(`${ORIGIN}/Shelves`, { headers: { Prefer: "maxpagesize=1" } }));
    const link = ((await page.json()) as { "@odata.nextLink": string })["@odata.nextLink"];
    expect((await first.fetch(new Request(link))).status).toBe(200);
    const stolen = await second.fetch(new Request(link.replace("/Shelves", "/camel/Shelves")));
    expect(stolen.status).toBe(400);
    expect(await stolen.json()).toMatchObject({ error: { code: "InvalidSkipToken" } });
    await end();
  });

  test("neither models nor settings are the same objects, and declarations stay as they were", async () => {
    const { services, sets, end } = await libraries();
    const [first, second] = services as [Service, Service];
    const types = ({ model }: Service) =>
      [...model.entityContainer.entitySets.values()].map(({ entityType: type }) => type);
    for (const [index, type] of types(first).entries()) {
      expect(type).not.toBe(types(second)[index]);
      expect(type.properties.map(({ name }) => name)).not.toEqual(
        types(second)[index]?.properties.map(({ name }) => name),
      );
    }
    expect(first.model).not.toBe(second.model);
    expect(first.model.operations[0]).not.toBe(second.model.operations[0]);
    expect(Object.isFrozen(first.model)).toBe(true);
    expect(sets.every((each) => Object.isFrozen(each))).toBe(true);
    await end();
  });
});

describe("names and prefixes", () => {
  const service = (options: object) => odataService({ entitySets: [items], logger: noFailures, ...options });

  test("an unnamed registration works alongside named ones", async () => {
    const services = [service({}), service({ name: "v1" }), service({ name: "default", prefix: "/d" })];
    for (const path of ["/Items/$count", "/v1/Items/$count", "/d/Items/$count"]) {
      expect(await ask(services, path), path).toEqual({ status: 200, version: "4.0", json: "7" });
    }
    expect(services.map(({ name, prefix }) => [name, prefix])).toEqual([
      [undefined, ""],
      ["v1", "/v1"],
      ["default", "/d"],
    ]);
  });

  test("two without a name, or with the empty prefix, are refused", () => {
    expect(() => toNodeHandler([service({}), service({ prefix: "/x" })])).toThrow("Two services have no name.");
    expect(() => toNodeHandler([service({}), service({ name: "v1", prefix: "" })])).toThrow("the same prefix");
    expect(() => toNodeHandler([])).toThrow(ConfigurationError);
  });

  test("one service given twice is refused too", () => {
    expect(() => toNodeHandler([v1, v1])).toThrow(ConfigurationError);
  });

  test("names of sets must be unique per registration only", () => {
    const other = entitySet(Item, { name: "Items", getAll: () => [] });
    expect(() => odataService({ name: "a", entitySets: [items] })).not.toThrow();
    expect(() => odataService({ name: "b", entitySets: [other] })).not.toThrow();
    expect(() => odataService({ name: "c", entitySets: [items, other] })).toThrow(ConfigurationError);
  });

  test("one server for many services", async () => {
    const server = await serve([v1, v2], { port: 0 });
    try {
      for (const path of ["/v1/Items/$count", "/api/v2/Items/$count"]) {
        expect((await fetch(server.url + path)).status, path).toBe(200);
      }
      expect((await fetch(`${server.url}/Items`)).status).toBe(404);
    } finally {
      await server.close();
    }
  });
});

describe("several services in one node handler", () => {
  const root = odataService({ prefix: "", entitySets: [], logger: noFailures });

  test("each serves its prefix, the longest first", async () => {
    expect(await ask([v1, v2], "/v1/Items/$count")).toEqual({ status: 200, version: "4.0", json: "7" });
    expect(await ask([v1, v2], "/api/v2/Items/$count")).toEqual({ status: 200, version: "4.0", json: "1" });
    expect(await ask([root, v1, v2], "/v1/Items/$count")).toEqual({ status: 200, version: "4.0", json: "7" });
    expect(await ask([root, v1], "/")).toMatchObject({ status: 200, json: { value: [] } });
  });

  test.each(["/", "/v3/Items", "/v1x", "/api", "/v", "*"])("elsewhere is 404 with the envelope: %s", async (path) => {
    const answer = await ask([v1, v2], path);
    expect(answer).toEqual({
      status: 404,
      version: "4.0",
      json: { error: { code: "NotFound", message: expect.any(String) } },
    });
  });

  test.each([
    [Promise.resolve(v1), "a promise"],
    [undefined, "undefined"],
    [[v1, {}], "an object"],
    [[v1, [v2]], "an array"],
  ])("rejects %j, which is not a service", (given, is) => {
    const make = (): unknown => toNodeHandler(given as never);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`A service cannot be ${is}. Pass the result of \`odataService(…)\`.`);
  });

  test("two of one prefix or one name are refused", async () => {
    const same = odataService({ name: "v1", entitySets: [], logger: noFailures });
    const name = odataService({ name: "v1", prefix: "/other", entitySets: [], logger: noFailures });
    const prefix = odataService({ name: "other", prefix: "/v1", entitySets: [], logger: noFailures });
    for (const other of [same, name, prefix]) {
      expect(() => toNodeHandler([v1, other])).toThrow(ConfigurationError);
      await expect(serve([v1, other], { port: 0 })).rejects.toThrow(ConfigurationError);
    }
    const other = odataService({ name: "other", prefix: "", entitySets: [], logger: noFailures });
    expect(() => toNodeHandler([root, other])).toThrow("/: Two services have the same prefix.");
  });
});
