import { setTimeout } from "node:timers/promises";
import { edm, entitySet, entityType, fn, hasMany, odataError, odataService, role, type ServiceOptions } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, createTable, ENGINES } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart } from "./batch-model.ts";
import { type Answer, eachDoor } from "./doors.ts";
import { noFailures, recordingLogger } from "./model.ts";

const Line = entityType("Line", { id: edm.int32().key() });
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), version: edm.int32() });
const ITEM = { id: 1, name: "one", version: 7 };

function shop(options: Partial<ServiceOptions> = { serverTiming: true }) {
  return odataService({
    prefix: "/odata",
    logger: noFailures,
    batch: { json: true, multipart: true },
    authenticate: ({ headers }) => (headers.get("authorization") === null ? null : { id: "ann", roles: ["reader"] }),
    entitySets: [
      entitySet(Line, { getByKey: (id) => ({ id }), authorization: { all: role("reader") } }),
      entitySet(Item, {
        etag: ["version"],
        getAll: () => [ITEM],
        getByKey: async (id) => {
          await setTimeout(30);
          return id === 1 ? ITEM : null;
        },
        create: () => ITEM,
        patch: () => odataError(409, "Busy", "Another write is in progress."),
        delete: () => true,
        navigation: { lines: hasMany(Line, { target: "Lines", get: () => [{ id: 1 }], authorization: "parent" }) },
      }),
    ],
    functions: { now: fn({ returns: edm.int32(), handler: () => 1, authorization: [] }) },
    ...options,
  });
}

/** The names of the metrics of a response, and their durations in milliseconds. */
function timingOf(value: string | undefined): Readonly<Record<string, number>> {
  const metrics = (value ?? "").split(", ").map((metric) => {
    expect(metric).toMatch(/^[a-z]+;dur=\d+\.\d{3}$/u);
    const [name = "", duration] = metric.split(";dur=");
    return [name, Number(duration)] as const;
  });
  return Object.fromEntries(metrics);
}

const stagesOf = ({ headers }: Pick<Answer, "headers">): string =>
  Object.keys(timingOf(headers["server-timing"])).join(" ");

const READ = "parse authorize bind execute write total";
const PLANNED = "parse authorize bind plan execute write total";
const JSON_BODY = { "content-type": "application/json" };

/** Requests, and the stages that they reach. */
const REQUESTS: readonly (readonly [
  string,
  string,
  Readonly<Record<string, string>>,
  string | undefined,
  number,
  string,
])[] = [
  ["GET", "/odata/Items", {}, undefined, 200, PLANNED],
  ["HEAD", "/odata/Items", {}, undefined, 200, PLANNED],
  ["GET", "/odata/Items(1)", {}, undefined, 200, PLANNED],
  ["GET", "/odata/Items(1)", { "if-none-match": "*" }, undefined, 304, PLANNED],
  ["GET", "/odata/Items/$count", {}, undefined, 200, READ],
  ["GET", "/odata/Items(1)/Name", {}, undefined, 200, READ],
  ["GET", "/odata/Items(1)/Lines", {}, undefined, 200, PLANNED],
  ["GET", "/odata/now", {}, undefined, 200, PLANNED],
  ["GET", "/odata/$metadata", {}, undefined, 200, "parse authorize bind total"],
  ["OPTIONS", "/odata/Items", {}, undefined, 204, "parse total"],
  [
    "POST",
    "/odata/Items",
    JSON_BODY,
    '{"Id":1,"Name":"a","Version":1}',
    201,
    "parse authorize bind body execute write total",
  ],
  ["DELETE", "/odata/Items(1)", {}, undefined, 204, READ],
  // The last stage of an error is the failed stage.
  ["GET", "/odata/Nothing", {}, undefined, 404, "parse total"],
  ["PUT", "/odata/Items", {}, undefined, 405, "parse total"],
  ["GET", "/odata/Lines(1)", {}, undefined, 401, "parse authorize total"],
  ["GET", "/odata/Items?$filter=Missing%20eq%201", {}, undefined, 400, "parse authorize bind total"],
  ["GET", "/odata/Items(2)", {}, undefined, 404, "parse authorize bind plan execute total"],
  ["PATCH", "/odata/Items(1)", JSON_BODY, "{", 400, "parse authorize bind body total"],
  ["PATCH", "/odata/Items(1)", JSON_BODY, '{"Name":"a"}', 409, "parse authorize bind body execute total"],
];

eachDoor((door) => {
  test.each(REQUESTS)("%s %s %o %s: %i with the stages %s", async (...row) => {
    const [method, target, headers, body, status, stages] = row;
    const answer = await door.to(shop())(target, headers, method, body);
    expect(answer.status).toBe(status);
    expect(stagesOf(answer)).toBe(stages);
  });

  test("without the option, no response has the header", async () => {
    const send = door.to(shop({}));
    for (const [method, target, headers, body, status] of REQUESTS) {
      const answer = await send(target, headers, method, body);
      expect([answer.status, answer.headers["server-timing"]]).toEqual([status, undefined]);
    }
  });
});

describe("durations", () => {
  test("the time of a handler is part of execute, and the stages make up the total", async () => {
    const response = await shop().fetch(new Request("http://service.example/odata/Items(1)"));
    const { total = 0, ...stages } = timingOf(response.headers.get("server-timing") ?? undefined);
    expect(stages["execute"]).toBeGreaterThan(25);
    const sum = Object.values(stages).reduce((left, right) => left + right, 0);
    expect(Math.abs(total - sum)).toBeLessThan(0.01);
  });

  test("a failure of the application has its stages", async () => {
    const service = shop({
      serverTiming: true,
      logger: recordingLogger(),
      authenticate: () => {
        throw new Error("The directory is down.");
      },
    });
    const response = await service.fetch(new Request("http://service.example/odata/Items"));
    expect(response.status).toBe(500);
    expect(Object.keys(timingOf(response.headers.get("server-timing") ?? undefined))).toEqual([
      "parse",
      "authorize",
      "total",
    ]);
  });

  test("the first request includes the time in which it waits for the comparison of declarations and tables", async () => {
    const [engine] = ENGINES;
    const opened = await engine!.open();
    try {
      await createTable(opened, "items", {
        id: "int primary key",
        name: "varchar(50) not null",
        version: "int not null",
      });
      const service = tables(opened.db);
      const first = await service.fetch(new Request("http://service.example/Items"));
      expect(Object.keys(timingOf(first.headers.get("server-timing") ?? undefined)).join(" ")).toBe(
        "parse authorize schema bind plan execute db write total",
      );
    } finally {
      await opened.close();
    }
  });
});

function tables(db: AnyDatabase, options: Partial<ServiceOptions> = {}) {
  return odataService({
    logger: noFailures,
    batch: { json: true },
    defaults: { maxTop: null },
    serverTiming: true,
    entitySets: [sqlEntitySet(Item, { db, table: "items", operations: ["read", "create", "patch", "delete"] })],
    ...options,
  });
}

describe.each(ENGINES)("$title", ({ open }) => {
  test("the time of the statements is db, also beside onStatement, and is within the time of execute", async () => {
    const opened = await open();
    const seen: string[] = [];
    try {
      await createTable(opened, "items", {
        id: "int primary key",
        name: "varchar(50) not null",
        version: "int not null",
      });
      const send = eachRequest(tables(opened.db, { onStatement: ({ sql }) => void seen.push(sql) }));
      await send("GET", "/Items");
      for (const [method, target, body, stages] of [
        ["POST", "/Items", '{"Id":1,"Name":"a","Version":1}', "parse authorize bind body execute db write total"],
        ["PATCH", "/Items(1)", '{"Name":"b"}', "parse authorize bind body execute db write total"],
        ["GET", "/Items", undefined, "parse authorize bind plan execute db write total"],
        [
          "GET",
          "/Items?$count=true&$filter=Name%20eq%20'b'",
          undefined,
          "parse authorize bind plan execute db write total",
        ],
        ["GET", "/Items(1)", undefined, "parse authorize bind plan execute db write total"],
        ["GET", "/Items(2)", undefined, "parse authorize bind plan execute db total"],
        ["DELETE", "/Items(1)", undefined, "parse authorize bind execute db write total"],
        ["GET", "/$metadata", undefined, "parse authorize bind total"],
      ] as const) {
        const metrics = timingOf(await send(method, target, body));
        expect([method, target, Object.keys(metrics).join(" ")]).toEqual([method, target, stages]);
        const { execute = 0, db = 0 } = metrics;
        if (stages.includes("db")) expect(db).toBeGreaterThan(0);
        expect(db).toBeLessThanOrEqual(execute + 0.001);
      }
      expect(seen.length).toBeGreaterThan(6);
    } finally {
      await opened.close();
    }
  });

  test("the header of a long page contains the time until its body begins", async () => {
    const opened = await open();
    try {
      await createTable(opened, "items", {
        id: "int primary key",
        name: "varchar(50) not null",
        version: "int not null",
      });
      for (let begin = 0; begin < 3000; begin += 500) {
        const rows = Array.from({ length: 500 }, (_, at) => ({ id: begin + at, name: "Item", version: 1 }));
        await opened.db.insertInto("items").values(rows).execute();
      }
      const response = await tables(opened.db).fetch(new Request("http://service.example/Items"));
      const { execute, write, total } = timingOf(response.headers.get("server-timing") ?? undefined);
      expect([execute, write, total].every((each) => each !== undefined)).toBe(true);
      const { value } = (await response.json()) as { readonly value: readonly unknown[] };
      expect(value).toHaveLength(3000);
    } finally {
      await opened.close();
    }
  });
});

function eachRequest(service: ReturnType<typeof odataService>) {
  return async (method: string, target: string, body?: string): Promise<string | undefined> => {
    const init = { method, ...(body === undefined ? {} : { body, headers: JSON_BODY }) };
    const response = await service.fetch(new Request(`http://service.example${target}`, init));
    await response.text();
    return response.headers.get("server-timing") ?? undefined;
  };
}

describe("batches", () => {
  test("each response of a JSON batch has its own header, and the batch the stages before its operations", async () => {
    const requests = [
      { id: "1", method: "get", url: "/odata/Items" },
      { id: "2", method: "get", url: "/odata/Items(2)" },
      { id: "3", method: "get", url: "/odata/Missing" },
      { id: "4", method: "get", url: "/odata/Lines(1)" },
    ];
    const response = await shop().fetch(
      new Request("http://service.example/odata/$batch", {
        method: "POST",
        headers: JSON_BODY,
        body: JSON.stringify({ requests }),
      }),
    );
    const { responses } = (await response.json()) as {
      readonly responses: readonly { readonly status: number; readonly headers: Readonly<Record<string, string>> }[];
    };
    expect(
      responses.map(({ status, headers }) => [status, Object.keys(timingOf(headers["server-timing"])).join(" ")]),
    ).toEqual([
      [200, "parse authorize bind plan execute write total"],
      [404, "parse authorize bind plan execute total"],
      [404, "parse total"],
      [401, "parse total"],
    ]);
    expect(Object.keys(timingOf(response.headers.get("server-timing") ?? undefined)).join(" ")).toBe(
      "parse authorize bind total",
    );
  });

  test("an operation that is not executed has no header", async () => {
    const requests = [
      { id: "1", method: "get", url: "/odata/Items(2)" },
      { id: "2", method: "get", url: "/odata/Items", dependsOn: ["1"] },
    ];
    const response = await shop().fetch(
      new Request("http://service.example/odata/$batch", {
        method: "POST",
        headers: JSON_BODY,
        body: JSON.stringify({ requests }),
      }),
    );
    const { responses } = (await response.json()) as {
      readonly responses: readonly { readonly status: number; readonly headers: Readonly<Record<string, string>> }[];
    };
    expect(responses.map(({ status, headers }) => [status, "server-timing" in headers])).toEqual([
      [404, true],
      [424, false],
    ]);
  });

  test("so do the responses of multipart/mixed, without the option none", async () => {
    const body = multipart([{ request: "GET /odata/Items" }, { request: "GET /odata/Items(1)" }]);
    for (const [options, times] of [
      [{ serverTiming: true }, 2],
      [{}, 0],
    ] as const) {
      const response = await shop(options).fetch(
        new Request("http://service.example/odata/$batch", {
          method: "POST",
          headers: MULTIPART,
          body,
        }),
      );
      const text = await response.text();
      expect([response.status, text.match(/^Server-Timing: parse;dur=/gmu)?.length ?? 0], text).toEqual([200, times]);
    }
  });
});

describe("pages of other origins", () => {
  const origin = "https://app.example";
  const exposed = async (options: Partial<ServiceOptions>) => {
    const request = new Request("http://service.example/odata/Items", { headers: { origin } });
    const { headers } = await shop({ cors: { origins: [origin] }, ...options }).fetch(request);
    return headers.get("access-control-expose-headers");
  };

  test("can read the header of a service with the option", async () => {
    expect(await exposed({ serverTiming: true })).toBe(`${String(await exposed({}))}, Server-Timing`);
    expect(await exposed({})).not.toContain("Server-Timing");
  });
});
