import { edm, entitySet, entityType, odataService, type Logger } from "odatakit";
import { serve } from "odatakit/node";
import { describe, expect, test } from "vitest";

const Row = entityType("Row", { id: edm.int32().key(), text: edm.string() });

/** Enough entities that the response is sent in chunks; the last entity is invalid. */
const COUNT = 20_000;

function brokenService(logged: unknown[]): ReturnType<typeof odataService> {
  const error: Logger["error"] = (message, { err, requestId, ...fields }) => {
    logged.push([message, fields, typeof requestId, err instanceof Error]);
  };
  return odataService({
    name: "broken",
    defaults: { maxTop: null, maxPageSize: 20_000 },
    logger: { error, warn: () => undefined, info: () => undefined },
    entitySets: [
      entitySet(Row, {
        getAll: () =>
          Array.from({ length: COUNT }, (_, id) => ({ id, text: id === COUNT - 1 ? (5 as never) : "text" })),
      }),
    ],
  });
}

const RECORD = [
  "A response broke off.",
  { method: "GET", path: "/broken/Rows", set: "Rows", status: 200 },
  "string",
  true,
];

describe("a failure after the start of a response", () => {
  test("aborts the body of a Fetch response and is logged", async () => {
    const logged: unknown[] = [];
    const response = await brokenService(logged).fetch(new Request("http://service.example/broken/Rows"));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(logged).toEqual([RECORD]);
  });

  test("closes the connection of a Node.js server and is logged", async () => {
    const logged: unknown[] = [];
    const server = await serve(brokenService(logged), { port: 0 });
    try {
      const response = await fetch(`${server.url}/broken/Rows`);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      expect(logged).toEqual([RECORD]);
    } finally {
      await server.close();
    }
  });
});
