import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, resource } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table orders (id integer primary key)`.execute(db);
await sql`create table outbox (id integer primary key, body text not null)`.execute(db);

// A receiver whose first response is a failure.
let requests = 0;
const receiver = createServer((request, response) => {
  requests += 1;
  console.log("message", request.headers["webhook-id"]);
  response.writeHead(requests === 1 ? 503 : 204).end();
});
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

const Message = entityType("Message", { id: edm.int32().key().computed(), body: edm.string() });
const outbox = sqlEntitySet(Message, {
  name: "Outbox",
  db,
  table: "outbox",
  operations: ["create"],
  // No client creates messages. The hook below is trusted.
  authorization: { create: resource(() => false) },
});
const orders = sqlEntitySet(entityType("Order", { id: edm.int32().key() }), {
  db,
  table: "orders",
  operations: ["create"],
  after: {
    create: async ({ entity, ctx }) => {
      await ctx.sets(outbox, { trusted: true }).create({ body: JSON.stringify({ order: entity.id }) });
      ctx.afterCommit(sendAll);
    },
  },
});

const secret = Buffer.from("c2hhcmVkIHdpdGggdGhlIHJlY2VpdmVy", "base64");
async function sendWaiting(): Promise<void> {
  const { rows } = await sql<{ id: number; body: string }>`select id, body from outbox order by id limit 100`.execute(
    db,
  );
  for (const { id, body } of rows) {
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
    const headers = {
      "Content-Type": "application/json",
      "Webhook-Id": `${id}`,
      "Webhook-Timestamp": `${timestamp}`,
      "Webhook-Signature": `v1,${signature}`,
    };
    const init = { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(10_000) } as const;
    const response = await fetch(url, init);
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The receiver responded with ${response.status} to message ${id}.`);
    await sql`delete from outbox where id = ${id}`.execute(db);
  }
}

let sending = Promise.resolve();
/** One call after another: two at once would send a message twice. */
function sendAll(): Promise<void> {
  sending = sending.then(sendWaiting, sendWaiting);
  return sending;
}

const shop = odataService({
  entitySets: [orders, outbox],
  logger: { error: () => {}, warn: () => {}, info: () => {} },
});
const headers = { "Content-Type": "application/json" };
for (const id of [1, 1, 2]) {
  const init = { method: "POST", headers, body: `{"Id":${id}}` };
  const { status } = await shop.fetch(new Request("http://shop.example/Orders", init));
  await shop.drain();
  console.log(status);
}
receiver.close();
await db.destroy();
