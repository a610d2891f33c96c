import { sql } from "kysely";
import {
  action,
  applyDelta,
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  role,
  type EntitySet,
  type EntityType,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase, DatabaseName } from "../../engine/executors/engines.ts";
import { applyTo } from "../../engine/rows/row-query.ts";
import { noFailures } from "./model.ts";

/** Departments and their employees, some of whose properties only some users may read or write. */

export const Home = complexType("Home", { street: edm.string().nullable(), city: edm.string().nullable() });
export const Department = entityType("Department", {
  id: edm.int32().key(),
  name: edm.string(),
  budget: edm.int32().default(0),
});
export const Employee = entityType("Employee", {
  id: edm.int32().key(),
  name: edm.string(),
  salary: edm.decimal({ precision: 10, scale: 2 }).default("0"),
  notes: edm.string().nullable(),
  home: edm.complex(Home).nullable(),
  grade: edm.string().nullable(),
  departmentId: edm.int32().nullable(),
  bossId: edm.int32().nullable(),
  version: edm.int32().computed(),
});

export type Row = Readonly<Record<string, unknown>>;
export interface StaffData {
  readonly departments: readonly Row[];
  readonly employees: readonly Row[];
}

const employee = (id: number, values: Row): Row => ({
  id,
  name: `E${String(id)}`,
  salary: `${String(id * 100)}.00`,
  notes: null,
  home: null,
  grade: null,
  departmentId: 1,
  bossId: null,
  version: 1,
  ...values,
});

/** The rows of most tests. */
export const STAFF: StaffData = {
  departments: [
    { id: 1, name: "Sales", budget: 5000 },
    { id: 2, name: "Labs", budget: 9000 },
  ],
  employees: [
    employee(1, { name: "Ann", salary: "7000.00", notes: "late", home: { street: "Ring", city: "Oslo" }, grade: "A" }),
    employee(2, { name: "Bob", salary: "3000.00", bossId: 1, grade: "B" }),
    employee(3, { name: "Cyd", salary: "5000.00", notes: "calm", departmentId: 2, bossId: 1 }),
  ],
};

/** The same rows with other values of the properties that only `hr` may read. */
export const OTHER_STAFF: StaffData = {
  departments: [
    { id: 1, name: "Sales", budget: 1 },
    { id: 2, name: "Labs", budget: 123_456 },
  ],
  employees: [
    employee(1, { name: "Ann", salary: "1.00", grade: "A" }),
    employee(2, { name: "Bob", salary: "99999.99", notes: "calm and late", bossId: 1, grade: "B" }),
    employee(3, { name: "Cyd", salary: "2.50", home: { street: null, city: "Rome" }, departmentId: 2, bossId: 1 }),
  ],
};

const HR = { read: role("hr"), update: role("hr") };
const MANAGER = { create: role("manager"), update: role("manager") };

export const EMPLOYEE_RULES = {
  properties: { salary: HR, notes: HR, home: HR, grade: MANAGER, departmentId: MANAGER },
};
export const DEPARTMENT_RULES = { properties: { budget: HR } };

/** How the sets are read and written: over tables, or by handlers. */
export const STYLES = ["sources", "lists", "applied", "batches", "loaded"] as const;
export type Style = (typeof STYLES)[number];

/** Sets whose options are made from data, so the compiler does not know their types. */
type Untyped = (type: EntityType, options: object) => EntitySet;
const make = entitySet as unknown as Untyped;
const makeOverTable = sqlEntitySet as unknown as Untyped;

const COMMON = { allowUpsert: true, allowDeepInsert: true, etag: ["version"] };
const PLAIN = { allowUpsert: true, allowDeepInsert: true };

function users({ headers }: { readonly headers: Headers }) {
  const [id = "", roles = ""] = (headers.get("x-user") ?? "").split(":");
  return id === "" ? null : { id, roles: roles.split(",") };
}

const APPLY = { applyEnabled: true, computeEnabled: true };
const SERVICE = { authenticate: users, logger: noFailures, prefix: "/s", defaults: APPLY };

/** The sets over tables. `columns` of the home are those of the table. */
export function staffTables(db: AnyDatabase, options: object = {}, ofDepartments: object = {}) {
  const operations = ["read", "create", "replace", "patch", "delete"];
  const departments = makeOverTable(Department, {
    ...PLAIN,
    db,
    table: "departments",
    operations,
    authorization: DEPARTMENT_RULES,
    navigation: { employees: hasMany(Employee, { target: "Employees", on: { id: "departmentId" } }) },
    ...ofDepartments,
  });
  const employees: EntitySet = makeOverTable(Employee, {
    ...COMMON,
    db,
    table: "employees",
    operations,
    rowVersion: "version",
    search: ["name", "notes"],
    columns: { home: { columns: { street: "street", city: "city" } } },
    authorization: EMPLOYEE_RULES,
    navigation: {
      department: hasOptional(Department, { target: "Departments", on: { departmentId: "id" } }),
      boss: hasOptional(Employee, { target: "Employees", on: { bossId: "id" } }),
      team: hasMany(Employee, { target: "Employees", on: { id: "bossId" } }),
    },
    ...operationsOf(() => db.selectFrom("employees").selectAll().orderBy("id").execute().then(toRows)),
    ...options,
  });
  return { departments, employees, service: odataService({ ...SERVICE, entitySets: [departments, employees] }) };
}

function toRows(rows: readonly Row[]): readonly Row[] {
  return rows.map(({ street, city, ...row }) => ({
    ...row,
    salary: Number(row["salary"]).toFixed(2),
    home: street === null && city === null ? null : { street, city },
  }));
}

/** Operations that return entities: bound to their set, and composable. */
function operationsOf(read: () => Promise<readonly Row[]> | readonly Row[]) {
  return {
    functions: {
      first: fn({ bound: "collection", returns: Employee, handler: async () => (await read())[0] as never }),
      all: fn({
        bound: "collection",
        returns: edm.collection(Employee),
        composable: true,
        handler: async () => (await read()) as never,
      }),
    },
    actions: {
      list: action({
        bound: "collection",
        returns: edm.collection(Employee),
        handler: async () => (await read()) as never,
      }),
    },
  };
}

/** Makes the tables with rows. */
export async function fillTables(db: AnyDatabase, name: DatabaseName, data: StaffData): Promise<void> {
  await sql`create table departments (id integer primary key, name varchar(50) not null, budget integer not null)`.execute(
    db,
  );
  const salary = name === "sqlite" ? sql.raw("text") : sql.raw("decimal(10,2)");
  await sql`create table employees (id integer primary key, name varchar(50) not null, salary ${salary} not null,
    notes varchar(50), street varchar(50), city varchar(50), grade varchar(50), ${sql.id("departmentId")} integer,
    ${sql.id("bossId")} integer, version integer not null)`.execute(db);
  for (const row of data.departments) await db.insertInto("departments").values(row).execute();
  for (const { home, ...row } of data.employees) {
    const { street, city } = (home ?? { street: null, city: null }) as Row;
    await db
      .insertInto("employees")
      .values({ ...row, street, city })
      .execute();
  }
}

/** Rows in memory, written by handlers that trust the service. */
class Store {
  readonly lists: Record<"departments" | "employees", Row[]>;
  /** The entities, deltas, queries and related keys that the handlers received. */
  readonly received: unknown[] = [];

  constructor({ departments, employees }: StaffData) {
    this.lists = { departments: [...departments], employees: [...employees] };
  }

  handlers(list: "departments" | "employees", type: EntityType) {
    const rows = (): readonly Row[] => this.lists[list];
    const find = (key: unknown): Row | null => rows().find(({ id }) => id === key) ?? null;
    const change = (key: unknown, by: (row: Row) => Row): Row | null => {
      const old = find(key);
      if (old === null) return null;
      const changed = { ...by(old), ...(list === "employees" ? { version: Number(old["version"]) + 1 } : {}) };
      this.lists[list] = rows().map((row) => (row === old ? changed : row));
      return changed;
    };
    return {
      getByKey: find,
      create: (entity: Row) => {
        this.received.push(entity);
        const { employees, ...given } = entity;
        const names = new Set(["department", "boss", "team"]);
        const row: Row = Object.fromEntries(Object.entries(given).filter(([field]) => !names.has(field)));
        const stored = list === "employees" ? { ...row, version: 1 } : row;
        this.lists[list] = [...rows(), stored];
        const nested = ((employees ?? []) as readonly Row[]).map((item) => ({
          ...item,
          departmentId: row["id"],
          version: 1,
        }));
        this.lists.employees = [...this.lists.employees, ...nested];
        return { ...stored, ...(nested.length === 0 ? {} : { employees: nested }) };
      },
      replace: (key: unknown, entity: Row) => {
        this.received.push(entity);
        return change(key, (old) => ({ ...old, ...entity }));
      },
      patch: (key: unknown, delta: Row) => {
        this.received.push(delta);
        return change(key, (old) => applyDelta(type, old as never, delta as never));
      },
      delete: (key: unknown) => {
        const found = find(key);
        this.lists[list] = rows().filter((row) => row !== found);
        return found !== null;
      },
    };
  }
}

/** The sets over lists, read in a style. */
export function staffLists(data: StaffData, style: Style, options: object = {}, ofDepartments: object = {}) {
  const store = new Store(data);
  const populated = (list: "departments" | "employees", row: Row): Row => {
    if (style !== "loaded") return row;
    const { departments, employees } = store.lists;
    if (list === "departments") {
      return { ...row, employees: employees.filter(({ departmentId }) => departmentId === row["id"]) };
    }
    return {
      ...row,
      department: departments.find(({ id }) => id === row["departmentId"]) ?? null,
      boss: employees.find(({ id }) => id === row["bossId"]) ?? null,
      team: employees.filter(({ bossId }) => bossId === row["id"]),
    };
  };
  const read = (list: "departments" | "employees", type: EntityType): object => {
    const all = (): readonly Row[] => store.lists[list].map((row) => populated(list, row));
    if (style === "sources" || style === "batches") return { queryable: () => arraySource(type, all() as never) };
    if (style === "applied") {
      return {
        applyQuery: (query: never) => {
          store.received.push(query);
          return applyTo(all(), query);
        },
      };
    }
    return { getAll: all };
  };
  const related = (many: boolean, list: "departments" | "employees", from: string, to: string): object => {
    const parents = from === "id" && list === "employees" && to === "departmentId" ? "departments" : "employees";
    const load = (key: unknown): unknown => {
      const parent = store.lists[parents].find(({ id }) => id === key);
      const found = store.lists[list].filter((row) => parent !== undefined && row[to] === parent[from]);
      return many ? found : (found[0] ?? null);
    };
    const link = (key: unknown, value: unknown): void => {
      store.received.push({ [from]: value, key });
    };
    const links = many
      ? {
          addRef: link,
          removeRef: link,
          create: (key: unknown, entity: Row) => store.handlers(list, Employee).create({ ...entity, [to]: key }),
        }
      : { setRef: link, removeRef: link };
    const on = { on: { [from]: to } };
    if (style === "loaded") return { ...links, ...on };
    if (style === "batches") {
      return { ...links, ...on, getBatch: (keys: readonly unknown[]) => new Map(keys.map((key) => [key, load(key)])) };
    }
    return { ...links, ...on, get: load };
  };
  const isSearched = style !== "applied";
  const search = ({
    text,
    unreadable = [],
  }: {
    readonly text: string;
    readonly unreadable?: readonly { readonly field: string }[];
  }) => {
    const fields = ["name", "notes"].filter((field) => !unreadable.some((each) => each.field === field));
    return store.lists.employees.filter((row) =>
      fields.some((field) => JSON.stringify(row[field]).toLowerCase().includes(text.toLowerCase())),
    );
  };
  const departments = make(Department, {
    ...PLAIN,
    ...read("departments", Department),
    ...store.handlers("departments", Department),
    authorization: DEPARTMENT_RULES,
    navigation: {
      employees: hasMany(Employee, { target: "Employees", ...related(true, "employees", "id", "departmentId") }),
    },
    ...ofDepartments,
  });
  const employees = make(Employee, {
    ...COMMON,
    ...read("employees", Employee),
    ...store.handlers("employees", Employee),
    ...(isSearched ? { search } : {}),
    authorization: EMPLOYEE_RULES,
    navigation: {
      department: hasOptional(Department, {
        target: "Departments",
        ...related(false, "departments", "departmentId", "id"),
      }),
      boss: hasOptional(Employee, { target: "Employees", ...related(false, "employees", "bossId", "id") }),
      team: hasMany(Employee, { target: "Employees", ...related(true, "employees", "id", "bossId") }),
    },
    ...operationsOf(() => store.lists.employees),
    ...options,
  });
  return { departments, employees, store, service: odataService({ ...SERVICE, entitySets: [departments, employees] }) };
}
