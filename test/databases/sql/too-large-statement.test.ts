import { describe, expect, test } from "vitest";
import { explainTooLarge } from "../../../src/databases/kinds/database-fault.ts";

const TOO_LARGE: readonly Error[] = [
  new Error("Expression tree is too large (maximum depth 1000)"),
  new Error("too many terms in ORDER BY clause"),
  new Error("too many SQL variables"),
  new Error("too many columns in result set"),
  new Error("parser stack overflow"),
  new Error("string or blob too big"),
  new Error("at most 64 tables in a join"),
  Object.assign(new Error("stack depth limit exceeded"), { code: "54001" }),
  Object.assign(new Error("target lists can have at most 1664 entries"), { code: "54011" }),
  Object.assign(new Error("Too many tables"), { code: "ER_TOO_MANY_TABLES" }),
  Object.assign(new Error("Prepared statement contains too many placeholders"), { code: "ER_PS_MANY_PARAM" }),
  Object.assign(new Error("Out of sort memory, consider increasing server sort buffer size"), {
    code: "ER_OUT_OF_SORTMEMORY",
  }),
];

const OTHERS: readonly unknown[] = [
  new Error("no such table: orders"),
  new Error("database is locked"),
  new Error("a text that speaks of too many terms"),
  Object.assign(new Error("canceling statement due to user request"), { code: "57014" }),
  Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
  Object.assign(new Error("x"), { code: 54_001 }),
  "54001",
  null,
];

describe("errors of databases about a statement", () => {
  test.each(TOO_LARGE)("return 400 without the text if it is too large: $message", (error) => {
    expect(explainTooLarge(error)).toMatchObject({
      status: 400,
      code: "InvalidQueryOption",
      message: "The query is too large for one statement of the database. Request less at once, or split the request.",
      cause: error,
    });
  });

  test.each(OTHERS)("stay unchanged otherwise: %s", (error) => {
    expect(explainTooLarge(error)).toBe(error);
  });
});
