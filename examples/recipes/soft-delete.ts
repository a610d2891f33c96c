import { Kysely, sql } from "kysely";
import { allRows, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table notes (id integer primary key, text text not null, deletedAt text)`.execute(db);
await sql`insert into notes values (1, 'first', null), (2, 'second', null)`.execute(db);

const Note = entityType("Note", {
  id: edm.int32().key().computed(),
  text: edm.string(),
  deletedAt: edm.dateTimeOffset({ precision: 3 }).nullable(),
});
const notes = sqlEntitySet(Note, {
  db,
  table: "notes",
  operations: ["read", "create", "patch", "delete"],
  authorization: { rows: (user, note) => (user.roles?.includes("admin") ? allRows : note.deletedAt.isNull()) },
  // Clients do not write the property, and a trusted call may.
  set: { deletedAt: { create: () => null } },
  delete: async (id, ctx): Promise<boolean> => {
    const deletedAt = new Date().toISOString();
    return (await ctx.sets(notes, { trusted: true, hooks: false }).patch(id, { deletedAt })) !== null;
  },
  transactional: true,
});

const pad = odataService({
  entitySets: [notes],
  authenticate: ({ headers }) => ({ id: "ann", roles: [headers.get("X-Role") ?? ""] }),
});
const send = async (role: string, method: string, path: string) => {
  const response = await pad.fetch(new Request(`http://pad.example/${path}`, { method, headers: { "X-Role": role } }));
  console.log(role, method, path, response.status, path.endsWith("$count") ? await response.text() : "");
};
await send("clerk", "DELETE", "Notes(1)");
await send("clerk", "GET", "Notes(1)");
await send("clerk", "GET", "Notes/$count");
await send("admin", "GET", "Notes/$count");
await db.destroy();
