import { CompiledQuery, sql } from "kysely";
import { ConfigurationError, edm, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EMBEDDED, type OpenDatabase } from "../../../engine/executors/engines.ts";
import { COORDINATOR_SETTINGS } from "../../../hostile-settings.ts";
import { IMITATED_FUNCTIONS } from "./imitated-functions.ts";

const TABLES = [
  "create table tags (code text primary key)",
  "create table customers (id int primary key, name text not null)",
  "create table orders (customer_id int not null, id int not null, primary key (customer_id, id))",
  "create table order_tags (customer_id int, order_id int, tag text, primary key (customer_id, order_id, tag))",
  "create index on order_tags (tag)",
];
/** How Citus stores them. */
const STORED = `insert into pg_dist_partition values ('tags', 'n', null, 't', 1), ('customers', 'h', 'id', 's', 2),
  ('orders', 'h', 'customer_id', 's', 2), ('order_tags', 'h', 'customer_id', 's', 2)`;

const Tag = entityType("Tag", { code: edm.string().key() });
const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", { customerId: edm.int32().key(), id: edm.int32().key() });

/** The distribution that the declarations state. */
interface Declared {
  readonly tags?: "reference" | true | { readonly by: "code" };
  readonly customers?: "reference" | boolean | { readonly by: "id" | "name" };
  readonly orders?: "reference" | boolean | { readonly by: "customerId" | "id"; readonly with?: string };
  readonly links?: "reference" | true | { readonly by: "customer_id" | "order_id" | "tag"; readonly with?: string };
}

/** The catalogue of Citus, over PostgreSQL with functions and tables of the same names. */
describe.each(EMBEDDED.filter(({ name }) => name === "postgres"))(
  "declarations and the catalogue of a cluster over $title",
  ({ open }) => {
    let opened: OpenDatabase;
    const run = (statement: string) => opened.db.executeQuery(CompiledQuery.raw(statement));
    beforeAll(async () => {
      opened = await open(undefined, COORDINATOR_SETTINGS);
      for (const statement of IMITATED_FUNCTIONS.split(/\n\n|;\n(?=create table|insert)/)) {
        if (statement.trim() !== "") await sql.raw(statement).execute(opened.db);
      }
      for (const statement of TABLES) await run(statement);
    });
    beforeEach(async () => {
      await run("delete from pg_dist_partition");
      await run(STORED);
    });
    afterAll(() => opened.close());

    const setsOf = (declared: Declared) => {
      // The declarations of one instance must agree with one another.
      const db = opened.db.withoutPlugins();
      const { tags = "reference", customers = { by: "id" }, orders, links } = declared;
      const read = { db, operations: ["read"] } as const;
      return [
        sqlEntitySet(Tag, { ...read, table: "tags", distributed: customers === false ? false : tags }),
        sqlEntitySet(Customer, {
          ...read,
          table: "customers",
          distributed: customers,
          navigation: { orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders" }) },
        }),
        sqlEntitySet(Order, {
          ...read,
          table: "orders",
          columns: { customerId: "customer_id" },
          distributed: orders ?? { by: "customerId", with: "customers" },
          navigation: {
            customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
            tags: hasMany(Tag, {
              target: "Tags",
              through: {
                table: "order_tags",
                from: { customerId: "customer_id", id: "order_id" },
                to: { tag: "code" },
                distributed: links ?? { by: "customer_id", with: "customers" },
              },
            }),
          },
        }),
      ];
    };

    /** Starts a service with the sets. @returns its faults and warnings */
    const findings = async (declared: Declared): Promise<readonly string[]> => {
      const warnings: string[] = [];
      const logger = {
        error: () => undefined,
        warn: (message: string) => warnings.push(`warning ${message}`),
        info: () => undefined,
      };
      const faults = await odataService({ entitySets: setsOf(declared), logger, secret: "s".repeat(32) })
        .ready()
        .then(
          () => [],
          (error: unknown) => (error instanceof ConfigurationError ? error.faults : Promise.reject(error as Error)),
        );
      return [...faults.map(({ code, message, fix }) => `${String(code)} ${message} ${fix}`), ...warnings];
    };

    test("agree", async () => {
      expect(await findings({})).toEqual([]);
      expect(await findings({ tags: true, customers: true, orders: true, links: true })).toEqual([]);
    });

    test.each<readonly [Declared, readonly string[]]>([
      [
        { customers: false, orders: false, links: true },
        [
          'C18 The table `customers` is distributed by `id`, but its declaration says that it is in a database on one machine. Declare `distributed: { by: "id" }`, or distribute the table as declared.',
          'C18 The table `orders` is distributed by `customer_id`, but its declaration says that it is in a database on one machine. Declare `distributed: { by: "customerId" }`, or distribute the table as declared.',
          'C18 The table `order_tags` is distributed by `customer_id`, but its declaration says that it is in a database on one machine. Declare `distributed: { by: "customer_id" }`, or distribute the table as declared.',
        ],
      ],
      [
        { customers: "reference" },
        [
          'C18 The table `customers` is distributed by `id`, but its declaration says that it is a reference table. Declare `distributed: { by: "id" }`, or distribute the table as declared.',
        ],
      ],
      [
        { tags: { by: "code" } },
        [
          'C18 The table `tags` is a reference table, but its declaration says that it is distributed by `code`. Declare `distributed: "reference"`, or distribute the table as declared.',
        ],
      ],
      [
        { orders: { by: "id" }, links: { by: "order_id", with: "orders" } },
        [
          'C18 The table `orders` is distributed by `customer_id`, but its declaration says that it is distributed by `id`. Declare `distributed: { by: "customerId" }`, or distribute the table as declared.',
          'C18 The table `order_tags` is distributed by `customer_id`, but its declaration says that it is distributed by `order_id`. Declare `distributed: { by: "customer_id" }`, or distribute the table as declared.',
        ],
      ],
      [
        { orders: { by: "customerId" } },
        [
          'warning Customers: The table `customers` is co-located with `orders`, but no `with` says so: a navigation between them sends lists of rows to all machines. Declare `with: "orders"` in `distributed`.',
        ],
      ],
    ])("differ: %j", async (declared, expected) => {
      expect(await findings(declared)).toEqual(expected);
    });

    test("differ if tables are not co-located, or on the coordinator alone", async () => {
      await run("update pg_dist_partition set colocationid = 3 where logicalrelid = 'orders'::regclass");
      expect(await findings({})).toEqual([
        "C18 The table `orders` is declared as co-located with `customers`, and is not: the database refuses statements that join both on each machine. Correct `with` of `distributed`, or co-locate the table: select alter_distributed_table('orders', colocate_with => 'customers').",
      ]);
      await run("delete from pg_dist_partition where logicalrelid = 'tags'::regclass");
      expect(await findings({ orders: { by: "customerId" } })).toEqual([
        "C18 The table `tags` is on the coordinator alone, but its declaration says that it is a reference table. Declare `distributed: true`, or distribute the table as declared.",
      ]);
    });
  },
);
