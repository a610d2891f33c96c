import { sql } from "kysely";
import { applyDelta, edm, entitySet, entityType, hasMany, hasOptional, odataService, type EntityOf } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { ENGINES } from "../../engine/executors/engines.ts";

const Doc = entityType("Doc", {
  id: edm.int32().key(),
  title: edm.string(),
  note: edm.string().nullable(),
  tenant: edm.string().ignored(),
  author: edm.string(),
  state: edm.string().computed(),
  changer: edm.string().nullable().ignored(),
});
const Line = entityType("Line", {
  id: edm.int32().key(),
  owner: edm.int32().nullable(),
  tenant: edm.string().ignored(),
  text: edm.string(),
  editor: edm.string().computed(),
});
type DocRow = EntityOf<typeof Doc>;
type LineRow = EntityOf<typeof Line>;

type DocHooks = NonNullable<NonNullable<Parameters<typeof entitySet<typeof Doc>>[1]>["before"]>;
type LineHooks = NonNullable<NonNullable<Parameters<typeof entitySet<typeof Line>>[1]>["before"]>;

/** The hooks and rules of a test. */
interface Extra {
  readonly docs?: {
    readonly before?: DocHooks;
    readonly validate?: { readonly create: (given: { readonly entity: DocRow }) => undefined };
    readonly authorization?: object;
  };
  readonly lines?: { readonly before?: LineHooks };
}

const docOptions = {
  allowDeepInsert: true,
  allowUpsert: true,
  set: {
    tenant: { create: () => "one" },
    author: { create: () => "ann" },
    state: {
      create: () => "new",
      update: ({ ctx }: { readonly ctx: { readonly request: { readonly headers: Headers } } }) =>
        ctx.request.headers.get("x-state") ?? "changed",
    },
    changer: { update: () => "bob" },
  },
} as const;
const lineOptions = {
  allowUpsert: true,
  set: { tenant: { create: () => "one" }, editor: { create: () => "ann", update: () => "bob" } },
} as const;
const docNavigation = { lines: hasMany<typeof Doc, typeof Line>(Line, { on: { id: "owner" }, target: "Lines" }) };
const lineNavigation = {
  doc: hasOptional<typeof Line, typeof Doc>(Doc, { on: { tenant: "tenant", owner: "id" }, target: "Docs" }),
};
const ALL = ["read", "create", "replace", "patch", "delete"] as const;

interface Store {
  readonly serve: (extra: Extra) => ReturnType<typeof odataService>;
  readonly docs: () => Promise<readonly unknown[]>;
  readonly lines: () => Promise<readonly unknown[]>;
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly errors: unknown[];
}

function logged() {
  const errors: unknown[] = [];
  const error = (_text: string, { err }: { readonly err?: unknown }): void => void errors.push(err);
  return { errors, logger: { error, warn() {}, info() {} } };
}

const DOC: DocRow = { id: 1, title: "a", note: null, tenant: "one", author: "eve", state: "old", changer: null };
const LINE: LineRow = { id: 1, owner: null, tenant: "one", text: "x", editor: "eve" };

function openArrays(): Promise<Store> {
  const docs = new Map<number, DocRow>();
  const lines = new Map<number, LineRow>();
  const { errors, logger } = logged();
  // Handlers receive the values of the server, which the types leave out.
  const into =
    <Row>(rows: Map<number, Row>) =>
    (row: object): Row => {
      rows.set((row as { readonly id: number }).id, row as Row);
      return row as Row;
    };
  const [saveDoc, saveLine] = [into(docs), into(lines)];
  const serve = (extra: Extra) =>
    odataService({
      logger,
      authenticate: () => ({ id: "ann" }),
      entitySets: [
        entitySet(Doc, {
          ...docOptions,
          getByKey: (id) => docs.get(id) ?? null,
          create: ({ lines: nested = null, ...doc }) => {
            saveDoc(doc);
            const added = nested?.map((line) => saveLine({ ...line, owner: doc.id }));
            return (added === undefined ? doc : { ...doc, lines: added }) as never;
          },
          replace: (id, doc) => (docs.has(id) ? saveDoc({ ...doc, id }) : null),
          patch: (id, delta) => {
            const changed = applyDelta(Doc, docs.get(id), delta);
            return changed === null ? null : saveDoc(changed);
          },
          navigation: docNavigation,
          ...(extra.docs as object),
        }),
        entitySet(Line, {
          ...lineOptions,
          getByKey: (id) => lines.get(id) ?? null,
          getAll: () => [...lines.values()],
          create: saveLine,
          replace: (id, line) => (lines.has(id) ? saveLine({ ...line, id }) : null),
          patch: (id, delta) => {
            const changed = applyDelta(Line, lines.get(id), delta);
            return changed === null ? null : saveLine(changed);
          },
          navigation: {
            doc: hasOptional<typeof Line, typeof Doc>(Doc, {
              on: { tenant: "tenant", owner: "id" },
              target: "Docs",
              setRef: (id) => void saveLine({ ...LINE, ...lines.get(id), owner: 1 }),
              removeRef: (id) => void saveLine({ ...LINE, ...lines.get(id), owner: null }),
            }),
          },
          ...(extra.lines as object),
        }),
      ],
    });
  const reset = (): Promise<void> => {
    docs.clear();
    lines.clear();
    saveDoc(DOC);
    saveLine(LINE);
    errors.length = 0;
    return Promise.resolve();
  };
  const listed = (rows: ReadonlyMap<number, unknown>) => () => Promise.resolve([...rows.values()]);
  return Promise.resolve({
    serve,
    docs: listed(docs),
    lines: listed(lines),
    reset,
    close: () => Promise.resolve(),
    errors,
  });
}

async function openTables(engine: (typeof ENGINES)[number]): Promise<Store> {
  const { db, close } = await engine.open();
  const text = "varchar(50)";
  for (const table of [
    `docs (id int primary key not null, title ${text} not null, note ${text}, tenant ${text} not null, author ${text} not null, state ${text} not null, changer ${text})`,
    `lines_of_docs (id int primary key not null, owner int, tenant ${text} not null, text ${text} not null, editor ${text} not null)`,
  ]) {
    await sql.raw(`create table ${table}`).execute(db);
  }
  const { errors, logger } = logged();
  const place = { db, operations: ALL, distributed: isDistributed(db) };
  const serve = (extra: Extra) =>
    odataService({
      logger,
      authenticate: () => ({ id: "ann" }),
      entitySets: [
        sqlEntitySet(Doc, {
          ...place,
          ...docOptions,
          table: "docs",
          navigation: docNavigation,
          ...(extra.docs as object),
        }),
        sqlEntitySet(Line, {
          ...place,
          ...lineOptions,
          table: "lines_of_docs",
          navigation: lineNavigation,
          ...(extra.lines as object),
        }),
      ],
    });
  const rows = (table: string) => async () =>
    (await sql`select * from ${sql.id(table)} order by id`.execute(db)).rows.map((row) => ({ ...(row as object) }));
  const reset = async (): Promise<void> => {
    await sql`delete from docs`.execute(db);
    await sql`delete from lines_of_docs`.execute(db);
    await sql`insert into docs (id, title, tenant, author, state) values (1, 'a', 'one', 'eve', 'old')`.execute(db);
    await sql`insert into lines_of_docs (id, tenant, text, editor) values (1, 'one', 'x', 'eve')`.execute(db);
    errors.length = 0;
  };
  return { serve, docs: rows("docs"), lines: rows("lines_of_docs"), reset, close, errors };
}

const STORES = [
  { title: "arrays", open: openArrays },
  ...ENGINES.map((engine) => ({ title: engine.title, open: () => openTables(engine) })),
];

describe.each(STORES)("hooks and values that the server sets, over $title", ({ title, open }) => {
  let store: Store;

  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());
  beforeEach(() => store.reset());

  const sender =
    (extra: Extra) =>
    async (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = { "Content-Type": "application/json" };
      const request = new Request(`http://docs.example/${path}`, { method, headers: { ...type, ...headers }, ...init });
      const response = await store.serve(extra).fetch(request);
      const text = await response.text();
      return [response.status, text === "" ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)] as const;
    };

  test("a hook that returns the values of clients alone keeps those of the server: POST, deep insert, upsert, PUT, PATCH", async () => {
    const send = sender({
      docs: {
        before: {
          create: ({ entity: { id, title, note, ...rest } }) =>
            ({ id, title: `${title}!`, note, ...("lines" in rest ? { lines: rest["lines"] } : {}) }) as never,
          replace: ({ entity: { title, note } }) => ({ title: `${title}?`, note }) as never,
          patch: ({ delta: { title } }) => ({ title: `${String(title)}.` }),
        },
      },
      lines: { before: { create: ({ entity: { id, owner, text } }) => ({ id, owner, text: `${text}!` }) } },
    });
    expect((await send("POST", "Docs", { Id: 2, Title: "b", Lines: [{ Id: 7, Text: "l" }] }))[0]).toBe(201);
    expect((await send("PUT", "Docs(3)", { Title: "c" }))[0]).toBe(201);
    expect((await send("PUT", "Lines(8)", { Text: "m" }))[0]).toBe(201);
    expect((await send("PATCH", "Docs(1)", { Title: "d" }))[0]).toBe(200);
    const made = { note: null, tenant: "one", author: "ann", state: "new", changer: null };
    const byId = (rows: readonly unknown[]) =>
      (rows as ReadonlyArray<{ id: number }>).toSorted((one, other) => one.id - other.id);
    expect(byId(await store.docs())).toMatchObject(
      [
        { ...DOC, title: "d.", state: "changed", changer: "bob" },
        { id: 2, ...made, changer: undefined, title: "b!" },
        { id: 3, ...made, changer: undefined, title: "c!" },
      ].map(({ changer, ...doc }) => (changer === undefined ? doc : { ...doc, changer })),
    );
    expect(byId(await store.lines())).toEqual([
      LINE,
      { id: 7, owner: 2, tenant: "one", text: "l!", editor: "ann" },
      { id: 8, owner: null, tenant: "one", text: "m!", editor: "ann" },
    ]);
    expect((await send("PUT", "Docs(1)", { Title: "e" }))[0]).toBe(200);
    expect(byId(await store.docs())[0]).toEqual({ ...DOC, title: "e?", state: "changed", changer: "bob" });
  });

  test("row rules judge the values of the server in a delta that a hook returned", async () => {
    const authorization = {
      rows: (_user: unknown, doc: { readonly state: { ne(value: string): unknown } }) => doc.state.ne("closed"),
    };
    for (const before of [{}, { patch: ({ delta }: { delta: object }) => ({ ...delta, note: "n" }) }]) {
      await store.reset();
      const send = sender({ docs: { before, authorization } });
      const [status, json] = await send("PATCH", "Docs(1)", { Title: "b" }, { "X-State": "closed" });
      expect([status, json]).toMatchObject([403, { error: { code: "Forbidden" } }]);
      expect(await store.docs()).toEqual([DOC]);
      expect((await send("PATCH", "Docs(1)", { Title: "b" }))[0]).toBe(200);
    }
  });

  test("a replacement has the values of a new entity for `validate.create` and `before.replace`", async () => {
    const seen: unknown[] = [];
    const send = sender({
      docs: {
        validate: {
          create: ({ entity }) => void seen.push({ ...entity }),
        },
        before: {
          replace: ({ entity }) => {
            seen.push({ ...entity });
            return { ...entity, note: "n" };
          },
        },
      },
    });
    expect((await send("PUT", "Docs(1)", { Title: "b" }))[0]).toBe(200);
    const replaced = { title: "b", note: null, tenant: "one", author: "eve", state: "changed", changer: "bob" };
    expect(seen).toEqual([expect.objectContaining(replaced), expect.objectContaining(replaced)]);
    expect(await store.docs()).toEqual([{ id: 1, ...replaced, note: "n" }]);
  });

  test("a link hook sees the values of clients and of the change, and what it adds is a change, too", async () => {
    const seen: unknown[] = [];
    const send = sender({
      lines: {
        before: {
          patch: ({ delta }) => {
            seen.push({ ...delta });
            return { ...delta, text: "linked" };
          },
        },
      },
    });
    expect((await send("PUT", "Lines(1)/Doc/$ref", { "@odata.id": "http://docs.example/Docs(1)" }))[0]).toBe(204);
    expect(await store.lines()).toEqual([{ ...LINE, owner: 1, text: "linked", editor: "bob" }]);
    expect((await send("DELETE", "Lines(1)/Doc/$ref"))[0]).toBe(204);
    expect(await store.lines()).toEqual([{ ...LINE, owner: null, text: "linked", editor: "bob" }]);
    // A handler that writes a link writes nothing else.
    const ofServer = title === "arrays" ? {} : { editor: "bob" };
    expect(seen).toEqual([
      { owner: 1, ...ofServer },
      { owner: null, ...ofServer },
    ]);
  });

  test("`before.create` of a PUT that creates cannot change the key, which the URL names", async () => {
    const send = sender({ lines: { before: { create: ({ entity }) => ({ ...entity, id: entity.id + 1 }) } } });
    expect((await send("PUT", "Lines(5)", { Text: "m" }))[0]).toBe(500);
    expect(store.errors).toEqual([
      new TypeError(
        "before.create of Lines returned an entity of Line whose `id` cannot be written here. Leave it as it is.",
      ),
    ]);
    expect(await store.lines()).toEqual([LINE]);
    expect((await send("POST", "Lines", { Id: 5, Text: "m" }))[0]).toBe(201);
    expect(await store.lines()).toMatchObject([LINE, { id: 6 }]);
  });

  test("`before.create` cannot leave out nested entities", async () => {
    const send = sender({
      docs: { before: { create: ({ entity: { id, title, note } }) => ({ id, title, note }) as never } },
    });
    expect((await send("POST", "Docs", { Id: 2, Title: "b", Lines: [{ Id: 7, Text: "l" }] }))[0]).toBe(500);
    expect(store.errors).toEqual([
      new TypeError(
        "before.create of Docs returned an entity of Doc whose `lines` is missing. Return the whole entity, such as { ...entity, … }.",
      ),
    ]);
    expect(await store.lines()).toEqual([LINE]);
    expect((await send("POST", "Docs", { Id: 2, Title: "b" }))[0]).toBe(201);
  });
});
