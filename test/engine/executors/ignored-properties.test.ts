import { sql } from "kysely";
import {
  action,
  arraySource,
  authenticated,
  complexType,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  resource,
  type Authorization,
  type Context,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseEngine, type DatabaseName, type OpenDatabase } from "./engines.ts";

/** Rules and `ctx.sets` see ignored properties of every storage form; clients never do. */

const ORIGIN = "http://service.example";
const Place = complexType("Place", { city: edm.string().nullable(), floor: edm.int32().nullable() });
const Doc = entityType("Doc", {
  id: edm.int32().key(),
  title: edm.string(),
  parentId: edm.int32().nullable(),
  locked: edm.boolean().ignored(),
  tenant: edm.string({ maxLength: 20 }).ignored(),
  price: edm.decimal({ precision: 8, scale: 2 }).nullable().ignored(),
  seen: edm.dateTimeOffset({ precision: 3 }).nullable().ignored(),
  place: edm.complex(Place).nullable().ignored(),
  file: edm.complex(Place).nullable().ignored(),
  labels: edm.collection(edm.string()).ignored(),
  code: edm.string().nullable().ignored(),
});
type Doc = EntityOf<typeof Doc>;

/** The entities as rules receive them. */
const ROWS: readonly Doc[] = [1, 2, 3].map((id) => ({
  id,
  title: `doc ${String(id)}`,
  parentId: id === 1 ? null : id - 1,
  locked: id === 1,
  tenant: id === 3 ? "south" : "north",
  price: id === 1 ? "10.50" : null,
  seen: id === 1 ? "2024-05-01T12:00:00.000Z" : null,
  place: id === 1 ? { city: "Oslo", floor: 2 } : null,
  file: id === 1 ? { city: "Rome", floor: null } : null,
  labels: id === 1 ? ["a", "b"] : [],
  code: id === 1 ? "x" : null,
}));
const IGNORED = /locked|tenant|price|seen|place|file|labels|code/iu;
const COLUMNS = {
  parentId: "parent_id",
  file: { storage: "json" },
  code: {
    convert: { fromDatabase: (cell: unknown) => String(cell).slice(1), toDatabase: (value: string) => `#${value}` },
  },
} as const;

const TYPES: Readonly<Record<DatabaseName, Readonly<Record<"flag" | "time" | "json" | "price", string>>>> = {
  sqlite: { flag: "integer", time: "text", json: "text", price: "text" },
  postgres: { flag: "boolean", time: "timestamptz(3)", json: "jsonb", price: "numeric(8,2)" },
  mariadb: { flag: "boolean", time: "datetime(3)", json: "json", price: "decimal(8,2)" },
};

async function createDocs(db: AnyDatabase, { name }: DatabaseEngine): Promise<void> {
  const { flag, time, json, price } = TYPES[name];
  const text = "varchar(20)";
  const table = `docs (id int primary key, title ${text} not null, parent_id int null, locked ${flag} default ${name === "postgres" ? "false" : "0"} not null, tenant ${text} default 'north' not null, price ${price} null, seen ${time} null, place_city ${text} null, place_floor int null, file ${json} null, labels ${json} null, code ${text} null)`;
  await sql`create table ${sql.raw(table)}`.execute(db);
}

async function fillDocs(db: AnyDatabase, { name }: DatabaseEngine): Promise<void> {
  await db.deleteFrom("docs").execute();
  const seen = name === "mariadb" ? "2024-05-01 12:00:00" : "2024-05-01T12:00:00.000Z";
  const flag = (value: boolean): unknown => (name === "postgres" ? value : Number(value));
  const rows = ROWS.map(({ id, title, parentId, locked, tenant, price, place, file, labels, code }) => ({
    id,
    title,
    parent_id: parentId,
    locked: flag(locked),
    tenant,
    price,
    seen: id === 1 ? seen : null,
    place_city: place?.city ?? null,
    place_floor: place?.floor ?? null,
    // The names of members in JSON are those of the application.
    file: file === null ? null : JSON.stringify(file),
    labels: labels.length === 0 ? null : JSON.stringify(labels),
    code: code === null ? null : `#${code}`,
  }));
  await db.insertInto("docs").values(rows).execute();
}

const PARENT = { on: { parentId: "id" }, target: "Docs", partner: "children" } as const;
const CHILDREN = { on: { id: "parentId" }, target: "Docs", partner: "parent" } as const;
const NAVIGATION = { parent: hasOptional(Doc, PARENT), children: hasMany(Doc, CHILDREN) };
type Rules = Authorization<typeof Doc, typeof NAVIGATION>;

const touch = action({ bound: "entity", handler: (_id) => undefined });
const show = fn({ bound: "entity", returns: Doc, handler: (id) => ROWS[Number(id) - 1] ?? null });

function tableDocs(db: AnyDatabase, authorization: Rules = {}) {
  return sqlEntitySet(Doc, {
    db,
    table: "docs",
    columns: COLUMNS,
    operations: ["read", "create", "replace", "patch", "delete"],
    allowUpsert: true,
    allowDeepInsert: true,
    authorization,
    navigation: NAVIGATION,
    actions: { touch },
    functions: { show },
  });
}

/** A set over an array, whose handlers return the stored entities. */
function arrayDocs(stored: Map<number, Doc>, authorization: Rules = {}) {
  const write = (id: number, changes: object): Doc | null => {
    const old = stored.get(id);
    if (old === undefined) return null;
    const made: Doc = { ...old, ...changes };
    stored.set(id, made);
    return made;
  };
  return entitySet(Doc, {
    queryable: () => arraySource(Doc, [...stored.values()]),
    getByKey: (id) => stored.get(id) ?? null,
    create: (doc) => {
      const made: Doc = { ...DEFAULTS, ...doc };
      stored.set(doc.id, made);
      return made;
    },
    replace: (id, doc) => write(id, doc),
    patch: (id, delta) => write(id, delta),
    delete: (id) => stored.delete(id),
    allowUpsert: true,
    authorization,
    actions: { touch },
    functions: { show },
    navigation: {
      parent: hasOptional(Doc, {
        ...PARENT,
        get: (id) => stored.get(stored.get(id)?.parentId ?? 0) ?? null,
        setRef: () => undefined,
        removeRef: () => undefined,
      }),
      children: hasMany(Doc, {
        ...CHILDREN,
        get: (id) => [...stored.values()].filter(({ parentId }) => parentId === id),
        create: (id, doc) => ({ ...DEFAULTS, ...doc, parentId: id }),
        addRef: () => undefined,
        removeRef: () => undefined,
      }),
    },
  });
}

/** The values of columns that no client sends. */
const DEFAULTS = {
  locked: false,
  tenant: "north",
  price: null,
  seen: null,
  place: null,
  file: null,
  labels: [],
  code: null,
};

/** A model over a database or an array. */
interface Model {
  readonly title: string;
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly fill: () => Promise<void>;
  readonly docs: (authorization?: Rules) => ReturnType<typeof tableDocs>;
  /** The statements since the last call; null without a database. */
  readonly statements: () => readonly string[] | null;
}

function overDatabase(engine: DatabaseEngine): Model {
  let open: OpenDatabase;
  let log: string[] = [];
  return {
    title: engine.title,
    open: async () => {
      open = await engine.open(({ query }) => log.push(query.sql));
      await createDocs(open.db, engine);
    },
    close: () => open.close(),
    fill: () => fillDocs(open.db, engine),
    docs: (authorization) => tableDocs(open.db, authorization),
    statements: () => {
      const sent = log;
      log = [];
      return sent;
    },
  };
}

function overArray(): Model {
  const stored = new Map<number, Doc>();
  return {
    title: "an array",
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
    fill: () => {
      stored.clear();
      for (const row of ROWS) stored.set(row.id, structuredClone(row));
      return Promise.resolve();
    },
    // Only the names of its handlers differ.
    docs: (authorization) => arrayDocs(stored, authorization) as unknown as ReturnType<typeof tableDocs>,
    statements: () => null,
  };
}

interface Sent {
  readonly status: number;
  readonly text: string;
}

const warnings: unknown[] = [];

function serviceOf(docs: ReturnType<typeof tableDocs>, script?: (ctx: Context) => Promise<readonly Doc[]>) {
  const list = fn({ returns: edm.collection(Doc), authorization: [], handler: (_none, ctx) => script?.(ctx) ?? [] });
  const service = odataService({
    propertyNaming: "camelCase",
    entitySets: [docs],
    functions: { list },
    authenticate: () => ({ id: "ann", tenant: "north" }),
    logger: {
      error: (_message, { err }) => warnings.push(err),
      warn: (message) => warnings.push(message),
      info: () => undefined,
    },
  });
  return async (method: string, path: string, body?: unknown, type = "application/json"): Promise<Sent> => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = body === undefined ? { method } : { method, headers: { "Content-Type": type }, body: text };
    const response = await service.fetch(new Request(`${ORIGIN}/${path}`, init));
    return { status: response.status, text: await response.text() };
  };
}

const reference = (id: number): object => ({ "@odata.id": `${ORIGIN}/Docs(${String(id)})` });

/** Requests that address one entity or link it, by its key. */
const REQUESTS: ReadonlyArray<{
  readonly name: string;
  readonly method: string;
  readonly path: (id: number) => string;
  readonly body?: object;
}> = [
  { name: "reads an entity", method: "GET", path: (id) => `Docs(${String(id)})` },
  {
    name: "reads an entity with an expansion",
    method: "GET",
    path: (id) => `Docs(${String(id)})?$expand=children&$select=title`,
  },
  { name: "reads a property", method: "GET", path: (id) => `Docs(${String(id)})/title` },
  { name: "reads a value", method: "GET", path: (id) => `Docs(${String(id)})/title/$value` },
  { name: "reads along a navigation", method: "GET", path: (id) => `Docs(${String(id)})/children` },
  { name: "counts along a navigation", method: "GET", path: (id) => `Docs(${String(id)})/children/$count` },
  { name: "reads references", method: "GET", path: (id) => `Docs(${String(id)})/children/$ref` },
  { name: "changes an entity", method: "PATCH", path: (id) => `Docs(${String(id)})`, body: { title: "new" } },
  {
    name: "replaces an entity",
    method: "PUT",
    path: (id) => `Docs(${String(id)})`,
    body: { title: "new", parentId: null },
  },
  { name: "writes a property", method: "PUT", path: (id) => `Docs(${String(id)})/title`, body: { value: "new" } },
  { name: "clears a property", method: "DELETE", path: (id) => `Docs(${String(id)})/parentId` },
  {
    name: "creates along a navigation",
    method: "POST",
    path: (id) => `Docs(${String(id)})/children`,
    body: { id: 9, title: "new", parentId: null },
  },
  { name: "links an entity", method: "POST", path: (id) => `Docs(${String(id)})/children/$ref`, body: reference(2) },
  { name: "sets a link", method: "PUT", path: (id) => `Docs(${String(id)})/parent/$ref`, body: reference(2) },
  { name: "removes a link", method: "DELETE", path: (id) => `Docs(${String(id)})/parent/$ref` },
  { name: "calls an action", method: "POST", path: (id) => `Docs(${String(id)})/touch`, body: {} },
  { name: "calls a function", method: "GET", path: (id) => `Docs(${String(id)})/show()` },
  { name: "deletes an entity", method: "DELETE", path: (id) => `Docs(${String(id)})` },
];

describe.each([...ENGINES.map(overDatabase), overArray()])("ignored properties over $title", (model) => {
  beforeAll(() => model.open());
  afterAll(() => model.close());
  beforeEach(async () => {
    await model.fill();
    warnings.length = 0;
    model.statements();
  });

  const judged: unknown[] = [];
  const isOpen = resource<typeof Doc>((_user, doc) => {
    judged.push(doc);
    return !doc.locked;
  });
  const rows: Rules["rows"] = (_user, doc) => doc.id.ge(0);

  test.each(REQUESTS)("a rule sees them: $name", async ({ method, path, body }) => {
    judged.length = 0;
    const send = serviceOf(model.docs({ all: isOpen, rows }));
    const refused = await send(method, path(1), body);
    expect(refused).toMatchObject({ status: 403 });
    expect(judged).toEqual([ROWS[0]]);
    const passed = await send(method, path(3), body);
    expect([passed.status < 300, passed.text]).toEqual([true, expect.not.stringMatching(IGNORED) as unknown]);
    expect(judged[1]).toEqual(ROWS[2]);
  });

  test("a rule sees them in one related entity and in a linked entity", async () => {
    const send = serviceOf(model.docs({ read: isOpen, update: authenticated(), rows }));
    judged.length = 0;
    expect(await send("GET", "Docs(2)/parent")).toMatchObject({ status: 403 });
    expect(judged).toEqual([ROWS[1], ROWS[0]]);
    judged.length = 0;
    expect(await send("PUT", "Docs(2)/parent/$ref", reference(1))).toMatchObject({ status: 403 });
    expect(judged).toEqual([ROWS[0]]);
  });

  test("a rule sees them in a change set", async () => {
    const send = serviceOf(model.docs({ update: isOpen }));
    const changes = [2, 1].map((id) =>
      [
        `--c\nContent-Type: application/http\nContent-ID: ${String(id)}`,
        `PATCH Docs(${String(id)}) HTTP/1.1\nContent-Type: application/json`,
        '{"title":"new"}\n',
      ].join("\n\n"),
    );
    const parts = `--b\nContent-Type: multipart/mixed;boundary=c\n\n${changes.join("")}--c--\n--b--\n`;
    const answer = await send("POST", "$batch", parts.replaceAll("\n", "\r\n"), "multipart/mixed;boundary=b");
    // Only a database has change sets of several writes.
    if (model.statements() !== null) expect(answer.text).toContain("HTTP/1.1 403");
    expect((await send("GET", "Docs(2)/title/$value")).text).toBe("doc 2");
  });

  test("a rule receives a frozen entity", async () => {
    const attempts: boolean[] = [];
    const change = (target: object, name: string): void => {
      attempts.push(Reflect.set(target, name, "changed"));
    };
    const check = resource<typeof Doc>((_user, doc, context) => {
      change(doc, "title");
      change(context, "user");
      if (doc.place !== null && doc.place !== undefined) change(doc.place, "city");
      if (doc.labels !== undefined) change(doc.labels, "0");
      return true;
    });
    const send = serviceOf(model.docs({ all: check, read: authenticated() }));
    expect(await send("POST", "Docs", { id: 7, title: "seven", parentId: null })).toMatchObject({ status: 201 });
    expect(await send("PATCH", "Docs(1)", { parentId: 2 })).toMatchObject({ status: 200 });
    expect(attempts).toEqual([false, false, false, false, false, false]);
    expect((await send("GET", "Docs(7)/title/$value")).text).toBe("seven");
    // The application may go on to change its own rows.
    expect(await send("PATCH", "Docs(7)", { title: "again" })).toMatchObject({ status: 200 });
  });

  test("a row rule compares them", async () => {
    const send = serviceOf(model.docs({ rows: (_user, doc) => doc.tenant.eq("north").and(doc.locked.eq(false)) }));
    expect((await send("GET", "Docs/$count")).text).toBe("1");
    expect(await send("GET", "Docs(1)")).toMatchObject({ status: 404 });
    expect(await send("GET", "Docs(2)")).toMatchObject({ status: 200 });
    expect((await send("GET", "Docs?$expand=parent,children")).text).not.toMatch(IGNORED);
    const placed = serviceOf(
      model.docs({ rows: (_user, doc) => doc.place.isNull().not().and(doc.file.isNull().not()) }),
    );
    expect((await placed("GET", "Docs/$count")).text).toBe("1");
    const along = serviceOf(
      model.docs({ rows: (_user, doc) => doc.parent.locked.eq(true).and(doc.parent.tenant.eq("north")) }),
    );
    expect((await along("GET", "Docs/$count")).text).toBe("1");
    expect(warnings).toEqual([]);
  });

  test("ctx.sets returns them, and the service writes none of them", async () => {
    const found: unknown[] = [];
    const keep = <T>(value: T): T => {
      found.push(value);
      return value;
    };
    const docs = model.docs({ rows: (_user, doc) => doc.tenant.eq("north") });
    const send = serviceOf(docs, async ({ sets }) => {
      keep(await sets(docs).get(1));
      keep(await sets(docs).create({ id: 8, title: "eight" }));
      keep(await sets(docs).patch(8, { title: "again" }));
      keep(await sets(docs).patch(8, {}));
      keep(
        await sets(docs)
          .patch(8, { title: "not" }, { expected: { locked: true } })
          .catch(String),
      );
      keep(await sets(docs).patch(8, { title: "last" }, { expected: { locked: false, tenant: "north" } }));
      return keep(await sets(docs).query({ filter: (doc) => doc.locked.eq(false), orderBy: ["tenant", "id desc"] }));
    });
    const { status, text } = await send("GET", "list()");
    expect(warnings).toEqual([]);
    const eight = { ...DEFAULTS, id: 8, title: "eight", parentId: null };
    expect(found).toEqual([
      ROWS[0],
      eight,
      { ...eight, title: "again" },
      { ...eight, title: "again" },
      expect.stringMatching(/changed or deleted/u),
      { ...eight, title: "last" },
      [{ ...eight, title: "last" }, ROWS[1]],
    ]);
    expect(status).toBe(200);
    // The row rule does not filter the result of the handler.
    expect(JSON.parse(text)).toMatchObject([{ id: 8 }, { id: 2 }]);
    expect(text).not.toMatch(IGNORED);
  });

  test("nothing reads them without a rule", async () => {
    const send = serviceOf(model.docs());
    for (const { method, path, body } of REQUESTS) {
      const { status, text } = await send(method, path(3), body);
      expect([status < 300, text]).toEqual([true, expect.not.stringMatching(IGNORED) as unknown]);
    }
    await send("GET", "Docs?$expand=children,parent&$orderby=title&$count=true");
    const read = (model.statements() ?? []).filter((statement) => /from ["`]?docs/iu.test(statement));
    for (const statement of read) expect(statement).not.toMatch(IGNORED);
  });
});
