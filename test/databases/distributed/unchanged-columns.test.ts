import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { sentStatements } from "../sql/sent-statements.ts";
import { DISTRIBUTED } from "./distributed-engines.ts";

const Ticket = entityType("Ticket", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  name: edm.string(),
  note: edm.string().nullable(),
});

const STORED = { id: 1, customerId: 5, name: "old", note: null };

/** Bodies, and the columns that the statement sets: a distributed database refuses to set the column that distributes a table. */
const CHANGES = [
  ["PUT", { customerId: 5, name: "new", note: null }, ["name"]],
  ["PUT", { customerId: 5, name: "old", note: null }, []],
  ["PUT", { customerId: 5, name: "old", note: "x" }, ["note"]],
  ["PATCH", { customerId: 5 }, []],
  ["PATCH", { customerId: 5, name: "new" }, ["name"]],
  ["PATCH", { name: "new" }, ["name"]],
] as const;

describe.each(DISTRIBUTED)("values that a row of $title has already", ({ open }) => {
  test.each([[true], [{ by: "customerId" }]] as const)(
    "are omitted from writes with distributed: %j",
    async (distributed) => {
      const { db, close } = await open();
      // A unique constraint of a distributed table contains the column that distributes it.
      await sql`create table tickets (id int not null, ${sql.id("customerId")} int not null, name text not null, note text,
      primary key (${sql.id("customerId")}, id))`.execute(db);
      const service = odataService({
        propertyNaming: "camelCase",
        schemaCheck: false,
        entitySets: [
          sqlEntitySet(Ticket, { db, table: "tickets", operations: ["read", "replace", "patch"], distributed }),
        ],
      });
      for (const [method, body, columns] of CHANGES) {
        await sql`delete from tickets`.execute(db);
        await sql`insert into tickets values (1, 5, 'old', null)`.execute(db);
        let answer: unknown;
        const sent = await sentStatements(db, async () => {
          const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
          const response = await service.fetch(new Request("http://x/Tickets(1)", init));
          answer = [response.status, await response.json()];
        });
        expect([method, body, answer]).toEqual([method, body, [200, expect.objectContaining({ ...STORED, ...body })]]);
        const set = sent.flatMap(({ sql: text }) => /^update .* set (.*?) where /.exec(text)?.slice(1) ?? []);
        const names = set.flatMap((list) => Array.from(list.matchAll(/"(\w+)" = /g), ([, column]) => column));
        // Without a declared distribution, each column may be the one.
        const wanted = distributed === true ? columns : Object.keys(body).filter((name) => name !== "customerId");
        expect([method, body, names]).toEqual([method, body, wanted]);
        expect(sent.filter(({ sql: text }) => / for (?:no key )?update$/.test(text))).toEqual([]);
      }
      await close();
    },
  );
});
