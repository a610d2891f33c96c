import { action, isODataError, type Context, type EntitySet } from "odatakit";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import type { Service } from "../http/doors.ts";
import { fillTables, type Row, STAFF, staffLists, staffTables } from "../http/staff-model.ts";

/** The methods of a set whose types are made from data. */
interface Calls {
  readonly get: (key: number) => Promise<Row | null>;
  readonly query: (query?: object) => Promise<readonly Row[]>;
  readonly count: (query?: object) => Promise<number>;
  readonly create: (entity: object) => Promise<Row>;
  readonly patch: (key: number, delta: object, options?: object) => Promise<Row | null>;
  readonly delete: (key: number, options?: object) => Promise<boolean>;
}
/** A condition on a row, and the row, whose types are made from data. */
interface Condition {
  readonly not: () => Condition;
  readonly and: (other: Condition) => Condition;
}
interface AnyRow {
  readonly name: { readonly eq: (value: string) => Condition };
  readonly salary: { readonly gt: (value: string) => Condition };
  readonly home: { readonly isNull: () => Condition };
  readonly boss: AnyRow;
  readonly department: { readonly budget: { readonly gt: (value: number) => Condition } };
}
type Script = (employees: Calls, trusted: Calls, departments: Calls) => Promise<unknown>;

interface Opened {
  readonly resultOf: (script: Script, user?: string) => Promise<unknown>;
  readonly close: () => Promise<void> | void;
}

/** Runs scripts in the handler of an action. */
function scripted(make: (options: object) => { employees: EntitySet; departments: EntitySet; service: Service }) {
  let script: (context: Context) => Promise<unknown> = () => Promise.resolve();
  let result: unknown;
  const run = action({
    bound: "collection",
    handler: async (_parameters, context) => {
      result = await script(context).catch((error: unknown) => error);
    },
  });
  const { employees, departments, service } = make({ actions: { run } });
  return async (given: Script, user = "ann:"): Promise<unknown> => {
    script = ({ sets }) =>
      given(
        sets(employees) as unknown as Calls,
        sets(employees, { trusted: true }) as unknown as Calls,
        sets(departments) as unknown as Calls,
      );
    const request = { method: "POST", headers: { "x-user": user, "content-type": "application/json" }, body: "{}" };
    const response = await service.fetch(new Request("http://service.example/s/Employees/run", request));
    expect(response.status, await response.text()).toBe(204);
    return result;
  };
}

const FORMS: ReadonlyArray<{ readonly title: string; readonly open: () => Promise<Opened> | Opened }> = [
  {
    title: "handlers",
    open: () => ({ resultOf: scripted((options) => staffLists(STAFF, "lists", options)), close: () => undefined }),
  },
  ...ENGINES.map((engine) => ({
    title: engine.title,
    open: async () => {
      const { db, close } = await engine.open();
      await fillTables(db, engine.name, STAFF);
      return { resultOf: scripted((options) => staffTables(db, options)), close };
    },
  })),
];

const SHOWN = { id: 1, name: "Ann", grade: "A", departmentId: 1, bossId: null, version: 1 };

function expectForbidden(result: unknown, target: string, action: string): void {
  const message = `The user of this request may not ${action}.`;
  expect(isODataError(result) ? [result.status, result.code, result.target, result.message] : result).toEqual([
    403,
    "Forbidden",
    target,
    message,
  ]);
}

describe.each(FORMS)("property rules in ctx.sets over $title", ({ open }) => {
  async function over(work: (opened: Opened) => Promise<void>): Promise<void> {
    const opened = await open();
    try {
      await work(opened);
    } finally {
      await opened.close();
    }
  }

  test("results lack what the user may not read, and reading it throws", () =>
    over(async ({ resultOf }) => {
      expect(await resultOf((employees) => employees.get(1))).toEqual(SHOWN);
      expect(await resultOf((employees) => employees.query({ orderBy: "id", top: 1 }))).toEqual([SHOWN]);
      expect(await resultOf((employees) => employees.patch(1, { name: "Ann" }))).toEqual({ ...SHOWN, version: 2 });
      expect(await resultOf((employees) => employees.create({ id: 4, name: "Dan" }))).toEqual({
        ...SHOWN,
        id: 4,
        name: "Dan",
        grade: null,
        departmentId: null,
      });
      expect(await resultOf(async (employees) => (await employees.get(1))?.["salary"])).toEqual(
        new TypeError(
          "The user of this request may not read `salary` of Employees. Pass `trusted: true` to ctx.sets to read it for the service itself.",
        ),
      );
      const whole = { salary: "7000.00", notes: "late", home: { street: "Ring", city: "Oslo" } };
      expect(await resultOf((_own, trusted) => trusted.get(1))).toMatchObject(whole);
      expect(await resultOf((employees) => employees.get(1), "hugo:hr")).toMatchObject(whole);
    }));

  test.each<readonly [string, Script, string, string]>([
    [
      "a filter",
      (e) => e.query({ filter: (row: AnyRow) => row.salary.gt("1") }),
      "Salary",
      "read 'Salary' of Employees",
    ],
    [
      "a part of a filter",
      (e) => e.query({ filter: (row: AnyRow) => row.name.eq("Ann").and(row.home.isNull().not()) }),
      "Home",
      "read 'Home' of Employees",
    ],
    [
      "a filter along navigations",
      (e) => e.query({ filter: (row: AnyRow) => row.boss.boss.salary.gt("1") }),
      "Salary",
      "read 'Salary' of Employees",
    ],
    [
      "a filter on another set",
      (e) => e.count({ filter: (row: AnyRow) => row.department.budget.gt(1) }),
      "Budget",
      "read 'Budget' of Departments",
    ],
    ["an order", (e) => e.query({ orderBy: ["name", "salary desc"] }), "Salary", "read 'Salary' of Employees"],
    [
      "an expected value",
      (e) => e.patch(1, { name: "Eve" }, { expected: { salary: "7000.00" } }),
      "Salary",
      "read 'Salary' of Employees",
    ],
    [
      "an expected value of a delete",
      (e) => e.delete(1, { expected: { notes: "late" } }),
      "Notes",
      "read 'Notes' of Employees",
    ],
    ["a change", (e) => e.patch(1, { salary: "7000.00" }), "Salary", "change 'Salary' of Employees"],
    ["another value", (e) => e.patch(1, { grade: "B" }), "Grade", "change 'Grade' of Employees"],
    [
      "a new entity",
      (e) => e.create({ id: 9, name: "Z", notes: null }),
      "Notes",
      "give 'Notes' to new entities of Employees",
    ],
    [
      "a nested entity",
      (_e, _t, departments) => departments.create({ id: 9, name: "Z", employees: [{ id: 9, name: "Z" }] }),
      "Employees",
      "give 'DepartmentId' to new entities of Employees",
    ],
  ])("%s is refused", (_name, script, target, refused) =>
    over(async ({ resultOf }) => {
      expectForbidden(await resultOf(script), target, refused);
      expect(await resultOf((_own, trusted) => trusted.query({ orderBy: "id" }))).toMatchObject([
        { id: 1, name: "Ann", salary: "7000.00", grade: "A" },
        { id: 2 },
        { id: 3 },
      ]);
    }),
  );

  test("the stored value of a readable property is accepted", () =>
    over(async ({ resultOf }) => {
      expect(await resultOf((employees) => employees.patch(1, { name: "Eve", grade: "A", departmentId: 1 }))).toEqual({
        ...SHOWN,
        name: "Eve",
        version: 2,
      });
      expect(await resultOf((employees) => employees.patch(9, { grade: "A" }))).toBeNull();
    }));

  test("trusted calls, and users who pass the rules, name and write every property", () =>
    over(async ({ resultOf }) => {
      const rich = { filter: (row: AnyRow) => row.salary.gt("4000"), orderBy: "salary desc" };
      expect(await resultOf((_own, trusted) => trusted.query(rich))).toMatchObject([{ id: 1 }, { id: 3 }]);
      expect(await resultOf((employees) => employees.count({ filter: rich.filter }), "hugo:hr")).toBe(2);
      expect(await resultOf((_own, trusted) => trusted.patch(1, { salary: "1.00", grade: "Z" }))).toMatchObject({
        salary: expect.stringMatching(/^1(\.00?)?$/u) as string,
        grade: "Z",
      });
      expect(await resultOf((employees) => employees.patch(1, { grade: "Y" }), "mia:manager")).toMatchObject({
        grade: "Y",
      });
    }));
});
