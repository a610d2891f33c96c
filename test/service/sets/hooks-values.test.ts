import { sql } from "kysely";
import { applyDelta, edm, entitySet, entityType, hasOptional, now, odataService, type EntityOf } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";

const FAILURE = {
  error: {
    code: "InternalServerError",
    message: "The service failed to answer this request. The failure has been logged.",
  },
};
const JSON_TYPE = { "Content-Type": "application/json" };

/** A service over one set, whose log is recorded. */
function open(entitySets: Parameters<typeof odataService>[0]["entitySets"]) {
  const errors: unknown[] = [];
  const logger = {
    error: (_text: string, { err }: { readonly err?: unknown }) => errors.push(err),
    warn() {},
    info() {},
  };
  const service = odataService({ entitySets, logger, schemaCheck: false });
  const send = async (method: string, path: string, body?: object) => {
    const init = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://items.example/${path}`, { method, ...init }));
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)] as const;
  };
  return { send, errors };
}

const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string({ minLength: 2, maxLength: 9 }),
  price: edm.decimal({ precision: 8, scale: 2, minimum: 0, maximum: "99.5" }),
  code: edm.string({ pattern: "^[A-Z]+$" }).nullable(),
  tags: edm.collection(edm.string({ minLength: 1 }), { minItems: 1, maxItems: 2 }),
});
type Row = EntityOf<typeof Item>;
type ItemOptions = NonNullable<Parameters<typeof entitySet<typeof Item>>[1]>;

function openItems(options: Partial<ItemOptions>) {
  const rows = new Map<number, Row>([[1, { id: 1, name: "nail", price: "1", code: null, tags: ["a"] }]]);
  const save = (row: Row): Row => {
    rows.set(row.id, row);
    return row;
  };
  const items = entitySet(Item, {
    getByKey: (id) => rows.get(id) ?? null,
    create: save,
    replace: (id, item) => (rows.has(id) ? save(item) : null),
    patch: (id, delta) => {
      const changed = applyDelta(Item, rows.get(id), delta);
      return changed === null ? null : save(changed);
    },
    ...(options as object),
  });
  return { ...open([items]), rows };
}

const BODY = { Id: 2, Name: "screw", Price: 2, Code: "A", Tags: ["a"] };

describe("facets of values that a `before` hook returns", () => {
  test.each<readonly [object, string]>([
    [
      { price: -1 },
      "`price` is not a value of the property, of type Edm.Decimal. -1 is too small: write a number from 0 to 99.5.",
    ],
    [
      { price: "99.51" },
      "`price` is not a value of the property, of type Edm.Decimal. 99.51 is too large: write a number from 0 to 99.5.",
    ],
    [
      { name: "x" },
      '`name` is not a value of the property, of type Edm.String. "x" is too short: write at least 2 characters.',
    ],
    [
      { code: "a" },
      '`code` is not a value of the property, of type Edm.String. "a" does not match the pattern ^[A-Z]+$.',
    ],
    [
      { tags: [] },
      "`tags` is not a value of the property, of type Edm.String. The collection has 0 items: write at least 1.",
    ],
    [
      { tags: [""] },
      '`tags` is not a value of the property, of type Edm.String. "" is too short: write at least 1 characters.',
    ],
  ])("%o is a logged 500 at every write, and nothing is written", async (wrong, problem) => {
    const { send, errors, rows } = openItems({
      before: {
        create: ({ entity }) => ({ ...entity, ...wrong }),
        replace: ({ entity }) => ({ ...entity, ...wrong }),
        patch: ({ delta }) => ({ ...delta, ...wrong }),
      },
    });
    const { Id: _id, ...replacement } = BODY;
    expect(await send("POST", "Items", BODY)).toEqual([500, FAILURE]);
    expect(await send("PUT", "Items(1)", replacement)).toEqual([500, FAILURE]);
    expect(await send("PATCH", "Items(1)", { Price: 3 })).toEqual([500, FAILURE]);
    expect(errors.map(String)).toEqual(
      ["create", "replace", "patch"].map(
        (write) => `TypeError: before.${write} of Items returned an entity of Item whose ${problem}`,
      ),
    );
    expect([...rows.values()]).toEqual([{ id: 1, name: "nail", price: "1", code: null, tags: ["a"] }]);
  });

  test("do not limit what an `after` hook shows", async () => {
    const { send } = openItems({ after: { create: () => ({ name: "", price: "-1", tags: [] }) } });
    expect(await send("POST", "Items", BODY)).toMatchObject([201, { Name: "", Price: -1, Tags: [], Code: "A" }]);
  });
});

describe("facets of values of `set`", () => {
  test.each<readonly [object, string]>([
    [
      { name: { create: () => "x" } },
      '`set.name.create` of Items returned no value of Edm.String: "x" is too short: write at least 2 characters.',
    ],
    [
      { price: { create: () => -1 } },
      "`set.price.create` of Items returned no value of Edm.Decimal: -1 is too small: write a number from 0 to 99.5.",
    ],
    [
      { tags: { create: () => ["a", "b", "c"] } },
      "`set.tags.create` of Items returned no value of Collection(Edm.String): The collection has 3 items: write at most 2.",
    ],
  ])("%o: a logged 500, and nothing is written", async (set, message) => {
    const { send, errors, rows } = openItems({ replace: undefined, set } as object);
    expect(await send("POST", "Items", BODY)).toEqual([500, FAILURE]);
    expect(errors).toMatchObject([{ message }]);
    expect(rows.size).toBe(1);
  });
});

const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string(),
  extra: edm.string().nullable(),
  author: edm.string(),
  changes: edm.int32(),
  updatedAt: edm.dateTimeOffset({ precision: 3 }).nullable(),
});

/** The options of sets of notes, whose functions are counted. */
function counted(before: object) {
  const calls = { create: 0, update: 0 };
  const options = {
    set: {
      author: { create: () => "ann" },
      changes: { create: () => (calls.create += 1), update: () => (calls.update += 1) + 100 },
      updatedAt: { update: now },
    },
    before,
  };
  return { calls, options };
}

const FILLING = {
  patch: ({ delta }: { delta: object }) => (Object.keys(delta).length === 0 ? { text: "filled" } : undefined),
};
const ISO = /^\d{4}-\d\d-\d\dT/u;

describe("values of `set` with hooks of handlers", () => {
  function openNotes(before: object) {
    const { calls, options } = counted(before);
    const rows = new Map<number, EntityOf<typeof Note>>([
      [1, { id: 1, text: "a", extra: null, author: "bob", changes: 0, updatedAt: null }],
    ]);
    const deltas: object[] = [];
    const notes = entitySet(Note, {
      getByKey: (id) => rows.get(id) ?? null,
      create: (note) => {
        rows.set(note.id, note);
        return note;
      },
      patch: (id, delta) => {
        deltas.push(delta);
        const changed = applyDelta(Note, rows.get(id), delta);
        if (changed !== null) rows.set(id, changed);
        return changed;
      },
      ...(options as object),
    });
    return { ...open([notes]), rows, calls, deltas };
  }

  test("a hook that fills an empty delta makes it a change: the values are supplied, once", async () => {
    const { send, rows, calls } = openNotes(FILLING);
    expect((await send("PATCH", "Notes(1)", {}))[0]).toBe(200);
    expect(rows.get(1)).toEqual({
      id: 1,
      text: "filled",
      extra: null,
      author: "bob",
      changes: 101,
      updatedAt: expect.stringMatching(ISO) as unknown,
    });
    expect(calls).toEqual({ create: 0, update: 1 });
  });

  test("a hook that leaves out the values does not remove them, and those that it repeats stay", async () => {
    for (const patch of [
      () => ({ extra: "b" }),
      ({ delta }: { delta: object }) => ({ ...delta, extra: "b" }),
      ({ delta }: { delta: { changes?: number; updatedAt?: string } }) =>
        delta.changes === 101 && typeof delta.updatedAt === "string" ? { extra: "b" } : undefined,
    ]) {
      const { send, rows, calls } = openNotes({ patch });
      expect((await send("PATCH", "Notes(1)", { Text: "b" }))[0]).toBe(200);
      expect(rows.get(1)).toMatchObject({ extra: "b", changes: 101, updatedAt: expect.stringMatching(ISO) as unknown });
      expect(calls).toEqual({ create: 0, update: 1 });
    }
  });

  test("a hook that returns a delta without members changes nothing", async () => {
    const { send, rows, deltas } = openNotes({ patch: () => ({}) });
    expect((await send("PATCH", "Notes(1)", { Text: "b" }))[0]).toBe(200);
    expect((await send("PATCH", "Notes(1)", {}))[0]).toBe(200);
    expect(deltas).toEqual([{}, {}]);
    expect(rows.get(1)).toMatchObject({ text: "a", changes: 0, updatedAt: null });
  });

  test("values that a hook adds to the link of an own handler bring those of the server, once", async () => {
    const Author = entityType("Author", { id: edm.int32().key() });
    const Book = entityType("Book", {
      id: edm.int32().key(),
      authorId: edm.int32().nullable(),
      text: edm.string().nullable(),
      changes: edm.int32(),
    });
    const deltas: object[] = [];
    let added: object = { text: "linked" };
    let count = 0;
    const books = entitySet(Book, {
      getByKey: (id) => ({ id, authorId: null, text: null, changes: 0 }),
      patch: (id, delta) => {
        deltas.push(delta);
        return { id, authorId: 1, text: null, changes: 0, ...delta };
      },
      set: { changes: { update: () => (count += 1) } },
      before: { patch: ({ delta }) => ({ ...delta, ...added }) },
      navigation: {
        author: hasOptional(Author, {
          on: { authorId: "id" },
          target: "Authors",
          get: () => null,
          setRef: () => undefined,
        }),
      },
    });
    const { send } = open([books, entitySet(Author, { getByKey: (id) => ({ id }) })]);
    const link = { "@odata.id": "http://items.example/Authors(1)" };
    expect((await send("PUT", "Books(1)/Author/$ref", link))[0]).toBe(204);
    expect([deltas, count]).toEqual([[{ text: "linked", changes: 1 }], 1]);
    added = {};
    expect((await send("PUT", "Books(1)/Author/$ref", link))[0]).toBe(204);
    expect([deltas.length, count]).toEqual([1, 1]);
  });

  test("a new entity that a hook returns without the values gets them", async () => {
    const { send, rows } = openNotes({
      create: ({ entity: { id, text, extra } }: { entity: EntityOf<typeof Note> }) => ({ id, text, extra }),
    });
    expect((await send("POST", "Notes", { Id: 2, Text: "b" }))[0]).toBe(201);
    expect(rows.get(2)).toMatchObject({ author: "ann", changes: 1 });
  });
});

describe.each(ENGINES)("values of `set` with hooks of tables over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    const time = { sqlite: "text", postgres: "timestamptz(3)", mariadb: "datetime(3)" }[engine.name];
    await sql`create table hooked_notes (id int primary key, text varchar(50) not null, extra varchar(50) null, author varchar(50) not null, changes int not null, updated_at ${sql.raw(time)} null)`.execute(
      db,
    );
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await sql`delete from hooked_notes`.execute(db);
    await sql`insert into hooked_notes (id, text, author, changes) values (1, 'a', 'bob', 0)`.execute(db);
  });

  function openTable(before: object, after: object = {}) {
    const { calls, options } = counted(before);
    const notes = sqlEntitySet(Note, {
      db,
      table: "hooked_notes",
      operations: ["read", "create", "patch"],
      columns: { updatedAt: "updated_at" },
      distributed: isDistributed(db),
      after,
      ...(options as object),
    });
    return { ...open([notes]), calls };
  }

  test("a hook that fills an empty delta makes it a change, with the values of one instant", async () => {
    const { send, calls } = openTable(FILLING);
    const [status, json] = await send("PATCH", "Notes(1)", {});
    expect([status, json]).toMatchObject([
      200,
      { Text: "filled", Author: "bob", Changes: 101, UpdatedAt: expect.stringMatching(ISO) as unknown },
    ]);
    expect(calls.update).toBe(1);
    expect((await send("GET", "Notes(1)"))[1]).toMatchObject({ Changes: 101, UpdatedAt: json?.["UpdatedAt"] });
  });

  test("a hook that leaves out the values does not remove them", async () => {
    const { send, calls } = openTable({
      create: ({ entity: { id, text, extra } }: { entity: EntityOf<typeof Note> }) => ({ id, text, extra }),
      patch: () => ({ extra: "b" }),
    });
    expect(await send("PATCH", "Notes(1)", { Text: "b" })).toMatchObject([
      200,
      { Text: "a", Extra: "b", Changes: 101, UpdatedAt: expect.stringMatching(ISO) as unknown },
    ]);
    expect(await send("POST", "Notes", { Id: 2, Text: "c" })).toMatchObject([201, { Author: "ann", Changes: 1 }]);
    expect(calls).toEqual({ create: 1, update: 1 });
  });

  test("`after` hooks receive the key", async () => {
    const keys: unknown[] = [];
    const after = {
      create: ({ key }: { key: unknown }) => void keys.push(["create", key]),
      patch: ({ key }: { key: unknown }) => void keys.push(["patch", key]),
    };
    const { send } = openTable({}, after);
    await send("POST", "Notes", { Id: 2, Text: "c" });
    await send("PATCH", "Notes(2)", { Text: "d" });
    expect(keys).toEqual([
      ["create", 2],
      ["patch", 2],
    ]);
  });
});
