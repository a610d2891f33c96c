import { sql } from "kysely";
import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  fn,
  odataService,
  resource,
  type Authorization,
  type Context,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseEngine, type DatabaseName, type OpenDatabase } from "./engines.ts";

/** Rules and `ctx.sets` see ignored members of complex values in every storage form; no request sees or changes them. */

const ORIGIN = "http://service.example";
const Geo = complexType("Geo", { lat: edm.int32().nullable(), origin: edm.string().nullable().ignored() });
const Place = complexType("Place", {
  city: edm.string().nullable(),
  seen: edm.int32().nullable().computed(),
  geo: edm.complex(Geo).nullable(),
  verified: edm.boolean().ignored(),
  score: edm.decimal({ precision: 8, scale: 2 }).nullable().ignored(),
  marks: edm.collection(edm.string()).ignored(),
});
const Doc = entityType("Doc", {
  id: edm.int32().key(),
  title: edm.string(),
  home: edm.complex(Place),
  work: edm.complex(Place).nullable(),
  file: edm.complex(Place).nullable(),
  code: edm.complex(Place).nullable(),
  mixed: edm.complex(Place),
  stops: edm.collection(edm.complex(Place)),
});
type Doc = EntityOf<typeof Doc>;
type Place = Doc["home"];

const place = (city: string, verified: boolean): Place => ({
  city,
  seen: 5,
  geo: { lat: 1, origin: `${city}-origin` },
  verified,
  score: "1.50",
  marks: [`${city}-mark`],
});
const ROWS: readonly Doc[] = [1, 2].map((id) => ({
  id,
  title: `doc ${String(id)}`,
  home: place("a", id === 1),
  work: place("b", id === 1),
  file: place("c", id === 1),
  code: place("d", id === 1),
  mixed: place("e", id === 1),
  stops: [place("f", id === 1)],
}));
const HIDDEN = /verified|score|marks|origin|1\.50|-mark/iu;

const JSON_TYPES: Readonly<Record<DatabaseName, string>> = { sqlite: "text", postgres: "jsonb", mariadb: "json" };
const COLUMNS = {
  file: { storage: "json" },
  code: {
    convert: {
      fromDatabase: (cell: unknown): Place => JSON.parse(String(cell).slice(1)) as Place,
      toDatabase: (value: Place): string => `#${JSON.stringify(value)}`,
    },
  },
  // A document within a value with a column per member, and names and storage of ignored members.
  mixed: { columns: { geo: { storage: "json" }, verified: "m_ok", score: { name: "m_score", storage: "text" } } },
} as const;

function placeColumns(prefix: string, { name }: DatabaseEngine): readonly string[] {
  const json = JSON_TYPES[name];
  const flag = name === "postgres" ? "boolean default false" : "integer default 0";
  const price = name === "sqlite" ? "text" : "numeric(8,2)";
  return [
    `${prefix}_city varchar(20)`,
    `${prefix}_seen int`,
    `${prefix}_verified ${flag} not null`,
    `${prefix}_score ${price}`,
    `${prefix}_marks ${json}`,
    `${prefix}_geo_lat int`,
    `${prefix}_geo_origin varchar(20)`,
  ];
}

async function createDocs(db: AnyDatabase, engine: DatabaseEngine): Promise<void> {
  const json = JSON_TYPES[engine.name];
  const flag = engine.name === "postgres" ? "boolean default false" : "integer default 0";
  const columns = [
    "id int primary key",
    "title varchar(20) not null",
    ...placeColumns("home", engine),
    ...placeColumns("work", engine),
    `file ${json}`,
    "code text",
    `mixed_city varchar(20), mixed_seen int, mixed_geo ${json}, m_ok ${flag} not null, m_score varchar(20), mixed_marks ${json}`,
    `stops ${json}`,
  ];
  await sql`create table docs (${sql.raw(columns.join(", "))})`.execute(db);
}

async function fillDocs(db: AnyDatabase, { name }: DatabaseEngine): Promise<void> {
  await db.deleteFrom("docs").execute();
  const flag = (value: boolean): unknown => (name === "postgres" ? value : Number(value));
  const flat = (prefix: string, value: Place): object => ({
    [`${prefix}_city`]: value.city,
    [`${prefix}_seen`]: value.seen,
    [`${prefix}_verified`]: flag(value.verified),
    [`${prefix}_score`]: value.score,
    [`${prefix}_marks`]: JSON.stringify(value.marks),
    [`${prefix}_geo_lat`]: value.geo?.lat,
    [`${prefix}_geo_origin`]: value.geo?.origin,
  });
  // JSON contains numbers of OData JSON.
  const json = ({ score, ...rest }: Place): object => ({ ...rest, score: Number(score) });
  const rows = ROWS.map(({ id, title, home, work, file, code, mixed, stops }) => ({
    id,
    title,
    ...flat("home", home),
    ...flat("work", work ?? home),
    file: JSON.stringify(json(file ?? home)),
    code: `#${JSON.stringify(code)}`,
    mixed_city: mixed.city,
    mixed_seen: mixed.seen,
    mixed_geo: JSON.stringify(mixed.geo),
    m_ok: flag(mixed.verified),
    m_score: mixed.score,
    mixed_marks: JSON.stringify(mixed.marks),
    stops: JSON.stringify(stops.map(json)),
  }));
  await db.insertInto("docs").values(rows).execute();
}

/** The decimal of JSON has no trailing zeros. */
const known = (doc: Doc): Doc => JSON.parse(JSON.stringify(doc).replaceAll('"1.5"', '"1.50"')) as Doc;

type Rules = Authorization<typeof Doc>;

interface Model {
  readonly title: string;
  readonly isTable: boolean;
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly fill: () => Promise<void>;
  readonly docs: (authorization?: Rules) => ReturnType<typeof tableDocs>;
  readonly statements: () => readonly string[];
}

function tableDocs(db: AnyDatabase, authorization: Rules = {}) {
  return sqlEntitySet(Doc, {
    db,
    table: "docs",
    columns: COLUMNS,
    operations: ["read", "create", "replace", "patch", "delete"],
    authorization,
  });
}

function overDatabase(engine: DatabaseEngine): Model {
  let open: OpenDatabase;
  let log: string[] = [];
  return {
    title: engine.title,
    isTable: true,
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
    isTable: false,
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
    fill: () => {
      stored.clear();
      for (const row of ROWS) stored.set(row.id, structuredClone(row));
      return Promise.resolve();
    },
    docs: (authorization = {}) =>
      entitySet(Doc, {
        queryable: () => arraySource(Doc, [...stored.values()]),
        getByKey: (id) => stored.get(id) ?? null,
        delete: (id) => stored.delete(id),
        authorization,
      }),
    statements: () => [],
  };
}

const errors: unknown[] = [];

function serviceOf(docs: ReturnType<typeof tableDocs>, script?: (ctx: Context) => Promise<unknown>) {
  errors.length = 0;
  const run = fn({
    returns: edm.collection(Doc),
    authorization: [],
    handler: async (_none, ctx) => ((await script?.(ctx)) ?? []) as readonly Doc[],
  });
  const service = odataService({
    propertyNaming: "camelCase",
    entitySets: [docs],
    functions: { run },
    authenticate: () => ({ id: "ann" }),
    logger: {
      error: (_message, { err }) => errors.push(err),
      warn: (message) => errors.push(message),
      info: () => undefined,
    },
  });
  return async (method: string, path: string, body?: unknown) => {
    const headers = { "Content-Type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`${ORIGIN}/${path}`, init));
    return { status: response.status, text: await response.text() };
  };
}

const READS = ["Docs(1)", "Docs(1)/title", "Docs(1)/home", "Docs(1)/file", "Docs(1)/stops", "Docs(1)/title/$value"];
const SENT = { city: "new", geo: { lat: 2 } };

describe.each([...ENGINES.map(overDatabase), overArray()])("ignored members of complex values over $title", (model) => {
  beforeAll(() => model.open());
  afterAll(() => model.close());
  beforeEach(async () => {
    await model.fill();
    model.statements();
  });

  const rows: Rules["rows"] = (_user, doc) => doc.id.ge(0);
  const judged: Doc[] = [];
  const isOpen = resource<typeof Doc>((_user, doc) => {
    judged.push(doc);
    const places = [doc.home, doc.work, doc.file, doc.code, doc.mixed, ...doc.stops];
    return places.every((each) => each?.verified === false);
  });

  test.each([...READS.map((path) => ["GET", path] as const), ["DELETE", "Docs(1)"] as const])(
    "a rule sees them: %s %s",
    async (method, path) => {
      judged.length = 0;
      const send = serviceOf(model.docs({ all: isOpen, rows }));
      expect(await send(method, path)).toMatchObject({ status: 403 });
      expect(errors).toEqual([]);
      expect(judged.map(known)).toEqual([ROWS[0]]);
      const passed = await send(method, path.replace("(1)", "(2)"));
      expect([passed.status < 300, passed.text]).toEqual([true, expect.not.stringMatching(HIDDEN) as unknown]);
    },
  );

  test("clients see none of them", async () => {
    const send = serviceOf(model.docs({ all: isOpen, rows }));
    expect((await send("GET", "$metadata")).text).not.toMatch(HIDDEN);
    for (const option of ["$filter=home/verified eq true", "$orderby=work/score", "$select=file/marks"]) {
      expect(await send("GET", `Docs?${option}`)).toMatchObject({ status: 400 });
    }
    const open = serviceOf(model.docs());
    expect((await open("GET", "Docs")).text).not.toMatch(HIDDEN);
    expect(
      (await open("GET", "Docs?$filter=home/city eq 'a' and work ne null&$orderby=work/city&$top=1")).text,
    ).not.toMatch(HIDDEN);
    expect(await open("GET", "Docs(1)/home/verified")).toMatchObject({ status: 404 });
    for (const text of model.statements()) expect(text).not.toMatch(/verified|score|marks|origin|m_ok/u);
  });

  test("ctx.sets returns them, and the service writes none of them", async () => {
    const found: unknown[] = [];
    const docs = model.docs();
    const send = serviceOf(docs, async ({ sets }) => {
      found.push(await sets(docs).get(1));
      const all = await sets(docs).query({ orderBy: ["id"] });
      found.push(...all);
      return all;
    });
    const { status, text } = await send("GET", "run()");
    expect(errors).toEqual([]);
    expect(status).toBe(200);
    expect(text).not.toMatch(HIDDEN);
    expect(found.map((each) => known(each as Doc))).toEqual([ROWS[0], ...ROWS]);
  });

  if (!model.isTable) return;

  /** Reads the stored entity as the application sees it. */
  async function stored(id: number): Promise<Doc | null> {
    let found: Doc | null = null;
    const docs = model.docs();
    await serviceOf(docs, async ({ sets }) => {
      found = await sets(docs).get(id);
      return [];
    })("GET", "run()");
    expect(errors).toEqual([]);
    return found === null ? null : known(found);
  }

  const changed = (value: Place | null): Place => {
    const { geo, ...rest } = value ?? place("x", false);
    return { ...rest, city: "new", geo: { lat: 2, origin: geo?.origin ?? null } };
  };
  const [before] = ROWS;
  const FIELDS = ["home", "work", "file", "code", "mixed"] as const;
  const after = {
    ...before,
    ...Object.fromEntries(FIELDS.map((field) => [field, changed(before?.[field] ?? null)])),
  };
  const bodies = Object.fromEntries(FIELDS.map((field) => [field, SENT]));

  test("PATCH keeps them", async () => {
    const send = serviceOf(model.docs());
    const answer = await send("PATCH", "Docs(1)", bodies);
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringMatching(HIDDEN) as unknown]);
    expect(await stored(1)).toEqual(after);
  });

  test("PUT of the entity keeps them, and computed members", async () => {
    const send = serviceOf(model.docs());
    const answer = await send("PUT", "Docs(1)", { title: "doc 1", stops: [], ...bodies });
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringMatching(HIDDEN) as unknown]);
    expect(await stored(1)).toEqual({ ...after, stops: [] });
  });

  test.each(FIELDS)("PUT of the complex value keeps them: %s", async (field) => {
    const send = serviceOf(model.docs());
    expect(await send("PUT", `Docs(1)/${field}`, { value: SENT })).toMatchObject({ status: 204 });
    expect(await stored(1)).toEqual({ ...before, [field]: after[field] });
  });

  test("a write of a collection replaces its items, which then have none", async () => {
    const send = serviceOf(
      model.docs({ delete: resource<typeof Doc>((_user, { stops }) => stops[0]?.verified === false) }),
    );
    expect(await send("PATCH", "Docs(1)", { stops: [SENT] })).toMatchObject({ status: 200 });
    expect(await send("DELETE", "Docs(1)")).toMatchObject({ status: 500 });
    expect(errors).toEqual([
      expect.objectContaining({ message: "The handlers of Docs return no `stops.verified`, which a rule reads." }),
    ]);
  });

  test("POST leaves them to the database, and JSON has none", async () => {
    const found: unknown[] = [];
    const docs = model.docs();
    const send = serviceOf(docs, async ({ sets }) => {
      const made = await sets(docs).create({ id: 9, title: "nine", home: SENT, mixed: SENT, file: SENT, stops: [] });
      found.push(made, await sets(docs).get(9));
      return [];
    });
    expect(await send("GET", "run()")).toMatchObject({ status: 200 });
    expect(errors).toEqual([]);
    const fresh = { city: "new", seen: null, geo: { lat: 2, origin: null }, verified: false, score: null, marks: [] };
    const { verified: _absent, ...document } = fresh;
    const nine = { id: 9, title: "nine", home: fresh, work: null, file: document, code: null, mixed: fresh, stops: [] };
    expect(found).toEqual([nine, nine]);
    const [made] = found as Doc[];
    expect(() => made?.file?.verified).toThrow("The handlers of Docs return no `file.verified`");
  });

  test("a value that becomes null keeps the columns of its ignored members", async () => {
    const send = serviceOf(model.docs());
    expect(await send("PATCH", "Docs(1)", { work: null, file: null })).toMatchObject({ status: 200 });
    expect(await stored(1)).toEqual({ ...before, work: null, file: null });
    expect(await send("PATCH", "Docs(1)", { work: SENT })).toMatchObject({ status: 200 });
    expect((await stored(1))?.work).toEqual({
      ...changed(before?.work ?? null),
      seen: null,
      geo: { lat: 2, origin: "b-origin" },
    });
  });
});
