import { Kysely, sql } from "kysely";
import {
  allRows,
  anyOf,
  authenticated,
  type Authorization,
  edm,
  entityType,
  hasMany,
  hasOptional,
  noRows,
  odataService,
  type ODataService,
  resource,
  role,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { openApiDocument, type OpenApiDocument } from "odatakit/openapi";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import {
  authenticate,
  type Desk,
  deskService,
  type DeskOptions,
  type Trial,
  trialsOf,
  tryAs,
} from "./guarded-model.ts";
import { everything } from "./model.ts";
import { faultsOf } from "./validate.ts";
import { operationOf, type OperationObject } from "./walk.ts";

const MINE = resource<typeof Desk>((user, desk) => desk.owner === user.id);
const OWN: Authorization<typeof Desk> = { rows: (user, desk) => desk.owner.eq(user.id ?? "") };

/** Services by the place of their rules. */
const SERVICES: Readonly<Record<string, DeskOptions>> = {
  nowhere: {},
  "at the registration: a user": { service: { authorization: authenticated() } },
  "at the registration: a role": { service: { authorization: role("member") } },
  "at a set: a user": { desks: { all: authenticated() }, unbound: [] },
  "at each category: a role": {
    desks: {
      read: role("read"),
      create: role("create"),
      update: role("update"),
      delete: role("delete"),
      invoke: role("invoke"),
    },
    unbound: role("unbound"),
  },
  "at a set: alternatives of which a user is one": { desks: { all: anyOf(role("a"), authenticated()) }, unbound: [] },
  "at categories: a check of the entity": {
    desks: { update: [role("member"), MINE], delete: MINE, create: anyOf(MINE, role("create")) },
    unbound: authenticated(),
  },
  "at reading: a check of the entity, also of a related one": {
    desks: { read: MINE, rows: () => allRows },
    pens: { read: resource(() => false), rows: () => allRows },
    unbound: [],
  },
  "at reading the entities that open ones lead to": {
    pens: { read: [role("member"), resource(() => true)], rows: () => allRows },
    unbound: [],
  },
  "at creating, whereas everybody may replace": { desks: { update: [], create: role("member") }, unbound: [] },
  "at rows": { desks: OWN, unbound: [] },
  "at rows of the set that navigations lead to": { pens: { rows: () => noRows }, unbound: [] },
  "at writes of other sites": { service: { crossSiteWrites: "refuse" } },
};

const CALLERS = [null, "ann", "bob", "ann:member", "bob:member,read,update"];

/** An expression that names both sets, so that the rules of both apply. */
const NAMED = `$filter=${encodeURIComponent("$root/Desks(1)/Id eq 1 or $root/Pens(1)/Id eq 1")}`;

/** Returns an operation of a document by its method and path. */
function described(document: OpenApiDocument, name: string): OperationObject {
  const [method = "", path = ""] = name.split(" ");
  return operationOf(document, method, path);
}

const hasParameter = ({ parameters = [] }: OperationObject, ...names: readonly string[]): boolean =>
  parameters.some(({ name }) => names.includes(name));

/** Requests to each operation to which different rules apply. */
function variantsOf(document: OpenApiDocument): readonly Trial[] {
  return trialsOf(document).flatMap((trial) => [
    trial,
    ...(/^PUT .*Desks\(\{Id\}\)$/.test(trial.name) ? [{ ...trial, url: trial.url.replace("(1)", "(7)") }] : []),
    ...(hasParameter(described(document, trial.name), "$filter") || trial.name.endsWith("/$query")
      ? [{ ...trial, url: `${trial.url}?${NAMED}` }]
      : []),
  ]);
}

describe.each(Object.entries(SERVICES))("rules %s", (_where, options) => {
  const service = deskService(options);
  const document = openApiDocument(service);

  test("make a valid document", async () => {
    expect(await faultsOf(document)).toEqual([]);
  });

  test("list every possible status, and 403 only if it is possible", async () => {
    const met = new Map<string, Set<number>>();
    for (const trial of variantsOf(document)) {
      const statuses = met.get(trial.name) ?? new Set();
      met.set(trial.name, statuses);
      for (const caller of CALLERS) {
        for (const site of trial.method === "GET" ? [undefined] : [undefined, "cross-site"]) {
          const { status } = await tryAs(service, caller, trial, site);
          statuses.add(status);
          const what = `${trial.name} ${trial.url} ${String(caller)}`;
          expect(Object.keys(described(document, trial.name).responses), what).toContain(String(status));
          expect(status, what).toBeLessThan(500);
        }
      }
    }
    for (const [name, statuses] of met) {
      const operation = described(document, name);
      // Expansions and orders are not tried, and row rules refuse only some writes.
      const isTried =
        !hasParameter(operation, "$expand", "$orderby") &&
        operation.description?.includes("the written entity") !== true;
      if (isTried) expect(statuses.has(403), name).toBe(Object.hasOwn(operation.responses, "403"));
    }
  });

  test("return 401 without credentials if the document requires credentials", async () => {
    for (const trial of trialsOf(document)) {
      const { security = [], description = "" } = described(document, trial.name);
      const isOpen = security.some((each) => Object.keys(each).length === 0);
      const { status } = await tryAs(service, null, trial);
      if (!isOpen) expect(status, trial.name).toBe(401);
      // An entity that is created along a navigation must be visible, too.
      else if (!/ requires |the written entity/.test(description)) expect(status, trial.name).not.toBe(401);
    }
  });
});

describe("the description of the rules of an operation", () => {
  const document = openApiDocument(
    deskService({
      desks: {
        all: authenticated(),
        create: [role("writer"), MINE],
        update: anyOf(role("writer"), role("a`b"), MINE),
        delete: [role("member"), role("admin")],
        ...OWN,
      },
      pens: { read: [role("member"), resource(() => true)], rows: () => allRows },
      unbound: [],
      service: { authorization: [authenticated(), role("member")] },
    }),
  );
  const SEEN = "The result excludes rows that the user may not see.";
  const WRITTEN = "The user must be able to see the written entity.";

  test.each([
    ["GET /d", "Requires the role `member`."],
    ["GET /d/$metadata", "Requires the role `member`."],
    ["GET /d/greet", "Requires the role `member`."],
    ["GET /d/Desks", `Requires the role \`member\`. ${SEEN}`],
    ["GET /d/Desks({Id})", `Requires the role \`member\`. ${SEEN}`],
    ["GET /d/Desks({Id})/Pens/$count", `Requires the role \`member\`. ${SEEN}`],
    [
      "GET /d/Desks({Id})/Best",
      `Requires the role \`member\`. Reading the related entity requires a check of the entity. ${SEEN}`,
    ],
    [
      "POST /d/Desks",
      `Requires the role \`member\`, and the role \`writer\`, and a check of the entity. ${SEEN} ${WRITTEN}`,
    ],
    [
      "PUT /d/Desks({Id})",
      "Requires the role `member`, and the role `writer` or the role `` a`b `` or a check of the entity. " +
        `Creating the entity requires the role \`writer\`, and a check of the entity. ${SEEN} ${WRITTEN}`,
    ],
    ["DELETE /d/Desks({Id})", `Requires the role \`member\`, and the role \`admin\`. ${SEEN}`],
    ["POST /d/Desks/sweep", "Requires the role `member`."],
    ["GET /d/Desks/all", `Requires the role \`member\`. ${SEEN}`],
    ["GET /d/Pens", `Requires the role \`member\`. ${SEEN}`],
    ["GET /d/Pens({Id})", `Requires the role \`member\`, and a check of the entity. ${SEEN}`],
  ])("%s", (name, expected) => {
    expect(described(document, name).description).toBe(expected);
  });

  test("is absent without rules, and names a user if a user suffices", () => {
    const half = openApiDocument(deskService({ desks: { all: [authenticated()] }, unbound: [] }));
    expect(described(half, "GET /d/Desks").description).toBe("Requires a user.");
    expect(described(half, "GET /d/Pens")).not.toHaveProperty("description");
    expect(described(half, "GET /d/Desks").security).toEqual([{ bearer: [] }]);
    expect(described(half, "GET /d/Pens").security).toEqual([{ bearer: [] }, {}]);
    expect(described(half, "GET /d/Desks").responses).toHaveProperty("401");
    expect(described(half, "GET /d/Desks").responses).not.toHaveProperty("403");
  });

  test("names a user for a create with a row rule, even if anonymous reads are possible", () => {
    const hidden = openApiDocument(deskService({ desks: { rows: () => allRows, ...OWN }, unbound: [] }));
    const create = described(hidden, "POST /d/Desks");
    expect(create.description).toBe(`Requires a user. ${SEEN} ${WRITTEN}`);
    expect(create.security).toEqual([{ bearer: [] }]);
    expect(Object.keys(create.responses)).toEqual(expect.arrayContaining(["401", "403"]));
    const change = described(hidden, "PATCH /d/Desks({Id})");
    expect(change.security).toEqual([{ bearer: [] }, {}]);
    expect(described(hidden, "GET /d/Desks").description).toBe(SEEN);
  });

  test("includes rules that no user can meet", () => {
    const closed = openApiDocument(everything({ authorization: authenticated() }));
    expect(operationOf(closed, "GET", "/shop/Orders").security).toEqual([{ bearer: [] }]);
    expect(closed.components.securitySchemes).toEqual({ bearer: { type: "http", scheme: "bearer" } });
  });
});

describe("the schemes of the challenge", () => {
  const BASIC = { basic: { type: "http", scheme: "basic" } };
  const BEARER = { bearer: { type: "http", scheme: "bearer" } };
  const keyIn = (place: string, name: string) => ({ type: "apiKey", in: place, name });

  test.each([
    ["Bearer", BEARER],
    ['Bearer realm="shop", error="x"', BEARER],
    ['Basic realm="a, b c", charset="UTF-8", Bearer', { ...BASIC, ...BEARER }],
    ["BASIC , bearer", { ...BASIC, ...BEARER }],
    [
      'Negotiate abc==, DPoP algs="ES256 PS256"',
      {
        negotiate: { type: "http", scheme: "negotiate" },
        dpop: { type: "http", scheme: "dpop" },
      },
    ],
    ["ApiKey", { "apikey.Authorization": keyIn("header", "Authorization") }],
    ['ApiKey header="X-Api-Key", Bearer', { "apikey.X-Api-Key": keyIn("header", "X-Api-Key"), ...BEARER }],
    ["Session realm=shop, cookie=sid", { "session.sid": keyIn("cookie", "sid") }],
    ['A\'b header="x\\"y"', { "a-27-b.x-22-y": keyIn("header", 'x"y') }],
    ['"what"', { "authorization.Authorization": keyIn("header", "Authorization") }],
  ])("%s", async (challenge, expected) => {
    const document = openApiDocument(everything({ authenticate: () => null, challenge }));
    expect(document.components.securitySchemes).toEqual(expected);
    const { security } = operationOf(document, "GET", "/shop/Orders");
    expect(security).toEqual([...Object.keys(expected).map((name) => ({ [name]: [] })), {}]);
    expect(await faultsOf(document)).toEqual([]);
  });

  test("of several services are all listed", () => {
    const { components, paths } = openApiDocument([
      everything({ name: "a", prefix: "/a", authenticate: () => null, challenge: 'Key header="A"' }),
      everything({ name: "b", prefix: "/b", authorization: authenticated(), challenge: 'Key header="B"' }),
      everything({ name: "c", prefix: "/c", challenge: "Basic" }),
    ]);
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(["key.A", "key.B"]);
    expect(paths["/b/Orders"]?.["get"]).toMatchObject({ security: [{ "key.B": [] }] });
    expect(paths["/c/Orders"]?.["get"]).toMatchObject({ security: [] });
  });
});

describe("links of tables", () => {
  test("are refused if the user would not see the row, and the document lists the status", async () => {
    const service = await tableService();
    const document = openApiDocument(service);
    const statuses = async (name: string, body: object, caller: string | null = "ann") => {
      const [method = "", path = ""] = name.split(" ");
      const url = `http://x${path.replace("{Id}", "1")}`;
      const { status } = await tryAs(service, caller, { name, method, url, body: JSON.stringify(body) });
      return [status, Object.keys(described(document, name).responses)] as const;
    };
    const [status, listed] = await statuses("PUT /Notes({Id})/Author/$ref", { "@odata.id": "Authors(2)" });
    expect(status).toBe(403);
    expect(listed).toContain("403");
    const [created, known] = await statuses("POST /Authors({Id})/Notes", { Id: 5, Text: "hidden" });
    expect(created).toBe(403);
    expect(known).toContain("403");
    expect(known).toContain("401");
    // The second key is taken, which anonymous users must not learn.
    for (const key of [5, 1]) {
      expect((await statuses("POST /Authors({Id})/Notes", { Id: key, Text: "new" }, null))[0]).toBe(401);
      expect((await statuses("POST /Notes", { Id: key, AuthorId: 1, Text: "new" }, null))[0]).toBe(401);
    }
  });
});

async function tableService(): Promise<ODataService> {
  const Author = entityType("Author", { id: edm.int32().key(), name: edm.string() });
  const Note = entityType("Note", { id: edm.int32().key(), authorId: edm.int32().nullable(), text: edm.string() });
  const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
  await sql`create table authors (id integer primary key, name text not null)`.execute(db);
  await sql`create table notes (id integer primary key, "authorId" integer, text text not null)`.execute(db);
  await sql`insert into authors values (1, 'ann'), (2, 'bob')`.execute(db);
  await sql`insert into notes values (1, 1, 'shown')`.execute(db);
  return odataService({
    authenticate,
    entitySets: [
      sqlEntitySet(Author, {
        db: db as never,
        table: "authors",
        operations: ["read", "create"],
        navigation: { notes: hasMany(Note, { target: "Notes", on: { id: "authorId" } }) },
      }),
      sqlEntitySet(Note, {
        db: db as never,
        table: "notes",
        operations: ["read", "create", "replace", "patch", "delete"],
        navigation: { author: hasOptional(Author, { target: "Authors", on: { authorId: "id" } }) },
        authorization: { rows: (_user, note) => note.authorId.eq(1).and(note.text.ne("hidden")) },
      }),
    ],
  });
}
