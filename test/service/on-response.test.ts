import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  arraySource,
  authenticated,
  edm,
  entitySet,
  entityType,
  odataError,
  odataService,
  reloadable,
  role,
  type ServiceOptions,
  type TracedResponse,
} from "odatakit";
import { toNodeHandler } from "odatakit/node";
import { beforeEach, expect, test } from "vitest";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });
const rows = Array.from({ length: 3000 }, (_none, id) => ({ id, text: "x".repeat(50) }));
const reported: TracedResponse[] = [];
const failures: unknown[] = [];

beforeEach(() => {
  reported.length = 0;
  failures.length = 0;
});

function notes(options: Partial<ServiceOptions> = {}) {
  return odataService({
    prefix: "/odata",
    authenticate: ({ headers }) => {
      const id = headers.get("x-user");
      if (id === "bad") return odataError(401, "InvalidToken", "The token is not known.");
      return id === null ? null : { id };
    },
    onResponse: (response) => void reported.push(response),
    logger: {
      error: (message, fields) => failures.push([message, fields]),
      warn: () => undefined,
      info: () => undefined,
    },
    defaults: { maxTop: null },
    ...options,
    entitySets: [
      entitySet(Note, {
        queryable: () => arraySource(Note, rows),
        getByKey: (id) => rows[id] ?? null,
        authorization: { invoke: role("nobody"), create: role("nobody") },
        create: (note) => note,
      }),
    ],
  });
}

const send = (service: ReturnType<typeof notes>, path: string, init: RequestInit = {}) =>
  service.fetch(new Request(`http://notes.example${path}`, init), "the host");

test("gets each response with its request, user and set", async () => {
  const service = notes();
  const json = { "Content-Type": "application/json", "X-User": "ann", "X-Request-Id": "r-7" };
  for (const [path, init, status, user, set] of [
    ["/odata/Notes(1)", { headers: { "X-User": "ann" } }, 200, { id: "ann" }, "Notes"],
    ["/odata/Notes(1)/Text", { method: "HEAD" }, 200, null, "Notes"],
    ["/odata/Notes(9999)", {}, 404, null, "Notes"],
    ["/odata/Notes?$filter=Nothing", { headers: { "X-User": "ann" } }, 400, { id: "ann" }, "Notes"],
    ["/odata/Notes", { method: "POST", headers: json, body: '{"Id":1,"Text":""}' }, 403, { id: "ann" }, "Notes"],
    ["/odata/Notes(1)", { headers: { "X-User": "bad" } }, 401, null, "Notes"],
    ["/odata/Notes", { method: "OPTIONS" }, 204, null, "Notes"],
    ["/odata/Notes", { method: "DELETE" }, 405, null, "Notes"],
    ["/odata/Strange", {}, 404, null, null],
    ["/odata/$metadata", {}, 200, null, null],
    ["/other", {}, 404, null, null],
  ] as const) {
    const response = await send(service, path, init);
    await response.text();
    expect(response.status, path).toBe(status);
    await expect.poll(() => reported.length).toBe(1);
    const [{ request, ms, ...seen } = { request: undefined, ms: -1 }] = reported.splice(0);
    expect(seen, path).toEqual({ status, user, set });
    expect(request).toMatchObject({ method: "method" in init ? init.method : "GET", target: path, host: "the host" });
    expect(request?.id).toBe(response.headers.get("X-Request-Id"));
    expect(request?.headers.get("x-user") ?? null).toBe(
      new Headers("headers" in init ? init.headers : {}).get("x-user"),
    );
    expect(ms).toBeGreaterThanOrEqual(0);
  }
});

test("a user is known where every route needs one", async () => {
  const service = notes({ authorization: authenticated() });
  for (const [path, user, status] of [
    ["/odata/Strange", "ann", 404],
    ["/odata/Notes(1)", "ann", 200],
    ["/odata/Notes(1)", null, 401],
  ] as const) {
    const response = await send(service, path, user === null ? {} : { headers: { "X-User": user } });
    expect(response.status).toBe(status);
    await expect.poll(() => reported.length).toBe(1);
    expect(reported.splice(0)).toMatchObject([{ status, user: user === null ? null : { id: user } }]);
  }
});

test("a batch is one request", async () => {
  const service = notes({ batch: { json: true } });
  const body = JSON.stringify({ requests: [{ id: "1", method: "GET", url: "Notes(1)" }] });
  const init = { method: "POST", body, headers: { "Content-Type": "application/json", "X-User": "ann" } };
  const response = await send(service, "/odata/$batch", init);
  expect(await response.text()).toContain('"status":200');
  await expect
    .poll(() => reported)
    .toMatchObject([{ request: { target: "/odata/$batch" }, status: 200, user: { id: "ann" }, set: null }]);
});

test("a long response is reported after its last byte, and one that breaks off once", async () => {
  const service = notes();
  const whole = await send(service, "/odata/Notes");
  expect(reported).toEqual([]);
  const text = await whole.text();
  expect(text.length).toBeGreaterThan(100_000);
  await expect.poll(() => reported.length).toBe(1);
  const broken = await send(service, "/odata/Notes");
  const reader = broken.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await expect.poll(() => reported.length).toBe(2);
});

test("its errors are logged, and do not change the response", async () => {
  const fault = new Error("The log is full.");
  for (const onResponse of [
    () => {
      throw fault;
    },
    () => Promise.reject(fault),
  ]) {
    const response = await send(notes({ onResponse }), "/odata/Notes(1)");
    expect([response.status, await response.json()]).toMatchObject([200, { Id: 1 }]);
    await expect.poll(() => failures).toMatchObject([["onResponse failed.", { err: fault }]]);
    failures.length = 0;
  }
  const logger = {
    error: () => {
      throw fault;
    },
    warn: () => undefined,
    info: () => undefined,
  };
  const silent = notes({
    logger,
    onResponse: () => {
      throw fault;
    },
  });
  expect((await send(silent, "/odata/Notes(1)")).status).toBe(200);
});

test("a server and a service that can be replaced report, too", async () => {
  const server = createServer(toNodeHandler(reloadable(notes())));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${String(port)}/odata/Notes`, { headers: { "X-User": "bob" } });
  await response.text();
  await expect.poll(() => reported).toMatchObject([{ status: 200, user: { id: "bob" }, set: "Notes" }]);
  server.close();
});
