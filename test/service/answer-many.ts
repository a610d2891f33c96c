import process from "node:process";
import { getHeapSpaceStatistics } from "node:v8";
import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { nextTurn } from "../../src/base/host.ts";
import type { ODataRequest } from "../../src/http/odata-request.ts";

/**
 * Answers each of some requests many times in this process: `node answer-many.ts <target>…`, a target that begins with `PATCH ` for
 * a write. Prints for each the status of the responses, and the bytes that outlived a request: those by which the old generation of
 * the heap grew, in the best of some rounds. What a request always leaves is in each round; what the compiler of V8 leaves is not.
 */

const [, , ...targets] = process.argv;
/** Requests until the code is optimized, and those of a round that is measured. */
const WARM = 3000;
const MEASURED = 2000;
const ROUNDS = 3;
/** Requests between two turns of the event loop. */
const TURN = 20;

const Item = entityType("Item", {
  id: edm.int32().key(),
  shopId: edm.int32(),
  name: edm.string(),
  price: edm.double(),
});
const Shop = entityType("Shop", { id: edm.int32().key(), name: edm.string() });
const Tag = entityType("Tag", { id: edm.int32().key(), name: edm.string() });

const db = new Kysely<unknown>({ dialect: sqliteDialect(":memory:") });
await sql`create table shops (id integer primary key, name text not null)`.execute(db);
await sql`create table items (id integer primary key, "shopId" integer not null, name text not null, price real not null)`.execute(
  db,
);
await sql`create index items_shop on items ("shopId", id)`.execute(db);
await sql`insert into shops values (1, 'a'), (2, 'b')`.execute(db);
await sql`insert into items values (1, 1, 'x', 1.5), (2, 1, 'y', 2.5), (3, 2, 'z', 3.5), (4, 2, 'w', 4.5)`.execute(db);
const operations = ["read", "patch"] as const;
const service = odataService({
  logger: { info: () => {}, warn: () => {}, error: () => {} },
  entitySets: [
    sqlEntitySet(Shop, {
      db,
      table: "shops",
      operations,
      navigation: { items: hasMany(Item, { on: { id: "shopId" }, target: "Items" }) },
    }),
    sqlEntitySet(Item, { db, table: "items", operations }),
    entitySet(Tag, {
      queryable: () => arraySource(Tag, [{ id: 1, name: "t" }]),
      getByKey: (id) => ({ id, name: "t" }),
    }),
  ],
});

const BODY = new TextEncoder().encode('{"Name":"n"}');

class LocalRequest implements ODataRequest {
  readonly method: string;
  readonly target: string;
  readonly scheme = "http";
  readonly host = "localhost";
  readonly hasBody: boolean;
  readonly isAborted = false;

  constructor(request: string) {
    const isWrite = request.startsWith("PATCH ");
    this.method = isWrite ? "PATCH" : "GET";
    this.target = isWrite ? request.slice("PATCH ".length) : request;
    this.hasBody = isWrite;
  }

  header(name: string): string | undefined {
    return name === "content-type" && this.hasBody ? "application/json" : undefined;
  }

  get headers(): Headers {
    return new Headers();
  }

  get signal(): AbortSignal {
    return new AbortController().signal;
  }

  readBody(): Uint8Array {
    return BODY;
  }
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space");
  return old?.space_used_size ?? 0;
}

/** Answers a request many times. @returns the bytes by which the old generation grew */
async function grown(request: string, times: number, statuses: Set<number>): Promise<number> {
  let outlived = 0;
  let before = oldBytes();
  for (let count = 1; count <= times; count += 1) {
    statuses.add((await service.handle(new LocalRequest(request))).status);
    if (count % TURN !== 0) continue;
    await nextTurn();
    const now = oldBytes();
    // A collection of the old generation makes it smaller.
    outlived += Math.max(now - before, 0);
    before = now;
  }
  return outlived;
}

async function answer(request: string): Promise<object> {
  const statuses = new Set<number>();
  await grown(request, WARM, statuses);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await grown(request, MEASURED, statuses));
  return { request, status: [...statuses].join(), outlived: Math.round(Math.min(...rounds) / MEASURED) };
}

const found: object[] = [];
for (const request of targets) found.push(await answer(request));
console.log(JSON.stringify(found));
