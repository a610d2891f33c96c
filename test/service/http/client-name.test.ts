import { edm, entitySet, entityType, fn, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { callerOf } from "../../../src/definition/context.ts";
import type { ODataRequest } from "../../../src/http/odata-request.ts";
import { clientOf } from "../../../src/service/endpoints/execution.ts";
import { eachDoor } from "./doors.ts";
import { as, authenticate } from "./guarded-model.ts";
import { noFailures } from "./model.ts";

const Thing = entityType("Thing", { id: edm.int32().key() });

eachDoor((door) => {
  const seen: (string | undefined)[] = [];
  const service = odataService({
    entitySets: [entitySet(Thing, { getAll: () => [] })],
    functions: {
      who: fn({
        returns: edm.string().nullable(),
        handler: (_given, context) => {
          seen.push(callerOf(context)?.client);
          return null;
        },
      }),
    },
    authenticate,
    logger: noFailures,
  });

  // A Fetch request has no connection.
  const address = door.name === "web" || door.name === "hono" ? undefined : "address 127.0.0.1";

  describe("the client of a request", () => {
    test.each([
      ["the user", as("ann"), "user ann"],
      ["the address without a user", {}, address],
    ])("is %s, in batches, too", async (_what, headers, expected) => {
      seen.length = 0;
      await door.to(service)("/who()", headers);
      const body = "--b\r\nContent-Type: application/http\r\n\r\nGET who() HTTP/1.1\r\n\r\n\r\n--b--\r\n";
      await door.to(service)("/$batch", { ...headers, "Content-Type": "multipart/mixed; boundary=b" }, "POST", body);
      expect(seen).toEqual([expected, expected]);
    });
  });
});

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ header: (name: string) => (name === "x-forwarded-for" ? forwarded : undefined), remoteAddress }) as ODataRequest;

test.each<readonly [unknown, string | undefined, string | undefined]>([
  [{ id: "ann" }, "192.0.2.1", "user ann"],
  [{ id: 7 }, "192.0.2.1", "user 7"],
  [{ id: 7n }, undefined, "user 7"],
  [{ id: "" }, "192.0.2.1", "address 192.0.2.1"],
  [{ id: { a: 1 } }, "192.0.2.1", "address 192.0.2.1"],
  [{}, "192.0.2.1", "address 192.0.2.1"],
  ["ann", "192.0.2.1", "address 192.0.2.1"],
  [null, "2001:db8::1", "address 2001:db8:0:0::/64"],
  [null, undefined, undefined],
])("the client of the user %o at %s is %s", (user, address, expected) => {
  expect(clientOf(user as never, from(address), false)).toBe(expected);
});

test("a forwarded address counts for a trusted proxy only", () => {
  expect(clientOf(null, from("10.0.0.1", "192.0.2.1"), true)).toBe("address 192.0.2.1");
  expect(clientOf(null, from("10.0.0.1", "192.0.2.1"), false)).toBe("address 10.0.0.1");
});
