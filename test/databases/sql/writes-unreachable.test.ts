import { once } from "node:events";
import { createServer } from "node:net";
import { Kysely, MysqlDialect, PostgresDialect } from "kysely";
import { createPool } from "mysql2";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { orderService, sendTo, type LoggedErrors } from "./writes-model.ts";

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 1;
}

const DIALECTS = [
  ["PostgreSQL", (port: number) => new PostgresDialect({ pool: new Pool({ host: "127.0.0.1", port }) })],
  ["MariaDB", (port: number) => new MysqlDialect({ pool: createPool({ host: "127.0.0.1", port }) })],
] as const;

describe.each(DIALECTS)("an unreachable %s", (_name, dialectAt) => {
  const logged: LoggedErrors = { errors: [] };
  let db: AnyDatabase;

  beforeAll(async () => {
    db = new Kysely({ dialect: dialectAt(await closedPort()) });
  });
  afterAll(async () => {
    await db.destroy();
  });

  test("is logged once, however many requests fail", async () => {
    logged.errors.length = 0;
    const service = orderService(db, logged);
    for (const [method, target] of [
      ["GET", "Orders(1)"],
      ["GET", "Orders?$count=true"],
      ["DELETE", "Orders(1)"],
      ["GET", "Orders/$count"],
    ] as const) {
      expect((await sendTo(service)(method, target)).status).toBe(503);
    }
    expect(logged.errors).toHaveLength(1);
  });

  test.each([
    ["GET", "Orders?$filter=Number eq 'A1'&$count=true&$expand=Lines", undefined],
    ["GET", "Orders(1)", undefined],
    ["GET", "Orders(1)/Lines", undefined],
    ["GET", "Orders/$count", undefined],
    ["POST", "Orders", { Number: "A1", Lines: [{ Position: 1, Text: "t" }] }],
    ["PATCH", "Orders(1)", { Number: "A1" }],
    ["DELETE", "Orders(1)", undefined],
    ["PUT", "Orders(1)/Customer/$ref", { "@odata.id": "Customers(1)" }],
  ])("%s %s returns 503 with Retry-After", async (method, target, body) => {
    logged.errors.length = 0;
    const { status, json, headers, text } = await sendTo(orderService(db, logged))(method, target, body);
    expect([status, json?.error?.code, headers.get("retry-after")]).toEqual([503, "ServiceUnavailable", "1"]);
    expect(text).not.toMatch(/127\.0\.0\.1|ECONN/);
    // The state is known.
    expect(logged.errors).toEqual([]);
  });
});
