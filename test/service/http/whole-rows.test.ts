import {
  applyDelta,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  type EntitySet,
  type EntityType,
  hasMany,
  odataService,
  role,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTable, ENGINES, insertRow } from "../../engine/executors/engines.ts";
import { multipart, MULTIPART } from "./batch-model.ts";
import { ORIGIN, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";

/** Clients send whole rows, also with values for properties that the user may not write. */

const Home = complexType("Home", { street: edm.string().nullable(), city: edm.string().nullable() });
const Clerk = entityType("Clerk", {
  id: edm.int32().key(),
  departmentId: edm.int32().nullable(),
  name: edm.string(),
  pay: edm.int32().default(10),
  rank: edm.string().nullable(),
  day: edm.date().default("2024-02-11"),
  note: edm.string().nullable(),
  level: edm.int32().nullable().default(1),
  home: edm.complex(Home).nullable(),
});
const Department = entityType("Department", { id: edm.int32().key(), name: edm.string() });

const hr = role("hr");
const RULES = {
  pay: { read: hr },
  rank: { create: hr, update: hr },
  day: { create: hr, update: hr },
  note: { read: hr, create: [], update: [] },
  level: { update: hr },
  home: { create: hr, update: hr },
};
const ANN = {
  id: 1,
  departmentId: 1,
  name: "Ann",
  pay: 5000,
  rank: "A",
  day: "2023-01-01",
  note: "late",
  level: 7,
  home: { street: "Ring", city: "Oslo" },
};
type Row = Record<string, unknown>;

/** Sets whose options are made from data, so the compiler does not know their types. */
type Untyped = (type: EntityType, options: object) => EntitySet;
const make = entitySet as unknown as Untyped;
const makeOverTable = sqlEntitySet as unknown as Untyped;

const COMMON = { authorization: { properties: RULES }, allowUpsert: true };
const LINES = { clerks: hasMany(Clerk, { target: "Clerks", on: { id: "departmentId" } }) };
type Profile = "standard" | "specification";

const serviceOf = (profile: Profile, entitySets: readonly EntitySet[]): Service =>
  odataService({
    prefix: "/s",
    schemaCheck: false,
    logger: noFailures,
    profile,
    authenticate: ({ headers }) => {
      const [id = "", roles = ""] = (headers.get("x-user") ?? "").split(":");
      return id === "" ? null : { id, roles: roles.split(",") };
    },
    entitySets,
  });

interface Opened {
  readonly service: Service;
  readonly isTable: boolean;
}
interface Form {
  readonly title: string;
  readonly open: (profile?: Profile) => Promise<Opened> | Opened;
}

const FORMS: readonly Form[] = [
  {
    title: "handlers",
    open: (profile = "standard") => {
      const rows = new Map<number, Row>([[1, ANN]]);
      const save = (row: Row): Row => {
        const { home = null, ...others } = row;
        rows.set(row["id"] as number, { departmentId: null, ...others, home });
        return row;
      };
      const clerks = make(Clerk, {
        ...COMMON,
        queryable: () => arraySource(Clerk, [...rows.values()] as never),
        getByKey: (id: number) => rows.get(id) ?? null,
        create: save,
        replace: (_id: number, entity: Row) => save(entity),
        patch: (id: number, delta: object) => save(applyDelta(Clerk, rows.get(id) as never, delta)),
      });
      return { service: serviceOf(profile, [clerks]), isTable: false };
    },
  },
  ...ENGINES.map((engine): Form => ({
    title: engine.title,
    open: async (profile = "standard") => {
      const opened = await engine.open();
      onTestFinished(opened.close);
      await createTable(opened, "departments", { id: "integer primary key", name: "varchar(9)" });
      await insertRow(opened, "departments", [1, "Sales"]);
      await createTable(opened, "clerks", {
        id: "integer primary key",
        department_id: "integer",
        name: "varchar(9)",
        pay: "integer",
        rank_name: "varchar(9)",
        hired: "date",
        note: "varchar(9)",
        level: "integer",
        street: "varchar(9)",
        city: "varchar(9)",
      });
      const { home, ...row } = ANN;
      await insertRow(opened, "clerks", [...Object.values(row), ...Object.values(home)]);
      const table = { db: opened.db, operations: ["read", "create", "replace", "patch"] };
      const clerks = makeOverTable(Clerk, {
        ...table,
        ...COMMON,
        table: "clerks",
        columns: {
          departmentId: "department_id",
          rank: "rank_name",
          day: "hired",
          home: { columns: { street: "street", city: "city" } },
        },
      });
      const departments = makeOverTable(Department, {
        ...table,
        table: "departments",
        allowDeepInsert: true,
        navigation: LINES,
      });
      return { service: serviceOf(profile, [clerks, departments]), isTable: true };
    },
  })),
];

/** Returns an entity as a user who may read all of it sees it. */
async function stored({ service }: Opened, id: number): Promise<unknown> {
  const headers = { "x-user": "hugo:hr", accept: "application/json;odata.metadata=none" };
  const response = await service.fetch(new Request(`${ORIGIN}/s/Clerks(${String(id)})`, { headers }));
  if (response.status === 404) return undefined;
  const { Home: home, ...others } = (await response.json()) as Row & { readonly Home: object | null };
  return { ...named(others), home: home === null ? null : named(home) };
}

function named(values: object): Row {
  const entries = Object.entries(values).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]);
  return Object.fromEntries(entries) as Row;
}

async function send({ service }: Opened, user: string, method: string, path: string, body: object) {
  const response = await service.fetch(
    new Request(`${ORIGIN}/s/${path}`, {
      method,
      headers: { "x-user": user, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as { readonly error?: { readonly target?: string } }) : {};
  return [response.status, json.error?.target ?? null];
}

const OK = [expect.toSatisfy((status: number) => status < 300), null];
const NULLS = { Pay: null, Rank: null, Day: null, Home: null, Note: null };
const DEFAULTS = { Pay: 10, Day: "2024-02-11", Rank: null, Home: null, Note: null };
const SCRIPTED = { ...DEFAULTS, Day: "2024-02-11T00:00:00.000Z" };
const NEW = {
  departmentId: null,
  name: "Bo",
  pay: 10,
  rank: null,
  day: "2024-02-11",
  note: null,
  level: 1,
  home: null,
};

describe.each(FORMS)("whole rows over $title", ({ open }) => {
  test.each([NULLS, DEFAULTS, SCRIPTED])("a new entity: %j counts as absent", async (given) => {
    const opened = await open();
    expect(await send(opened, "bo:", "POST", "Clerks", { Id: 2, Name: "Bo", ...given })).toEqual(OK);
    expect(await stored(opened, 2)).toEqual({ id: 2, ...NEW });
    expect(await send(opened, "", "POST", "Clerks", { Id: 3, Name: "Bo", ...given })).toEqual(OK);
    expect(await stored(opened, 3)).toEqual({ id: 3, ...NEW });
  });

  test.each([NULLS, DEFAULTS, SCRIPTED])("PUT and PATCH: %j keep the stored values", async (given) => {
    for (const method of ["PUT", "PATCH"]) {
      const opened = await open();
      expect(await send(opened, "bo:", method, "Clerks(1)", { DepartmentId: 1, Name: "New", ...given })).toEqual(OK);
      // The user may write the note without reading it.
      expect(await stored(opened, 1)).toEqual({ ...ANN, name: "New", note: null });
    }
  });

  test("other values are refused, and stored ones accepted", async () => {
    const opened = await open();
    for (const [given, target] of [
      [{ Pay: 11 }, "Pay"],
      [{ Pay: 5000 }, "Pay"],
      [{ Rank: "B" }, "Rank"],
      [{ Rank: "" }, "Rank"],
      [{ Day: "2024-02-12" }, "Day"],
      [{ Home: { Street: null, City: null } }, "Home"],
    ] as const) {
      for (const [method, path] of [
        ["POST", "Clerks"],
        ["PUT", "Clerks(1)"],
        ["PATCH", "Clerks(1)"],
      ] as const) {
        const body = { ...(method === "POST" ? { Id: 2 } : {}), Name: "Bo", ...given };
        expect(await send(opened, "bo:", method, path, body), JSON.stringify(given)).toEqual([403, target]);
        expect(await send(opened, "", method, path, body)).toEqual([401, target]);
      }
    }
    expect(await stored(opened, 1)).toEqual(ANN);
    expect(await stored(opened, 2)).toBeUndefined();
    expect(await send(opened, "bo:", "PATCH", "Clerks(1)", { Rank: "A", Name: "New" })).toEqual(OK);
    expect(await stored(opened, 1)).toEqual({ ...ANN, name: "New" });
  });

  test("a user who may write a property writes null with null", async () => {
    const opened = await open();
    const body = { DepartmentId: 1, Name: "Ann", ...NULLS, Pay: 1, Day: "2024-01-01", Level: null };
    expect(await send(opened, "hugo:hr", "PUT", "Clerks(1)", body)).toEqual(OK);
    const changed = { ...ANN, pay: 1, rank: null, day: "2024-01-01", note: null, level: null, home: null };
    expect(await stored(opened, 1)).toEqual(changed);
  });

  test("a write of the route of the property is refused as before", async () => {
    const opened = await open();
    expect(await send(opened, "bo:", "PUT", "Clerks(1)/Rank", { value: null })).toEqual([403, "Rank"]);
    expect(await send(opened, "bo:", "PUT", "Clerks(1)/Pay", { value: 10 })).toEqual([403, "Pay"]);
    expect(await stored(opened, 1)).toEqual(ANN);
  });

  test("PUT that creates: the rules of new entities decide what counts as absent", async () => {
    const opened = await open();
    const body = { Name: "Bo", ...NULLS, Level: null };
    expect(await send(opened, "bo:", "PUT", "Clerks(2)", body)).toEqual(OK);
    // The user may give the level to new entities, but not change it.
    expect(await stored(opened, 2)).toEqual({ id: 2, ...NEW, level: null });
    expect(await send(opened, "bo:", "PUT", "Clerks(3)", { ...body, Level: 5 })).toEqual(OK);
    expect(await stored(opened, 3)).toEqual({ id: 3, ...NEW, level: 5 });
    expect(await send(opened, "bo:", "PUT", "Clerks(4)", { ...body, Rank: "A" })).toEqual([403, "Rank"]);
  });

  test("nested entities, related ones, and change sets", async () => {
    const opened = await open();
    if (!opened.isTable) return;
    const clerk = { Name: "Bo", ...NULLS };
    const department = { Id: 2, Name: "IT", Clerks: [{ Id: 2, ...clerk }] };
    expect(await send(opened, "bo:", "POST", "Departments", department)).toEqual(OK);
    expect(await stored(opened, 2)).toEqual({ id: 2, ...NEW, departmentId: 2 });
    const refused = { Id: 3, Name: "IT", Clerks: [{ Id: 3, ...clerk, Pay: 1 }] };
    expect(await send(opened, "bo:", "POST", "Departments", refused)).toEqual([403, "Clerks(0)/Pay"]);
    expect(await send(opened, "bo:", "POST", "Departments(1)/Clerks", { Id: 4, ...clerk })).toEqual(OK);
    expect(await stored(opened, 4)).toEqual({ id: 4, ...NEW, departmentId: 1 });
    const parts = [
      [
        { request: "POST Clerks", id: "1", body: { Id: 5, ...clerk } },
        { request: "PATCH Clerks(1)", id: "2", body: { Name: "New", Rank: null } },
      ],
    ];
    const response = await opened.service.fetch(
      new Request(`${ORIGIN}/s/$batch`, {
        method: "POST",
        headers: { ...MULTIPART, "x-user": "bo:" },
        body: multipart(parts),
      }),
    );
    expect(await response.text()).not.toContain("error");
    expect([await stored(opened, 5), await stored(opened, 1)]).toEqual([
      { id: 5, ...NEW },
      { ...ANN, name: "New" },
    ]);
  });

  test("the default profile refuses null and the default", async () => {
    const opened = await open("specification");
    const name = { Name: "Bo" };
    expect(await send(opened, "bo:", "POST", "Clerks", { Id: 2, ...name, Rank: null })).toEqual([403, "Rank"]);
    expect(await send(opened, "bo:", "POST", "Clerks", { Id: 2, ...name, Pay: 10 })).toEqual([403, "Pay"]);
    expect(await send(opened, "bo:", "PATCH", "Clerks(1)", { Rank: null })).toEqual([403, "Rank"]);
    expect(await send(opened, "bo:", "PUT", "Clerks(1)", { ...name, Pay: 10 })).toEqual([403, "Pay"]);
  });
});
