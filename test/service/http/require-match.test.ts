import {
  authenticated,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  hasOptional,
  odataService,
  resource,
  type ServiceOptions,
} from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { operationOf } from "../../hosts/openapi/walk.ts";
import { eachDoor, expectError, type HeaderTable, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";

const Page = entityType("Page", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  ownerId: edm.string().nullable(),
  nextId: edm.int32().nullable(),
  version: edm.int32().computed(),
});
type Given = Readonly<Record<string, unknown>>;

/** A store of pages, with the calls of its handlers. */
function store() {
  const rows = new Map([1, 2].map((id) => [id, { id, text: "a", ownerId: "ann", nextId: null, version: 1 }] as const));
  const calls: string[] = [];
  const handlers = {
    getAll: () => [...rows.values()],
    getByKey: (id: number) => {
      calls.push("getByKey");
      return rows.get(id) ?? null;
    },
    create: (body: Given) => {
      calls.push("create");
      return { ownerId: null, nextId: null, text: null, id: 9, ...body, version: 1 };
    },
    replace: (id: number, body: Given) => {
      calls.push("replace");
      const found = rows.get(id);
      return found === undefined ? null : { ...found, ...body, version: 2 };
    },
    patch: (id: number, delta: Given) => {
      calls.push("patch");
      const found = rows.get(id);
      return found === undefined ? null : { ...found, ...delta, version: 2 };
    },
    delete: (id: number) => {
      calls.push("delete");
      return rows.has(id);
    },
  };
  return { calls, handlers };
}

function pages(options: object = {}, service: Partial<ServiceOptions> = {}): { service: Service; calls: string[] } {
  const { calls, handlers } = store();
  const set = entitySet(Page, {
    ...handlers,
    etag: ["version"],
    requireIfMatch: true,
    navigation: { next: hasOptional(Page, { target: "Pages", setRef: () => void calls.push("setRef") }) },
    ...options,
  });
  return { calls, service: odataService({ logger: noFailures, entitySets: [set], batch: { json: true }, ...service }) };
}

const JSON_BODY: HeaderTable = { "Content-Type": "application/json" };
const TEXT = '{"Text":"x"}';
const VALUE = '{"value":"x"}';
const WRITES = [
  ["PATCH", "/Pages(1)", TEXT, 200],
  ["PUT", "/Pages(1)", TEXT, 200],
  ["DELETE", "/Pages(1)", undefined, 204],
  ["PUT", "/Pages(1)/Text", VALUE, 204],
  ["PATCH", "/Pages(1)/Text", VALUE, 204],
  ["DELETE", "/Pages(1)/Text", undefined, 204],
] as const;
const required = (method: string, further = "") => ({
  status: 428,
  code: "PreconditionRequired",
  target: "If-Match",
  message: `Pages requires If-Match for ${method}: send the ETag that you have read${further}.`,
});

eachDoor((door) => {
  describe("a set with `requireIfMatch`", () => {
    test.each(WRITES)("answers 428 to %s %s without If-Match, and calls no handler", async (method, path, body) => {
      const { service, calls } = pages();
      for (const headers of [{}, { "If-None-Match": "*" }, { "If-None-Match": '"x"' }]) {
        expectError(await door.to(service)(path, { ...JSON_BODY, ...headers }, method, body), required(method));
      }
      // The response is the same for an entity that does not exist.
      const missing = path.replace("(1)", "(7)");
      expectError(await door.to(service)(missing, JSON_BODY, method, body), required(method));
      expect(calls).toEqual([]);
    });

    test.each(WRITES)("answers %s %s with an ETag or *", async (method, path, body, status) => {
      const { service } = pages();
      const send = door.to(service);
      const { etag = "" } = (await send("/Pages(1)")).headers;
      for (const tag of [etag, "*"]) {
        expect((await send(path, { ...JSON_BODY, "If-Match": tag }, method, body)).status).toBe(status);
      }
      expectError(await send(path, { ...JSON_BODY, "If-Match": '"old"' }, method, body), {
        status: 412,
        code: "PreconditionFailed",
      });
    });

    test("answers POST, links and reads without a precondition", async () => {
      const { service } = pages();
      const send = door.to(service);
      expect((await send("/Pages", JSON_BODY, "POST", '{"Id":9}')).status).toBe(201);
      const link = await send("/Pages(1)/Next/$ref", JSON_BODY, "PUT", '{"@odata.id":"Pages(2)"}');
      expect(link.status).toBe(204);
      expect((await send("/Pages(1)/Text")).status).toBe(200);
    });

    test.each(["specification", "standard"] as const)(
      "with `allowUpsert`, PUT creates by If-None-Match: * in the %s profile",
      async (profile) => {
        const { service, calls } = pages({ allowUpsert: true }, { profile });
        const send = door.to(service);
        const advice = ", or If-None-Match: * to create an entity";
        expectError(await send("/Pages(7)", JSON_BODY, "PUT", TEXT), required("PUT", advice));
        expectError(
          await send("/Pages(7)", { ...JSON_BODY, "If-None-Match": '"x"' }, "PUT", TEXT),
          required("PUT", advice),
        );
        expect(calls).toEqual([]);
        expect((await send("/Pages(7)", { ...JSON_BODY, "If-None-Match": "*" }, "PUT", TEXT)).status).toBe(201);
        expectError(await send("/Pages(1)", { ...JSON_BODY, "If-None-Match": "*" }, "PUT", TEXT), {
          status: 412,
          code: "PreconditionFailed",
        });
        expectError(await send("/Pages(1)", { ...JSON_BODY, "If-None-Match": "*" }, "PATCH", TEXT), required("PATCH"));
      },
    );

    test("answers 401 and 403 first, and 428 before 404 of hidden rows and checks of entities", async () => {
      const seen: unknown[] = [];
      const { service } = pages(
        {
          authorization: {
            all: authenticated(),
            update: [authenticated(), resource(() => seen.push("rule") > 0)],
            rows: (user: { id: string }, row: { ownerId: { eq(value: string): never } }) => row.ownerId.eq(user.id),
          },
        },
        {
          authenticate: ({ headers }) => {
            const id = headers.get("authorization");
            return id === null ? null : { id };
          },
        },
      );
      const send = door.to(service);
      expectError(await send("/Pages(1)", JSON_BODY, "PATCH", TEXT), {
        status: 401,
        code: "Unauthorized",
        headers: { "www-authenticate": "Bearer" },
      });
      const ofBob = { ...JSON_BODY, Authorization: "bob" };
      const hidden = await send("/Pages(1)", ofBob, "PATCH", TEXT);
      const missing = await send("/Pages(7)", ofBob, "PATCH", TEXT);
      expectError(hidden, required("PATCH"));
      expect(hidden).toEqual(missing);
      expect(seen).toEqual([]);
      expectError(await send("/Pages(1)", { ...ofBob, "If-Match": "*" }, "PATCH", TEXT), {
        status: 412,
        code: "PreconditionFailed",
      });
    });

    test("answers 428 before it reads the body", async () => {
      const { service } = pages();
      expectError(await door.to(service)("/Pages(1)", JSON_BODY, "PATCH", "{"), required("PATCH"));
    });

    test("requires a precondition of each operation of a batch", async () => {
      const { service, calls } = pages();
      const send = door.to(service);
      const operation = (id: string, headers: HeaderTable) => ({
        id,
        method: "PATCH",
        url: "Pages(1)",
        headers: { ...JSON_BODY, ...headers },
        body: { Text: "x" },
      });
      const requests = [operation("1", {}), operation("2", { "If-Match": "*" })];
      const answer = await send(
        "/$batch",
        { ...JSON_BODY, Prefer: "continue-on-error" },
        "POST",
        JSON.stringify({ requests }),
      );
      const { responses } = answer.json as { responses: Array<{ status: number; body: { error?: unknown } }> };
      expect(responses.map(({ status }) => status)).toEqual([428, 200]);
      expect(responses[0]?.body.error).toMatchObject({ code: "PreconditionRequired", target: "If-Match" });
      expect(calls.filter((call) => call === "patch")).toEqual(["patch"]);
    });
  });

  test("`ctx.sets` writes without a precondition", async () => {
    const { handlers, calls } = store();
    const set = entitySet(Page, { ...handlers, etag: ["version"], requireIfMatch: true });
    const other = entitySet(Page, {
      name: "Others",
      getByKey: async (id, ctx) => {
        await ctx.sets(set).patch(id, { text: "x" });
        await ctx.sets(set).delete(id);
        return handlers.getByKey(id);
      },
    });
    const service = odataService({ logger: noFailures, entitySets: [set, other] });
    expect((await door.to(service)("/Others(1)")).status).toBe(200);
    expect(calls.filter((call) => call !== "getByKey")).toEqual(["patch", "delete"]);
  });

  test("`defaults` require preconditions of all sets that are written, and a set may differ", async () => {
    const { handlers } = store();
    const service = odataService({
      logger: noFailures,
      defaults: { requireIfMatch: true },
      entitySets: [
        entitySet(Page, { ...handlers, etag: ["version"] }),
        entitySet(Page, { name: "Free", ...handlers, requireIfMatch: false }),
        entitySet(Page, { name: "Shown", getAll: handlers.getAll }),
      ],
    });
    const send = door.to(service);
    expectError(await send("/Pages(1)", {}, "DELETE"), required("DELETE"));
    expect((await send("/Free(1)", {}, "DELETE")).status).toBe(204);
  });
});

describe("`requireIfMatch` at startup", () => {
  const faultsOf = (options: object, defaults = {}): readonly unknown[] => {
    try {
      odataService({ entitySets: [entitySet(Page, options)], defaults });
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults;
      throw error;
    }
    return [];
  };
  const { handlers } = store();

  test("needs an ETag", () => {
    const expected = (name: string) => [
      {
        set: "Pages",
        message: `${name} requires an ETag of each write, but the set has none.`,
        fix: "Give `etag`, or `requireIfMatch: false`.",
      },
    ];
    expect(faultsOf({ ...handlers, requireIfMatch: true })).toEqual(expected("`requireIfMatch`"));
    expect(faultsOf({ getAll: handlers.getAll, requireIfMatch: true })).toEqual(expected("`requireIfMatch`"));
    expect(faultsOf(handlers, { requireIfMatch: true })).toEqual(expected("`requireIfMatch` of `defaults`"));
    expect(faultsOf({ getAll: handlers.getAll }, { requireIfMatch: true })).toEqual([]);
  });

  test("needs `getByKey`", () => {
    const { getByKey: _, ...blind } = handlers;
    expect(faultsOf({ ...blind, etag: ["version"], requireIfMatch: true })).toEqual([
      {
        set: "Pages",
        message:
          "`requireIfMatch` requires an ETag of each write, but no `getByKey` loads the entity to compare it with.",
        fix: "Declare getByKey, or give `requireIfMatch: false`.",
      },
    ]);
  });
});

describe("API descriptions of a set with `requireIfMatch`", () => {
  const described = (options: object) => openApiDocument(pages({ propertyRouteDocsEnabled: true, ...options }).service);
  const document = described({});
  const ifMatchOf = (...[of, method, path]: Parameters<typeof operationOf>) =>
    operationOf(of, method, path).parameters?.find(({ name }) => name === "If-Match");

  test.each([
    ["patch", "/Pages({Id})"],
    ["put", "/Pages({Id})"],
    ["delete", "/Pages({Id})"],
    ["put", "/Pages({Id})/Text"],
    ["patch", "/Pages({Id})/Text"],
    ["delete", "/Pages({Id})/Text"],
  ] as const)("%s %s lists 428 and requires the header", (method, path) => {
    expect(operationOf(document, method, path).responses).toHaveProperty("428", {
      $ref: "#/components/responses/PreconditionRequired",
    });
    expect(ifMatchOf(document, method, path)).toMatchObject({ in: "header", required: true });
  });

  test("PUT that may create has a choice of headers", () => {
    const upserting = described({ allowUpsert: true });
    expect(ifMatchOf(upserting, "put", "/Pages({Id})")).not.toHaveProperty("required");
    expect(operationOf(upserting, "put", "/Pages({Id})").responses).toHaveProperty("428");
  });

  test("other sets list neither", () => {
    const free = described({ requireIfMatch: false });
    expect(operationOf(free, "patch", "/Pages({Id})").responses).not.toHaveProperty("428");
    expect(ifMatchOf(free, "patch", "/Pages({Id})")).not.toHaveProperty("required");
  });
});
