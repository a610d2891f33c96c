import { Kysely, sql, type Transaction } from "kysely";
import {
  applyDelta,
  complexType,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  hasMany,
  odataError,
  odataService,
  type Context,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { Failures, failingDialect } from "../../databases/sql/failing-dialect.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const Address = complexType("Address", { street: edm.string(), city: edm.string().nullable() });
const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string({ maxLength: 10 }),
  size: edm.decimal({ precision: 5, scale: 2 }).nullable(),
  words: edm.collection(edm.string()),
  home: edm.complex(Address).nullable(),
  code: edm.string().nullable().immutable(),
  count: edm.int32().computed(),
  secret: edm.string().ignored(),
});
const Part = entityType("Part", { id: edm.int32().key(), noteId: edm.int32(), text: edm.string() });
type Options = NonNullable<Parameters<typeof entitySet<typeof Note>>[1]>;
type Row = EntityOf<typeof Note>;
interface Loading {
  readonly current: () => Promise<Row | null>;
}

/** A service over a list, whose handlers record their arguments. */
function openNotes(options: Partial<Options>) {
  const calls: string[] = [];
  const errors: unknown[] = [];
  const rows = new Map<number, Row>([
    [1, { id: 1, text: "a", size: null, words: [], home: null, code: null, count: 1, secret: "s" }],
  ]);
  const save = (row: Row): Row => {
    rows.set(row.id, row);
    calls.push(`saved ${row.text}`);
    return row;
  };
  const notes = entitySet(Note, {
    idempotentDelete: false,
    allowUpsert: true,
    getByKey: (id) => {
      calls.push(`read ${String(id)}`);
      return rows.get(id) ?? null;
    },
    create: (note) => save({ ...note, count: 1, secret: "s" }),
    replace: (id, note) => (rows.has(id) ? save({ ...note, count: 2, secret: "s" }) : null),
    patch: (id, delta) => {
      const changed = applyDelta(Note, rows.get(id), delta);
      return changed === null ? null : save(changed);
    },
    delete: (id) => rows.delete(id),
    ...(options as object),
  });
  const logger = {
    error: (_text: string, { err }: { readonly err?: unknown }) => errors.push(err),
    warn() {},
    info() {},
  };
  const service = odataService({ entitySets: [notes], logger });
  const send = async (method: string, path: string, body?: object) => {
    const headers = { "Content-Type": "application/json" };
    const init = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://notes.example/${path}`, { method, ...init }));
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as { readonly Text?: string })] as const;
  };
  return { calls, errors, rows, send, service };
}

const BODY = { Id: 2, Text: "b", Words: ["x"], Home: { Street: "s" } };

describe("hooks of handlers", () => {
  test("run around the handler, outside of transactions; `current` reads by `getByKey`", async () => {
    const seen: unknown[] = [];
    const { send, calls, service } = openNotes({
      before: {
        create: ({ entity, ctx }) => {
          ctx.afterCommit(() => calls.push("committed"));
          calls.push("before");
          seen.push(ctx.transaction, Object.isFrozen(entity), Object.isFrozen(entity.words));
          return { ...entity, text: `${entity.text}!` };
        },
        patch: async ({ current, delta }) => {
          const { text, secret, count } = await current();
          await current();
          calls.push(`current ${text} ${secret} ${String(count)}`);
          return delta;
        },
        delete: async ({ current }) => void calls.push(`delete ${(await current()).text}`),
      },
      after: {
        create: ({ entity }) => {
          calls.push(`after ${entity.text} ${entity.secret}`);
          return { text: "shown" };
        },
        delete: ({ key }) => void calls.push(`deleted ${String(key)}`),
      },
    });
    expect(await send("POST", "Notes", BODY)).toMatchObject([201, { Text: "shown", Words: ["x"] }]);
    await service.drain();
    expect(calls).toEqual(["before", "saved b!", "after b! s", "read 2", "committed"]);
    expect(seen).toEqual([undefined, true, true]);
    calls.length = 0;
    expect(await send("PATCH", "Notes(2)", { Text: "c" })).toMatchObject([200, { Text: "c" }]);
    expect(calls).toEqual(["read 2", "current b! s 1", "saved c"]);
    calls.length = 0;
    expect((await send("PATCH", "Notes(9)", { Text: "c" }))[0]).toBe(404);
    expect(await send("DELETE", "Notes(2)")).toEqual([204, null]);
    expect((await send("DELETE", "Notes(2)"))[0]).toBe(404);
    expect(calls).toEqual(["read 9", "read 2", "delete c", "deleted 2", "read 2"]);
  });

  test("a `replace` handler that creates gets null as the current entity", async () => {
    const seen: unknown[] = [];
    const { send } = openNotes({
      create: undefined,
      replace: (_id: number, note: Row) => ({ ...note, count: 1, secret: "s" }),
      before: { replace: async ({ current }: Loading) => void seen.push((await current())?.text ?? null) },
    } as object);
    const body = { Text: "b", Words: [] };
    expect((await send("PUT", "Notes(1)", body))[0]).toBe(200);
    expect((await send("PUT", "Notes(7)", body))[0]).toBe(201);
    expect(seen).toEqual(["a", null]);
  });

  const wrong = "returned an entity of Note whose";
  test.each<readonly [string, (entity: object) => unknown, string]>([
    [
      "no object",
      () => 7,
      "before.create of Notes returned a value that is not an object. Return nothing to change nothing.",
    ],
    [
      "null",
      () => null,
      "before.create of Notes returned a value that is not an object. Return nothing to change nothing.",
    ],
    [
      "an unknown member",
      (entity) => ({ ...entity, txt: "a" }),
      `before.create of Notes ${wrong} \`txt\` is no property. Did you mean \`text\`?`,
    ],
    [
      "a missing member",
      ({ ...entity }: { text?: string }) => {
        delete entity.text;
        return entity;
      },
      `before.create of Notes ${wrong} \`text\` is missing. Return the whole entity, such as { ...entity, … }.`,
    ],
    [
      "a wrong type",
      (entity) => ({ ...entity, text: 5 }),
      `before.create of Notes ${wrong} \`text\` is not a value of the property, of type Edm.String. 5 is not an Edm.String: return a string.`,
    ],
    [
      "a text that is too long",
      (entity) => ({ ...entity, text: "12345678901" }),
      `before.create of Notes ${wrong} \`text\` is not a value of the property, of type Edm.String. "12345678901" is too long: write at most 10 characters.`,
    ],
    [
      "a number with too many digits",
      (entity) => ({ ...entity, size: "1.234" }),
      `before.create of Notes ${wrong} \`size\` is not a value of the property, of type Edm.Decimal. "1.234" has too many digits: write at most 3 digits before the point and 2 digits after the point.`,
    ],
    [
      "null for a property that is never null",
      (entity) => ({ ...entity, text: null }),
      `before.create of Notes ${wrong} \`text\` is null, which the property does not allow.`,
    ],
    [
      "an ignored member",
      (entity) => ({ ...entity, secret: "x" }),
      `before.create of Notes ${wrong} \`secret\` cannot be written here. Leave it out.`,
    ],
    [
      "no collection",
      (entity) => ({ ...entity, words: "x" }),
      `before.create of Notes ${wrong} \`words\` is a collection. Return an array.`,
    ],
    [
      "an unknown member of a complex value",
      (entity) => ({ ...entity, home: { street: "s", zip: "1" } }),
      `before.create of Notes ${wrong} \`home.zip\` is no property.`,
    ],
    [
      "an incomplete complex value",
      (entity) => ({ ...entity, home: {} }),
      `before.create of Notes ${wrong} \`home.street\` is null, which the property does not allow.`,
    ],
  ])("a `before` hook that returns %s is a logged 500, and nothing is written", async (_what, create, message) => {
    const { send, errors, rows } = openNotes({ before: { create: ({ entity }) => create(entity) as never } });
    expect(await send("POST", "Notes", BODY)).toEqual([
      500,
      {
        error: {
          code: "InternalServerError",
          message: "The service failed to answer this request. The failure has been logged.",
        },
      },
    ]);
    expect(errors).toEqual([expect.objectContaining({ name: "TypeError", message })]);
    expect([...rows.keys()]).toEqual([1]);
  });

  test.each<readonly [string, object, string]>([
    [
      "a key",
      { id: 5 },
      "before.patch of Notes returned an entity of Note whose `id` cannot be written here. Leave it out.",
    ],
    [
      "an immutable member",
      { code: "x" },
      "before.patch of Notes returned an entity of Note whose `code` cannot be written",
    ],
    [
      "a wrong type",
      { text: 5 },
      "before.patch of Notes returned an entity of Note whose `text` is not a value of the property",
    ],
    ["a navigation", { parts: [] }, "before.patch of Notes returned an entity of Note whose `parts` is no property"],
  ])("changes with %s are a logged 500", async (_what, delta, message) => {
    const { send, errors } = openNotes({ before: { patch: () => delta } });
    expect((await send("PATCH", "Notes(1)", { Text: "b" }))[0]).toBe(500);
    expect((errors[0] as Error).message.startsWith(message), String(errors[0])).toBe(true);
  });

  test("members that a hook must not change may be repeated, and values have any form of handlers", async () => {
    const { send, rows } = openNotes({
      before: {
        replace: async ({ entity, current }) => ({
          ...entity,
          id: 1,
          size: 1.5 as never,
          home: { ...(await current())?.home, street: "new", city: null },
        }),
        patch: () => ({ home: { city: "Bergen" } }),
      },
      after: { patch: ({ entity }) => ({ ...entity, words: ["shown"] }) },
    });
    expect((await send("PUT", "Notes(1)", { Text: "b", Words: [] }))[0]).toBe(200);
    expect(rows.get(1)).toMatchObject({ size: "1.5", home: { street: "new", city: null } });
    expect(await send("PATCH", "Notes(1)", { Text: "c" })).toMatchObject([
      200,
      { Text: "b", Words: ["shown"], Home: { Street: "new", City: "Bergen" } },
    ]);
    expect(rows.get(1)?.words).toEqual([]);
  });

  test("an `after` hook that returns wrong members is a logged 500", async () => {
    const { send, errors } = openNotes({
      after: { patch: () => ({ id: 8 }), delete: () => odataError(409, "No", "No.") },
    });
    expect((await send("PATCH", "Notes(1)", { Text: "b" }))[0]).toBe(500);
    expect(errors).toMatchObject([
      {
        message:
          "after.patch of Notes returned an entity of Note whose `id` cannot be written here. Leave it as it is.",
      },
    ]);
    expect((await send("DELETE", "Notes(1)"))[0]).toBe(409);
  });

  test("hooks cannot change what they receive", async () => {
    const { send, errors, rows } = openNotes({
      before: {
        create: ({ entity }) => {
          (entity as { text: string }).text = "changed";
        },
      },
    });
    expect((await send("POST", "Notes", BODY))[0]).toBe(500);
    expect(errors).toMatchObject([{ name: "TypeError" }]);
    expect(rows.size).toBe(1);
  });

  test("without `getByKey`, `current` is a logged 500 that says so", async () => {
    const { send, errors } = openNotes({
      getByKey: undefined,
      before: { patch: async ({ current }: Loading) => void (await current()) },
    } as object);
    expect((await send("PATCH", "Notes(1)", { Text: "b" }))[0]).toBe(500);
    expect(errors).toMatchObject([
      { message: "before.patch of Notes called `current`, but Notes has no `getByKey`. Declare it, or `read`." },
    ]);
  });

  test("the handler of a deep insert returns the nested entities whose sets have `after` hooks", async () => {
    const seen: string[] = [];
    const errors: string[] = [];
    let isWhole = true;
    // The set itself accepts no new entities.
    const parts = entitySet(Part, {
      before: { create: ({ entity }) => ({ ...entity, text: `${entity.text}!` }) },
      after: { create: ({ entity }) => void seen.push(entity.text) },
    });
    const notes = entitySet(Note, {
      allowDeepInsert: true,
      create: ({ parts: nested, ...note }) => ({
        ...note,
        count: 1,
        secret: "s",
        ...(isWhole ? { parts: nested } : {}),
      }),
      navigation: { parts: hasMany(Part, { on: { id: "noteId" }, target: "Parts" }) },
    });
    const logger = {
      error: (_t: string, { err }: { err?: unknown }) => errors.push(String(err)),
      warn() {},
      info() {},
    };
    const service = odataService({ entitySets: [notes, parts], logger });
    const send = async (): Promise<number> => {
      const body = JSON.stringify({ ...BODY, Parts: [{ Id: 1, NoteId: 2, Text: "p" }] });
      const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
      return (await service.fetch(new Request("http://notes.example/Notes", init))).status;
    };
    expect([await send(), seen]).toEqual([201, ["p!"]]);
    isWhole = false;
    expect(await send()).toBe(500);
    expect(errors).toEqual([
      "TypeError: The create handler did not return the nested entity Parts/0, which `after.create` of Parts needs. Return the entity with its nested entities.",
    ]);
  });
});

describe("transactions of hooks of handlers", () => {
  const Event = entityType("Event", { id: edm.int32().key().computed(), text: edm.string() });
  const Memo = entityType("Memo", { id: edm.int32().key() });

  async function openMemos(transactional: boolean, failures = new Failures()) {
    const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
    onTestFinished(() => db.destroy());
    await sql`create table memos (id integer primary key)`.execute(db);
    await sql`create table events (id integer primary key, text text not null)`.execute(db);
    const events = sqlEntitySet(Event, { db, table: "events", operations: ["read", "create"] });
    const calls: string[] = [];
    const note = async (ctx: Context, text: string): Promise<void> => {
      calls.push(text);
      ctx.afterCommit(() => calls.push(`committed ${text}`));
      await ctx.sets(events).create({ text });
    };
    const memos = entitySet(Memo, {
      transactional,
      create: async (memo, { transaction }) => {
        const own = (transaction as Transaction<object> | undefined) ?? db;
        await sql`insert into memos (id) values (${memo.id})`.execute(own);
        return memo;
      },
      before: { create: ({ ctx }) => note(ctx, "before") },
      after: {
        create: async ({ entity, ctx }) => {
          await note(ctx, "after");
          if (entity.id > 9) throw odataError(409, "No", "No.");
        },
      },
    });
    const logger = { error() {}, warn() {}, info() {} };
    const service = odataService({ entitySets: [memos, events], schemaCheck: false, logger });
    const post = async (id: number): Promise<number> => {
      const init = {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ Id: id }),
      };
      const { status } = await service.fetch(new Request("http://memos.example/Memos", init));
      await service.drain();
      return status;
    };
    const texts = async (): Promise<readonly unknown[]> => {
      const { rows } = await sql<{ t: unknown }>`select text as t from events union all select id from memos`.execute(
        db,
      );
      return rows.map(({ t }) => t);
    };
    return { post, texts, calls, failures };
  }

  test("handlers with `transactional` run in one with their hooks", async () => {
    const { post, texts, calls } = await openMemos(true);
    expect(await post(1)).toBe(201);
    expect(await texts()).toEqual(["before", "after", 1]);
    expect(await post(10)).toBe(409);
    expect(await texts()).toEqual(["before", "after", 1]);
    expect(calls).toEqual(["before", "after", "committed before", "committed after", "before", "after"]);
  });

  test("other handlers do not", async () => {
    const { post, texts, calls } = await openMemos(false);
    expect(await post(10)).toBe(409);
    expect(await texts()).toEqual(["before", "after", 10]);
    expect(calls).toEqual(["before", "after"]);
  });

  test("a conflict repeats the hooks of a table, and not a handler of the application", async () => {
    const BUSY = Object.assign(new Error("database is locked"), { errcode: 5, code: "ERR_SQLITE_ERROR" });
    const failures = new Failures();
    const { post, calls } = await openMemos(true, failures);
    failures.set((command) => (command === "commit" ? BUSY : null));
    expect(await post(1)).toBe(503);
    expect(calls).toEqual(["before", "after"]);
    const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
    onTestFinished(() => db.destroy());
    failures.clear();
    await sql`create table memos (id integer primary key)`.execute(db);
    calls.length = 0;
    const memos = sqlEntitySet(Memo, {
      db,
      table: "memos",
      operations: ["create"],
      before: {
        create: ({ ctx }) => {
          calls.push("before");
          ctx.afterCommit(() => calls.push("committed"));
        },
      },
    });
    const service = odataService({ entitySets: [memos], schemaCheck: false });
    let left = 2;
    failures.set((command) => (command === "commit" && left-- > 0 ? BUSY : null));
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"Id":1}' };
    expect((await service.fetch(new Request("http://memos.example/Memos", init))).status).toBe(201);
    await service.drain();
    expect(calls).toEqual(["before", "before", "before", "committed"]);
  });
});

describe("faults of hooks at startup", () => {
  const faultsOf = (options: object): readonly string[] => {
    try {
      odataService({ entitySets: [entitySet(Note, { create: (note: object) => note, ...options } as never)] });
      return [];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return error.faults.map(({ set, message, fix }) => `${String(set)}: ${message} ${fix}`);
    }
  };

  test.each<readonly [object, readonly string[]]>([
    [{ before: { create: () => undefined }, after: {} }, []],
    [{ before: { create: undefined } }, []],
    [{ before: 7 }, ["Notes: `before` of entitySet cannot be 7. Give an object."]],
    [
      { before: { creat: () => undefined } },
      ["Notes: `before` of entitySet has no hook `creat`. Did you mean `create`?"],
    ],
    [{ after: { create: "x" } }, ['Notes: `after.create` cannot be "x". Give a function.']],
    [
      { before: { patch: () => undefined }, after: { delete: () => undefined } },
      [
        "Notes: `before.patch` never runs: the set has no `patch`. Remove it, or let clients write: declare `patch`.",
        "Notes: `after.delete` never runs: the set has no `delete`. Remove it, or let clients write: declare `delete`.",
      ],
    ],
  ])("%#: %o", (options, expected) => {
    expect(faultsOf(options)).toEqual(expected);
  });
});
