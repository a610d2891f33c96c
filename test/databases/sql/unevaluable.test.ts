import { isODataError } from "odatakit";
import { describe, expect, test } from "vitest";
import { explainUnevaluable } from "../../../src/databases/kinds/database-fault.ts";

function failure(code: string): Error {
  return Object.assign(new Error("words of the database"), { code });
}

describe("errors of databases about an expression", () => {
  test.each([
    [
      "22003",
      "UnsupportedQueryOption",
      "PostgreSQL cannot evaluate the expression: an intermediate number is out of range.",
    ],
    [
      "22008",
      "UnsupportedQueryOption",
      "PostgreSQL cannot evaluate the expression: an intermediate date is out of range.",
    ],
    [
      "22P02",
      "UnsupportedQueryOption",
      "PostgreSQL cannot evaluate the expression: a cell or a constant is no value of its type.",
    ],
    [
      "22007",
      "UnsupportedQueryOption",
      "PostgreSQL cannot evaluate the expression: a cell contains no value of its type.",
    ],
    ["22012", "UnsupportedQueryOption", "PostgreSQL cannot evaluate the expression: it divides by zero."],
    [
      "22021",
      "UnsupportedQueryOption",
      "PostgreSQL cannot evaluate the expression: its strings cannot contain the character U+0000.",
    ],
  ])("%s is an error of the request", (code, expected, message) => {
    const error = explainUnevaluable(failure(code), "PostgreSQL");
    expect(isODataError(error)).toBe(true);
    expect(error).toMatchObject({ status: 400, code: expected, message });
  });

  test("the number of MariaDB is the end of the time of a query, too", () => {
    const error = Object.assign(new Error("time"), { errno: 1969 });
    expect(explainUnevaluable(error, "MariaDB")).toMatchObject({ status: 503, code: "QueryTimeout" });
  });

  test.each(["57014", "ER_STATEMENT_TIMEOUT"])("%s is the end of the time of a query", (code) => {
    expect(explainUnevaluable(failure(code), "PostgreSQL")).toMatchObject({
      status: 503,
      code: "QueryTimeout",
      message:
        "The query takes the database too long. Filter by a property with an index, request fewer rows with $top, or leave out counts, searches and orders along navigations.",
    });
  });

  test.each([failure("42P01"), failure("22023"), new Error("without a code"), "a text"])(
    "anything else stays: %s",
    (error) => {
      expect(explainUnevaluable(error, "PostgreSQL")).toBe(error);
    },
  );
});
