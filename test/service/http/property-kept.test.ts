import { Kysely, sql } from "kysely";
import {
  applyDelta,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  odataService,
  role,
  type EntitySet,
  type EntityType,
  type Logger,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTable, ENGINES, insertRow } from "../../engine/executors/engines.ts";
import { ERROR_HEADERS, headersOf, type HeaderTable, JSON_HEADERS, ORIGIN, type Service, SEVERITY } from "./doors.ts";
import { noFailures, recordingLogger } from "./model.ts";

/** A PUT keeps a property that the user may not read: which values the user learns, and which the user changes. */

const Home = complexType("Home", { street: edm.string().nullable(), city: edm.string().nullable() });
const Clerk = entityType("Clerk", {
  id: edm.int32().key(),
  name: edm.string(),
  salary: edm.int32().default(0),
  grade: edm.string().nullable(),
  code: edm.string().immutable(),
  home: edm.complex(Home).nullable(),
});

interface Row {
  readonly id: number;
  readonly name: string;
  readonly salary: number;
  readonly grade: string | null;
  readonly code: string;
  readonly home: object | null;
}

const ANN: Row = { id: 1, name: "Ann", salary: 5000, grade: "A", code: "x", home: { street: "Ring", city: "Oslo" } };
const hr = role("hr");
const RULES = { salary: { read: hr }, grade: { update: hr }, code: { read: hr, create: [] }, home: { read: hr } };

/** Sets whose options are made from data, so the compiler does not know their types. */
type Untyped = (type: EntityType, options: object) => EntitySet;
const make = entitySet as unknown as Untyped;
const makeOverTable = sqlEntitySet as unknown as Untyped;

function serviceWith(
  clerks: EntitySet,
  profile?: "standard",
  others: readonly EntitySet[] = [],
  logger: Logger = noFailures,
): Service {
  return odataService({
    prefix: "/s",
    schemaCheck: false,
    logger,
    ...(profile === undefined ? {} : { profile }),
    authenticate: ({ headers }) => {
      const [id = "", roles = ""] = (headers.get("x-user") ?? "").split(":");
      return id === "" ? null : { id, roles: roles.split(",") };
    },
    entitySets: [clerks, ...others],
  });
}

interface Opened {
  readonly service: Service;
  readonly stored: () => Promise<Row> | Row;
}

interface Form {
  readonly title: string;
  readonly open: (options: object, row?: Row, profile?: "standard") => Promise<Opened> | Opened;
}

const FORMS: readonly Form[] = [
  {
    title: "handlers",
    open: (options, row = ANN, profile) => {
      let kept = row;
      const clerks = make(Clerk, {
        queryable: () => arraySource(Clerk, [kept]),
        getByKey: () => kept,
        replace: (_id: number, entity: Row) => (kept = entity),
        patch: (_id: number, delta: object) => (kept = applyDelta(Clerk, kept as never, delta) as Row),
        authorization: { properties: RULES },
        ...options,
      });
      return { service: serviceWith(clerks, profile), stored: () => kept };
    },
  },
  ...ENGINES.map((engine): Form => ({
    title: engine.title,
    open: async (options, { home, ...row } = ANN, profile) => {
      const opened = await engine.open();
      onTestFinished(opened.close);
      await createTable(opened, "clerks", {
        id: "integer primary key",
        name: "varchar(9)",
        salary: "integer",
        grade: "varchar(9)",
        code: "varchar(9)",
        street: "varchar(9)",
        city: "varchar(9)",
      });
      await insertRow(opened, "clerks", [
        ...Object.values(row),
        ...Object.values(home ?? { street: null, city: null }),
      ]);
      const clerks = makeOverTable(Clerk, {
        db: opened.db,
        table: "clerks",
        operations: ["read", "replace", "patch"],
        columns: { home: { columns: { street: "street", city: "city" } } },
        authorization: { properties: RULES },
        ...options,
      });
      const stored = async (): Promise<Row> => {
        const found = await opened.db.selectFrom("clerks").selectAll().executeTakeFirstOrThrow();
        const { street, city, ...others } = found as unknown as Omit<Row, "home"> & Record<"street" | "city", unknown>;
        return { ...others, home: street === null && city === null ? null : { street, city } };
      };
      return { service: serviceWith(clerks, profile), stored };
    },
  })),
];

type Sent = readonly [method: string, path: string, body?: object, headers?: HeaderTable];

async function send(service: Service, user: string, [method, path, body, headers = {}]: Sent) {
  const response = await service.fetch(
    new Request(`${ORIGIN}/s/${path}`, {
      method,
      headers: { "x-user": user, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const { "content-length": _length, ...others } = headersOf(response);
  return { status: response.status, headers: others, body: text === "" ? "" : (JSON.parse(text) as unknown) };
}

const shown = (values: object) => ({
  status: 200,
  headers: { ...JSON_HEADERS, "cache-control": "no-store" },
  body: { "@odata.context": `${ORIGIN}/s/$metadata#Clerks/$entity`, "@odata.id": `${ORIGIN}/s/Clerks(1)`, ...values },
});

const PUT_NAME: Sent = ["PUT", "Clerks(1)", { Name: "Eve" }];
const EVE = shown({ Id: 1, Name: "Eve", Grade: "A" });

/** Returns issues that contain stored values. */
const judgeStored = ({ entity: { salary, grade, code, home } }: { readonly entity: Row }) =>
  [
    { message: `The salary ${String(salary)} is too high.`, path: ["salary"] },
    { message: `The city ${JSON.stringify(home)} is unknown.`, path: ["home", { key: "city" }] },
    { message: `The code ${code} is old.`, path: ["code"] },
    { message: `The grade ${String(grade)} is old.`, path: ["grade"] },
  ].filter(() => salary > 100);

describe.each(FORMS)("a PUT that keeps properties, over $title", ({ open }) => {
  test.each(["standard", undefined] as const)("tells no issue of a kept property (profile: %s)", async (profile) => {
    const low: Row = { ...ANN, salary: 5 };
    for (const row of [low, ANN]) {
      const { service, stored } = await open({ validate: { create: judgeStored } }, row, profile);
      expect((await send(service, "ann:", PUT_NAME)).status).toBe(200);
      expect(await stored()).toEqual({ ...row, name: "Eve" });
    }
  });

  test("tells the issues of what the body gives, and those without a path", async () => {
    const create = (given: { readonly entity: Row }) => [
      ...judgeStored(given),
      { message: "The name is taken.", path: ["name"] },
      { message: "The clerk is retired." },
    ];
    const { service, stored } = await open({ validate: { create } }, ANN, "standard");
    const expected = {
      status: 400,
      code: "InvalidBody",
      details: [
        { code: "InvalidBody", message: "The name is taken.", target: "Name", ...SEVERITY },
        { code: "InvalidBody", message: "The clerk is retired.", ...SEVERITY },
      ],
    };
    const { status, body } = await send(service, "ann:", PUT_NAME);
    const { error } = body as { readonly error: { readonly code: string; readonly details: unknown } };
    expect({ status, code: error.code, details: error.details }).toEqual(expected);
    // The user may give all of them.
    const whole = { Name: "Eve", Salary: 5000, Grade: "A", Home: { Street: "Ring", City: "Oslo" } };
    const byHr = await send(service, "hugo:hr", ["PUT", "Clerks(1)", whole]);
    expect(byHr.status).toBe(400);
    expect(JSON.stringify(byHr.body)).toMatch(/salary 5000.*city.*code x.*grade A.*taken.*retired/u);
    expect(await stored()).toEqual(ANN);
  });

  test("leaves them alone if a hook returns a copy of the entity", async () => {
    const moved = { home: { street: "Dam", city: "Rome" }, salary: 6000 };
    const before = { replace: ({ entity }: { readonly entity: object }) => structuredClone(entity) };
    const { service, stored } = await open({ before });
    expect(await send(service, "ann:", PUT_NAME)).toEqual(EVE);
    expect(await stored()).toEqual({ ...ANN, name: "Eve" });
    const changing = await open({
      before: { replace: ({ entity }: { readonly entity: object }) => ({ ...structuredClone(entity), ...moved }) },
    });
    expect((await send(changing.service, "ann:", PUT_NAME)).status).toBe(200);
    expect(await changing.stored()).toEqual({ ...ANN, name: "Eve", ...moved });
  });

  test.each(["class", "prototype"])("obeys rules that a %s defines", async (kind) => {
    class Rules {
      get salary() {
        return { read: hr };
      }
      get home() {
        return { read: hr };
      }
    }
    const properties = kind === "class" ? new Rules() : (Object.create(RULES) as object);
    const { service, stored } = await open({ authorization: { properties } });
    const { body } = await send(service, "ann:", ["GET", "Clerks(1)"]);
    expect(body).not.toHaveProperty("Salary");
    expect(body).not.toHaveProperty("Home");
    expect(body).toHaveProperty("Name", "Ann");
    expect(await send(service, "ann:", ["PATCH", "Clerks(1)", { Salary: 1 }])).toEqual({
      status: 403,
      headers: ERROR_HEADERS,
      body: {
        error: {
          code: "Forbidden",
          message: "The user of this request may not change 'Salary' of Clerks.",
          target: "Salary",
        },
      },
    });
    expect((await send(service, "ann:", ["PUT", "Clerks(1)", { Name: "Eve", Grade: "A" }])).status).toBe(200);
    expect(await stored()).toMatchObject({ name: "Eve", salary: 5000, home: ANN.home });
  });
});

describe("a replace handler that PUT gives stored values", () => {
  const Post = entityType("Post", {
    id: edm.int32().key(),
    text: edm.string(),
    salary: edm.int32().default(0),
    version: edm.int32().computed(),
  });
  const STORED = { id: 1, text: "a", salary: 5, version: 3 };

  /** The handler writes like a statement with the condition `version = expected.version`. */
  function posts(options: object = {}) {
    let row = STORED;
    const expectations: unknown[] = [];
    const control = { meanwhile: (): void => undefined };
    const raise = (): void => {
      row = { ...row, salary: 9, version: row.version + 1 };
    };
    const set = make(Post, {
      getByKey: () => ({ ...row }),
      replace: (_id: number, entity: object, { expected }: { readonly expected?: { readonly version: number } }) => {
        control.meanwhile();
        expectations.push(expected);
        if (expected !== undefined && expected.version !== row.version) return null;
        row = { ...row, ...entity, version: row.version + 1 };
        return row;
      },
      etag: ["version"],
      authorization: { properties: { salary: { read: hr } } },
      ...options,
    });
    return { service: serviceWith(set), control, raise, expectations, stored: () => row };
  }

  const ANY: HeaderTable = { "If-Match": "*" };

  test.each<readonly [string, HeaderTable, string]>([
    ["no condition", {}, "The entity changed during the request: send the request again."],
    ["If-Match: *", ANY, "If-Match does not hold. No entity has this key, or the entity has changed."],
  ])(
    "finds the ETag of these values in `expected`: a change in between is 412 (%s)",
    async (_title, headers, message) => {
      for (const options of [{}, { allowUpsert: true, create: () => expect.unreachable() }]) {
        const { service, control, raise, stored, expectations } = posts(options);
        control.meanwhile = raise;
        expect(await send(service, "ann:", ["PUT", "Posts(1)", { Text: "b" }, headers])).toEqual({
          status: 412,
          headers: ERROR_HEADERS,
          body: { error: { code: "PreconditionFailed", message } },
        });
        expect(expectations).toEqual([{ version: 3 }]);
        expect(stored()).toEqual({ ...STORED, salary: 9, version: 4 });
      }
    },
  );

  test("writes them if nothing changed", async () => {
    const { service, stored } = posts();
    expect((await send(service, "ann:", ["PUT", "Posts(1)", { Text: "b" }])).status).toBe(200);
    expect(stored()).toEqual({ ...STORED, text: "b", version: 4 });
  });

  test("expects nothing for a user who may write every property, and without an `etag`", async () => {
    const byHr = posts();
    await send(byHr.service, "hugo:hr", ["PUT", "Posts(1)", { Text: "b" }]);
    const without = posts({ etag: undefined });
    await send(without.service, "ann:", ["PUT", "Posts(1)", { Text: "b" }]);
    const readable = posts({ authorization: { properties: { salary: { update: hr } } } });
    await send(readable.service, "ann:", ["PUT", "Posts(1)", { Text: "b" }]);
    expect([byHr.expectations, without.expectations, readable.expectations]).toEqual([
      [undefined],
      [undefined],
      [{ version: 3 }],
    ]);
  });
});

test("a refusal names the type where clients know no set", async () => {
  const Team = entityType("Team", { id: edm.int32().key() });
  const rows = [{ ...ANN, teamId: 1 }];
  const clerks = make(Clerk, { queryable: () => arraySource(Clerk, rows), authorization: { properties: RULES } });
  const twins = make(Clerk, { name: "Twins", queryable: () => arraySource(Clerk, rows) });
  const teams = make(Team, {
    queryable: () => arraySource(Team, [{ id: 1 }]),
    getByKey: () => ({ id: 1 }),
    navigation: { bare: hasMany(Clerk, { get: () => rows }) },
    functions: {
      all: fn({ bound: "collection", returns: edm.collection(Clerk), composable: true, handler: () => rows }),
    },
  });
  const service = serviceWith(clerks, "standard", [twins, teams]);
  for (const [path, owner] of [
    ["Clerks?$filter=Salary gt 1", "Clerks"],
    ["Teams/Default.all()?$filter=Salary gt 1", "Clerk"],
    ["Teams/Default.all()?$select=Salary", "Clerk"],
    ["Teams(1)/Bare?$filter=Salary gt 1", "Clerk"],
    ["Teams(1)/Bare?$orderby=Salary", "Clerk"],
    ["Teams?$expand=Bare($filter=Salary gt 1)", "Clerk"],
  ] as const) {
    const { status, body } = await send(service, "ann:", ["GET", path]);
    expect([path, status, body]).toEqual([
      path,
      403,
      {
        error: {
          code: "Forbidden",
          message: `The user of this request may not read 'Salary' of ${owner}.`,
          target: "Salary",
        },
      },
    ]);
  }
});

describe("what a user who may not read a property learns, as documented", () => {
  async function table(salary: unknown) {
    const db = new Kysely<never>({ dialect: sqliteDialect(":memory:") });
    onTestFinished(() => db.destroy());
    await sql`create table clerks (id integer primary key, name text not null, salary not null, grade text,
      code text not null, street text, city text, check (grade is null or grade <> 'low' or salary < 100))`.execute(db);
    await sql`insert into clerks values (1, 'Ann', ${salary}, 'A', 'x', null, null)`.execute(db);
    const failures = recordingLogger();
    const clerks = makeOverTable(Clerk, {
      db,
      table: "clerks",
      operations: ["read", "replace", "patch"],
      columns: { home: { columns: { street: "street", city: "city" } } },
      authorization: { properties: { salary: { read: hr } } },
    });
    return { service: serviceWith(clerks, undefined, [], failures), failures };
  }

  test("a CHECK over several columns compares the property with another one", async () => {
    const sent: Sent = ["PATCH", "Clerks(1)", { Grade: "low" }];
    expect((await send((await table(5)).service, "ann:", sent)).status).toBe(200);
    expect((await send((await table(5000)).service, "ann:", sent)).status).toBe(400);
  });

  test("an invalid stored value makes writes of its row fail, and no reads", async () => {
    const { service, failures } = await table("much");
    expect((await send(service, "ann:", ["GET", "Clerks(1)"])).status).toBe(200);
    const writes: readonly Sent[] = [
      ["PATCH", "Clerks(1)", { Name: "Eve" }],
      ["PUT", "Clerks(1)", { Name: "Eve", Code: "x" }],
    ];
    for (const sent of writes) expect((await send(service, "ann:", sent)).status).toBe(500);
    expect(failures.errors).toHaveLength(2);
  });

  test("a member of a complex value that is null cannot be changed alone", async () => {
    const Place = complexType("Place", { street: edm.string(), city: edm.string().nullable() });
    const Shop = entityType("Shop", { id: edm.int32().key(), place: edm.complex(Place).nullable() });
    const statuses = [];
    for (const place of [null, { street: "Ring", city: null }]) {
      const row = { id: 1, place };
      const shops = make(Shop, {
        getByKey: () => row,
        patch: (_id: number, delta: object) => applyDelta(Shop, row as never, delta),
        authorization: { properties: { place: { read: hr, update: [] } } },
      });
      const service = serviceWith(shops);
      statuses.push((await send(service, "ann:", ["PATCH", "Shops(1)", { Place: { City: "Oslo" } }])).status);
    }
    expect(statuses).toEqual([400, 200]);
  });
});
