import { ConfigurationError, edm, entityType, odataService } from "odatakit";
import { checkDatabase } from "odatakit/check";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseName, type OpenDatabase } from "../executors/engines.ts";
import { run, shop, tables } from "./check-fixtures.ts";

/** A database with one difference, and the findings. */
interface Case {
  readonly what: string;
  readonly only?: readonly DatabaseName[];
  /** Columns of `orders` that differ. */
  readonly columns?: (name: DatabaseName) => Readonly<Record<string, string | null>>;
  readonly more?: readonly string[] | ((name: DatabaseName) => readonly string[]);
  readonly finds: readonly string[];
}

const SERVERS: readonly DatabaseName[] = ["postgres", "mariadb"];
const varchar = (name: DatabaseName, length: number): string =>
  name === "postgres"
    ? `varchar(${String(length)}) collate "C"`
    : `varchar(${String(length)}) character set utf8mb4 collate utf8mb4_nopad_bin`;

const CASES: readonly Case[] = [
  { what: "nothing in a database that fits", finds: [] },
  { what: "C02 for a missing column", columns: () => ({ note: null }), finds: ["error C02 Orders.note"] },
  { what: "C03 for a type", columns: () => ({ total: "real not null" }), finds: ["error C03 Orders.total"] },
  {
    what: "C04 for a nullable column",
    columns: (name) => ({ total: name === "sqlite" ? "text" : "decimal(12, 2)" }),
    finds: ["error C04 Orders.total"],
  },
  {
    what: "C04 for a nullable property",
    columns: (name) => ({ note: `${name === "sqlite" ? "text" : varchar(name, 40)} not null` }),
    finds: ["warning C04 Orders.note"],
  },
  {
    what: "C06 for a key that is not unique, as a warning without duplicates",
    columns: () => ({ id: "integer not null" }),
    finds: ["warning C06 Orders"],
  },
  {
    what: "C06 for rows with the same key",
    columns: () => ({ id: "integer not null" }),
    more: (name) => {
      const placed = name === "sqlite" ? "2026-01-01T00:00:00.000Z" : "2026-01-01 00:00:00";
      const insert = `insert into orders (id, total, placed_at) values (1, '1.00', '${placed}')`;
      return [insert, insert];
    },
    finds: ["error C06 Orders"],
  },
  {
    what: "C16 for a timestamp in another form",
    only: ["sqlite"],
    more: ["insert into orders (id, total, placed_at) values (1, '1.00', '2026-01-01 00:00:00')"],
    finds: ["warning C16 Orders.placedAt"],
  },
  {
    what: "C07 for a shorter text",
    only: SERVERS,
    columns: (name) => ({ note: varchar(name, 20) }),
    finds: ["error C07 Orders.note"],
  },
  {
    what: "C07 for a longer text",
    only: SERVERS,
    columns: (name) => ({ note: varchar(name, 60) }),
    finds: ["warning C07 Orders.note"],
  },
  {
    what: "C07 for fewer fraction digits, at both sides of the point",
    only: SERVERS,
    columns: () => ({ total: "decimal(12, 1) not null" }),
    finds: ["error C07 Orders.total", "warning C07 Orders.total"],
  },
  {
    what: "C07 for fewer fraction digits of seconds",
    only: SERVERS,
    columns: (name) => ({ placed_at: `${name === "postgres" ? "timestamptz(0)" : "datetime(0)"} not null` }),
    finds: ["error C07 Orders.placedAt"],
  },
  {
    what: "C07 for more fraction digits of seconds",
    only: SERVERS,
    columns: (name) => ({ placed_at: `${name === "postgres" ? "timestamptz" : "datetime(6)"} not null` }),
    finds: ["warning C07 Orders.placedAt"],
  },
  {
    what: "C08 for a column without a property",
    columns: () => ({ branch: "integer not null" }),
    finds: ["error C08 Orders"],
  },
  {
    what: "no finding for a column without a property that has a default",
    columns: () => ({ branch: "integer default 1 not null" }),
    finds: [],
  },
  {
    what: "C08 for a generated column",
    columns: (name) => ({
      note: `${name === "sqlite" ? "text" : varchar(name, 40)} generated always as ('x') stored`,
    }),
    finds: ["error C08 Orders.note"],
  },
];

const CELLS: readonly Case[] = [
  {
    what: "C09 for an index of another collation, and of another character set",
    only: SERVERS,
    columns: (name) => ({
      note: name === "postgres" ? 'varchar(40) collate "ucs_basic"' : "varchar(40) character set latin1",
    }),
    more: ["create index orders_note on orders (note)"],
    finds: ["warning C09 Orders.note"],
  },
  {
    what: "C12 for numbers in texts of SQLite",
    only: ["sqlite"],
    more: ["insert into orders values (1, null, x'00', '1.00', '2026-01-01T00:00:00.000Z')"],
    finds: ["error C12 Orders.note"],
  },
  {
    what: "C12 for infinity",
    only: ["postgres"],
    more: ["insert into orders values (1, null, null, '1.00', 'infinity')"],
    finds: ["error C12 Orders.placedAt"],
  },
  {
    what: "C12 for zero dates",
    only: ["mariadb"],
    more: ["set session sql_mode = ''", "insert into orders values (1, null, null, '1.00', '0000-00-00')"],
    finds: ["error C12 Orders.placedAt"],
  },
  {
    what: "C13 for a user that owns a protected table",
    only: ["postgres"],
    more: ["alter table orders enable row level security"],
    finds: ["warning C13 Orders"],
  },
  {
    what: "C13 for a view with the rights of its owner",
    only: ["postgres"],
    more: [
      "alter table orders rename to protected_orders",
      "alter table protected_orders enable row level security",
      "create view orders as select * from protected_orders",
    ],
    finds: ["warning C13 Orders"],
  },
];

describe.each(ENGINES)("checkDatabase over $title finds", ({ name, title, open }) => {
  let opened: OpenDatabase | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  async function database(statements: readonly string[]): Promise<AnyDatabase> {
    opened = await open();
    await run(opened.db, statements);
    return opened.db;
  }

  test.each([...CASES, ...CELLS].filter(({ only }) => only?.includes(name) ?? true))(
    "$what",
    async ({ columns, more = [], finds }) => {
      const db = await database([
        ...tables(name, columns?.(name)),
        ...(typeof more === "function" ? more(name) : more),
      ]);
      const { findings, sets } = await checkDatabase(shop(db));
      expect(findings.map(({ severity, code, subject }) => `${severity} ${code} ${subject}`)).toEqual(finds);
      expect(sets).toBe(2);
    },
  );

  test("neither C07 nor C08 of sets that are only read, nor null that nobody writes", async () => {
    const db = await database(
      tables(name, {
        branch: "integer not null",
        note: `${name === "sqlite" ? "text" : varchar(name, 20)} default 'x' not null`,
      }),
    );
    expect((await checkDatabase(shop(db, ["read"]))).findings).toEqual([]);
  });

  test("an error only for columns that no trigger fills", async () => {
    if (name === "sqlite") return;
    const body =
      name === "mariadb"
        ? ["create trigger fill before insert on orders for each row set new.branch = 1"]
        : [
            "create function fill() returns trigger language plpgsql as 'begin new.branch := 1; return new; end'",
            "create trigger fill before insert on orders for each row execute function fill()",
          ];
    const db = await database([...tables(name, { branch: "integer not null" }), ...body]);
    expect((await checkDatabase(shop(db))).findings).toEqual([]);
  });

  test("C01 and C02 for what the user of the connection may not read, and nothing else", async ({ skip }) => {
    // Only one connection keeps a role.
    if (title !== "PGlite") skip();
    const db = await database([
      ...tables(name),
      "create role odatakit_reader",
      "grant usage on schema public to odatakit_reader",
      "grant select (id, customer_id, total, placed_at) on orders to odatakit_reader",
      "set role odatakit_reader",
    ]);
    try {
      const { findings } = await checkDatabase(shop(db));
      expect(findings.map(({ code, subject, fix }) => [code, subject, fix])).toEqual([
        ["C01", "Customers", 'grant select on "customers" to "odatakit_reader"'],
        ["C02", "Orders.note", 'grant select ("note") on "orders" to "odatakit_reader"'],
      ]);
    } finally {
      await run(db, ["reset role", "drop owned by odatakit_reader", "drop role odatakit_reader"]);
    }
  });

  test("C01 for a missing table", async () => {
    const db = await database(tables(name).slice(0, 1));
    const { findings } = await checkDatabase(shop(db));
    expect(findings.map(({ code, subject, table, message }) => ({ code, subject, table, message }))).toEqual([
      { code: "C01", subject: "Orders", table: "orders", message: "The database has no table `orders`." },
    ]);
  });

  test("errors that reject, and warnings that do only on demand", async () => {
    const db = await database(tables(name, { id: "integer not null", branch: "integer not null" }));
    const failed: unknown = await checkDatabase(shop(db), { fail: "error" }).catch((error: unknown) => error);
    if (!(failed instanceof ConfigurationError)) throw failed;
    expect(failed.faults.map(({ code, set, column }) => [code, set, column])).toEqual([["C08", "Orders", "branch"]]);
    const every: unknown = await checkDatabase(shop(db), { fail: "warning" }).catch((error: unknown) => error);
    expect((every as ConfigurationError).faults.map(({ code }) => code)).toEqual(["C08", "C06"]);
  });
});

test("a value that is no service is refused", async () => {
  // @ts-expect-error -- not a service
  await expect(checkDatabase({})).rejects.toThrow("`checkDatabase` got an object, which is not a service.");
});

describe.each(ENGINES)("information about $title", (engine) => {
  const open = async (statements: readonly string[]): Promise<OpenDatabase> => {
    const opened = await engine.open();
    await run(opened.db, statements);
    return opened;
  };
  const remove = async ({ db, close }: OpenDatabase): Promise<void> => {
    await run(db, ["drop table if exists extra", "drop table orders", "drop table customers"]);
    await close();
  };

  test("a navigation without a foreign key is C14, which fails nothing", async () => {
    const opened = await open(tables(engine.name, { customer_id: "integer" }));
    try {
      const { findings, sets, columns } = await checkDatabase(shop(opened.db), { fail: "warning" });
      expect(findings).toMatchObject([
        {
          code: "C14",
          severity: "info",
          subject: "Orders.customer",
          table: "orders",
          column: "customer_id",
          fix: "Add `foreign key (customer_id) references customers (id)` to the table orders.",
        },
      ]);
      expect([sets, columns]).toEqual([2, 7]);
    } finally {
      await remove(opened);
    }
  });

  test("tables that no set declares are C14 if they are asked for", async () => {
    const opened = await open([...tables(engine.name), "create table extra (id integer primary key)"]);
    try {
      expect((await checkDatabase(shop(opened.db))).findings).toEqual([]);
      const { findings } = await checkDatabase(shop(opened.db), { undeclared: true });
      const found = findings.filter(({ table = "" }) => table.endsWith("extra"));
      expect(found).toMatchObject([
        { code: "C14", severity: "info", message: expect.stringContaining("belongs to no entity set") as unknown },
      ]);
    } finally {
      await remove(opened);
    }
  });

  test.skipIf(engine.name === "sqlite")("a description that differs from the comment is C14", async () => {
    const comments: Readonly<Record<string, readonly string[]>> = {
      postgres: ["comment on table extra is 'Parts.'", "comment on column extra.name is 'The name.'"],
      mariadb: ["alter table extra comment 'Parts.'", "alter table extra modify name varchar(20) comment 'The name.'"],
    };
    const opened = await open([
      ...tables(engine.name),
      "create table extra (id integer primary key, name varchar(20))",
      ...(comments[engine.name] ?? []),
    ]);
    try {
      const declared = (type: string, name: string) => {
        const Extra = entityType("Extra", {
          id: edm.int32().key(),
          name: edm.string().nullable().describe(name),
        }).describe(type);
        return odataService({
          entitySets: [sqlEntitySet(Extra, { db: opened.db, table: "extra", operations: ["read"] })],
        });
      };
      const codesOf = async (type: string, name: string): Promise<readonly string[]> => {
        const { findings } = await checkDatabase(declared(type, name));
        return findings.filter(({ code }) => code === "C14").map(({ subject }) => subject);
      };
      expect(await codesOf("Parts.", "The name.")).toEqual([]);
      expect(await codesOf("Others.", "Its name.")).toEqual(["Extras", "Extras.name"]);
    } finally {
      await remove(opened);
    }
  });
});
