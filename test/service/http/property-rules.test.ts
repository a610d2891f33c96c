import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { multipart, MULTIPART } from "./batch-model.ts";
import { ERROR_HEADERS, JSON_HEADERS, type HeaderTable, headersOf, ORIGIN, type Service } from "./doors.ts";
import { fillTables, type Row, STAFF, staffLists, staffTables } from "./staff-model.ts";

interface Form {
  readonly title: string;
  readonly open: () => Promise<Opened> | Opened;
}
interface Opened {
  readonly service: Service;
  /** The employees as they are stored. */
  readonly stored: (id: number) => Promise<Row | undefined> | Row | undefined;
  readonly close: () => Promise<void> | void;
}

const FORMS: readonly Form[] = [
  {
    title: "handlers",
    open: () => {
      const { service, store } = staffLists(STAFF, "lists");
      const stored = (id: number): Row | undefined => {
        const row = store.lists.employees.find((each) => each["id"] === id);
        return row === undefined ? undefined : { ...row, salary: Number(row["salary"]).toFixed(2) };
      };
      return { service, stored, close: () => undefined };
    },
  },
  ...ENGINES.map((engine): Form => ({
    title: engine.title,
    open: async () => {
      const { db, close } = await engine.open();
      await fillTables(db, engine.name, STAFF);
      const stored = async (id: number): Promise<Row | undefined> => {
        const row: Row | undefined = await db
          .selectFrom("employees")
          .selectAll()
          .where("id", "=", id)
          .executeTakeFirst();
        if (row === undefined) return undefined;
        const { street, city, ...others } = row;
        const home = street === null && city === null ? null : { street, city };
        return { ...others, salary: Number(row["salary"]).toFixed(2), home };
      };
      return { service: staffTables(db).service, stored, close };
    },
  })),
];

const ANN = {
  id: 1,
  name: "Ann",
  salary: "7000.00",
  notes: "late",
  home: { street: "Ring", city: "Oslo" },
  grade: "A",
};

interface Answered {
  readonly status: number;
  readonly headers: HeaderTable;
  readonly body: unknown;
}

async function send(
  service: Service,
  user: string,
  [method, path, body, headers = {}]: readonly [
    method: string,
    path: string,
    body?: object | undefined,
    headers?: HeaderTable,
  ],
): Promise<Answered> {
  const response = await service.fetch(
    new Request(`${ORIGIN}/s/${path}`, {
      method,
      headers: { "x-user": user, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const { "content-length": _length, ...others } = headersOf(response);
  return {
    status: response.status,
    headers: others,
    body: text.startsWith("{") ? (JSON.parse(text) as unknown) : text,
  };
}

function refusal(action: string, target: string): Answered {
  const message = `The user of this request may not ${action}.`;
  return { status: 403, headers: ERROR_HEADERS, body: { error: { code: "Forbidden", message, target } } };
}

/** An employee in a response to a user who may not read its salary, notes and home. */
function shown(id: number, values: Row): Row {
  return {
    "@odata.context": `${ORIGIN}/s/$metadata#Employees/$entity`,
    "@odata.id": `${ORIGIN}/s/Employees(${String(id)})`,
    "@odata.etag": expect.any(String) as string,
    Id: id,
    ...values,
  };
}

const CHANGE = (name: string): string => `change '${name}' of Employees`;
const GIVE = (name: string): string => `give '${name}' to new entities of Employees`;

describe.each(FORMS)("property rules over $title", ({ open }) => {
  async function over(work: (opened: Opened) => Promise<void>): Promise<void> {
    const opened = await open();
    try {
      await work(opened);
    } finally {
      await opened.close();
    }
  }

  test("an unreadable property is absent from the response, and its value is not", () =>
    over(async ({ service }) => {
      const ann = { Name: "Ann", Grade: "A", DepartmentId: 1, BossId: null, Version: 1 };
      const read = await send(service, "ann:", ["GET", "Employees(1)"]);
      expect(read).toEqual({
        status: 200,
        headers: { ...JSON_HEADERS, etag: expect.any(String) as string, "cache-control": "no-store" },
        body: shown(1, ann),
      });
      expect((await send(service, "hugo:hr", ["GET", "Employees(1)"])).body).toEqual(
        shown(1, { ...ann, Salary: 7000, Notes: "late", Home: { Street: "Ring", City: "Oslo" } }),
      );
    }));

  test.each<readonly [string, object, string]>([
    ["a value", { Salary: 1 }, "Salary"],
    ["the stored value", { Name: "Ann", Salary: 7000 }, "Salary"],
    ["null", { Notes: null }, "Notes"],
    ["a member", { Home: { City: "Oslo" } }, "Home"],
    ["nothing of a complex value", { Home: {} }, "Home"],
  ])("PATCH and PUT refuse %s of an unreadable property", (_name, body, target) =>
    over(async ({ service, stored }) => {
      const expected = refusal(CHANGE(target), target);
      expect(await send(service, "ann:", ["PATCH", "Employees(1)", body])).toEqual(expected);
      expect(await send(service, "ann:", ["PUT", "Employees(1)", { Name: "Ann", ...body }])).toEqual(expected);
      expect(await stored(1)).toMatchObject({ ...ANN, version: 1 });
    }),
  );

  test("PATCH and PUT accept the stored value of a readable property, and no other", () =>
    over(async ({ service, stored }) => {
      for (const method of ["PATCH", "PUT"]) {
        const body = { Name: "Ann", Grade: "Z", DepartmentId: 1, BossId: null };
        expect(await send(service, "ann:", [method, "Employees(1)", body])).toEqual(refusal(CHANGE("Grade"), "Grade"));
        const moved = { Name: "Ann", Grade: "A", DepartmentId: 2 };
        expect(await send(service, "ann:", [method, "Employees(1)", moved])).toEqual(
          refusal(CHANGE("DepartmentId"), "DepartmentId"),
        );
        const cleared = { Name: "Ann", Grade: null };
        expect(await send(service, "ann:", [method, "Employees(1)", cleared])).toEqual(
          refusal(CHANGE("Grade"), "Grade"),
        );
      }
      expect(await stored(1)).toMatchObject({ ...ANN, departmentId: 1, version: 1 });
      const row = { Id: 1, Name: "Anna", Grade: "A", DepartmentId: 1, BossId: null, Version: 1 };
      const patched = await send(service, "ann:", ["PATCH", "Employees(1)", row]);
      expect(patched.body).toEqual(shown(1, { Name: "Anna", Grade: "A", DepartmentId: 1, BossId: null, Version: 2 }));
      const replaced = await send(service, "ann:", ["PUT", "Employees(1)", { ...row, Name: "Anne" }]);
      expect(replaced.body).toEqual(shown(1, { Name: "Anne", Grade: "A", DepartmentId: 1, BossId: null, Version: 3 }));
      expect(await stored(1)).toMatchObject({ ...ANN, name: "Anne", departmentId: 1, version: 3 });
    }));

  test("PUT without a property that the user may not read or change keeps its stored value", () =>
    over(async ({ service, stored }) => {
      const { status, body } = await send(service, "ann:", ["PUT", "Employees(1)", { Name: "Eve", BossId: 2 }]);
      expect([status, body]).toEqual([
        200,
        shown(1, { Name: "Eve", Grade: "A", DepartmentId: 1, BossId: 2, Version: 2 }),
      ]);
      expect(await stored(1)).toMatchObject({ ...ANN, name: "Eve", departmentId: 1, bossId: 2, version: 2 });
      // A user who may change all of them replaces the entity.
      await send(service, "root:hr,manager", ["PUT", "Employees(1)", { Name: "Eve", Grade: "C" }]);
      expect(await stored(1)).toMatchObject({
        name: "Eve",
        salary: "0.00",
        notes: null,
        home: null,
        grade: "C",
        departmentId: null,
        bossId: null,
        version: 3,
      });
    }));

  test("users who pass the rules write the properties", () =>
    over(async ({ service, stored }) => {
      expect(
        (await send(service, "hugo:hr", ["PATCH", "Employees(2)", { Salary: 1.5, Home: { City: "Rome" } }])).status,
      ).toBe(200);
      expect(
        (await send(service, "mia:manager", ["PATCH", "Employees(2)", { Grade: "C", DepartmentId: 2 }])).status,
      ).toBe(200);
      expect((await send(service, "hugo:hr", ["PUT", "Employees(2)/Notes", { value: "new" }])).status).toBe(204);
      expect(await stored(2)).toMatchObject({
        salary: "1.50",
        home: { street: null, city: "Rome" },
        grade: "C",
        departmentId: 2,
        notes: "new",
      });
    }));

  test.each<readonly [string, string, object | undefined, string]>([
    ["PUT", "Employees(1)/Salary", { value: 7000 }, "Salary"],
    ["PATCH", "Employees(1)/Salary", { value: 7000 }, "Salary"],
    ["DELETE", "Employees(1)/Notes", undefined, "Notes"],
    ["PUT", "Employees(1)/Grade", { value: "A" }, "Grade"],
    ["DELETE", "Employees(1)/Grade", undefined, "Grade"],
    ["DELETE", "Employees(1)/Home", undefined, "Home"],
  ])("%s %s is refused", (method, path, body, target) =>
    over(async ({ service, stored }) => {
      expect(await send(service, "ann:", [method, path, body])).toEqual(refusal(CHANGE(target), target));
      expect(await stored(1)).toMatchObject(ANN);
    }),
  );

  test("POST and a PUT that creates obey the rules for create", () =>
    over(async ({ service, stored }) => {
      const created = await send(service, "ann:", ["POST", "Employees", { Id: 4, Name: "Dan" }]);
      expect([created.status, created.body]).toEqual([
        201,
        shown(4, { Name: "Dan", Grade: null, DepartmentId: null, BossId: null, Version: 1 }),
      ]);
      expect(await stored(4)).toMatchObject({ name: "Dan", salary: "0.00", notes: null, home: null, grade: null });
      for (const [name, value] of [
        ["Salary", 0],
        ["Notes", null],
        ["Grade", "A"],
        ["DepartmentId", 1],
      ] as const) {
        const expected = refusal(GIVE(name), name);
        expect(await send(service, "ann:", ["POST", "Employees", { Id: 5, Name: "Eve", [name]: value }])).toEqual(
          expected,
        );
        expect(await send(service, "ann:", ["PUT", "Employees(5)", { Name: "Eve", [name]: value }])).toEqual(expected);
      }
      expect(await stored(5)).toBeUndefined();
      expect((await send(service, "ann:", ["PUT", "Employees(5)", { Name: "Eve" }])).status).toBe(201);
      expect(await stored(5)).toMatchObject({ name: "Eve", salary: "0.00", notes: null, grade: null });
      expect(
        (await send(service, "root:hr,manager", ["PUT", "Employees(6)", { Name: "Flo", Salary: 6, Grade: "F" }]))
          .status,
      ).toBe(201);
      expect(await stored(6)).toMatchObject({ salary: "6.00", grade: "F" });
    }));

  test("nested entities obey the rules of their set, and so do foreign keys that follow from nesting", () =>
    over(async ({ service, stored }) => {
      const nested = (values: object) => ({
        Id: 7,
        Name: "Ops",
        Employees: [
          { Id: 70, Name: "Jo" },
          { Id: 71, Name: "Kim", ...values },
        ],
      });
      const link = refusal(GIVE("DepartmentId"), "Employees");
      expect(await send(service, "ann:", ["POST", "Departments", nested({})])).toEqual(link);
      expect(await send(service, "mia:manager", ["POST", "Departments", nested({ Salary: 5 })])).toEqual(
        refusal(GIVE("Salary"), "Employees/1/Salary"),
      );
      expect(await send(service, "ann:", ["POST", "Departments", { Id: 7, Name: "Ops", Budget: 1 }])).toEqual(
        refusal("give 'Budget' to new entities of Departments", "Budget"),
      );
      expect(await stored(70)).toBeUndefined();
      const created = await send(service, "mia:manager", ["POST", "Departments", nested({ Grade: "K" })]);
      expect([created.status, created.body]).toMatchObject([201, { Employees: [{ Id: 70 }, { Id: 71, Grade: "K" }] }]);
      expect(JSON.stringify(created.body)).not.toMatch(/Salary|Notes|Home|Budget/u);
      expect(await stored(71)).toMatchObject({ grade: "K", departmentId: 7, salary: "0.00" });
    }));

  test("POST along a navigation and links obey the rules of the foreign key", () =>
    over(async ({ service, stored }) => {
      const jo = { Id: 70, Name: "Jo" };
      expect(await send(service, "ann:", ["POST", "Departments(2)/Employees", jo])).toEqual(
        refusal(GIVE("DepartmentId"), "Employees"),
      );
      expect(await send(service, "ann:", ["POST", "Employees(1)/Team", { ...jo, Salary: 1 }])).toEqual(
        refusal(GIVE("Salary"), "Salary"),
      );
      expect(await stored(70)).toBeUndefined();
      const team = await send(service, "ann:", ["POST", "Employees(1)/Team", jo]);
      expect([team.status, team.body]).toEqual([
        201,
        shown(70, { Name: "Jo", Grade: null, DepartmentId: null, BossId: 1, Version: 1 }),
      ]);
      const changes: ReadonlyArray<
        readonly [method: string, path: string, body?: object | undefined, navigation?: string]
      > = [
        ["PUT", "Employees(2)/Department/$ref", { "@odata.id": "Departments(2)" }, "Department"],
        ["DELETE", "Employees(2)/Department/$ref", undefined, "Department"],
        ["POST", "Departments(2)/Employees/$ref", { "@odata.id": "Employees(2)" }, "Employees"],
        ["DELETE", "Departments(1)/Employees/$ref?$id=Employees(2)", undefined, "Employees"],
      ];
      for (const [method, path, body, navigation = ""] of changes) {
        expect(await send(service, "ann:", [method, path, body])).toEqual(refusal(CHANGE("DepartmentId"), navigation));
      }
      expect(await stored(2)).toMatchObject({ departmentId: 1, version: 1 });
      expect(
        (await send(service, "mia:manager", ["PUT", "Employees(2)/Department/$ref", { "@odata.id": "Departments(2)" }]))
          .status,
      ).toBe(204);
      expect(
        (await send(service, "ann:", ["PUT", "Employees(2)/Boss/$ref", { "@odata.id": "Employees(3)" }])).status,
      ).toBe(204);
    }));

  test("batches and change sets obey the rules", () =>
    over(async ({ service, stored }) => {
      const sent = multipart([
        { request: "GET Employees(1)?$select=Salary" },
        { request: "GET Employees(1)" },
        { request: "PATCH Employees(1)", body: { Salary: 1 } },
        [{ request: "PATCH Employees(1)", body: { Name: "Eve", Grade: "B" } }],
      ]);
      const response = await service.fetch(
        new Request(`${ORIGIN}/s/$batch`, {
          method: "POST",
          headers: { "x-user": "ann:", prefer: "continue-on-error", ...MULTIPART },
          body: sent,
        }),
      );
      const text = await response.text();
      expect(text.match(/HTTP\/1\.1 \d+/gu)).toEqual(["HTTP/1.1 403", "HTTP/1.1 200", "HTTP/1.1 403", "HTTP/1.1 403"]);
      expect(text).not.toMatch(/7000|late|Oslo/u);
      expect(await stored(1)).toMatchObject(ANN);
    }));

  test("If-Match works without a property that the user may not read", () =>
    over(async ({ service, stored }) => {
      const { headers } = await send(service, "ann:", ["GET", "Employees(1)"]);
      const match = { "if-match": headers["etag"] ?? "" };
      expect((await send(service, "ann:", ["PATCH", "Employees(1)", { Name: "Eve", Grade: "A" }, match])).status).toBe(
        200,
      );
      expect((await send(service, "ann:", ["PATCH", "Employees(1)", { Name: "Eva", Grade: "A" }, match])).status).toBe(
        412,
      );
      expect(await stored(1)).toMatchObject({ name: "Eve", version: 2 });
    }));
});
