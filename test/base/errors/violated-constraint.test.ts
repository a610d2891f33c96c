import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { type Violation, violationIn } from "../../../src/base/errors/violated-constraint.ts";

/** Makes the error of a driver. */
function driverError(message: string, fields: object): Error {
  return Object.assign(new Error(message), fields);
}

describe("errors of drivers", () => {
  test.each<[string, Error, Violation]>([
    [
      "better-sqlite3",
      driverError("CHECK constraint failed: total_check", { code: "SQLITE_CONSTRAINT_CHECK" }),
      { kind: "check", constraint: "total_check", names: ["total_check", "total_check", "total_check"] },
    ],
    [
      "SQLite, for a constraint without a name",
      driverError("CHECK constraint failed: total > 0", { errcode: 275 }),
      { kind: "check", constraint: null, names: ["total > 0"] },
    ],
    [
      "SQLite, for an index on an expression",
      driverError("UNIQUE constraint failed: index 'users_lower'", { errcode: 2067 }),
      { kind: "unique", constraint: "users_lower", names: ["users_lower", "users_lower", "index users_lower"] },
    ],
    [
      "pg",
      driverError('duplicate key value violates unique constraint "users_email"', {
        code: "23505",
        constraint: "users_email",
        table: "users",
        detail: "Key (tenant, email)=(1, a) already exists.",
      }),
      { kind: "unique", constraint: "users_email", names: ["users_email", "users.tenant, users.email"] },
    ],
    [
      "postgres.js",
      driverError("null value", {
        code: "23502",
        table_name: "users",
        column_name: "email",
        constraint_name: "users_email_nn",
      }),
      { kind: "notNull", constraint: "users_email_nn", names: ["users_email_nn"] },
    ],
    [
      "mysql2 with MariaDB, for a constraint of a column",
      driverError("CONSTRAINT `users.age` failed for `shop`.`users`", { errno: 4025 }),
      { kind: "check", constraint: "age", names: ["age", "users.age"] },
    ],
    [
      "mysql2 with MySQL",
      driverError("Duplicate entry '7' for key 'orders.orders_number'", { errno: 1062 }),
      { kind: "unique", constraint: "orders_number", names: ["orders_number", "orders_number"] },
    ],
    [
      "mysql2, for a foreign key",
      driverError(
        "Cannot add or update a child row: a foreign key constraint fails (`shop`.`orders`, CONSTRAINT `orders_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`))",
        { errno: 1452 },
      ),
      { kind: "foreignKey", constraint: "orders_user", names: ["orders_user", "orders_user", "orders.user_id"] },
    ],
  ])("%s", (_driver, error, violation) => {
    expect(violationIn(error)).toEqual(violation);
    expect(violationIn(new Error("The statement failed.", { cause: error }))).toEqual(violation);
    expect(violationIn(new AggregateError([error], "All failed."))).toEqual(violation);
  });

  // Clients choose parts of these texts.
  const chosen = [
    "for column `shop`.`users`.`email` at row 1",
    "CONSTRAINT `users_email` FOREIGN KEY (`email`) REFERENCES `users` (`email`)",
    "x (`users`, CONSTRAINT `users_email` FOREIGN KEY (`email`) REFERENCES `users` (`email`))",
    "UNIQUE constraint failed: index 'users_email'",
    "UNIQUE constraint failed: users.email",
    "CHECK constraint failed: users_email",
    "' for key 'users_email",
    "' for key 'users_email'",
  ];

  test.each(chosen)("a value with the text %s chooses no constraint", (text) => {
    const fields = { errno: 1062, code: "ER_DUP_ENTRY" };
    expect(violationIn(driverError(`Duplicate entry '${text}' for key 'orders_note'`, fields))).toEqual({
      kind: "unique",
      constraint: "orders_note",
      names: ["orders_note", "orders_note"],
    });
    const detail = { table: "orders", constraint: "note_check", detail: `Failing row contains (1, ${text}).` };
    expect(violationIn(driverError("new row violates", { code: "23514", ...detail }))).toEqual({
      kind: "check",
      constraint: "note_check",
      names: ["note_check"],
    });
    for (const trigger of [
      { errno: 1644 },
      { errcode: 1811 },
      { code: "SQLITE_CONSTRAINT_TRIGGER" },
      { code: "P0001" },
    ]) {
      const violation = violationIn(driverError(text, trigger));
      expect([trigger, violation]).toEqual([trigger, { kind: "check", constraint: null, names: [] }]);
    }
  });

  test("node:sqlite", () => {
    const database = new DatabaseSync(":memory:");
    database.exec("create table users (id integer primary key, email text not null unique, age int check (age > 17))");
    database.exec("insert into users values (1, 'a', 20)");
    const failed = (statement: string): Violation | null => {
      try {
        database.exec(statement);
        return null;
      } catch (error) {
        return violationIn(error);
      }
    };
    expect(failed("insert into users values (2, 'a', 20)")).toMatchObject({ kind: "unique", names: ["users.email"] });
    expect(failed("insert into users values (1, 'b', 20)")).toMatchObject({ kind: "unique", names: ["users.id"] });
    expect(failed("insert into users values (2, null, 20)")).toMatchObject({ kind: "notNull", names: ["users.email"] });
    expect(failed("insert into users values (2, 'b', 1)")).toMatchObject({ kind: "check", names: ["age > 17"] });
    database.close();
  });

  test.each([
    ["a syntax error", driverError('syntax error at or near "x"', { code: "42601" })],
    ["a lost connection", driverError("Connection lost", { code: "PROTOCOL_CONNECTION_LOST" })],
    ["an error of the application", new Error("UNIQUE constraint failed: users.email")],
    ["no error", "23505"],
  ])("%s is no violation", (_title, error) => {
    expect(violationIn(error)).toBeNull();
  });
});
