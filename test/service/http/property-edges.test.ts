import { Kysely } from "kysely";
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
  role,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { countStatements } from "../../engine/executors/count-statements.ts";
import { createTable, ENGINES, insertRow } from "../../engine/executors/engines.ts";
import type { Service } from "./doors.ts";
import { noFailures } from "./model.ts";
import { fillTables, STAFF, staffLists, staffTables } from "./staff-model.ts";

async function send(
  service: Service,
  path: string,
  {
    user = "ann:",
    method = "GET",
    body,
  }: { readonly user?: string; readonly method?: string; readonly body?: object } = {},
): Promise<readonly [status: number, body: unknown]> {
  const headers = { "x-user": user, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const response = await service.fetch(
    new Request(`http://service.example/s/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return [response.status, text.startsWith("{") || text.startsWith("[") ? (JSON.parse(text) as unknown) : text];
}

const OPTIONS: Omit<ServiceOptions, "entitySets"> = {
  prefix: "/s",
  logger: noFailures,
  authenticate: ({ headers }) => {
    const [id = "", roles = ""] = (headers.get("x-user") ?? "").split(":");
    return id === "" ? null : { id, roles: roles.split(",") };
  },
};

const refused = (action: string, target: string): readonly [number, unknown] => [
  403,
  { error: { code: "Forbidden", message: `The user of this request may not ${action}.`, target } },
];

describe("handlers receive", () => {
  test("deltas without what the user may not change, and whole replacements", async () => {
    const { service, store } = staffLists(STAFF, "lists");
    await send(service, "Employees(1)", { method: "PATCH", body: { Name: "Eve", Grade: "A", DepartmentId: 1 } });
    await send(service, "Employees(1)", { method: "PATCH", body: { Grade: "A" } });
    await send(service, "Employees(1)", { method: "PUT", body: { Name: "Eva", Grade: "A" } });
    expect(store.received).toEqual([
      { name: "Eve" },
      {},
      {
        id: 1,
        name: "Eva",
        salary: "7000.00",
        notes: "late",
        home: { street: "Ring", city: "Oslo" },
        grade: "A",
        departmentId: 1,
        bossId: null,
      },
    ]);
  });

  test("no unreadable property in `select` of applyQuery", async () => {
    const { service, store } = staffLists(STAFF, "applied");
    const selected = async (path: string, user: string): Promise<unknown> => {
      store.received.length = 0;
      expect((await send(service, path, { user }))[0]).toBe(200);
      const [query] = store.received as ReadonlyArray<{
        readonly select: ReadonlyArray<{ readonly property: { readonly field: string } }> | null;
      }>;
      return query?.select?.map(({ property }) => property.field) ?? null;
    };
    const readable = ["id", "name", "grade", "departmentId", "bossId", "version"];
    expect(await selected("Employees", "ann:")).toEqual(readable);
    expect(await selected("Employees?$select=*", "ann:")).toEqual(readable);
    expect(await selected("Employees?$select=Name", "ann:")).toEqual(["name"]);
    expect(await selected("Employees", "hugo:hr")).toBeNull();
  });

  test("the properties that a search must skip", async () => {
    const seen: unknown[] = [];
    const { service } = staffLists(STAFF, "lists", {
      search: (clause: { readonly unreadable?: ReadonlyArray<{ readonly field: string }> }) => {
        seen.push(clause.unreadable?.map(({ field }) => field));
        return [];
      },
    });
    for (const user of ["ann:", "hugo:hr", ""]) await send(service, "Employees?$search=late", { user });
    await send(service, "Employees/$count?$search=late");
    await send(service, "Departments?$expand=Employees($search=late)");
    const hidden = ["salary", "notes", "home"];
    expect(seen).toEqual([hidden, undefined, hidden, hidden, hidden]);
  });

  test("entities of ctx.set as results of operations", async () => {
    const own = { bound: "collection" as const };
    const { service } = staffLists(STAFF, "lists", {
      functions: {
        mine: fn({
          ...own,
          returns: edm.string(),
          handler: async (_parameters, ctx) =>
            JSON.stringify(await (ctx as unknown as { set: { get: (key: number) => Promise<object> } }).set.get(2)),
        }),
      },
      actions: { all: action({ ...own, handler: () => undefined }) },
    });
    expect(await send(service, "Employees/mine()")).toEqual([
      200,
      {
        "@odata.context": "http://service.example/s/$metadata#Edm.String",
        value: '{"id":2,"name":"Bob","grade":"B","departmentId":1,"bossId":1,"version":1}',
      },
    ]);
  });
});

describe("the rules belong to the set", () => {
  const Person = entityType("Person", {
    id: edm.int32().key(),
    salary: edm.int32(),
    password: edm.string().default(""),
    teamId: edm.int32().nullable(),
  });
  const Team = entityType("Team", { id: edm.int32().key() });
  const rows = [{ id: 1, salary: 5, password: "x", teamId: 1 }];
  const closed = {
    salary: { read: role("hr") },
    password: { read: role("nobody"), create: [], update: authenticated() },
  };
  const read = { getAll: () => rows, getByKey: (id: number) => rows.find((row) => row.id === id) ?? null };
  const written: unknown[] = [];
  const people = entitySet(Person, {
    name: "People",
    ...read,
    create: (entity) => {
      written.push(entity);
      return { ...rows[0], ...entity };
    },
    patch: (_id, delta) => {
      written.push(delta);
      return { ...rows[0], ...delta } as never;
    },
    authorization: { read: [], properties: closed },
  });
  const members = { get: () => rows };
  const teams = entitySet(Team, {
    getAll: () => [{ id: 1 }],
    getByKey: (id) => ({ id }),
    navigation: {
      closed: hasMany(Person, { ...members, target: "People", authorization: "parent" }),
      open: hasMany(Person, { ...members, target: "Staff" }),
      either: hasMany(Person, members),
      first: hasOptional(Person, { get: () => rows[0] ?? null }),
    },
  });
  const service = odataService({
    ...OPTIONS,
    entitySets: [people, entitySet(Person, { name: "Staff", ...read }), teams],
    functions: { everybody: fn({ returns: edm.collection(Person), authorization: [], handler: () => rows }) },
  });
  const whole = { Id: 1, Salary: 5, Password: "x", TeamId: 1 };
  const part = { Id: 1, TeamId: 1 };

  test.each([
    ["People", part],
    ["Staff", whole],
    ["Teams(1)/Closed", part],
    ["Teams(1)/Open", whole],
    ["Teams(1)/Either", part],
  ])("%s", async (path, shown) => {
    const [status, body] = await send(service, path);
    expect([status, body]).toEqual([
      200,
      { "@odata.context": expect.any(String) as string, value: [expect.objectContaining(shown)] },
    ]);
    expect(JSON.stringify(body).includes("Salary")).toBe(shown === whole);
  });

  test("expansions, paths and operations follow the same rules", async () => {
    const [, expanded] = await send(service, "Teams?$expand=Closed,Open,Either");
    expect(expanded).toMatchObject({ value: [{ Closed: [part], Open: [whole], Either: [part] }] });
    expect(JSON.stringify(expanded).match(/Salary/gu)).toHaveLength(1);
    expect(await send(service, "everybody()")).toEqual([200, [part]]);
    expect(await send(service, "Teams?$expand=Either($select=Salary)")).toEqual(
      refused("read 'Salary' of Person", "Salary"),
    );
    expect(await send(service, "Teams?$expand=Closed($select=Salary)")).toEqual(
      refused("read 'Salary' of People", "Salary"),
    );
    expect((await send(service, "Teams?$expand=Open($select=Salary)"))[0]).toBe(200);
    for (const filter of ["Either/any(p:p/Salary gt 1)", "First/Salary gt 1"]) {
      expect(await send(service, `Teams?$filter=${encodeURIComponent(filter)}`), filter).toEqual(
        refused("read 'Salary' of Person", "Salary"),
      );
    }
    for (const filter of ["Open/any(p:p/Salary gt 1)", "Either/any(p:p/TeamId eq 1)", "First/TeamId eq 1"]) {
      expect(await send(service, `Teams?$filter=${encodeURIComponent(filter)}`), filter).toMatchObject([
        200,
        { value: [{ Id: 1 }] },
      ]);
    }
  });

  test("a property may be written without being read", async () => {
    const created = await send(service, "People", { method: "POST", body: { Id: 2, Password: "y", Salary: 0 } });
    expect(created).toEqual(refused("give 'Salary' to new entities of People", "Salary"));
    expect((await send(service, "People(1)", { method: "PATCH", body: { Password: "z" } }))[0]).toBe(200);
    expect((await send(service, "People(1)/Password", { method: "PUT", body: { value: "q" } }))[0]).toBe(204);
    expect(await send(service, "People(1)/Password")).toEqual(refused("read 'Password' of People", "Password"));
    expect(written).toEqual([{ password: "z" }, { password: "q" }]);
  });
});

test("expressions over items of every kind name what they read", async () => {
  const Address = complexType("Address", { city: edm.string() });
  const Person = entityType("Person", {
    id: edm.int32().key(),
    salary: edm.int32(),
    tags: edm.collection(edm.string()),
    homes: edm.collection(edm.complex(Address)),
    cars: edm.collection(edm.string()),
  });
  const people = [{ id: 1, salary: 5, tags: ["a"], homes: [{ city: "Oslo" }], cars: ["Golf"] }];
  const hidden = { read: role("hr") };
  const service = odataService({
    ...OPTIONS,
    profile: "standard",
    entitySets: [
      entitySet(Person, {
        name: "People",
        queryable: () => arraySource(Person, people),
        getByKey: (id) => people.find((person) => person.id === id) ?? null,
        authorization: { properties: { salary: hidden, tags: hidden, homes: hidden } },
      }),
    ],
  });
  const statusOf = async (filter: string, user = "ann:"): Promise<unknown> => {
    const [status, body] = await send(service, `People?$filter=${encodeURIComponent(filter)}`, { user });
    return status === 200 ? status : [status, (body as { readonly error: { readonly target: string } }).error.target];
  };
  const collections = ["'a' in Tags", "Tags/$count gt 0", "'a' in $root/People(1)/Tags"];
  for (const filter of [
    ...collections,
    "Tags/any()",
    "Tags/any(t:t eq 'a')",
    "Cars/any(c:c eq 'Golf' and $it/Tags/any())",
  ]) {
    expect(await statusOf(filter), filter).toEqual([403, "Tags"]);
    expect(await statusOf(filter, "eve:hr"), filter).toBe(200);
  }
  for (const filter of ["Homes/any()", "Homes/any(h:h/City eq 'Oslo')"]) {
    expect(await statusOf(filter), filter).toEqual([403, "Homes"]);
    expect(await statusOf(filter, "eve:hr"), filter).toBe(200);
  }
  for (const filter of [
    "$root/People(1)/Salary eq 5",
    "Cars/any(c:c eq 'Golf' and $it/Salary eq 5)",
    "contains(cast(Salary,'Edm.String'),'5')",
    "isof(Salary,Edm.Byte)",
    "Salary divby 2 gt 1",
  ]) {
    expect(await statusOf(filter), filter).toEqual([403, "Salary"]);
    expect(await statusOf(filter, "eve:hr"), filter).toBe(200);
  }
  expect(await statusOf("Cars/any() and Cars/any(c:c eq 'Golf')")).toBe(200);
  for (const path of ["People?$orderby=Tags/$count", "People(1)/Tags", "People(1)/Tags/$count"]) {
    expect(await send(service, path)).toEqual(refused("read 'Tags' of People", "Tags"));
    expect((await send(service, path, { user: "eve:hr" }))[0]).toBe(200);
  }
});

test("a member of a complex property has the rule of the property", async () => {
  const { departments, employees } = staffLists(STAFF, "lists");
  const service = odataService({ ...OPTIONS, profile: "standard", entitySets: [departments, employees] });
  for (const path of ["Employees(1)/Home/City", "Employees(1)/Home/City/$value", "Employees(1)/Home"]) {
    expect(await send(service, path)).toEqual(refused("read 'Home' of Employees", "Home"));
    expect((await send(service, path, { user: "hugo:hr" }))[0]).toBe(200);
  }
  for (const [method, body] of [
    ["PUT", { value: "Oslo" }],
    ["PATCH", { value: "Oslo" }],
    ["DELETE", undefined],
  ] as const) {
    const path = "Employees(1)/Home/City";
    const sent = { method, ...(body === undefined ? {} : { body }) };
    expect(await send(service, path, sent)).toEqual(refused("change 'Home' of Employees", "Home"));
  }
  expect(await send(service, "Employees(1)/Home", { method: "PATCH", body: { City: "Oslo" } })).toEqual(
    refused("change 'Home' of Employees", "Home"),
  );
});

const Boss = entityType("Boss", { id: edm.int32().key(), code: edm.string(), label: edm.string().nullable() });
const Worker = entityType("Worker", { id: edm.int32().key(), bossCode: edm.string(), note: edm.string().nullable() });
const HIDDEN = { read: role("hr") };
const WORKER_RULES = { properties: { bossCode: HIDDEN, note: HIDDEN } };
const BOSS_RULES = { properties: { code: HIDDEN } };
const BOSSES = [
  { id: 1, code: "a", label: "A" },
  { id: 2, code: "b", label: "B" },
];
const WORKERS = [
  { id: 1, bossCode: "a", note: "late" },
  { id: 2, bossCode: "b", note: "calm" },
  { id: 3, bossCode: "b", note: null },
];

async function expectJoined(service: Service): Promise<void> {
  const values = async (path: string): Promise<unknown> => {
    const [status, body] = await send(service, path);
    return [
      status,
      JSON.parse(
        JSON.stringify((body as { readonly value: unknown }).value, (name, value: unknown) =>
          name.startsWith("@") ? undefined : value,
        ),
      ),
    ];
  };
  expect(await values("Workers?$expand=Boss&$filter=Boss/Label eq 'B'")).toEqual([
    200,
    [
      { Id: 2, Boss: { Id: 2, Label: "B" } },
      { Id: 3, Boss: { Id: 2, Label: "B" } },
    ],
  ]);
  expect(await values("Bosses?$expand=Workers($orderby=Boss/Label,Id desc)")).toEqual([
    200,
    [
      { Id: 1, Label: "A", Workers: [{ Id: 1 }] },
      { Id: 2, Label: "B", Workers: [{ Id: 3 }, { Id: 2 }] },
    ],
  ]);
  expect(await values("Bosses?$filter=Workers/$count eq 2&$select=Label")).toEqual([200, [{ Label: "B" }]]);
}

test("lists are joined by unreadable properties", () =>
  expectJoined(
    odataService({
      ...OPTIONS,
      entitySets: [
        entitySet(Boss, {
          queryable: () => arraySource(Boss, BOSSES),
          authorization: BOSS_RULES,
          navigation: { workers: hasMany(Worker, { target: "Workers", on: { code: "bossCode" } }) },
        }),
        entitySet(Worker, {
          queryable: () => arraySource(Worker, WORKERS),
          authorization: WORKER_RULES,
          navigation: { boss: hasOptional(Boss, { target: "Bosses", on: { bossCode: "code" } }) },
        }),
      ],
    }),
  ));

test("only users who may give a required property create entities", async () => {
  const Product = entityType("Product", { id: edm.int32().key(), price: edm.int32() });
  const rules = { properties: { price: { create: role("hr") } } };
  const create = (product: object): never => product as never;
  const service = odataService({ ...OPTIONS, entitySets: [entitySet(Product, { create, authorization: rules })] });
  const post = (body: object, user?: string) =>
    send(service, "Products", { method: "POST", body, ...(user === undefined ? {} : { user }) });
  const required = "Price: This member is required: it has no default and must not be null.";
  expect(await post({ Id: 1 })).toEqual([400, { error: { code: "InvalidBody", message: required, target: "Price" } }]);
  expect(await post({ Id: 1, Price: 2 })).toEqual(refused("give 'Price' to new entities of Products", "Price"));
  expect((await post({ Id: 1, Price: 2 }, "eve:hr"))[0]).toBe(201);
});

describe.each(ENGINES)("unreadable properties over $title", (engine) => {
  async function open(): Promise<Service> {
    const opened = await engine.open();
    onTestFinished(opened.close);
    await createTable(opened, "bosses", { id: "integer primary key", code: "varchar(9)", label: "varchar(9)" });
    await createTable(opened, "workers", { id: "integer primary key", bossCode: "varchar(9)", note: "varchar(9)" });
    for (const row of BOSSES) await insertRow(opened, "bosses", Object.values(row));
    for (const row of WORKERS) await insertRow(opened, "workers", Object.values(row));
    const table = { db: opened.db, operations: ["read"] } as const;
    return odataService({
      ...OPTIONS,
      schemaCheck: false,
      entitySets: [
        sqlEntitySet(Boss, {
          ...table,
          table: "bosses",
          authorization: BOSS_RULES,
          navigation: { workers: hasMany(Worker, { target: "Workers", on: { code: "bossCode" } }) },
        }),
        sqlEntitySet(Worker, {
          ...table,
          table: "workers",
          search: ["note"],
          authorization: WORKER_RULES,
          navigation: { boss: hasOptional(Boss, { target: "Bosses", on: { bossCode: "code" } }) },
        }),
      ],
    });
  }

  test("join tables", async () => expectJoined(await open()));

  test("match no search", async () => {
    const service = await open();
    const found = async (search: string, user: string): Promise<unknown> => {
      const [, body] = await send(service, `Workers?$search=${search}&$select=Id`, { user });
      return (body as { readonly value: ReadonlyArray<{ readonly Id: number }> }).value.map(({ Id }) => Id);
    };
    for (const [search, byHr, byAnn] of [
      ["late", [1], []],
      ["NOT late", [2, 3], [1, 2, 3]],
      ["late OR calm", [1, 2], []],
      ["late NOT calm", [1], []],
    ] as const) {
      expect([search, await found(search, "hugo:hr"), await found(search, "ann:")]).toEqual([search, byHr, byAnn]);
    }
  });
});

describe("statements of a table", () => {
  async function openStaff(options: object = {}) {
    const statements = countStatements(sqliteDialect(":memory:"));
    const db = new Kysely<never>({ dialect: statements.dialect, log: statements.log });
    onTestFinished(() => db.destroy());
    await fillTables(db, "sqlite", STAFF);
    const { service } = staffTables(db, options);
    await send(service, "Employees(1)", { method: "PATCH", body: { Name: "Ann" } });
    const after = async (path: string, sent: Parameters<typeof send>[2]): Promise<readonly string[]> => {
      statements.reset();
      expect((await send(service, path, sent))[0]).toBe(200);
      return statements.texts();
    };
    return { after };
  }

  test("writes that give no refused property need one", async () => {
    const { after } = await openStaff();
    const writes: ReadonlyArray<readonly [string, string, object]> = [
      ["ann:", "PATCH", { Name: "Eve", BossId: 2 }],
      ["root:hr,manager", "PATCH", { Name: "Eve", Salary: 5, Grade: "A" }],
    ];
    for (const [user, method, body] of writes) {
      expect(await after("Employees(1)", { user, method, body })).toHaveLength(1);
    }
  });

  test("never write the columns of properties that the user may not change", async () => {
    const { after } = await openStaff();
    for (const [method, body] of [
      ["PATCH", { Name: "Eve", Grade: "A", DepartmentId: 1 }],
      ["PUT", { Name: "Eve", Grade: "A" }],
      ["PUT", { Name: "Eve" }],
    ] as const) {
      const texts = await after("Employees(1)", { method, body });
      const updates = texts.filter((text) => text.startsWith("update"));
      expect(updates).toHaveLength(1);
      const [set = ""] = /(?<= set ).*?(?= where )/u.exec(updates[0] ?? "") ?? [];
      expect(set).toMatch(/"name"/u);
      expect(set).not.toMatch(/grade|salary|notes|street|city|departmentId/u);
    }
  });

  test("validate sees the stored values that PUT keeps, and the table does not write them", async () => {
    const seen: unknown[] = [];
    const { after } = await openStaff({
      validate: {
        create: ({ entity }: { readonly entity: object }) => {
          seen.push(entity);
          return [];
        },
      },
    });
    const texts = await after("Employees(1)", { method: "PUT", body: { Name: "Eve", Grade: "A" } });
    expect(seen).toEqual([
      {
        id: 1,
        name: "Eve",
        salary: expect.stringMatching(/^7000/u) as string,
        notes: "late",
        home: { street: "Ring", city: "Oslo" },
        grade: "A",
        departmentId: 1,
        bossId: null,
      },
    ]);
    const [set = ""] = /(?<= set ).*?(?= where )/u.exec(texts.find((text) => text.startsWith("update")) ?? "") ?? [];
    expect(set).toMatch(/"name"/u);
    expect(set).not.toMatch(/grade|salary|notes|street|city|departmentId/u);
  });

  test("do not write kept properties if a hook returns a copy of the entity", async () => {
    const { after } = await openStaff({
      before: { replace: ({ entity }: { readonly entity: object }) => structuredClone(entity) },
    });
    const texts = await after("Employees(1)", { method: "PUT", body: { Name: "Eve", Grade: "A" } });
    const [set = ""] = /(?<= set ).*?(?= where )/u.exec(texts.find((text) => /^update.*name/u.test(text)) ?? "") ?? [];
    expect(set).toMatch(/"name"/u);
    expect(set).not.toMatch(/grade|salary|notes|street|city|departmentId/u);
  });

  test("read no column of an unreadable property, and are the same for users who may read the same", async () => {
    const { after } = await openStaff();
    const texts = await after("Employees?$expand=Team&$orderby=Name", { user: "ann:" });
    expect(texts.join()).not.toMatch(/salary|notes|street|city/u);
    expect(await after("Employees?$expand=Team&$orderby=Name", { user: "mia:manager" })).toEqual(texts);
    expect((await after("Employees?$expand=Team&$orderby=Name", { user: "hugo:hr" })).join()).toMatch(/salary/u);
  });
});
