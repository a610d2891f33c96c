// Statements: docs/reference/errors.md#codes
// Statements: docs/reference/limitations.md#row-rules
// Statements: docs/reference/status-codes.md#errors
import { odataError, type RowPredicate } from "odatakit";
import { describe, expect, test } from "vitest";
import { type HeaderTable, headersOf, type Service } from "./doors.ts";
import { DATA, makeService, STYLES, visibleTo, type Asked, type Style } from "./row-rules-model.ts";

/** Reads of every kind that mention a set with a rule: their responses are as if hidden rows did not exist. */
const READS: Readonly<Record<string, readonly string[]>> = {
  collection: ["/Customers", "/Orders", "/Lines", "/Orders?$top=2&$skip=1", "/Orders?$top=0&$count=true"],
  "@odata.count and next links": [
    "/Customers?$count=true",
    "/Customers?$count=true&$skip=2",
    "/Lines?$count=true",
    "/Lines?$skip=3&$count=true",
  ],
  $count: ["/Customers/$count", "/Orders/$count", "/Orders/$count?$filter=Total gt 4", "/Lines/$count"],
  key: ["/Customers(1)", "/Customers(2)", "/Customers(99)", "/Orders(10)", "/Orders(11)", "/Orders(13)", "/Lines(101)"],
  property: ["/Customers(1)/Name", "/Customers(2)/Name", "/Orders(11)/Title", "/Customers(4)/Region"],
  $value: ["/Customers(1)/Name/$value", "/Customers(2)/Name/$value", "/Lines(101)/Text/$value"],
  "$filter, $orderby, $select": [
    "/Customers?$filter=Region ne 'east'",
    "/Customers?$filter=not (Region eq 'east')",
    "/Orders?$orderby=Total desc,Title",
    "/Orders?$select=Title&$orderby=Total desc",
    "/Orders?$filter=Id in (10,11,12,13)&$select=Id",
  ],
  "paths to one": [
    "/Customers?$filter=Boss/Name eq 'Bob'",
    "/Customers?$filter=Boss eq null",
    "/Customers?$filter=Boss ne null&$orderby=Boss/Name desc",
    "/Customers?$filter=Boss/Boss/Id eq 1",
    "/Customers?$orderby=Boss/Name,Id",
    "/Orders?$filter=Customer/Boss/Name eq 'Bob' or Customer/Name eq 'Gus'",
    "/Lines?$filter=Order/Total gt 4",
    "/Lines?$filter=Order eq null",
    "/Lines?$orderby=Order/Title,Id",
  ],
  "any, all, $count of a collection": [
    "/Customers?$filter=Orders/any()",
    "/Customers?$filter=Orders/any(o:o/Total gt 6)",
    "/Customers?$filter=Orders/all(o:o/Total lt 7)",
    "/Customers?$filter=Reports/$count eq 1",
    "/Customers?$filter=Reports/any(r:r/Region ne 'east')",
    "/Customers?$filter=Reports/any(r:r/Orders/any(o:o/Total eq 7))",
    "/Customers?$orderby=Reports/$count desc,Id",
    "/Orders?$filter=Lines/any(l:l/IsSecret)",
    "/Orders?$filter=Lines/$count eq 1",
  ],
  $root: [
    "/Orders?$filter=Total eq $root/Orders(11)/Total",
    "/Orders?$filter=Total ge $root/Orders(12)/Total",
    "/Lines?$filter=$root/Customers(2)/Name ne null",
    "/Lines?$filter=$root/Lines(101)/Text eq null",
    "/Customers?$filter=$root/Customers(3)/Boss/Name eq 'Bob'",
  ],
  $search: [
    "/Customers?$search=west",
    "/Customers?$search=east&$count=true",
    "/Lines?$search=true",
    "/Orders?$search=e",
  ],
  $expand: [
    "/Customers?$expand=Orders",
    "/Customers?$expand=Boss,Reports",
    "/Customers(1)?$expand=Orders($expand=Lines),Reports($expand=Orders)",
    "/Orders?$expand=Customer($expand=Boss)",
    "/Orders(10)?$expand=Lines",
    "/Lines?$expand=Order($expand=Customer)",
    "/Customers?$expand=Orders($select=Title)",
    "/Customers(3)?$expand=*",
  ],
  "options of $expand": [
    "/Customers?$expand=Orders($filter=Total gt 4)",
    "/Customers?$expand=Reports($orderby=Name desc;$top=1)",
    "/Customers?$expand=Reports($skip=1;$top=1;$orderby=Id)",
    "/Customers(1)?$expand=Reports($count=true;$top=1)",
    "/Customers?$expand=Orders($count=true)",
    "/Customers?$expand=Reports/$count",
    "/Orders?$expand=Lines/$count($filter=contains(Text,'o'))",
    "/Customers(1)?$expand=Orders/$ref",
    "/Customers?$expand=Reports($search=west)",
    "/Customers?$expand=Boss($filter=Name eq 'Bob')",
    "/Customers?$expand=Reports($filter=Boss/Name eq 'Ann')",
    "/Customers?$expand=Reports($filter=Orders/any();$orderby=Orders/$count desc,Id)",
    "/Customers?$expand=Orders($filter=$root/Customers(2)/Name eq 'Bob')",
  ],
  $levels: ["/Customers?$expand=Reports($levels=3)", "/Customers(7)?$expand=Boss($levels=max)"],
  navigation: [
    "/Customers(1)/Orders",
    "/Customers(1)/Reports?$count=true",
    "/Customers(1)/Reports/$count",
    "/Customers(2)/Reports",
    "/Customers(2)/Orders/$count",
    "/Customers(3)/Boss",
    "/Customers(5)/Boss",
    "/Customers(1)/Reports(2)",
    "/Customers(1)/Reports(5)",
    "/Orders(10)/Lines?$top=1",
    "/Orders(11)/Lines",
    "/Lines(102)/Order",
  ],
  $ref: [
    "/Customers(1)/Reports/$ref",
    "/Customers(3)/Boss/$ref",
    "/Customers(5)/Boss/$ref",
    "/Customers(2)/Orders/$ref",
  ],
  operations: [
    "/Orders/Everything()",
    "/Orders/First(Id=10)",
    "/Orders/First(Id=11)",
    "/Orders(10)/LinesOf()",
    "/Orders(12)/LinesOf()",
  ],
};

const NOBODY: Asked = { customers: 0, orders: 0, lines: 0 };

interface Told {
  readonly status: number;
  readonly headers: HeaderTable;
  readonly text: string;
}

async function ask(
  service: Service,
  user: string | null,
  target: string,
  method = "GET",
  body?: object,
): Promise<Told> {
  const headers: Record<string, string> = { host: "service.example" };
  if (user !== null) headers["x-user"] = user;
  if (body !== undefined) headers["content-type"] = "application/json";
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await service.fetch(new Request(`http://service.example${target}`, init));
  return { status: response.status, headers: headersOf(response), text: await response.text() };
}

function guarded(style: Style, more: Partial<Parameters<typeof makeService>[0]> = {}) {
  const asked: Asked = { ...NOBODY };
  return { asked, ...makeService({ style, data: DATA, asked, ...more }) };
}

describe.each(STYLES)("%s", (style) => {
  describe.each(["east", "west", null])("reads of %s are answered as if hidden rows did not exist", (user) => {
    const { service } = guarded(style);
    const { service: other } = makeService({ style, data: visibleTo(user) });

    test.each(Object.entries(READS))("%s", async (_kind, targets) => {
      for (const target of targets) {
        const expected = await ask(other, user, target);
        const isLost = expected.status === 404 || expected.status === 204;
        const found = await ask(service, user, target);
        // A handler may not know whether there is the parent, and is not asked where the user sees none.
        if (isLost || isBelowHidden(target, user)) expect([404, expected.status], target).toContain(found.status);
        else expect(found, target).toEqual(expected);
        expect(found.status, `${target}: ${found.text}`).not.toBe(500);
      }
    });
  });

  test("an administrator sees all rows", async () => {
    const { service } = guarded(style);
    const { service: other } = makeService({ style, data: DATA });
    for (const target of Object.values(READS).flat()) {
      const found = await ask(service, "admin", target);
      const expected = await ask(other, "admin", target);
      if (expected.status !== 404) expect(found, target).toEqual(expected);
    }
  });

  test("no response contains any part of a hidden row", async () => {
    const { service } = guarded(style);
    for (const target of Object.values(READS).flat()) {
      const { text } = await ask(service, "east", target);
      const isNamed = /Bob|Fay|Dan|pears|nuts|figs|"two"|"five"/.test(decodeURIComponent(target));
      if (!isNamed) expect(text, target).not.toMatch(/"(?:Bob|Fay|Dan|pears|nuts|figs|two|five)"/);
    }
  });

  test("a request calls the rule of a set once, whatever it mentions", async () => {
    const { service, asked } = guarded(style);
    const target =
      "/Customers?$expand=Orders($expand=Lines,Customer),Reports($filter=Orders/any(o:o/Lines/any()))" +
      "&$filter=Orders/any(o:o/Total gt 0) or Reports/any(r:r/Boss/Name eq 'x') or $root/Lines(100)/Text eq ''";
    const { status, text } = await ask(service, "east", target);
    expect(status, text).toBe(200);
    expect(asked).toEqual({ customers: 1, orders: 1, lines: 1 });
  });

  describe("a rule that throws", () => {
    const targets = Object.values(READS).flat();

    test("is a failure of the service that shows nothing", async () => {
      const logged: unknown[] = [];
      const fault = (): RowPredicate => {
        throw new Error("secret of the rule");
      };
      const { service } = guarded(style, { fault, logged });
      for (const target of targets) {
        const { status, text } = await ask(service, "east", target);
        expect([404, 405, 500], `${target}: ${text}`).toContain(status);
        expect(text).not.toMatch(/secret|Ann|apples/);
      }
      expect(logged).not.toEqual([]);
    });

    test("returns an error that is meant for the client", async () => {
      const fault = (): RowPredicate => {
        throw odataError(429, "TooMany", "Later.");
      };
      const { service } = guarded(style, { fault });
      for (const target of targets) {
        const { status, text } = await ask(service, "east", target);
        expect([404, 405, 429], `${target}: ${text}`).toContain(status);
      }
    });

    test("keeps handlers from writing", async () => {
      const fault = (): RowPredicate => {
        throw new Error("secret of the rule");
      };
      const { service, calls } = guarded(style, { fault });
      const body = { Id: 50, Name: "Hal", Region: "east", BossId: null };
      expect((await ask(service, "east", "/Customers", "POST", body)).status).toBe(500);
      expect((await ask(service, "east", "/Customers(1)", "PATCH", { Name: "Hal" })).status).toBe(500);
      expect((await ask(service, "east", "/Customers(1)", "PUT", { ...body, Id: 1 })).status).toBe(500);
      expect((await ask(service, "east", "/Customers(1)", "DELETE")).status).toBe(500);
      expect(calls).toEqual([]);
    });
  });

  describe("writes", () => {
    const customer = { Id: 2, Name: "Hal", Region: "east", BossId: null };

    test("of hidden rows find nothing", async () => {
      const { service, rows, calls } = guarded(style);
      const before = structuredClone(rows);
      const { service: other } = makeService({ style, data: visibleTo("east") });
      for (const [method, target, body] of [
        ["PATCH", "/Customers(2)", { Name: "Hal" }],
        ["PATCH", "/Customers(2)", { Region: "east" }],
        ["PATCH", "/Orders(11)", { Total: 1 }],
        ["DELETE", "/Customers(2)", undefined],
        ["DELETE", "/Lines(101)", undefined],
        ["PUT", "/Customers(2)/Name", { value: "Hal" }],
        ["POST", "/Customers(2)/Orders", { Id: 60, Title: "x", Total: 1 }],
      ] as const) {
        const found = await ask(service, "east", target, method, body);
        expect(found.status, target).toBe(404);
        expect(found, `${method} ${target}`).toEqual(await ask(other, "east", target, method, body));
      }
      expect(rows).toEqual(before);
      expect(calls).toEqual([]);
    });

    test("never reach a hidden row by a key that the client chooses", async () => {
      const { service, rows, calls } = guarded(style);
      const before = structuredClone(rows);
      const line = { Id: 101, Text: "x", IsSecret: false };
      for (const [method, target, body] of [
        ["POST", "/Customers", customer],
        ["PUT", "/Customers(2)", customer],
        ["POST", "/Orders(10)/Lines", line],
        ["POST", "/Orders", { Id: 61, Title: "x", Total: 1, CustomerId: 1, Lines: [line] }],
      ] as const) {
        const { status, text } = await ask(service, "east", target, method, body);
        expect(status, `${method} ${target} ${text}`).toBe(409);
      }
      expect(rows).toEqual(before);
      expect(calls).toEqual([]);
    });

    test("are rejected if the user could not see the row afterwards", async () => {
      const { service, rows, calls } = guarded(style);
      const before = structuredClone(rows);
      const line = { Id: 161, Text: "x", IsSecret: true };
      for (const [method, target, body] of [
        ["POST", "/Customers", { ...customer, Id: 70, Region: "west" }],
        ["POST", "/Customers", { ...customer, Id: 70, Region: null }],
        ["PUT", "/Customers(70)", { ...customer, Id: 70, Region: "west" }],
        ["PUT", "/Customers(1)", { ...customer, Id: 1, Region: "west" }],
        ["PATCH", "/Customers(1)", { Region: "west" }],
        ["POST", "/Orders(10)/Lines", line],
        ["POST", "/Orders", { Id: 61, Title: "x", Total: 1, CustomerId: 1, Lines: [line] }],
        ["POST", "/Customers", { ...customer, Id: 70, Orders: [{ Id: 62, Title: "x", Total: 1, Lines: [line] }] }],
        ["PATCH", "/Lines(100)", { IsSecret: true }],
      ] as const) {
        const { status, text } = await ask(service, "east", target, method, body);
        expect(status, `${method} ${target} ${text}`).toBe(403);
      }
      expect(rows).toEqual(before);
      expect(calls).toEqual([]);
    });

    test("of visible rows succeed", async () => {
      const { service, rows } = guarded(style);
      const expectStatus = async (status: number, method: string, target: string, body?: object): Promise<void> => {
        const told = await ask(service, "east", target, method, body);
        expect(told.status, `${method} ${target} ${told.text}`).toBe(status);
      };
      await expectStatus(201, "POST", "/Customers", { ...customer, Id: 80 });
      await expectStatus(200, "PATCH", "/Customers(80)", { Name: "Ida" });
      await expectStatus(200, "PUT", "/Customers(80)", { ...customer, Id: 80, Name: "Jon" });
      await expectStatus(201, "POST", "/Customers(80)/Orders", { Id: 81, Title: "x", Total: 1 });
      await expectStatus(201, "PUT", "/Customers(82)", { ...customer, Id: 82 });
      await expectStatus(201, "POST", "/Orders", {
        Id: 83,
        Title: "x",
        Total: 1,
        CustomerId: 80,
        Lines: [{ Id: 84, Text: "y", IsSecret: false }],
      });
      await expectStatus(204, "DELETE", "/Lines(84)");
      expect(rows.customers.find(({ id }) => id === 80)).toMatchObject({ name: "Jon", region: "east" });
      expect(rows.orders.map(({ id }) => id)).toEqual([10, 11, 12, 13, 14, 15, 16, 81, 83]);
    });

    test("of anonymous users find nothing, and create nothing", async () => {
      const { service, calls } = guarded(style);
      expect((await ask(service, null, "/Customers(1)", "PATCH", { Name: "Hal" })).status).toBe(404);
      expect((await ask(service, null, "/Customers(1)", "DELETE")).status).toBe(404);
      // A hidden entity has the second key, which the response does not reveal to anonymous users.
      for (const key of [90, 1]) {
        const created = await ask(service, null, "/Customers", "POST", { ...customer, Id: key });
        expect(created.status).toBe(401);
        expect(JSON.parse(created.text)).toEqual({
          error: {
            code: "Unauthorized",
            message: "Authentication is required to write entities of Customers. Send credentials with the request.",
          },
        });
      }
      expect((await ask(service, null, "/Customers(90)", "PUT", { ...customer, Id: 90 })).status).toBe(401);
      expect(calls).toEqual([]);
    });
  });
});

test("a join tells whose order it would be", async () => {
  const { service, calls } = guarded("sources");
  const order = { Id: 91, Title: "x", Total: 1 };
  // A reference to a hidden entity has the same result as a reference to a missing entity.
  expect((await ask(service, "east", "/Orders", "POST", { ...order, CustomerId: 2 })).status).toBe(409);
  expect((await ask(service, "east", "/Orders", "POST", { ...order, CustomerId: 99 })).status).toBe(409);
  expect((await ask(service, "east", "/Orders", "POST", { ...order, CustomerId: null })).status).toBe(403);
  expect((await ask(service, "east", "/Orders(10)", "PATCH", { CustomerId: 6 })).status).toBe(409);
  expect(calls).toEqual([]);
  expect((await ask(service, "east", "/Orders", "POST", { ...order, CustomerId: 3 })).status).toBe(201);
});

/** Whether a route continues from an entity that the user does not see. */
function isBelowHidden(target: string, user: string | null): boolean {
  const [, set = "", key = ""] = /^\/(\w+)\((\d+)\)\//.exec(target) ?? [];
  const rows: readonly { readonly id: number }[] = visibleTo(user)[
    set.toLowerCase() as keyof ReturnType<typeof visibleTo>
  ] ?? [{ id: Number(key) }];
  return set !== "" && !rows.some(({ id }) => id === Number(key));
}
