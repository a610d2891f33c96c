import { Kysely, sql } from "kysely";
import {
  authenticated,
  type Authorization,
  complexType,
  ConfigurationError,
  edm,
  entityType,
  odataService,
  type ODataService,
  resource,
} from "odatakit";
import { sqlEntitySet, type BaseQuery, type SqlEntitySetOptions } from "odatakit/kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordingLogger } from "../../service/http/model.ts";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "./engines.ts";

const Size = complexType("Size", { width: edm.int32(), height: edm.int32() });
const Item = entityType("Item", {
  id: edm.int32().key(),
  groupId: edm.int32(),
  size: edm.complex(Size).computed(),
  secret: edm.string().nullable().ignored(),
});

const WHOLE = "select id, group_id, width as size_width, width as size_height from items";

type Columns = SqlEntitySetOptions<typeof Item>["columns"];
const COLUMNS: Columns = { groupId: "group_id", size: { columns: { width: "size_width", height: "size_height" } } };

function serve(db: AnyDatabase, from: BaseQuery, columns: Columns = COLUMNS): ODataService {
  return odataService({
    logger: recordingLogger(),
    entitySets: [sqlEntitySet(Item, { db, from, columns, operations: ["read"] })],
  });
}

async function faultsOf(service: ODataService): Promise<readonly string[]> {
  try {
    await service.ready();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ message, fix }) => `${message} ${fix}`);
  }
}

describe.each(ENGINES)("the schema check of queries over $title", ({ open, name }) => {
  let opened: OpenDatabase;
  beforeEach(async () => {
    opened = await open();
    const { db } = opened;
    await sql`create table items (id int primary key, group_id int not null, width int not null)`.execute(db);
    await sql`insert into items values (1, 2, 3)`.execute(db);
  });
  afterEach(() => opened.close());

  const place = name === "postgres" ? "$1" : "?";

  const COMPLETE: ReadonlyArray<readonly [title: string, from: (db: AnyDatabase) => BaseQuery, columns: Columns]> = [
    ["a text", () => ({ sql: WHOLE, parameters: [] }), COLUMNS],
    [
      "a text with values and a comment",
      () => ({ sql: `${WHOLE} where id = ${place} -- all`, parameters: [1] }),
      COLUMNS,
    ],
    [
      "a query of Kysely",
      (db) =>
        db
          .selectFrom("items")
          .select(["id", "group_id", "width as size_width", "width as size_height"])
          .where("id", "=", 1),
      COLUMNS,
    ],
    [
      "groups",
      () => ({
        sql: "select id, group_id, max(width) as size_width, 1 as size_height from items group by id, group_id",
        parameters: [],
      }),
      COLUMNS,
    ],
    [
      "an expression",
      () => ({ sql: "select id, width from items", parameters: [] }),
      { groupId: { sql: "id + 1" }, size: { columns: { width: "width", height: { sql: "width * 2" } } } },
    ],
  ];

  test.each(COMPLETE)("%s that returns all columns has no fault", async (_title, from, columns) => {
    const service = serve(opened.db, from(opened.db), columns);
    expect(await faultsOf(service)).toEqual([]);
    const response = await service.fetch(new Request("http://x/Items(1)"));
    expect(response.status).toBe(200);
  });

  test("columns that the query does not return are faults, with the nearest name", async () => {
    const from = { sql: `select id, group_id, width as size_width from items where id = ${place}`, parameters: [1] };
    expect(await faultsOf(serve(opened.db, from, { size: COLUMNS?.size }))).toEqual([
      'The query of `from` returns no column `groupId`. Did you mean `group_id`? Set the name with `columns: { groupId: "group_id" }`.',
      expect.stringMatching(/^The query of `from` returns no column `size_height`\. /),
    ]);
  });

  test("without a near name, the fault lists the columns of the query", async () => {
    const from = { sql: "select id as a, width as b from items", parameters: [] };
    const faults = await faultsOf(serve(opened.db, from, { ...COLUMNS, id: "nothing_like_this" }));
    expect(faults[0]).toMatch(/`nothing_like_this`\. Add the column, .*The query has `a`/);
  });

  test("a faulty expression is a fault", async () => {
    const from = { sql: WHOLE, parameters: [] };
    const [fault, ...others] = await faultsOf(serve(opened.db, from, { ...COLUMNS, groupId: { sql: "nope + 1" } }));
    expect(fault).toMatch(/^The expression of `groupId` cannot be evaluated over the query: .*nope/);
    expect(others).toEqual([]);
  });

  test("a query that the database refuses is one fault", async () => {
    const [fault, ...others] = await faultsOf(serve(opened.db, { sql: "select id from no_items", parameters: [] }));
    expect(fault).toMatch(/^The database refuses the query of `from`: .*no_items/);
    expect(others).toEqual([]);
  });

  test("a column of an ignored property is a fault if a `resource` rule receives it", async () => {
    const from = { sql: WHOLE, parameters: [] };
    const faults = async (rule: Authorization<typeof Item>): Promise<readonly string[]> => {
      const options = { db: opened.db, from, columns: COLUMNS, operations: ["read"], authorization: rule } as const;
      const authenticate = () => ({ id: "ann" });
      return faultsOf(
        odataService({ logger: recordingLogger(), authenticate, entitySets: [sqlEntitySet(Item, options)] }),
      );
    };
    expect(await faults({ read: authenticated() })).toEqual([]);
    expect(await faults({ delete: resource(() => true) })).toEqual([
      expect.stringMatching(/^The query of `from` returns no column `secret`\. /),
    ]);
  });

  test("the check reads no rows", async () => {
    // Each takes longer than a test may.
    const slow: Readonly<Record<string, string>> = {
      sqlite:
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3e9) select max(i) as id, 1 as group_id, 1 as size_width, 1 as size_height from n",
      postgres:
        "select max(i) as id, 1 as group_id, 1 as size_width, 1 as size_height from generate_series(1, 100000000000::bigint) i",
      mariadb: "select sleep(3600) as id, 1 as group_id, 1 as size_width, 1 as size_height from items",
    };
    expect(await faultsOf(serve(opened.db, { sql: slow[name] ?? "", parameters: [] }))).toEqual([]);
  });
});

test("the check of a query fails while its database cannot be reached", async () => {
  const db: AnyDatabase = new Kysely({
    dialect: postgresDialect({ pool: new Pool({ host: "127.0.0.1", port: 1 }) }),
  });
  try {
    const service = serve(db, { sql: WHOLE, parameters: [] });
    await expect(service.ready()).rejects.toThrow("ECONNREFUSED");
    expect((await service.fetch(new Request("http://x/Items"))).status).toBe(503);
  } finally {
    await db.destroy();
  }
});
