import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";

const File = entityType("File", { id: edm.int32().key(), text: edm.string() });

const SIZE = 100_000;
const FILES = Array.from({ length: 19 }, (_, id) => ({ id, text: String(id % 10).repeat(SIZE) }));
const HELD = 2_000_000;

let db: Kysely<unknown>;

beforeAll(async () => {
  db = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table files (id integer primary key, text text not null)`.execute(db);
  for (const { id, text } of FILES) await sql`insert into files values (${id}, ${text})`.execute(db);
});
afterAll(() => db.destroy());

function serviceOf(limits: { readonly maxHeldBytes?: number | null; readonly queryTimeout?: number }): ODataService {
  return odataService({
    entitySets: [sqlEntitySet(File, { db, table: "files", operations: ["read"] })],
    defaults: { maxHeldBytes: HELD, ...limits },
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });
}

const send = (service: ODataService, target: string): Promise<Response> =>
  service.fetch(new Request(target.startsWith("http") ? target : `http://held.example/${target}`));

interface Page {
  readonly value: ReadonlyArray<{ readonly Id: number }>;
  readonly "@odata.nextLink"?: string;
}

/** Begins to read a response, which holds its bytes until it ends. */
async function begin(service: ODataService, target: string): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const { status, body } = await send(service, target);
  expect(status).toBe(200);
  const reader = body?.getReader();
  if (reader === undefined) throw new Error("The response has no body.");
  await reader.read();
  return reader;
}

async function finish(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

test("while another response is sent, a page ends earlier, and its links lead to each entity once", async () => {
  const service = serviceOf({});
  const other = await begin(service, "Files?$top=14");
  const found: number[][] = [];
  let next: string | undefined = "Files";
  while (next !== undefined) {
    const response = await send(service, next);
    expect(response.status).toBe(200);
    const page = (await response.json()) as Page;
    found.push(page.value.map(({ Id }) => Id));
    next = page["@odata.nextLink"];
  }
  expect(found.flat()).toEqual(FILES.map(({ id }) => id));
  expect(found.length).toBeGreaterThan(2);
  await finish(other);
  expect(((await (await send(service, "Files")).json()) as Page).value.length).toBe(FILES.length);
});

const BUSY = {
  error: {
    code: "ServiceUnavailable",
    message: "Other responses hold as many bytes as maxHeldBytes allows. Try again later.",
  },
};

test("a request that finds no room waits, and is 503 after queryTimeout", async () => {
  const service = serviceOf({ maxHeldBytes: 1_910_000, queryTimeout: 300 });
  const other = await begin(service, "Files");
  const refused = await send(service, "Files?$top=1");
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([503, "1", BUSY]);
  const waiting = send(service, "Files?$top=1&$select=Id");
  await finish(other);
  const response = await waiting;
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      "@odata.context": "http://held.example/$metadata#Files(Id)",
      value: [{ Id: 0 }],
    },
  ]);
});

test("a page whose first entity finds no room is 503, not 400", async () => {
  const service = serviceOf({ maxHeldBytes: 1_940_000 });
  const other = await begin(service, "Files");
  const refused = await send(service, "Files?$top=3");
  const body: unknown = await refused.json();
  expect([refused.status, refused.headers.get("retry-after"), body]).toEqual([503, "1", BUSY]);
  await finish(other);
});

test("a reader that leaves gives its bytes back", async () => {
  const service = serviceOf({ queryTimeout: 300 });
  for (let count = 0; count < 3; count += 1) {
    const reader = await begin(service, "Files");
    await reader.cancel();
    const head = await service.fetch(new Request("http://held.example/Files", { method: "HEAD" }));
    expect(head.status).toBe(200);
  }
  expect((await send(service, "Files?$top=1&$select=Id")).status).toBe(200);
});

function useTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

test("a response counts as long as its client reads, however slowly", async () => {
  const service = serviceOf({ maxHeldBytes: 1_910_000, queryTimeout: 300 });
  useTimers();
  const slow = await begin(service, "Files?$format=application/json;odata.metadata=full");
  for (let count = 0; count < 3; count += 1) {
    await vi.advanceTimersByTimeAsync(200_000);
    expect((await slow.read()).done).toBe(false);
    const refused = send(service, "Files?$top=1");
    await vi.advanceTimersByTimeAsync(400);
    expect((await refused).status).toBe(503);
  }
  await slow.cancel();
  expect((await send(service, "Files?$top=1")).status).toBe(200);
});

test("a response that nobody reads for 300 s ends, and no longer counts", async () => {
  useTimers();
  const service = serviceOf({ maxHeldBytes: 1_910_000, queryTimeout: 300 });
  const dropped = await begin(service, "Files");
  await vi.advanceTimersByTimeAsync(299_000);
  const refused = send(service, "Files?$top=1");
  await vi.advanceTimersByTimeAsync(400);
  expect((await refused).status).toBe(503);
  await vi.advanceTimersByTimeAsync(1000);
  expect((await send(service, "Files?$top=1")).status).toBe(200);
  await expect(finish(dropped)).rejects.toThrow("The client read nothing for too long: the response has ended.");
});

test("null removes the limit", async () => {
  const service = serviceOf({ maxHeldBytes: null });
  const others = [await begin(service, "Files"), await begin(service, "Files")];
  expect(((await (await send(service, "Files")).json()) as Page).value.length).toBe(FILES.length);
  for (const other of others) await finish(other);
});
