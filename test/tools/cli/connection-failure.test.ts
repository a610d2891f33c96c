import { expect, test } from "vitest";
import { describeFailure } from "../../../src/tools/cli/open-database.ts";

const TARGET = { kind: "postgres", url: "postgres://me:geheim@db/shop" } as const;
const failure = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields);

test.each([
  [failure("x", { code: "ECONNREFUSED" }), "refuses the connection"],
  [failure("", { errors: [{ code: "ECONNREFUSED" }] }), "refuses the connection"],
  [failure("x", { cause: { code: "ENOTFOUND" } }), "has an unknown host"],
  [failure("x", { code: "EHOSTUNREACH" }), "does not answer"],
  [failure("timeout expired"), "does not answer"],
  [failure("x", { code: "28P01" }), "denies access"],
  [failure("x", { code: "ER_ACCESS_DENIED_ERROR" }), "denies access"],
  [failure("x", { code: "3D000" }), "has no database of this name"],
  [failure("x", { code: "ER_DBACCESS_DENIED_ERROR" }), "denies access to the database"],
  [failure("x", { code: "53300" }), "has too many connections"],
  [failure("odd geheim\nthing.", { code: "XX" }), "cannot be used: odd *** thing (XX)."],
  ["text", "cannot be used: text."],
  [null, "cannot be used: null."],
])("%s", (error, message) => {
  const problem = describeFailure(error, TARGET);
  expect(problem.reason).toBe("unavailable");
  expect(problem.message).toBe(
    message.endsWith(".") ? `postgres://me:***@db/shop ${message}` : `postgres://me:***@db/shop ${message}.`,
  );
});

test("a file has no password", () => {
  expect(describeFailure(failure("odd"), { kind: "sqlite", file: "a.db" }).message).toBe("a.db cannot be used: odd.");
});

test("does not blame the database for an old Node.js", () => {
  const error = failure("sqliteDialect requires the module node:sqlite of Node.js 22.18 or later; this is v20.20.2.");
  expect(describeFailure(error, { kind: "sqlite", file: "a.db" }).fix).toBe("Use a later version of Node.js.");
});
