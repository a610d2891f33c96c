import { sql } from "kysely";
import {
  action,
  type Context,
  edm,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  type ODataService,
  resource,
  type User,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DatabaseName, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";
import { DISTRIBUTED } from "../distributed/distributed-engines.ts";
import { isDistributed } from "../distributed/watched-database.ts";

/**
 * Columns whose default is an expression: clients may omit and send them. POST that omits one gets the value of the
 * database, PUT that omits one keeps the stored value.
 */

const GUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** An expression for a Guid, which differs for each row. */
const GUIDS: Readonly<Record<DatabaseName, string>> = {
  sqlite: `text primary key not null default (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
    || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))))`,
  postgres: "uuid primary key default gen_random_uuid()",
  mariadb: "uuid primary key default uuid()",
};

const FIXED: Readonly<Record<DatabaseName, string>> = {
  sqlite: "text not null default ('2026-01-01' || 'T12:00:00.000Z')",
  postgres: "timestamptz not null default (timestamptz '2026-01-01 11:00:00Z' + interval '1 hour')",
  mariadb: "datetime(3) not null default (cast('2026-01-01 11:00:00' as datetime(3)) + interval 1 hour)",
};

const AT = "2026-01-01T12:00:00.000Z";
const text = (name: DatabaseName): string => (name === "mariadb" ? "varchar(50)" : "text");
const lower = (name: DatabaseName, value: string): string => `${text(name)} not null default (lower('${value}'))`;

const Task = entityType("Task", {
  id: edm.guid().key().databaseDefault(),
  title: edm.string(),
  at: edm.dateTimeOffset({ precision: 3 }).databaseDefault(),
  note: edm.string().nullable().databaseDefault(),
  code: edm.string().immutable().databaseDefault(),
  state: edm.string().default("draft"),
  owner: edm.string().databaseDefault(),
});
const Step = entityType("Step", {
  id: edm.int32().key(),
  taskId: edm.guid(),
  label: edm.string().databaseDefault(),
});
const Member = entityType("Member", { tenant: edm.string().key(), id: edm.int32().key() });
const Badge = entityType("Badge", {
  id: edm.int32().key(),
  tenant: edm.string().databaseDefault(),
  memberId: edm.int32().nullable(),
});

const KEY = "01234567-89ab-4def-a123-456789abcdef";
const OTHER = "11234567-89ab-4def-a123-456789abcdef";
const STORED = { At: AT, Note: "made", Code: "c-1", State: "draft", Owner: "ann" };

describe.each([...ENGINES, ...DISTRIBUTED])("a default of $title", (engine) => {
  let database: OpenDatabase;
  let service: ODataService;
  let seen: unknown[] = [];

  beforeAll(async () => {
    database = await engine.open();
    const { db } = database;
    const { name } = engine;
    for (const command of [
      `create table task (id ${GUIDS[name]}, title ${text(name)} not null, at ${FIXED[name]},
        note ${text(name)} default (lower('MADE')), code ${lower(name, "C-1")}, state ${text(name)} not null,
        owner ${lower(name, "ANN")})`,
      `create table step (id int primary key not null, task_id ${name === "sqlite" ? "text" : "uuid"} not null references task (id),
        label ${lower(name, "STEP")})`,
      `create table member (tenant varchar(50) not null, id int not null, primary key (tenant, id))`,
      `create table badge (id int primary key not null, tenant varchar(50) not null default (lower('T1')), member_id int,
        foreign key (tenant, member_id) references member (tenant, id))`,
      "insert into member values ('t1', 1), ('t1', 2)",
    ]) {
      await sql.raw(command).execute(db);
    }
    const operations = ["read", "create", "replace", "patch", "delete"] as const;
    const distributed = isDistributed(db);
    const tasks = sqlEntitySet(Task, {
      db,
      distributed,
      table: "task",
      operations,
      allowDeepInsert: true,
      allowUpsert: true,
      etag: ["at"],
      navigation: { steps: hasMany(Step, { on: { id: "taskId" }, target: "Steps" }) },
    });
    const steps = sqlEntitySet(Step, {
      db,
      distributed,
      table: "step",
      operations,
      columns: { taskId: "task_id" },
      allowDeepInsert: true,
      navigation: { task: hasRequired(Task, { on: { taskId: "id" }, target: "Tasks", partner: "steps" }) },
    });
    const owned = sqlEntitySet(Task, {
      db,
      distributed,
      table: "task",
      name: "Owned",
      operations,
      authorization: {
        rows: (user, row) => row.owner.eq((user as User | null)?.id ?? ""),
        create: resource((_user, entity) => {
          seen.push(structuredClone(entity));
          return true;
        }),
      },
    });
    const members = sqlEntitySet(Member, {
      db,
      distributed,
      table: "member",
      operations: ["read"],
      authorization: { rows: (_user, row) => row.id.ne(2) },
    });
    const badges = sqlEntitySet(Badge, {
      db,
      distributed,
      table: "badge",
      operations,
      columns: { memberId: "member_id" },
      navigation: {
        member: hasOptional(Member, { on: { tenant: "tenant", memberId: "id" }, target: "Members" }),
      },
    });
    const make = action({
      authorization: [],
      handler: (_given, context: Context) =>
        context.inTransaction(async (inside) => {
          const made = await inside.sets(tasks).create({ title: "made" });
          await inside.sets(tasks).create({ title: "whole", id: OTHER, at: AT, note: null, code: "x", owner: "bea" });
          await inside.sets(steps).create({ id: 90, taskId: made.id });
          seen.push(made);
        }),
    });
    service = odataService({
      prefix: "",
      batch: { json: true },
      authenticate: (request) => ({ id: request.headers.get("x-user") ?? "ann" }),
      entitySets: [tasks, steps, owned, members, badges],
      actions: { make },
      logger: noFailures,
    });
    await service.ready();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    seen = [];
    for (const table of ["step", "task", "badge"]) await sql.raw(`delete from ${table}`).execute(database.db);
  });

  async function send(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly json: unknown; readonly headers: Headers }> {
    const response = await service.fetch(
      new Request(`http://tasks.example${path}`, {
        method,
        headers: { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const answer = await response.text();
    return { status: response.status, json: answer === "" ? null : JSON.parse(answer), headers: response.headers };
  }

  async function tasks(): Promise<unknown> {
    const { json } = await send("GET", "/Tasks?$orderby=Title");
    return (json as { value: unknown }).value;
  }

  test("is the value of a POST without the property, also of the key", async () => {
    const { status, json, headers } = await send("POST", "/Tasks", { Title: "a" });
    const id = (json as { Id: string }).Id;
    expect([status, json]).toEqual([201, { Id: expect.stringMatching(GUID), Title: "a", ...STORED }]);
    expect(headers.get("Location")).toBe(`http://tasks.example/Tasks(${id})`);
    expect((await send("GET", `/Tasks(${id})`)).json).toEqual(json);
    expect(headers.get("ETag")).toBe((await send("GET", `/Tasks(${id})`)).headers.get("ETag"));
  });

  test("gives way to the value of the client", async () => {
    const body = {
      Id: KEY,
      Title: "a",
      At: "2024-02-29T00:00:00.000Z",
      Note: "n",
      Code: "x",
      State: "s",
      Owner: "bea",
    };
    expect(await send("POST", "/Tasks", body)).toMatchObject({ status: 201, json: body });
    expect(await send("POST", "/Tasks", { Title: "b", Note: null })).toMatchObject({
      status: 201,
      json: { Note: null },
    });
  });

  test("refuses null where the property is not nullable", async () => {
    for (const name of ["Id", "At", "Code", "Owner"]) {
      expect(await send("POST", "/Tasks", { Title: "a", [name]: null })).toMatchObject({
        status: 400,
        json: { error: { code: "NullNotAllowed", target: name } },
      });
    }
    expect(await tasks()).toEqual([]);
  });

  test("is not the value of a PUT without the property, which keeps the stored one", async () => {
    const first = {
      Id: KEY,
      Title: "a",
      At: "2024-02-29T00:00:00.000Z",
      Note: "n",
      Code: "x",
      State: "s",
      Owner: "bea",
    };
    await send("POST", "/Tasks", first);
    const replaced = { ...first, Title: "b", State: "draft" };
    expect(await send("PUT", `/Tasks(${KEY})`, { Title: "b" }, { "If-Match": "*" })).toMatchObject({
      status: 200,
      json: replaced,
    });
    expect(await send("PUT", `/Tasks(${KEY})`, { Title: "b", Note: null, Owner: "eve" })).toMatchObject({
      status: 200,
      json: { ...replaced, Note: null, Owner: "eve" },
    });
    expect(await send("PATCH", `/Tasks(${KEY})`, { At: AT })).toMatchObject({ status: 200, json: { At: AT } });
  });

  test("is the value of a PUT that creates", async () => {
    expect(await send("PUT", `/Tasks(${KEY})`, { Title: "a" })).toMatchObject({
      status: 201,
      json: { Id: KEY, Title: "a", ...STORED },
    });
  });

  test("is the value in a deep insert, and passes its key on", async () => {
    const { status, json } = await send("POST", "/Tasks", { Title: "a", Steps: [{ Id: 1 }, { Id: 2, Label: "own" }] });
    const id = (json as { Id: string }).Id;
    expect([status, json]).toEqual([
      201,
      {
        Id: expect.stringMatching(GUID),
        Title: "a",
        ...STORED,
        Steps: [
          { Id: 1, TaskId: id, Label: "step" },
          { Id: 2, TaskId: id, Label: "own" },
        ],
      },
    ]);
    const upwards = await send("POST", "/Steps", { Id: 3, Task: { Title: "b" } });
    const task = (upwards.json as { Task: { Id: string } }).Task;
    expect([upwards.status, upwards.json]).toEqual([
      201,
      { Id: 3, TaskId: task.Id, Label: "step", Task: { Id: expect.stringMatching(GUID), Title: "b", ...STORED } },
    ]);
  });

  test("is the value of a POST along a navigation", async () => {
    await send("POST", "/Tasks", { Id: KEY, Title: "a" });
    expect(await send("POST", `/Tasks(${KEY})/Steps`, { Id: 1 })).toMatchObject({
      status: 201,
      json: { Id: 1, TaskId: KEY, Label: "step" },
    });
  });

  test("is the value in a change set, and in ctx.inTransaction", async () => {
    const requests = ["a", "b"].map((title) => ({
      id: title,
      atomicityGroup: "g",
      method: "POST",
      url: "/Tasks",
      headers: { "content-type": "application/json" },
      body: { Title: title },
    }));
    const { json } = await send("POST", "/$batch", { requests });
    expect((json as { responses: unknown[] }).responses).toMatchObject(
      ["a", "b"].map((title) => ({ status: 201, body: { Title: title, ...STORED } })),
    );
    expect((await send("POST", "/make", {})).status).toBe(204);
    expect(seen).toMatchObject([{ title: "made", at: AT, note: "made", code: "c-1", state: "draft", owner: "ann" }]);
    expect(await send("GET", "/Steps(90)")).toMatchObject({ json: { Label: "step" } });
    expect(await send("GET", `/Tasks(${OTHER})`)).toMatchObject({ json: { Note: null, Code: "x", Owner: "bea" } });
  });

  test("is part of the row that a row rule checks", async () => {
    expect(await send("POST", "/Owned", { Title: "a" })).toMatchObject({
      status: 201,
      json: { Title: "a", ...STORED },
    });
    expect(await send("POST", "/Owned", { Title: "b" }, { "x-user": "bea" })).toMatchObject({ status: 403 });
    expect(await send("POST", "/Owned", { Title: "c", Owner: "bea" }, { "x-user": "bea" })).toMatchObject({
      status: 201,
    });
    // A resource rule sees no database defaults.
    expect(seen).toEqual([
      { title: "a", state: "draft" },
      { title: "b", state: "draft" },
      { title: "c", state: "draft", owner: "bea" },
    ]);
    expect(await tasks()).toMatchObject([{ Title: "a" }, { Title: "c" }]);
  });

  test("completes a foreign key, without telling hidden from missing rows", async () => {
    const answers = [];
    for (const [index, memberId] of [1, 2, 3].entries()) {
      const { status, json } = await send("POST", "/Badges", { Id: index, MemberId: memberId });
      answers.push([status, json]);
    }
    const [visible, hidden, missing] = answers;
    expect(visible).toEqual([201, { Id: 0, Tenant: "t1", MemberId: 1 }]);
    expect(hidden).toEqual([409, { error: expect.objectContaining({ code: "Conflict", target: "MemberId" }) }]);
    expect(missing).toEqual(hidden);
    expect((await send("GET", "/Badges/$count")).json).toBe(1);
  });
});
