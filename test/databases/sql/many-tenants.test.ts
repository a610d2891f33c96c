import { copyFile, mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const TENANTS = 1000;
/** The most files that are open while no request uses more. */
const MOST = 20;
/** The reading and the writing connection, each with the file, its log and the index of its log. */
const HANDLES = 6;

/** Open files: the least recently used ones are closed when no request uses them. */
class OpenFiles {
  readonly #files = new Map<string, { readonly db: AnyDatabase; requests: number }>();
  readonly #open: (id: string) => AnyDatabase;
  readonly closing = new Set<Promise<unknown>>();
  opened = 0;

  constructor(open: (id: string) => AnyDatabase) {
    this.#open = open;
  }

  get(id: string): AnyDatabase {
    const file = this.#files.get(id);
    if (file === undefined) throw new Error(`No request uses ${id}.`);
    return file.db;
  }

  enter(id: string): void {
    const file = this.#files.get(id) ?? { db: this.#open(id), requests: 0 };
    if (!this.#files.has(id)) this.opened += 1;
    this.#files.delete(id);
    this.#files.set(id, file);
    file.requests += 1;
    this.#closeIdle();
  }

  leave(id: string): void {
    const file = this.#files.get(id);
    if (file !== undefined) file.requests -= 1;
    this.#closeIdle();
  }

  async close(): Promise<void> {
    await Promise.all([...this.closing, ...Array.from(this.#files.values(), ({ db }) => db.destroy())]);
  }

  #closeIdle(): void {
    for (const [id, { db, requests }] of this.#files) {
      if (this.#files.size <= MOST) return;
      if (requests > 0) continue;
      this.#files.delete(id);
      const closed = db.destroy().finally(() => this.closing.delete(closed));
      this.closing.add(closed);
    }
  }
}

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string({ maxLength: 50 }),
  version: edm.int32().computed(),
});

/** Makes the file of each tenant, as a copy of one file. */
async function makeFiles(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tenants-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const first = join(folder, "0.db");
  const db = new Kysely<unknown>({ dialect: sqliteDialect(first) });
  await sql`create table notes (id integer primary key, text text not null, version integer not null)`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500) insert into notes select i, 'note ' || i, 1 from n`.execute(
    db,
  );
  await db.destroy();
  await Promise.all(Array.from({ length: TENANTS - 1 }, (_, index) => copyFile(first, fileOf(folder, index + 1))));
  return folder;
}

function fileOf(folder: string, index: number): string {
  return join(folder, `${String(index)}.db`);
}

/** Returns the number of open handles of files in a folder. */
async function handlesIn(folder: string): Promise<number> {
  const handles = await readdir("/proc/self/fd");
  const targets = await Promise.all(handles.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => "")));
  return targets.filter((target) => target.startsWith(folder)).length;
}

/** Returns the bytes of objects that are still in use. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

async function threads(): Promise<number> {
  return (await readdir("/proc/self/task")).length;
}

test.skipIf(process.platform !== "linux")(
  "a thousand tenants need no more memory, handles and threads than those whose files are open",
  async () => {
    const folder = await makeFiles();
    const files = new OpenFiles(
      (id) => new Kysely({ dialect: sqliteDialect(join(folder, `${id}.db`), { readerThreads: 1 }) }),
    );
    onTestFinished(() => files.close());
    const notes = sqlEntitySet(Note, {
      db: ({ user }) => ({ id: user?.id ?? "", db: files.get(user?.id ?? "") }),
      table: "notes",
      operations: ["read", "patch"],
      rowVersion: "version",
      maxTop: null,
    });
    const warnings: string[] = [];
    const log = (message: string): void => {
      warnings.push(message);
    };
    const service = odataService({
      entitySets: [notes],
      logger: { error: log, warn: log, info: log },
      authenticate: ({ headers }) => ({ id: headers.get("authorization") ?? "" }),
    });
    const send = async (tenant: number, path: string, init: RequestInit = {}): Promise<string> => {
      const id = String(tenant);
      files.enter(id);
      try {
        const headers = { Authorization: id, "Content-Type": "application/json" };
        const response = await service.fetch(new Request(`http://tenants.example/${path}`, { ...init, headers }));
        const text = await response.text();
        expect([response.status, text.length > 0]).toEqual([200, true]);
        return text;
      } finally {
        files.leave(id);
      }
    };
    const use = async (tenant: number): Promise<void> => {
      const body = `{"Text":"of ${String(tenant)}"}`;
      await send(tenant, "Notes(7)", { method: "PATCH", body });
      const found = await send(tenant, "Notes?$filter=contains(Text,'of ')&$count=true");
      expect(JSON.parse(found)).toMatchObject({ "@odata.count": 1, value: [{ Text: `of ${String(tenant)}` }] });
      // A long page is read in a thread.
      if (tenant % 25 === 0) expect((await send(tenant, "Notes")).split("note ").length).toBe(1500);
    };
    const before = await threads();
    const most = { handles: 0, threads: 0 };
    const useAll = async (): Promise<void> => {
      for (let tenant = 0; tenant < TENANTS; tenant += 10) {
        await Promise.all(Array.from({ length: 10 }, (_, index) => use(tenant + index)));
        await Promise.all(files.closing);
        most.handles = Math.max(most.handles, await handlesIn(folder));
        most.threads = Math.max(most.threads, await threads());
      }
    };
    await useAll();
    const first = usedBytes();
    await useAll();
    const growth = usedBytes() - first;
    expect(files.opened).toBe(2 * TENANTS);
    expect(most.handles).toBeLessThanOrEqual(MOST * HANDLES);
    expect(most.threads - before).toBeLessThanOrEqual(MOST);
    // An object that stays for each tenant would be found two thousand times.
    expect(growth / TENANTS).toBeLessThan(2000);
    expect(warnings).toEqual([]);
  },
);
