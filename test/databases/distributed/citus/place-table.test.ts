import { CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../../engine/executors/engines.ts";
import { createOrderTables } from "../../sql/writes-model.ts";
import { IMITATED_FUNCTIONS } from "./imitated-functions.ts";
import { runPlacing, type Run } from "./place-table.ts";
import { placing } from "./placing-database.ts";
import { prepareCluster } from "./prepare-cluster.ts";

/** The set-up for Citus, over PostgreSQL with functions that refuse the same statements as Citus. */
describe.each(ENGINES.filter(({ name }) => name === "postgres"))("tables of a cluster over $title", ({ open }) => {
  let opened: OpenDatabase;
  let run: Run;
  beforeAll(async () => {
    opened = await open();
    run = async (text, parameters = []) =>
      (await opened.db.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows;
    for (const statement of IMITATED_FUNCTIONS.split(/\n\n|;\n(?=create table|insert)/)) {
      if (statement.trim() !== "") await sql.raw(statement).execute(opened.db);
    }
  });
  afterAll(() => opened.close());

  async function placements(): Promise<Readonly<Record<string, string>>> {
    const rows = await run("select logicalrelid::text as name, partkey as key from pg_dist_partition");
    return Object.fromEntries(
      (rows as ReadonlyArray<{ readonly name: string; readonly key: string | null }>).map(({ name, key }) => [
        name,
        key ?? "reference",
      ]),
    );
  }

  test("are distributed by their keys, or whole where constraints demand it", async () => {
    const statements = [
      `create table plain (id int primary key, name text)`,
      `create table "Two Keys" ("a b" int, c int, primary key ("a b", c), unique (c, "a b"))`,
      `create table without_key (n int, m int)`,
      `create table twice (id int primary key, code text unique)`,
      `create table tree (id int primary key, parent int references tree (id))`,
      `create table owners (id int primary key)`,
      `insert into owners values (1)`,
      `create table if not exists things (id int primary key, owner int references owners (id))`,
      `create table links (thing int not null, owner int not null references owners (id), primary key (thing, owner), foreign key (thing) references things (id))`,
    ];
    for (const text of statements) await runPlacing(run, text, () => run(text));
    expect(await placements()).toEqual({
      plain: "id",
      '"Two Keys"': "a b",
      without_key: "n",
      twice: "reference",
      tree: "reference",
      owners: "reference",
      things: "reference",
      links: "thing",
    });
    expect(await run("select id from owners")).toEqual([{ id: 1 }]);
  });

  test("of a suite are placed as the suite creates them", async () => {
    const { db, close } = await placing({ ...opened, close: () => Promise.resolve() });
    await createOrderTables(db, { name: "postgres" });
    await close();
    expect(await placements()).toMatchObject({
      customers: "reference",
      profiles: "reference",
      orders: "reference",
      order_lines: "reference",
      tags: "reference",
      order_tags: "order_id",
    });
  });

  test("are on machines whose sessions have other settings", async () => {
    const altered: string[] = [];
    const noting: Run = (text, parameters) => {
      if (text.startsWith("alter database")) altered.push(text);
      return text.startsWith("alter database") ? Promise.resolve([]) : run(text, parameters);
    };
    const { version, reset } = await prepareCluster(noting, { datestyle: "German, DMY", timezone: "Asia/Kathmandu" });
    await reset();
    const [{ name }] = (await run("select quote_ident(current_database()) as name")) as readonly [{ name: string }];
    expect(version).toBe("no Citus, imitated");
    expect(altered).toEqual([
      `alter database ${name} set datestyle = 'German, DMY'`,
      `alter database ${name} set timezone = 'Asia/Kathmandu'`,
      `alter database ${name} reset datestyle`,
      `alter database ${name} reset timezone`,
    ]);
    const sent = (await run("select command from sent_to_workers order by place")) as readonly { command: string }[];
    expect(sent.map(({ command }) => command)).toEqual(altered);
  });

  test("need a machine that holds shards", async () => {
    await run("update pg_dist_node set shouldhaveshards = false");
    await expect(prepareCluster(run, {})).rejects.toThrow("No machine of DISTRIBUTED_URL holds shards");
  });
});
