import { sql } from "kysely";
import { edm, entitySet, entityType, hasMany, hasRequired, inherit, odataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";

const Group = entityType("Group", { id: edm.int32().key(), owner: edm.string() });
const Task = entityType("Task", { id: edm.int32().key(), groupId: edm.int32(), title: edm.string() });
const Mark = entityType("Mark", { id: edm.int32().key(), text: edm.string() });

interface Given {
  readonly id: number;
  readonly text: string;
}

describe.each(ENGINES)("bound links with functions of the application over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let service: ReturnType<typeof odataService>;
  const validated: unknown[] = [];

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    for (const statement of [
      "create table own_groups (id int primary key, owner varchar(20) not null)",
      "create table own_tasks (id int primary key, group_id int not null, title varchar(20) not null)",
      "create table own_marks (id int primary key, text varchar(20) not null)",
    ]) {
      await sql.raw(statement).execute(db);
    }
    const operations = ["read", "create", "replace", "patch"] as const;
    const marks = (transactional: boolean, name: string) =>
      entitySet(Mark, {
        name,
        transactional,
        getByKey: () => null,
        create: async (given: Given, ctx) => {
          const into = (ctx.transaction as AnyDatabase | undefined) ?? db;
          await into
            .insertInto("own_marks")
            .values({ ...given })
            .execute();
          return given;
        },
        navigation: {
          groups: hasMany(Group, {
            target: "Groups",
            addRef: (_key, reference) => (reference === "Groups(2)" ? odataError(409, "Full", "No more.") : undefined),
          }),
        },
      });
    service = odataService({
      namespace: "Shop",
      profile: "standard",
      batch: { json: true },
      authenticate: ({ headers }) => ({ id: headers.get("X-User") ?? "" }),
      logger: noFailures,
      entitySets: [
        sqlEntitySet(Group, {
          db,
          table: "own_groups",
          operations,
          authorization: { rows: (user, row) => row.owner.eq(user?.id ?? "") },
        }),
        sqlEntitySet(Task, {
          db,
          table: "own_tasks",
          operations,
          columns: { groupId: "group_id" },
          authorization: { rows: inherit("group") },
          validate: {
            create: ({ entity }) => void validated.push(entity.groupId),
            patch: ({ delta }) => void validated.push(delta.groupId),
          },
          navigation: { group: hasRequired(Group, { on: { groupId: "id" }, target: "Groups" }) },
        }),
        marks(true, "Marks"),
        marks(false, "LooseMarks"),
      ],
    });
    await service.ready();
  });
  beforeEach(async () => {
    for (const table of ["own_groups", "own_tasks", "own_marks"]) {
      await sql`delete from ${sql.table(table)}`.execute(db);
    }
    await sql`insert into own_groups values (1, 'ann'), (2, 'ann'), (3, 'bob')`.execute(db);
    await sql`insert into own_tasks values (1, 1, 'one')`.execute(db);
    validated.length = 0;
  });
  afterAll(() => opened.close());

  async function send(method: string, path: string, body: object) {
    const headers = { "Content-Type": "application/json", "X-User": "ann" };
    const init = { method, headers, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://shop.example/${path}`, init));
    const text = await response.text();
    return { status: response.status, json: JSON.parse(text) };
  }
  const statusesOf = ({ responses }: { readonly responses: ReadonlyArray<{ readonly status: number }> }) =>
    responses.map(({ status }) => status);
  const countOf = async (table: string): Promise<number> => {
    const { rows } = await sql<{ n: unknown }>`select count(*) as n from ${sql.id(table)}`.execute(db);
    return Number(rows[0]?.n);
  };

  test("row rules of a parent and `validate` see the entity with its link", async () => {
    expect((await send("POST", "Tasks", { Id: 2, Title: "t", "Group@odata.bind": "Groups(2)" })).status).toBe(201);
    expect((await send("PATCH", "Tasks(2)", { "Group@odata.bind": "Groups(1)" })).json.GroupId).toBe(1);
    const hidden = await send("PATCH", "Tasks(2)", { "Group@odata.bind": "Groups(3)" });
    expect([hidden.status, hidden.json.error.target]).toEqual([400, "Group@odata.bind"]);
    expect(validated).toEqual([2, 1]);
    expect((await send("POST", "Tasks", { Id: 3, Title: "t" })).json.error.target).toBe("GroupId");
  });

  test("handlers that use the transaction are undone with a link that fails", async () => {
    const body = { Id: 1, Text: "t", "Groups@odata.bind": ["Groups(1)", "Groups(2)"] };
    const refused = await send("POST", "Marks", body);
    expect([refused.status, refused.json.error.code, await countOf("own_marks")]).toEqual([409, "Full", 0]);
    expect((await send("POST", "Marks", { ...body, "Groups@odata.bind": ["Groups(1)"] })).status).toBe(201);
    expect(await countOf("own_marks")).toBe(1);
    // Without a promise to use the transaction, the entity stays.
    expect((await send("POST", "LooseMarks", { ...body, Id: 2 })).status).toBe(409);
    expect(await countOf("own_marks")).toBe(2);
  });

  test("an atomicity group of a JSON batch binds what it creates, or nothing", async () => {
    const requests = (last: string) => [
      { id: "g", atomicityGroup: "a", method: "POST", url: "Groups", body: { Id: 7, Owner: "ann" } },
      ...["t", "u"].map((id, index) => ({
        id,
        atomicityGroup: "a",
        method: "POST",
        url: "Tasks",
        body: { Id: 10 + index, Title: id, "Group@odata.bind": index === 0 ? "$g" : last },
      })),
      {
        id: "m",
        atomicityGroup: "a",
        method: "POST",
        url: "Marks",
        body: { Id: 9, Text: "m", "Groups@odata.bind": ["$g"] },
      },
    ];
    const failed = await send("POST", "$batch", { requests: requests("Groups(3)") });
    expect(statusesOf(failed.json)).toContain(400);
    expect([await countOf("own_groups"), await countOf("own_tasks"), await countOf("own_marks")]).toEqual([3, 1, 0]);
    const { json } = await send("POST", "$batch", { requests: requests("$g") });
    expect(statusesOf(json)).toEqual([201, 201, 201, 201]);
    expect([await countOf("own_groups"), await countOf("own_tasks"), await countOf("own_marks")]).toEqual([4, 3, 1]);
  });
});
