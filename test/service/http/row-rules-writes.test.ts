import { describe, expect, test } from "vitest";
import { makeService, STYLES, visibleTo } from "./row-rules-model.ts";
import { ask, guarded } from "./row-rules-requests.ts";

describe.each(STYLES)("%s", (style) => {
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
