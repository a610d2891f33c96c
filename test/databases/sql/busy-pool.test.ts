import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Note = entityType("Note", { id: edm.int32().key() });

const SERVERS = ENGINES.filter(({ name }) => name !== "sqlite");

/** More than any pool of these tests has. */
const MANY = 40;

test.each(SERVERS)("a read that finds no free connection in its time says so: $title", async (engine) => {
  const { db, close } = await engine.open();
  await sql`create table notes (id int primary key)`.execute(db);
  const notes = sqlEntitySet(Note, { db, table: "notes", operations: ["read"] });
  const patient = odataService({ entitySets: [notes] });
  const hurried = odataService({ entitySets: [notes], defaults: { queryTimeout: 300 }, schemaCheck: false });
  const read = (service = patient) => service.fetch(new Request("http://x/Notes?$orderby=Id"));
  expect((await read()).status).toBe(200);
  let free = (): void => undefined;
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  let taken = 0;
  const held = Array.from({ length: MANY }, () =>
    db.connection().execute(() => {
      taken += 1;
      return freed;
    }),
  );
  await expect.poll(() => taken).toBeGreaterThan(0);
  const response = await read(hurried);
  expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
    503,
    "1",
    {
      error: {
        code: "QueryTimeout",
        message:
          "All connections to the database are in use, and none became free within the queryTimeout of the request. Try again later, or let the service open more connections.",
      },
    },
  ]);
  free();
  await Promise.all(held);
  expect((await read()).status).toBe(200);
  await close();
});
