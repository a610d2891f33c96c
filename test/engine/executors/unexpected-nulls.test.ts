import { sql } from "kysely";
import { edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "./engines.ts";

const Entry = entityType("Entry", { id: edm.int32().key(), a: edm.string(), b: edm.int32() });

/** Views, queries, expressions and unchecked tables may return null for a property that is not nullable. */
const Item = entityType("Item", { id: edm.int32().key(), t: edm.string(), n: edm.int32() });
const SIZES = [1, 2, 3] as const;
const ORDERS = [
  "t",
  "t desc",
  "n,t desc",
  "n desc,t",
  "t desc,n desc,id desc",
  "t,n,id desc",
  "tolower(t),id",
  "length(t) desc",
  "n add 1,t",
];

async function walk(service: ODataService, path: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let next: string | undefined = `http://service.example/${path}`;
  for (let pages = 0; next !== undefined && pages < 20; pages += 1) {
    const response: Response = await service.fetch(new Request(next));
    const text = await response.text();
    if (response.status !== 200) return [response.status, text];
    const body = JSON.parse(text) as {
      readonly value: ReadonlyArray<{ readonly id: number }>;
      readonly "@odata.nextLink"?: string;
    };
    found.push(...body.value.map(({ id }) => id));
    next = body["@odata.nextLink"];
  }
  return found;
}

describe.each(ENGINES)("null under properties that are not nullable: $title", (engine) => {
  let opened: OpenDatabase;
  let service: ODataService;
  const statements: string[] = [];
  const logged: unknown[] = [];

  beforeAll(async () => {
    opened = await engine.open(({ query }) => statements.push(query.sql));
    const { db } = opened;
    await sql`create table rows_of_items (id int primary key, t varchar(10), n int)`.execute(db);
    await sql`insert into rows_of_items values (1, 'a', 1), (2, null, 1), (3, 'b', null), (4, null, null), (5, 'c', 2), (6, null, 2), (7, 'b', 1)`.execute(
      db,
    );
    await sql`create table items (id int primary key, a varchar(10) not null, b int not null)`.execute(db);
    await sql`insert into items select id, coalesce(t, ''), coalesce(n, 0) from rows_of_items`.execute(db);
    await sql`create view seen_items as select id, t, n from rows_of_items`.execute(db);
    const set = { db, operations: ["read"], paging: "keyset" } as const;
    const columns = { t: { sql: "nullif(a, '')" }, n: { sql: "nullif(b, 0)" } };
    const from = { sql: "select id, t, n from rows_of_items", parameters: [] };
    const sets = [1000, ...SIZES].flatMap((maxTop) => {
      const named = { ...set, maxTop };
      const name = String(maxTop);
      return [
        sqlEntitySet(Item, { ...named, name: `View${name}`, table: "seen_items" }),
        sqlEntitySet(Item, { ...named, name: `Table${name}`, table: "rows_of_items" }),
        sqlEntitySet(Item, { ...named, name: `Forgiving${name}`, table: "seen_items", unreadable: "null" }),
        sqlEntitySet(Entry, { ...named, name: `Proven${name}`, table: "items" }),
        sqlEntitySet(Item, { ...named, name: `Expression${name}`, table: "items", columns }),
        entitySet(Item, {
          paging: "keyset",
          maxTop,
          name: `Query${name}`,
          queryable: () => sqlSource(Item, { db, from }),
        }),
        entitySet(Item, {
          paging: "keyset",
          maxTop,
          name: `Source${name}`,
          queryable: () => sqlSource(Item, { db, from: "seen_items" }),
        }),
      ];
    });
    service = odataService({
      logger: {
        error: (message, fields) => logged.push(fields["err"] ?? message),
        warn: () => undefined,
        info: () => undefined,
      },
      propertyNaming: "camelCase",
      secret: "0123456789abcdef",
      // The check would refuse the table.
      schemaCheck: false,
      entitySets: sets,
    });
  });
  afterAll(() => opened.close());

  test.each(["View", "Table", "Source", "Expression", "Query"])(
    "the pages of a %s are the set, each row once",
    async (name) => {
      for (const order of ORDERS) {
        for (const options of ["$select=id", "$select=id&$count=true", "$select=id&$filter=id gt 1"]) {
          const query = `?${options}&$orderby=${encodeURIComponent(order)}`;
          const whole = await walk(service, `${name}1000${query}`);
          expect(whole, query).toHaveLength(options.endsWith("gt 1") ? 6 : 7);
          for (const size of SIZES) expect(await walk(service, `${name}${String(size)}${query}`), query).toEqual(whole);
        }
      }
    },
  );

  test('a response with such a null has null with `unreadable: "null"`, which eq null finds', async () => {
    const ask = async (query: string): Promise<unknown> => {
      const accept = { headers: { Accept: "application/json;odata.metadata=none" } };
      const response = await service.fetch(new Request(`http://service.example/Forgiving1000${query}`, accept));
      return [response.status, await response.json()];
    };
    const [status, { value }] = (await ask("?$orderby=id")) as [number, { value: readonly Record<string, unknown>[] }];
    expect([status, value.length]).toEqual([200, 7]);
    for (const name of ["t", "n"]) {
      const isNull = (each: Record<string, unknown>): boolean => each[name] === null;
      expect(await ask(`?$filter=${name} eq null&$orderby=id`)).toEqual([200, { value: value.filter(isNull) }]);
      const others = value.filter((each) => !isNull(each));
      expect(await ask(`?$filter=${name} ne null&$orderby=id`)).toEqual([200, { value: others }]);
      expect(others.length).toBeLessThan(7);
    }
  });

  test("a response that must show such a null is 500", async () => {
    logged.length = 0;
    const response = await service.fetch(new Request(`http://service.example/View2?$filter=id eq 2`));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: {
        code: "InternalServerError",
        message: "The service failed to answer this request. The failure has been logged.",
      },
    });
    expect(logged).toEqual([expect.objectContaining({ message: expect.stringContaining("t") as unknown })]);
  });

  test.runIf(engine.name === "postgres")(
    "a column that is not null is not tested for null, and the catalogue is read once for each table",
    async () => {
      // With a test for null, PostgreSQL reads an index from its start and not from the bound.
      statements.length = 0;
      expect(await walk(service, "Proven2?$select=id&$orderby=b desc,a")).toHaveLength(7);
      expect(await walk(service, "Proven2?$select=id&$orderby=a")).toHaveLength(7);
      expect(statements.filter((each) => each.includes("is null"))).toEqual([]);
      expect(statements.filter((each) => each.includes("pg_attribute"))).toHaveLength(1);
      statements.length = 0;
      expect(await walk(service, "Proven1?$select=id")).toHaveLength(7);
      expect(statements.filter((each) => each.includes("pg_attribute"))).toEqual([]);
    },
  );
});

const ROWS = [
  [1, "a"],
  [2, null],
  [3, "b"],
  [4, null],
  [5, "c"],
] as const;

const Row = entityType("Row", { id: edm.int32().key(), t: edm.string() });

interface Unenforced {
  readonly name: string;
  /** The first version of PostgreSQL that knows it, and the last. */
  readonly since?: number;
  readonly until?: number;
  readonly extension?: string;
  /** Makes a table `unenforced` with `ROWS`, whose `t` is `not null`. */
  readonly create: string;
}

const values = ROWS.map(([id, t]) => `(${String(id)}, ${t === null ? "null" : `'${t}'`})`).join();
const server = "create extension file_fdw; create server files foreign data wrapper file_fdw";
// The program writes the rows: the server may run as another user, in another container.
const lines = ROWS.map(([id, t]) => `${String(id)},${t ?? ""}`).join("\\n");
const program = `options (program 'printf "${lines}\\n"', format 'csv')`;

const UNENFORCED: readonly Unenforced[] = [
  {
    name: "a constraint that is not valid for old rows",
    since: 18,
    create: `create table unenforced (id int primary key, t varchar(10)); insert into unenforced values ${values};
      alter table unenforced add constraint unenforced_t not null t not valid`,
  },
  {
    name: "a table whose child has no such constraint",
    until: 17,
    create: `create table unenforced (id int primary key, t varchar(10));
      create table unenforced_child () inherits (unenforced); insert into unenforced_child values ${values};
      alter table only unenforced alter column t set not null`,
  },
  {
    name: "a constraint that children do not inherit",
    since: 18,
    create: `create table unenforced (id int primary key, t varchar(10));
      create table unenforced_child () inherits (unenforced); insert into unenforced_child values ${values};
      alter table unenforced add constraint unenforced_t not null t no inherit`,
  },
  {
    name: "a foreign table",
    extension: "file_fdw",
    create: `${server}; create foreign table unenforced (id int not null, t varchar(10) not null) server files ${program}`,
  },
  {
    name: "a partition that is a foreign table",
    extension: "file_fdw",
    create: `${server}; create table unenforced (id int not null, t varchar(10) not null) partition by range (id);
      create foreign table unenforced_part partition of unenforced default server files ${program}`,
  },
];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("not null, but not enforced: $title", (engine) => {
  test.each(UNENFORCED)("$name", async ({ since = 0, until = Infinity, extension, create }) => {
    const { db, close } = await engine.open();
    const { rows } = await sql<{ version: number; extensions: readonly string[] }>`
      select current_setting('server_version_num')::int / 10000 as version,
      array(select name::text from pg_available_extensions) as extensions`.execute(db);
    const { version = 0, extensions = [] } = rows[0] ?? {};
    if (version >= since && version <= until && (extension === undefined || extensions.includes(extension))) {
      for (const statement of create.split(";")) await sql.raw(statement).execute(db);
      const service = odataService({
        propertyNaming: "camelCase",
        secret: "0123456789abcdef",
        schemaCheck: false,
        entitySets: [1000, ...SIZES].map((maxTop) =>
          sqlEntitySet(Row, {
            name: `Rows${String(maxTop)}`,
            db,
            table: "unenforced",
            operations: ["read"],
            paging: "keyset",
            maxTop,
          }),
        ),
      });
      for (const order of ["t", "t desc"]) {
        const query = `?$select=id&$orderby=${encodeURIComponent(order)}`;
        const whole = await walk(service, `Rows1000${query}`);
        expect(whole, query).toHaveLength(ROWS.length);
        for (const size of SIZES) expect(await walk(service, `Rows${String(size)}${query}`), query).toEqual(whole);
      }
      if (extension !== undefined) await sql.raw(`drop extension ${extension} cascade`).execute(db);
    }
    await close();
  });
});

test.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "a catalogue that cannot be read does not end a transaction of the application: $title",
  async (engine) => {
    const statements: string[] = [];
    const { db, close } = await engine.open(({ query }) => statements.push(query.sql));
    await sql`create table entries (id int primary key, a varchar(10) not null, b int not null)`.execute(db);
    await sql`insert into entries values (1, 'a', 1), (2, 'b', 1), (3, 'c', 0)`.execute(db);
    await sql`create role blind`.execute(db);
    const { rows } = await sql<{ name: string }>`select current_schema()::text as name`.execute(db);
    await sql`grant usage on schema ${sql.id(String(rows[0]?.name))} to blind`.execute(db);
    await sql`grant select on entries to blind`.execute(db);
    await sql`revoke select on pg_catalog.pg_attribute from public`.execute(db);
    const serviceOver = (from: typeof db): ODataService =>
      odataService({
        propertyNaming: "camelCase",
        secret: "0123456789abcdef",
        schemaCheck: false,
        entitySets: [
          entitySet(Entry, {
            name: "Entries",
            paging: "keyset",
            maxTop: 1,
            queryable: () => sqlSource(Entry, { db: from, from: "entries" }),
          }),
        ],
      });
    await db.transaction().execute(async (transaction) => {
      await sql`set local role blind`.execute(transaction);
      expect(await walk(serviceOver(transaction), "Entries?$select=id&$orderby=b,a desc")).toEqual([3, 2, 1]);
      expect((await sql`select count(*)::int as n from entries`.execute(transaction)).rows).toEqual([{ n: 3 }]);
    });
    expect(statements.filter((each) => each.includes("pg_attribute") && !each.startsWith("revoke"))).toEqual([]);
    await sql`grant select on pg_catalog.pg_attribute to public`.execute(db);
    await sql`drop owned by blind`.execute(db);
    await sql`drop role blind`.execute(db);
    await close();
  },
);
