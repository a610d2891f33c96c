import { sql } from "kysely";
import { edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet, type SqlOperation } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";

const Tag = entityType("Tag", { tenant: edm.string().key(), code: edm.string().key() });
const Note = entityType("Note", { tenant: edm.string().key(), id: edm.int32().key() });

describe.each(ENGINES)("a column of a link table that both sides share over $title", (engine) => {
  let open: OpenDatabase;
  let db: AnyDatabase;
  beforeAll(async () => {
    open = await engine.open();
    ({ db } = open);
    for (const statement of [
      sql`create table tenant_notes (tenant varchar(20) not null, id integer not null, primary key (tenant, id))`,
      sql`create table tenant_tags (tenant varchar(20) not null, code varchar(20) not null, primary key (tenant, code))`,
      sql`create table tenant_links (tenant varchar(20) not null, n integer not null, t varchar(20) not null, primary key (tenant, n, t))`,
    ]) {
      await statement.execute(db);
    }
  });
  beforeEach(async () => {
    for (const table of ["tenant_notes", "tenant_tags", "tenant_links"]) {
      await sql`delete from ${sql.table(table)}`.execute(db);
    }
    await sql`insert into tenant_notes values ('a', 1), ('b', 1)`.execute(db);
    await sql`insert into tenant_tags values ('a', 'x'), ('a', 'y'), ('b', 'x')`.execute(db);
    await sql`insert into tenant_links values ('a', 1, 'x')`.execute(db);
  });
  afterAll(() => open.close());

  const serviceWith = (operations: readonly SqlOperation[]) => {
    const tags = hasMany(Tag, {
      target: "Tags",
      through: { table: "tenant_links", from: { tenant: "tenant", id: "n" }, to: { tenant: "tenant", t: "code" } },
    });
    return odataService({
      entitySets: [
        sqlEntitySet(Note, { db, table: "tenant_notes", operations, navigation: { tags }, allowDeepInsert: true }),
        sqlEntitySet(Tag, { db, table: "tenant_tags", operations }),
      ],
      logger: noFailures,
    });
  };
  const send = async (operations: readonly SqlOperation[], method: string, path: string, body?: object) => {
    const response = await serviceWith(operations).fetch(
      new Request(`http://tenants.example/${path}`, {
        method,
        headers: { "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as object)] as const;
  };
  const links = async (): Promise<readonly string[]> => {
    const { rows } = await sql<{ tenant: string; n: number; t: string }>`
      select tenant, n, t from tenant_links order by tenant, n, t`.execute(db);
    return rows.map(({ tenant, n, t }) => `${tenant} ${n} ${t}`);
  };
  const WRITES = ["read", "create", "patch"] as const;
  const note = "Notes(Tenant='a',Id=1)/Tags";
  const id = (tenant: string, code: string): object => ({ "@odata.id": `Tags(Tenant='${tenant}',Code='${code}')` });

  test.each([[["read"] as const], [WRITES]])("is read: %j", async (operations) => {
    expect(await send(operations, "GET", "Notes?$expand=Tags")).toEqual([
      200,
      {
        "@odata.context": "http://tenants.example/$metadata#Notes",
        value: [
          { Tenant: "a", Id: 1, Tags: [{ Tenant: "a", Code: "x" }] },
          { Tenant: "b", Id: 1, Tags: [] },
        ],
      },
    ]);
    expect(await send(operations, "GET", "Notes/$count?$filter=Tags/any(t:t/Code eq 'x')")).toEqual([200, 1]);
  });

  test("is written once by a link", async () => {
    expect(await send(WRITES, "POST", `${note}/$ref`, id("a", "y"))).toEqual([204, null]);
    expect(await send(WRITES, "POST", `${note}/$ref`, id("a", "y"))).toEqual([204, null]);
    expect(await links()).toEqual(["a 1 x", "a 1 y"]);
    expect((await send(WRITES, "DELETE", `${note}/$ref?$id=Tags(Tenant='a',Code='x')`))[0]).toBe(204);
    expect(await links()).toEqual(["a 1 y"]);
  });

  const refused = {
    error: {
      code: "NotSupported",
      message:
        "The entities cannot be linked: they have different values for a column that both share in the table of links.",
    },
  };

  test("refuses a link between entities with different values", async () => {
    expect(await send(WRITES, "POST", `${note}/$ref`, id("b", "x"))).toEqual([400, refused]);
    expect(await send(WRITES, "DELETE", `${note}/$ref?$id=Tags(Tenant='b',Code='x')`)).toEqual([
      404,
      { error: { code: "NotFound", message: "There is no link to this entity.", target: "$id" } },
    ]);
    expect(await links()).toEqual(["a 1 x"]);
  });

  test("is written once by a deep insert, which refuses different values", async () => {
    const nested = (tenant: string): object => ({ Tenant: "a", Id: 2, Tags: [{ Tenant: tenant, Code: "z" }] });
    expect(await send(WRITES, "POST", "Notes", nested("b"))).toEqual([400, refused]);
    expect((await send(WRITES, "POST", "Notes", nested("a")))[0]).toBe(201);
    expect(await links()).toEqual(["a 1 x", "a 2 z"]);
  });
});
