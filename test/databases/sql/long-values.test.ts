import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { ReaderThreads } from "../../../src/databases/sqlite/driver/reader-threads.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const folder = mkdtempSync(join(tmpdir(), "long-values-"));
const LONG = "ü".repeat(5_000_000);
/** Node.js 22 cannot limit the length of values. */
const HAS_LIMITS = "limits" in new DatabaseSync(":memory:");

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string(),
  bytes: edm.binary().nullable(),
});
const opened: AnyDatabase[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const db of opened.splice(0)) await db.destroy();
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Place {
  readonly name: string;
  readonly file: string;
  readonly options: SqliteOptions;
  readonly usesThreads: boolean;
}

const PLACES: readonly Place[] = [
  { name: "a file", file: join(folder, "wal.db"), options: {}, usesThreads: HAS_LIMITS },
  { name: "a file without threads", file: join(folder, "alone.db"), options: { readerThreads: 0 }, usesThreads: false },
  {
    name: "a file whose reads would block writes",
    file: join(folder, "journal.db"),
    options: { journalMode: "keep" },
    usesThreads: false,
  },
  { name: "a database in memory", file: ":memory:", options: {}, usesThreads: false },
];

/** Makes a service over rows with a short text, a long text, long octets, and both. */
async function open({ file, options }: Place): Promise<(target: string) => Promise<unknown>> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file, options) });
  opened.push(db);
  await db.schema
    .createTable("note")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("bytes", "blob")
    .execute();
  const rows = [
    { id: 1, text: "short", bytes: null },
    { id: 2, text: LONG, bytes: null },
    { id: 3, text: "octets", bytes: Buffer.alloc(5_000_000, 7) },
  ];
  for (const row of rows) await db.insertInto("note").values(row).execute();
  const notes = sqlEntitySet(Note, { db, table: "note", name: "Notes", operations: ["read"] });
  const service = odataService({ entitySets: [notes] });
  return async (target) => {
    const response = await service.fetch(new Request(`http://notes.example${target}`));
    expect(response.status).toBe(200);
    return response.json();
  };
}

describe.each(PLACES)("a long value in $name", (place) => {
  test("is read in a reader thread if there is one, and others are not", async () => {
    const read = await open(place);
    const inThread = vi.spyOn(ReaderThreads.prototype, "read");
    expect(await read("/Notes(1)")).toMatchObject({ Text: "short" });
    expect(await read("/Notes(2)?$select=Id")).toMatchObject({ Id: 2 });
    expect(inThread).toHaveBeenCalledTimes(0);
    const { Text: text } = (await read("/Notes(2)")) as { readonly Text: string };
    expect(text === LONG).toBe(true);
    const { Bytes: octets } = (await read("/Notes(3)")) as { readonly Bytes: string };
    expect(Buffer.from(octets, "base64url")).toHaveLength(5_000_000);
    const page = (await read("/Notes?$orderby=Id&$select=Id,Text&$filter=Id lt 3")) as {
      readonly value: readonly { readonly Id: number; readonly Text: string }[];
    };
    expect(page.value.map(({ Id, Text }) => [Id, Text.length])).toEqual([
      [1, 5],
      [2, LONG.length],
    ]);
    expect(inThread).toHaveBeenCalledTimes(place.usesThreads ? 3 : 0);
    expect(await read("/Notes(1)")).toMatchObject({ Text: "short" });
    expect(await read("/Notes/$count?$filter=contains(Text,'üü')")).toBe(1);
    inThread.mockClear();
    expect(await read("/Notes(1)")).toMatchObject({ Text: "short" });
    expect(inThread).toHaveBeenCalledTimes(0);
  });
});
