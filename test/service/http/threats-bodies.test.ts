import { describe, expect, test } from "vitest";
import { expectError, rawDoor } from "./doors.ts";
import { accountService } from "./threats-model.ts";

const JSON_BODY = { "Content-Type": "application/json" };

/** A request. */
type Template = readonly [target: string, method: string, body: string];

const STOLEN = "stolen";
/** Members that no client may write. The members of prototypes are text, since an object literal has no such names. */
const FORBIDDEN =
  '"Secret":"stolen","secret":"stolen","Approved":"stolen","approved":"stolen","IsAdmin":"stolen",' +
  '"__proto__":{"IsAdmin":"stolen","secret":"stolen"},"constructor":{"prototype":{"IsAdmin":"stolen"}}';
const HOME = `{"City":"Rome",${FORBIDDEN}}`;
const NOTE = `{"Id":7,"Text":"new","Home":${HOME},${FORBIDDEN}}`;
const ACCOUNT = `{"Name":"new","Home":${HOME},"Homes":[${HOME}],"Notes":[${NOTE}],${FORBIDDEN}`;

/** Writes with forbidden members at every depth. */
const WRITES: readonly Template[] = [
  ["/s/Accounts", "POST", `${ACCOUNT},"Id":9}`],
  ["/s/Accounts(1)", "PUT", `${ACCOUNT}}`],
  ["/s/Accounts(1)", "PATCH", `${ACCOUNT}}`],
  ["/s/Accounts(1)/Home", "PUT", `{"value":${HOME}}`],
  ["/s/Accounts(1)/Homes", "PUT", `{"value":[${HOME}]}`],
  ["/s/Accounts(1)/Notes", "POST", NOTE],
  ["/s/Accounts(1)/move", "POST", `{"to":${HOME},"why":null}`],
];

/** Every member of a value at every depth, those of prototypes too. */
function allMembers(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  const parent: unknown = Object.getPrototypeOf(value);
  const inherited = parent === Object.prototype || Array.isArray(value) ? "" : allMembers(parent);
  return Object.getOwnPropertyNames(value)
    .map((name) => `${name}=${allMembers(Reflect.get(value, name))}`)
    .concat(inherited)
    .join();
}

rawDoor((door) => {
  describe("members that no client may write reach no handler", () => {
    test.each(WRITES)("%s %s", async (target, method, body) => {
      const { service, given } = accountService({ defaults: { unknownMembers: "ignore" } });
      const answer = await door.to(service)(target, JSON_BODY, method, body);
      expect(answer.status, answer.text).toBeLessThan(300);
      expect(given.length).toBeGreaterThan(0);
      expect(given.map((value) => allMembers(value)).join()).not.toContain(STOLEN);
      expect(given.map((value) => allMembers(value)).join()).toMatch(/Rome|new/u);
      expect(Reflect.get({}, "IsAdmin")).toBeUndefined();
    });

    test.each(WRITES)("by default they are refused: %s %s", async (target, method, body) => {
      const { service, given } = accountService();
      const answer = await door.to(service)(target, JSON_BODY, method, body);
      const code = target.endsWith("/move") ? "InvalidParameter" : "InvalidBody";
      expect([answer.status, answer.json.error.code]).toEqual([400, code]);
      expect(given).toEqual([]);
    });
  });

  describe("a form of another site starts no write", () => {
    const { service, given } = accountService();
    const send = door.to(service);
    const forms = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "text/json"];

    test.each(WRITES)("415: %s %s", async (target, method, body) => {
      for (const type of forms) {
        const answer = await send(target, { "Content-Type": type }, method, body);
        expectError(answer, { status: 415, code: "UnsupportedMediaType", target: "Content-Type" });
      }
      expect(given).toEqual([]);
    });
  });
});
