import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AnyDatabase, type DatabaseEngine, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";
import { sendTo } from "./writes-model.ts";

const Part = entityType("Part", { id: edm.int32().key(), mark: edm.guid(), text: edm.string() });

const directory = mkdtempSync(join(tmpdir(), "odatakit-unreadable-"));
afterAll(() => rmSync(directory, { recursive: true }));

const IN_FILE: Pick<DatabaseEngine, "name" | "title" | "open"> = {
  name: "sqlite",
  title: "SQLite in a file",
  open: () => {
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(join(directory, "parts.db")) });
    return Promise.resolve({ db, close: () => db.destroy() });
  },
};

const FAILED = "The service failed to answer this request. The failure has been logged.";
const STORED =
  "The service has stored the entity, but failed to read it afterwards: do not repeat the request. The failure has been logged.";

describe.each([...ENGINES, IN_FILE])("a write of a row with an unreadable cell, over $title", ({ name, open }) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  const logger = recordingLogger();

  beforeAll(async () => {
    opened = await open();
    ({ db } = opened);
    await sql`create table parts (id int primary key, mark varchar(40) not null, text varchar(20) not null)`.execute(
      db,
    );
    await sql`insert into parts values (1, 'no guid', 'old')`.execute(db);
  });
  afterAll(() => opened.close());

  const parts = (more: object = {}) =>
    sendTo(
      odataService({
        logger,
        schemaCheck: false,
        entitySets: [
          sqlEntitySet(Part, {
            db,
            table: "parts",
            operations: ["read", "create", "replace", "patch", "delete"],
            columns: { mark: { storage: "text" } },
            ...more,
          }),
        ],
      }),
    );

  /** Sends a write, and returns whether the row has its value. The response must say the same. */
  async function isStored(send: ReturnType<typeof sendTo>): Promise<boolean> {
    await sql`update parts set text = 'old'`.execute(db);
    logger.errors.length = 0;
    const { status, json } = await send("PATCH", "Parts(1)", { Text: "new" });
    expect(logger.errors).toHaveLength(1);
    const { rows } = await sql<{ text: string }>`select text from parts`.execute(db);
    const isKept = rows[0]?.text === "new";
    const error = { code: "InternalServerError", message: isKept ? STORED : FAILED };
    expect([status, json]).toEqual([500, { error }]);
    return isKept;
  }

  test("is a logged 500: nothing is stored, or the error says so", async () => {
    const send = parts();
    await isStored(send);
    // The first statement has inspected the connection.
    expect(await isStored(send)).toBe(name === "postgres");
  });

  test("stores nothing with hooks, whose transaction is undone", async () => {
    expect(await isStored(parts({ after: { patch: () => undefined } }))).toBe(false);
  });

  test("may repair the cell", async () => {
    await sql`update parts set text = 'old'`.execute(db);
    const mark = "00000000-0000-0000-0000-000000000001";
    const { status, json } = await parts()("PATCH", "Parts(1)", { Mark: mark });
    expect([status, json]).toMatchObject([200, { Id: 1, Mark: mark, Text: "old" }]);
  });
});
