import { setImmediate as nextTurn } from "node:timers/promises";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { noFailures } from "./model.ts";

/** Of several writes with one ETag that arrive together, one is executed, whatever a handler does with `ctx.expected`. */

const Thing = entityType("Thing", { id: edm.int32().key(), name: edm.string(), version: edm.int32().computed() });

interface Row {
  readonly id: number;
  readonly name: string;
  readonly version: number;
}

function things(later: <T>(value: T) => T | Promise<T>) {
  const rows = new Map<unknown, Row>([[1, { id: 1, name: "a", version: 1 }]]);
  const save = (key: unknown, values: object): Row | null => {
    const row = rows.get(key);
    if (row === undefined) return null;
    const changed: Row = { ...row, ...values, version: row.version + 1 };
    rows.set(key, changed);
    return changed;
  };
  const service = odataService({
    prefix: "",
    logger: noFailures,
    entitySets: [
      entitySet(Thing, {
        etag: ["version"],
        idempotentDelete: false,
        getByKey: (key) => later(rows.get(key) ?? null),
        patch: async (key, delta) => save(key, await later(delta)),
        replace: async (key, entity) => save(key, await later(entity)),
        delete: async (key) => later(rows.delete(key)),
      }),
    ],
  });
  return async (method: string, tag: string | null, name: string = "b") => {
    const headers = { "content-type": "application/json", ...(tag === null ? {} : { "if-match": tag }) };
    const body = method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify({ Name: name }) };
    const response = await service.fetch(new Request("http://s.example/Things(1)", { method, headers, ...body }));
    return { status: response.status, etag: response.headers.get("etag") };
  };
}

describe.each([
  ["at once", <T>(value: T): T => value],
  ["later", async <T>(value: T): Promise<T> => nextTurn(value)],
] as const)("handlers that return %s", (_when, later) => {
  test.each([
    ["PATCH", "PATCH"],
    ["PATCH", "PUT"],
    ["PUT", "DELETE"],
  ])("%s and %s with one ETag: one is executed, the other is 412", async (first, second) => {
    const send = things(later);
    const { etag } = await send("GET", null);
    const responses = await Promise.all([send(first, etag), send(second, etag)]);
    const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other);
    expect([
      [200, 412],
      [204, 412],
    ]).toContainEqual(statuses);
  });
});
