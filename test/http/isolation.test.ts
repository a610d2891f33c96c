import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError, entitySet, odataService, requireUser } from "odatakit";
import { serve, toNodeHandler } from "odatakit/node";
import { describe, expect, test } from "vitest";
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

/** What a node server over several services answers. */
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

    test("neither answers at the prefix of the other", async () => {
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

    test("nobody: 401 with the challenge", async () => {
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

    test("somebody: what they read is kept by no cache", async () => {
      const send = users();
      const headers = { Authorization: "Bearer ann" };
      const answer = await send("/s/Items?$select=Name", headers);
      expectAnswer(answer, {
        headers: { ...JSON_HEADERS, "cache-control": "no-store" },
        body: {
          "@odata.context": `${ORIGIN}/s/$metadata#Items(Name)`,
          value: [{ "@odata.etag": expect.any(String), Name: "ann" }],
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

    test("authenticate that fails is a 500 that tells nothing", async () => {
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

describe("several services behind one node handler", () => {
  const root = odataService({ prefix: "", entitySets: [], logger: noFailures });

  test("each answers at its prefix, the longest first", async () => {
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

  test("two of one prefix or one name are refused", async () => {
    const same = odataService({ name: "v1", entitySets: [], logger: noFailures });
    const name = odataService({ name: "v1", prefix: "/other", entitySets: [], logger: noFailures });
    const prefix = odataService({ name: "other", prefix: "/v1", entitySets: [], logger: noFailures });
    for (const other of [same, name, prefix]) {
      expect(() => toNodeHandler([v1, other])).toThrow(ConfigurationError);
      await expect(serve([v1, other], { port: 0 })).rejects.toThrow(ConfigurationError);
    }
  });
});
