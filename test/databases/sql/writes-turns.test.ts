import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate as macrotask } from "node:timers/promises";
import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { createOrderTables, orderService, sendTo } from "./writes-model.ts";

const LINES = 2000;

test("responds to other requests while a large graph is stored, without showing it", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "odatakit-turns-"));
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(path.join(folder, "shop.db")) });
  await createOrderTables(db, { name: "sqlite" });
  const send = sendTo(orderService(db));
  const lines = Array.from({ length: LINES }, (_none, index) => ({ Position: index, Text: "x" }));
  const state = { isStored: false };
  const stored = send("POST", "Orders", { Number: "L1", Lines: lines }).finally(() => {
    state.isStored = true;
  });
  const seen: string[] = [];
  for (;;) {
    await macrotask();
    if (state.isStored) break;
    seen.push((await send("GET", "Lines/$count")).text);
  }
  expect((await stored).status).toBe(201);
  // It yields every hundred commands; the last responses may come after everything is stored.
  expect(seen.filter((count) => count === "0").length).toBeGreaterThan(10);
  expect(["0", String(LINES)]).toEqual(expect.arrayContaining([...new Set(seen)]));
  expect((await send("GET", "Lines/$count")).text).toBe(String(LINES));
  await db.destroy();
  rmSync(folder, { recursive: true });
});
