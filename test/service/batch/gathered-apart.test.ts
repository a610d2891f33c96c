import { sql } from "kysely";
import { type Context, edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart, received, type ReceivedPart, type SentPart } from "../http/batch-model.ts";
import { noFailures } from "../http/model.ts";

const Item = entityType("Item", { id: edm.int32().key(), code: edm.string() });

type Options = Partial<Parameters<typeof sqlEntitySet<typeof Item>>[1]>;

const codes = (count: number): readonly string[] =>
  Array.from({ length: count }, (_none, index) => `c${String(index)}`);

describe.each(ENGINES)("the creates of a change set that are to run apart, over $title", ({ name, open }) => {
  let database: OpenDatabase;
  let db: AnyDatabase;

  beforeEach(async () => {
    database = await open();
    ({ db } = database);
    await sql`create table items (id integer primary key, code varchar(8) not null)`.execute(db);
  });
  afterEach(async () => {
    await database.close();
  });

  function shop(given: Options, transactionTimeout?: number) {
    const items = sqlEntitySet(Item, { db, table: "items", operations: ["read", "create"], ...given });
    const service = odataService({
      entitySets: [items],
      logger: noFailures,
      ...(transactionTimeout !== undefined && { defaults: { transactionTimeout } }),
    });
    const get = async (path: string) => {
      const response = await service.fetch(new Request(`http://a.example/${path}`));
      return (await response.json()) as { readonly value: ReadonlyArray<Record<string, unknown>> };
    };
    return { send: sender(service), get };
  }

  const post = (code: string, id = code): SentPart => ({
    request: "POST Items",
    id,
    body: { Id: Number(code.slice(1)), Code: code },
  });

  test.each([2, 3, 4, 5])("fail where a row refers to a later one of %s, as one by one", async (count) => {
    for (const command of [
      "create table nodes (id integer primary key, parent_id integer references nodes (id))",
      `create table parts (tree integer, id integer, parent_id integer, primary key (tree, id),
        foreign key (tree, parent_id) references parts (tree, id))`,
    ]) {
      await sql.raw(command).execute(db);
    }
    const Node = entityType("Node", { id: edm.int32().key(), parentId: edm.int32().nullable() });
    const Part = entityType("Part", {
      tree: edm.int32().key(),
      id: edm.int32().key(),
      parentId: edm.int32().nullable(),
    });
    const options = { db, columns: { parentId: "parent_id" }, operations: ["read", "create"] } as const;
    const service = odataService({
      entitySets: [
        sqlEntitySet(Node, { ...options, table: "nodes" }),
        sqlEntitySet(Part, { ...options, table: "parts" }),
      ],
      logger: noFailures,
    });
    const send = sender(service);
    const nodes = Array.from({ length: count }, (_none, index) => ({
      Id: index + 1,
      ParentId: index === 1 ? 1 : null,
    }));
    const swapped = [nodes[1], nodes[0], ...nodes.slice(2)];
    const requests = (given: ReadonlyArray<object | undefined>, set: string): SentPart[] =>
      given.map((body, index) => ({
        request: `POST ${set}`,
        id: String(index + 1),
        body: { ...body, ...(set === "Parts" && { Tree: 9 }) },
      }));
    for (const set of ["Nodes", "Parts"]) {
      const refused = await send(requests(swapped, set));
      expect(refused.map((each) => [each.status, each.id])).toEqual([[409, "1"]]);
      const made = await send(requests(nodes, set));
      expect(made.map(({ status }) => status)).toEqual(nodes.map(() => 201));
    }
  });

  test("run one by one where a nested entity has an `after` hook", async () => {
    for (const command of [
      "create table orders (id integer primary key, number integer)",
      "create table order_lines (id integer primary key, order_id integer references orders (id))",
    ]) {
      await sql.raw(command).execute(db);
    }
    const Order = entityType("Order", { id: edm.int32().key(), number: edm.int32().nullable() });
    const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32().nullable() });
    const seen: number[] = [];
    const options = { db, operations: ["read", "create"] } as const;
    const lines = sqlEntitySet(Line, {
      ...options,
      table: "order_lines",
      columns: { orderId: "order_id" },
      after: {
        create: async ({ ctx }) => {
          seen.push(await ctx.sets(orders).count());
          await sql`update orders set number = 7`.execute(ctx.transaction as AnyDatabase);
        },
      },
    });
    const orders: ReturnType<typeof ordersOver> = ordersOver();
    function ordersOver() {
      return sqlEntitySet(Order, {
        ...options,
        table: "orders",
        allowDeepInsert: true,
        navigation: { lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }) },
      });
    }
    const service = odataService({ entitySets: [orders, lines], logger: noFailures });
    const responses = await sender(service)([
      { request: "POST Orders", body: { Id: 1, Number: 1, Lines: [{ Id: 1 }] } },
      { request: "POST Orders", body: { Id: 2, Number: 2 } },
      { request: "POST Orders", body: { Id: 3, Number: 3 } },
    ]);
    expect(responses.map(({ json }) => json.Number)).toEqual([7, 2, 3]);
    expect(seen).toEqual([1]);
    const response = await service.fetch(new Request("http://a.example/Orders?$orderby=Id"));
    expect(((await response.json()) as { value: unknown[] }).value).toEqual([
      expect.objectContaining({ Number: 7 }),
      expect.objectContaining({ Number: 2 }),
      expect.objectContaining({ Number: 3 }),
    ]);
  });

  /** Statements that fail as after a deadlock. */
  const deadlock =
    name === "postgres"
      ? ["do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$"]
      : ["rollback", "begin not atomic signal sqlstate '40001' set mysql_errno = 1213; end"];

  test.skipIf(name === "sqlite").each(["before", "validate"] as const)(
    "are executed again after a deadlock before the write, in %s",
    async (kind) => {
      let count = 0;
      const fail = async (ctx: Context): Promise<void> => {
        for (const command of deadlock) await sql.raw(command).execute(ctx.transaction as AnyDatabase);
      };
      const { send, get } = shop({
        [kind]: {
          create: ({ ctx }: { readonly ctx: Context }) => {
            count += 1;
            return count === 2 ? fail(ctx) : undefined;
          },
        },
      });
      const responses = await send(codes(4).map((code) => post(code)));
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect((await get("Items?$orderby=Id")).value.map((each) => each["Code"])).toEqual(codes(4));
      // The first attempt ends with the second operation.
      expect(count).toBe(6);
    },
  );

  test.skipIf(name === "sqlite")(
    "have one error without an operation if each attempt to write them fails because of others",
    async () => {
      for (const command of name === "postgres"
        ? [
            `create function refuse_item() returns trigger language plpgsql as $$ begin
              if new.code = 'c1' then raise exception 'deadlock' using errcode = '40P01'; end if; return new; end $$`,
            "create trigger t1 before insert on items for each row execute function refuse_item()",
          ]
        : [
            `create trigger t1 before insert on items for each row
              begin if new.code = 'c1' then signal sqlstate '40001' set mysql_errno = 1213; end if; end`,
          ]) {
        await sql.raw(command).execute(db);
      }
      const { send, get } = shop({}, 300);
      const responses = await send(codes(4).map((code, index) => post(code, String(index + 1))));
      expect(responses.map((each) => [each.status, each.id])).toEqual([[503, undefined]]);
      expect((await get("Items")).value).toEqual([]);
    },
  );

  test.skipIf(name !== "sqlite").each([
    ["a conflict", "unique on conflict rollback", [], 409],
    ["a trigger", "", ["before"], 400],
    ["a trigger after the row", "", ["after"], 400],
  ])("store nothing after the database has rolled back because of %s", async (_case, unique, times, status) => {
    await sql.raw(`create table marks (id integer primary key, code text not null ${unique})`).execute(db);
    for (const time of times) {
      await sql
        .raw(
          `create trigger bad_mark ${time} insert on marks when new.code = 'a' and new.id = 3
            begin select raise(rollback, 'no'); end`,
        )
        .execute(db);
    }
    const Mark = entityType("Mark", { id: edm.int32().key(), code: edm.string() });
    const marks = sqlEntitySet(Mark, { db, table: "marks", operations: ["read", "create"] });
    const service = odataService({ entitySets: [marks], logger: noFailures });
    const send = sender(service);
    const before: SentPart = { request: "POST Marks", id: "0", body: { Id: 9, Code: "z" } };
    const requests = ["a", "b", "a", "d"].map((code, index): SentPart => ({
      request: "POST Marks",
      id: String(index + 1),
      body: { Id: index + 1, Code: code },
    }));
    for (const sent of [requests, [before, ...requests]]) {
      const responses = await send(sent);
      expect(responses.map((each) => [each.status, each.id])).toEqual([[status, "3"]]);
      expect((await sql`select * from marks`.execute(db)).rows).toEqual([]);
    }
  });
});

/** Sends change sets. @returns their responses; a single one if it failed */
function sender(service: Pick<ReturnType<typeof odataService>, "fetch">) {
  return async (operations: readonly SentPart[]): Promise<readonly ReceivedPart[]> => {
    const init = { method: "POST", headers: MULTIPART, body: multipart([operations]) };
    const response = await service.fetch(new Request("http://a.example/$batch", init));
    const [found] = received(response.headers.get("content-type") ?? undefined, await response.text());
    return [found ?? []].flat();
  };
}
