import { sql } from "kysely";
import { describeService, readDatabaseSchema } from "odatakit/introspect";
import { expect, test } from "vitest";
import { SQLITE } from "../../../databases/introspect/sqlite-hostile.ts";
import { statementsOf } from "../../../fixtures/databases/load.ts";

test.each([
  [
    "a hidden column",
    "create table b (id integer primary key);\ncreate table a (id integer primary key, token text references b);\n",
    "the column token is not published",
  ],
  [
    "a hidden column of the target",
    "create table b (id integer primary key, token text unique);\ncreate table a (id integer primary key, x text references b (token));\n",
    "the column b.token is not published",
  ],
  [
    "a key with another number of columns",
    "create table b (x int, y int, primary key (x, y));\ncreate table a (id integer primary key, b_x int references b);\n",
    "b has no key with as many columns",
  ],
])("a foreign key with %s is dropped with a warning", async (_name, script, reason) => {
  const opened = await SQLITE.open();
  try {
    for (const statement of statementsOf(script)) await sql.raw(statement).execute(opened.db);
    const { warnings } = describeService(await readDatabaseSchema(opened.db));
    const found = warnings.flatMap(({ code, message }) => (code === "foreign-key" ? [message] : []));
    expect(found).toEqual([`is no navigation: ${reason}`]);
  } finally {
    await opened.close();
  }
});
