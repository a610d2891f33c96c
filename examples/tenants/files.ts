import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { toNodeHandler } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";

const folder = await mkdtemp(join(tmpdir(), "tenants-"));
const MOST = 100;
const files = new Map<string, { db: Kysely<object>; requests: number }>();

/** Opens the file of a tenant for a request, and makes it the last one to be closed. */
function enter(id: string) {
  // A name from outside could leave the folder.
  if (!/^[a-z0-9]{1,40}$/u.test(id)) throw new Error("This is no tenant.");
  const dialect = sqliteDialect(join(folder, `${id}.db`), { readerThreads: 1 });
  const file = files.get(id) ?? { db: new Kysely<object>({ dialect }), requests: 0 };
  files.delete(id);
  files.set(id, file);
  file.requests += 1;
  return file;
}

function leave(file: { requests: number }) {
  file.requests -= 1;
  for (const [id, { db, requests }] of files) {
    if (files.size <= MOST) return;
    if (requests > 0) continue;
    files.delete(id);
    void db.destroy();
  }
}

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });
const used = new WeakMap<object, (id: string) => Kysely<object>>();
const notes = sqlEntitySet(Note, {
  db: ({ user, host }) => {
    const id = user?.id ?? "";
    const fileOf = used.get(host as IncomingMessage);
    if (fileOf === undefined) throw new Error("The server below has not passed on this request.");
    return { id, db: fileOf(id) };
  },
  table: "notes",
  operations: ["read"],
});
const service = odataService({
  entitySets: [notes],
  // Check a password or token here.
  authenticate: ({ headers }) => ({ id: headers.get("Authorization") ?? "" }),
});
const odata = toNodeHandler(service);
const server = createServer((request, response) => {
  const entered = new Map<string, ReturnType<typeof enter>>();
  used.set(request, (id) => {
    const file = entered.get(id) ?? enter(id);
    entered.set(id, file);
    return file.db;
  });
  response.on("close", () => {
    for (const file of entered.values()) leave(file);
  });
  odata(request, response);
});

const setup = new Kysely<object>({ dialect: sqliteDialect(join(folder, "acme.db")) });
await sql`create table notes (id integer primary key, text text not null)`.execute(setup);
await sql`insert into notes values (1, 'first')`.execute(setup);
await setup.destroy();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as { port: number };
const answer = await fetch(`http://127.0.0.1:${port}/Notes(1)/Text/$value`, { headers: { Authorization: "acme" } });
console.log(answer.status, await answer.text());
server.close();
for (const { db } of files.values()) await db.destroy();
await rm(folder, { recursive: true });
