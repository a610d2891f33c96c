import { sql } from "kysely";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES } from "../../../engine/executors/engines.ts";

const TABLES = `create table customers (id int primary key, code varchar(9) not null unique, name text);
create table orders (id int primary key, customer int not null references customers, code varchar(9) references customers (code));
create table lines (order_id int not null references orders, number int not null, note text, primary key (order_id, number));
create view by_order as select o.id, c.name from customers c join orders o on o.customer = c.id;
create view by_code as select o.id, c.name from orders o join customers c on c.code = o.code;
create view by_left as select o.id, c.name from orders o left join customers c on c.id = o.customer;
create view by_right as select o.id, c.name from customers c right join orders o on c.code = o.code;
create view by_list as select l.order_id, l.number, c.name from customers c, orders o, lines l
  where l.order_id = o.id and c.id = o.customer;
create view by_lines as select l.order_id, l.number, o.code from lines l join orders o on o.id = l.order_id
  join customers c on c.id = o.customer where c.name is not null;
create view by_group as select customer, count(*) as n from orders group by customer;
create view by_group_join as select c.id, count(o.id) as n from customers c left join orders o on o.customer = c.id group by c.id;
create view by_in as select id, name from customers where id in (select customer from orders);
create view by_exists as select id from orders o where exists (select from lines l where l.order_id = o.id);
create view by_not as select id from orders o where not exists (select from lines l where l.order_id = o.id);
create view by_distinct as select distinct customer from orders;
create view by_window as select id, row_number() over (order by customer) as place from orders;
create view many_customers as select c.id, o.code from customers c join orders o on o.customer = c.id;
create view many_cross as select c.id from customers c, orders o;
create view many_part as select o.id from (select order_id, note from lines order by order_id, number) l
  join orders o on o.id = l.order_id`;

const KEYS = {
  by_order: ["id"],
  by_code: ["id"],
  by_left: ["id"],
  by_right: ["id"],
  by_list: ["order_id", "number"],
  by_lines: ["order_id", "number"],
  by_group: ["customer"],
  by_group_join: ["id"],
  by_in: ["id"],
  by_exists: ["id"],
  by_not: ["id"],
  by_distinct: ["customer"],
  by_window: ["id"],
  many_customers: [],
  many_cross: [],
  many_part: [],
};

const fill = (rows: number): string => `truncate customers, orders, lines;
insert into customers select i, 'c' || i, 'n' from generate_series(1, ${String(rows)}) i;
insert into orders select i, 1 + i % ${String(rows)}, 'c1' from generate_series(1, ${String(Math.min(rows * 10, 100_000))}) i;
insert into lines select i, n, null from generate_series(1, ${String(rows)}) i, generate_series(1, 3) n`;

/** The statistics of large tables, which take long to fill. */
const large = (table: string): string =>
  `update pg_class set reltuples = 100000, relpages = 2000 where oid = '${table}'::regclass`;

const POSTGRES = ENGINES.filter(({ name }) => name === "postgres");

describe.each(POSTGRES)("keys of views over $title", ({ open, title }) => {
  // PostgreSQL in this process takes long to fill tables.
  const most = title === "PostgreSQL" ? [100_000] : [];

  test("are the same whatever the tables hold, and whenever they were analyzed", async () => {
    const { db, close } = await open();
    const run = async (script: string, one: AnyDatabase = db): Promise<void> => {
      for (const statement of script.split(";\n")) await sql.raw(statement).execute(one);
    };
    const { rows: named } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
    const keys = async (): Promise<unknown> => {
      const { schema } = await introspectDatabase(db, { schemas: named.map(({ name }) => name) });
      const views = schema.objects.filter(({ kind }) => kind === "view");
      return Object.fromEntries(views.map(({ name, provenKey }) => [name, provenKey]));
    };
    try {
      await run(TABLES);
      expect(await keys()).toEqual(KEYS);
      for (const rows of [0, 1, 10, 1000, ...most]) {
        await run(fill(rows));
        expect([rows, await keys()]).toEqual([rows, KEYS]);
        await run("analyze");
        expect([rows, await keys()]).toEqual([rows, KEYS]);
      }
      for (const tables of [["customers"], ["orders"], ["lines", "customers"]]) {
        await run(`${fill(10)};\nanalyze;\n${tables.map(large).join(";\n")}`);
        expect([tables, await keys()]).toEqual([tables, KEYS]);
      }
      // The settings have ended with the proof.
      const { rows: settings } = await sql<{ value: string }>`show enable_hashjoin`.execute(db);
      expect(Object.values(settings[0] ?? {})).toEqual(["on"]);
    } finally {
      await close();
    }
  });
});
