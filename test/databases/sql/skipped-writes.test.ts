import { sql } from "kysely";
import { edm, entityType, hasMany, odataService, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type DatabaseName, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";

const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;
const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  boxId: edm.int32().nullable(),
  gone: edm.int32().default(0),
});
const Box = entityType("Box", { id: edm.int32().key(), name: edm.string().nullable() });
const Tag = entityType("Tag", { id: edm.int32().key() });

/** Triggers that skip some rows. Those of `soft` and of the views mark rows instead of deleting them. */
const PARTS: Readonly<Record<"sqlite" | "postgres", readonly string[]>> = {
  sqlite: [
    `create trigger s1 before insert on items when new.name = 'skip' begin select raise(ignore); end`,
    `create trigger s2 before update on items when new.name = 'skip' or old.name = 'stuck' begin select raise(ignore); end`,
    `create trigger s3 before delete on items when old.name = 'kept' begin select raise(ignore); end`,
    `create trigger s4 before insert on box_tags when new.tag_id = 13 begin select raise(ignore); end`,
    `create trigger s5 before delete on box_tags when old.tag_id = 14 begin select raise(ignore); end`,
    `create trigger s6 before delete on soft begin update soft set gone = 1 where id = old.id; select raise(ignore); end`,
    `create trigger s7 instead of delete on seen begin update base set gone = 1 where id = old.id; end`,
    `create trigger s8 instead of delete on everything begin update base set gone = 1 where id = old.id; end`,
  ],
  postgres: [
    `create function skip_item() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then if old.name = 'kept' then return null; end if; return old; end if;
      if new.name = 'skip' then return null; end if;
      if tg_op = 'UPDATE' then if old.name = 'stuck' then return null; end if; end if;
      return new; end $$`,
    `create function skip_tag() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then if old.tag_id = 14 then return null; end if; return old; end if;
      if new.tag_id = 13 then return null; end if;
      return new; end $$`,
    `create function soften() returns trigger language plpgsql as $$ begin
      if tg_table_name = 'soft' then update soft set gone = 1 where id = old.id; return null; end if;
      update base set gone = 1 where id = old.id; return old; end $$`,
    `create trigger s1 before insert or update or delete on items for each row execute function skip_item()`,
    `create trigger s2 before insert or delete on box_tags for each row execute function skip_tag()`,
    `create trigger s3 before delete on soft for each row execute function soften()`,
    `create trigger s4 instead of delete on seen for each row execute function soften()`,
    `create trigger s5 instead of delete on everything for each row execute function soften()`,
  ],
};

const SKIPPED = {
  error: {
    code: "Conflict",
    message:
      "The database has not stored the change: a trigger or a rule of the table changed or skipped it. Read the entity again.",
  },
};

const isSkipping = (name: DatabaseName): name is "sqlite" | "postgres" => name !== "mariadb";

describe.each(ENGINES.filter(({ name }) => isSkipping(name)))(
  "writes that the database skips, over $title",
  (engine) => {
    let opened: OpenDatabase;
    let db: AnyDatabase;
    const run = (text: string): Promise<unknown> => sql.raw(text).execute(db);
    beforeAll(async () => {
      opened = await engine.open();
      ({ db } = opened);
      const columns = "(id int not null primary key, name varchar(20), box_id int, gone int not null default 0)";
      for (const table of ["items", "soft", "base"]) await run(`create table ${table} ${columns}`);
      await run("create table boxes (id int not null primary key, name varchar(20))");
      await run("create table tags (id int not null primary key)");
      await run("create table box_tags (box_id int not null, tag_id int not null, primary key (box_id, tag_id))");
      await run("create table audit (id int)");
      await run("create table audited (id int not null primary key, name varchar(20))");
      if (engine.name === "sqlite") {
        await run(
          `create trigger s9 before insert on audited begin insert into audit values (new.id); select raise(ignore); end`,
        );
      } else {
        await run(`create function audit_it() returns trigger language plpgsql as
          $$ begin insert into audit values (new.id); return null; end $$`);
        await run("create trigger s6 before insert on audited for each row execute function audit_it()");
      }
      await run("create view seen as select * from base where gone = 0");
      await run("create view everything as select * from base");
      for (const part of isSkipping(engine.name) ? PARTS[engine.name] : []) await run(part);
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      await run("update items set name = 'x' where name = 'kept'");
      await run("update box_tags set tag_id = 99 where tag_id = 14");
      for (const table of ["items", "base", "boxes", "tags", "box_tags"]) await run(`delete from ${table}`);
      await run("update soft set gone = 0");
      await run(
        "insert into items values (1, 'a', null, 0), (2, 'kept', null, 0), (3, 'stuck', 1, 0), (4, 'x', null, 1)",
      );
      if (engine.name === "postgres") await run("alter table items disable trigger s1");
      if (engine.name === "sqlite") await run("drop trigger s2");
      await run("update items set name = 'skip' where id = 4");
      await run(engine.name === "postgres" ? "alter table items enable trigger s1" : (PARTS.sqlite[1] ?? ""));
      await run("insert into boxes values (1, 'a')");
      await run("insert into tags values (13), (14), (15)");
      await run("insert into box_tags values (1, 14), (1, 15)");
      await run("insert into base values (1, 'a', null, 0)");
    });

    const shop = () => {
      const place = { db, operations: OPERATIONS } as const;
      const columns = { boxId: "box_id" };
      const items = sqlEntitySet(Item, { ...place, table: "items", columns, etag: ["name"] });
      const boxes = sqlEntitySet(Box, {
        ...place,
        table: "boxes",
        allowDeepInsert: true,
        navigation: {
          items: hasMany(Item, { target: "Items", on: { id: "boxId" } }),
          tags: hasMany(Tag, {
            target: "Tags",
            through: { table: "box_tags", from: { id: "box_id" }, to: { tag_id: "id" } },
          }),
        },
      });
      const others = [
        sqlEntitySet(Box, { ...place, name: "Audited", table: "audited" }),
        sqlEntitySet(Item, { ...place, name: "Softs", table: "soft", columns }),
        sqlEntitySet(Item, {
          ...place,
          name: "Shown",
          table: "soft",
          columns,
          authorization: { rows: (_user, row) => row.gone.eq(0) },
        }),
        sqlEntitySet(Item, { ...place, name: "Seens", table: "seen", columns }),
        sqlEntitySet(Item, { ...place, name: "Everythings", table: "everything", columns }),
      ];
      const tags = sqlEntitySet(Tag, { ...place, table: "tags" });
      const service = odataService({
        logger: noFailures,
        batch: { json: true },
        entitySets: [items, boxes, tags, ...others],
        authenticate: () => ({ id: "u", roles: ["any"] }),
        authorization: role("any"),
      });
      return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
        const type = body === undefined ? {} : { "Content-Type": "application/json" };
        const init = body === undefined ? {} : { body: JSON.stringify(body) };
        const all = { Accept: "application/json;odata.metadata=none", ...type, ...headers };
        const response = await service.fetch(
          new Request(`http://a.example/${path}`, { method, headers: all, ...init }),
        );
        const text = await response.text();
        return [response.status, text === "" ? null : (JSON.parse(text) as unknown)] as const;
      };
    };
    const etagOf = async (service: ReturnType<typeof shop>, path: string): Promise<string> => {
      const [, body] = await service("GET", path, undefined, { Accept: "application/json" });
      return (body as { "@odata.etag": string })["@odata.etag"];
    };
    const rows = async (table: string) => (await sql.raw(`select * from ${table} order by 1`).execute(db)).rows;

    test("are a conflict, and leave the row as it was", async () => {
      const send = shop();
      const before = await rows("items");
      const item = (others: object) => ({ Id: 9, Name: "n", BoxId: null, Gone: 0, ...others });
      for (const [method, path, body] of [
        ["POST", "Items", item({ Name: "skip" })],
        ["POST", "Items", item({ Id: 1, Name: "skip" })],
        // An equal row is there already.
        ["POST", "Items", item({ Id: 4, Name: "skip", Gone: 1 })],
        ["POST", "Boxes(1)/Items", item({ Name: "skip" })],
        ["POST", "Boxes", { Id: 2, Name: "b", Items: [item({}), item({ Id: 10, Name: "skip" })] }],
        ["PATCH", "Items(1)", { Name: "skip" }],
        ["PATCH", "Items(3)", { Gone: 1 }],
        ["PUT", "Items(1)", item({ Id: 1, Name: "skip" })],
        ["PUT", "Items(1)/Name", { value: "skip" }],
        ["DELETE", "Items(3)/Name"],
        ["DELETE", "Items(2)"],
        ["DELETE", `Boxes(1)/Items/$ref?$id=Items(3)`],
        ["POST", "Boxes(1)/Tags/$ref", { "@odata.id": "Tags(13)" }],
        ["DELETE", `Boxes(1)/Tags/$ref?$id=Tags(14)`],
      ] as const) {
        expect([path, await send(method, path, body)]).toEqual([path, [409, SKIPPED]]);
      }
      expect(await rows("items")).toEqual(before);
      expect(await rows("boxes")).toHaveLength(1);
      expect(await rows("box_tags")).toHaveLength(2);
      expect(await send("PATCH", "Items(8)", { Name: "b" })).toEqual([404, expect.anything()]);
      expect(await send("DELETE", "Items(8)")).toEqual([204, null]);
      expect((await send("POST", "Boxes(1)/Tags/$ref", { "@odata.id": "Tags(15)" }))[0]).toBe(204);
      expect((await send("DELETE", `Boxes(1)/Tags/$ref?$id=Tags(15)`))[0]).toBe(204);
    });

    test("undo what the trigger has written before", async () => {
      const send = shop();
      expect(await send("POST", "Audited", { Id: 1, Name: "a" })).toEqual([409, SKIPPED]);
      expect(await rows("audit")).toEqual([]);
    });

    test("are a success where the row already is as it should be", async () => {
      const send = shop();
      expect(await send("PATCH", "Items(3)", { BoxId: 1 })).toEqual([200, { Id: 3, Name: "stuck", BoxId: 1, Gone: 0 }]);
      expect((await send("PATCH", "Items(3)", { BoxId: null }))[0]).toBe(409);
    });

    test("are a conflict if the ETag holds; otherwise the ETag decides", async () => {
      const send = shop();
      for (const [method, path, body] of [
        ["PATCH", "Items(3)", { Gone: 1 }],
        ["PUT", "Items(3)", { Id: 3, Name: "y", BoxId: 1, Gone: 1 }],
        ["DELETE", "Items(2)", undefined],
      ] as const) {
        const etag = await etagOf(send, path);
        expect(await send(method, path, body, { "If-Match": etag })).toEqual([409, SKIPPED]);
        expect((await send(method, path, body, { "If-Match": '"other"' }))[0]).toBe(412);
      }
    });

    test("undo the whole change set", async () => {
      const send = shop();
      const request = (id: string, method: string, url: string, body?: object) => ({
        id,
        method,
        url,
        atomicityGroup: "g",
        ...(body !== undefined && { body, headers: { "Content-Type": "application/json" } }),
      });
      for (const last of [
        request("2", "DELETE", "Items(2)"),
        request("2", "PATCH", "Items(3)", { Gone: 1 }),
        request("2", "POST", "Items", { Id: 9, Name: "skip" }),
      ]) {
        const requests = [request("1", "PATCH", "Items(1)", { Name: "b" }), last];
        const [status, body] = await send("POST", "$batch", { requests });
        expect(status).toBe(200);
        const { responses } = body as { responses: readonly { readonly status: number }[] };
        expect(responses.map((each) => each.status)).toContain(409);
        expect((await rows("items"))[0]).toMatchObject({ id: 1, name: "a" });
      }
    });

    test("a row that is marked instead of deleted is a conflict for those who still see it", async () => {
      const send = shop();
      await run("insert into soft select 1, 'a', null, 0 where not exists (select 1 from soft)");
      expect(await send("DELETE", "Softs(1)")).toEqual([409, SKIPPED]);
      expect(await rows("soft")).toMatchObject([{ id: 1, gone: 0 }]);
      expect(await send("DELETE", "Shown(1)")).toEqual([204, null]);
      expect(await rows("soft")).toMatchObject([{ id: 1, gone: 1 }]);
      expect((await send("GET", "Shown(1)"))[0]).toBe(404);
    });

    test("a view decides by what it shows afterwards", async () => {
      const send = shop();
      expect(await send("DELETE", "Everythings(1)")).toEqual([409, SKIPPED]);
      expect(await rows("base")).toMatchObject([{ id: 1, gone: 0 }]);
      expect(await send("DELETE", "Seens(1)")).toEqual([204, null]);
      expect(await rows("base")).toMatchObject([{ id: 1, gone: 1 }]);
      expect((await send("GET", "Seens(1)"))[0]).toBe(404);
    });
  },
);

describe.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "rules that replace a write, over $title",
  ({ open }) => {
    test("are a conflict for a declared table, unless they return the row and hide it", async () => {
      const { db, close } = await open();
      try {
        const run = (text: string): Promise<unknown> => sql.raw(text).execute(db);
        for (const table of ["ruled", "returning_ruled"]) {
          await run(`create table ${table} (id int not null primary key, gone int not null default 0)`);
          await run(`insert into ${table} values (1, 0)`);
          await run(`create view ${table}_seen as select * from ${table} where gone = 0`);
        }
        const soft = (table: string): string =>
          `create rule soft as on delete to ${table} do instead update ${table} set gone = 1 where id = old.id`;
        await run(soft("ruled"));
        await run(`${soft("returning_ruled")} returning *`);
        const Row = entityType("Row", { id: edm.int32().key(), gone: edm.int32().default(0) });
        const set = (name: string, table: string) => sqlEntitySet(Row, { db, name, table, operations: OPERATIONS });
        const service = odataService({
          logger: noFailures,
          entitySets: [set("Ruled", "ruled"), set("Returned", "returning_ruled"), set("Seen", "returning_ruled_seen")],
        });
        const status = async (method: string, path: string): Promise<number> =>
          (await service.fetch(new Request(`http://a.example/${path}`, { method }))).status;
        expect(await status("DELETE", "Ruled(1)")).toBe(409);
        expect(await status("DELETE", "Returned(1)")).toBe(409);
        expect(await status("GET", "Seen(1)")).toBe(200);
        expect(await status("DELETE", "Seen(1)")).toBe(204);
        expect(await status("GET", "Seen(1)")).toBe(404);
        expect((await sql`select * from returning_ruled`.execute(db)).rows).toEqual([{ id: 1, gone: 1 }]);
      } finally {
        await close();
      }
    });

    test("a row that a trigger stores in a table that inherits is created", async () => {
      const { db, close } = await open();
      try {
        for (const text of [
          "create table logs (id int not null primary key, name varchar(9))",
          "create table new_logs (check (id > 100)) inherits (logs)",
          `create function to_new() returns trigger language plpgsql as
            $$ begin insert into new_logs values (new.id, new.name); return null; end $$`,
          "create trigger moves before insert on logs for each row execute function to_new()",
        ]) {
          await sql.raw(text).execute(db);
        }
        const Log = entityType("Log", { id: edm.int32().key(), name: edm.string().nullable() });
        const logs = sqlEntitySet(Log, { db, name: "Logs", table: "logs", operations: OPERATIONS });
        const service = odataService({ logger: noFailures, entitySets: [logs] });
        const init = { method: "POST", body: JSON.stringify({ Id: 101, Name: "a" }) };
        const headers = { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" };
        const response = await service.fetch(new Request("http://a.example/Logs", { ...init, headers }));
        expect([response.status, await response.json()]).toEqual([201, { Id: 101, Name: "a" }]);
      } finally {
        await close();
      }
    });
  },
);
