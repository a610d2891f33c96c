import { CompiledQuery, sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase, writeDeclarations } from "odatakit/introspect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMBEDDED, type OpenDatabase } from "../../../engine/executors/engines.ts";
import { IMITATED_FUNCTIONS } from "./imitated-functions.ts";

const TABLES = [
  `create table tags (code text primary key)`,
  `create table customers (id int primary key, name text not null)`,
  `create table orders (customer_id int not null references customers (id), id int, total int not null, primary key (customer_id, id))`,
  `create table order_tags (customer_id int, order_id int, tag text references tags (code), primary key (customer_id, order_id, tag), foreign key (customer_id, order_id) references orders (customer_id, id))`,
  `create table logs (id int primary key, text text)`,
  `create table notes (id int primary key, text text)`,
  `insert into pg_dist_partition values ('tags', 'n', null, 't', 1), ('customers', 'h', 'id', 's', 2), ('orders', 'h', 'customer_id', 's', 2),
    ('order_tags', 'h', 'customer_id', 's', 2), ('logs', 'h', 'id', 's', 3)`,
  `insert into customers values (1, 'Ann')`,
  `analyze`,
];

/** The catalogue of Citus, over PostgreSQL with functions and tables of the same names. */
describe.each(EMBEDDED.filter(({ name }) => name === "postgres"))(
  "the catalogue of a cluster over $title",
  ({ open }) => {
    let opened: OpenDatabase;
    beforeAll(async () => {
      opened = await open();
      for (const statement of IMITATED_FUNCTIONS.split(/\n\n|;\n(?=create table|insert)/)) {
        if (statement.trim() !== "") await sql.raw(statement).execute(opened.db);
      }
      for (const statement of TABLES) await opened.db.executeQuery(CompiledQuery.raw(statement));
    });
    afterAll(() => opened.close());

    test("declares how each table is distributed", async () => {
      const { described, entitySets } = await introspectDatabase(opened.db, {
        exclude: ["pg_dist_*", "sent_to_workers"],
      });
      expect(Object.fromEntries(described.sets.map(({ setName, distributed }) => [setName, distributed]))).toEqual({
        Customers: { by: "id", partner: null },
        Logs: { by: "id", partner: null },
        Notes: true,
        OrderTags: { by: "customerId", partner: { schema: "public", name: "customers", needsSchema: false } },
        Orders: { by: "customerId", partner: { schema: "public", name: "customers", needsSchema: false } },
        Tags: "reference",
      });
      // The coordinator does not know the rows of a distributed table.
      expect(described.sets.map(({ setName, estimatedRows }) => [setName, estimatedRows])).toContainEqual([
        "Customers",
        null,
      ]);
      const service = odataService({ entitySets, secret: "s".repeat(32) });
      const response = await service.fetch(
        new Request("http://service.example/Customers?$expand=Orders&$orderby=Name"),
      );
      expect([response.status, await response.text()]).toEqual([
        200,
        '{"@odata.context":"http://service.example/$metadata#Customers","value":[{"Id":1,"Name":"Ann","Orders":[]}]}',
      ]);
    });

    test("is written as declarations", async () => {
      const { described } = await introspectDatabase(opened.db, { exclude: ["pg_dist_*", "sent_to_workers"] });
      const modules = writeDeclarations(described, { database: { kind: "postgres" }, service: {} });
      const written = modules.flatMap(
        ({ path, text }) => text.match(/ {2}distributed: .*/g)?.map((line) => `${path}:${line}`) ?? [],
      );
      expect(written).toEqual([
        'customer.ts:  distributed: { by: "id" },',
        'log.ts:  distributed: { by: "id" },',
        "note.ts:  distributed: true,",
        'order-tag.ts:  distributed: { by: "customerId", with: "customers" },',
        'order.ts:  distributed: { by: "customerId", with: "customers" },',
        // The table of links.
        'order.ts:  distributed: { by: "customer_id", with: "customers" },',
        'tag.ts:  distributed: "reference",',
        'tag.ts:  distributed: { by: "customer_id", with: "customers" },',
      ]);
    });
  },
);
