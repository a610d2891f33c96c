import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeTarget } from "../../../src/tools/cli/databases/find.ts";
import { isProblem } from "../../../src/tools/cli/problem.ts";
import { redact, scrub } from "../../../src/tools/cli/redact.ts";
import { parseTarget } from "../../../src/tools/cli/target.ts";
import { caseCount } from "../../cases.ts";

const NOWHERE = {};

test.each([
  ["C:\\data\\shop.db", "C:\\data\\shop.db"],
  ["c:shop.db", "c:shop.db"],
  ["\\\\server\\share\\x.db", "\\\\server\\share\\x.db"],
  [".\\data\\shop.db", ".\\data\\shop.db"],
  ["file:///C:/data/my%20shop.db", "C:\\data\\my shop.db"],
  ["file:/C:/data/shop.db", "C:\\data\\shop.db"],
  ["file:C:\\data\\shop.db", "C:\\data\\shop.db"],
  ["file:C:/data/shop.db", "C:/data/shop.db"],
  ["file:.\\shop.db", ".\\shop.db"],
  ["file://server/share/x.db", "\\\\server\\share\\x.db"],
])("on Windows, %s is the file %s", (given, file) => {
  for (const [argument, environment] of [
    [given, NOWHERE],
    [undefined, { DATABASE_URL: given }],
  ] as const) {
    expect(parseTarget(argument, environment, true)).toEqual({ kind: "sqlite", file });
  }
});

test.each(["file:///data/shop.db", "file://"])("on Windows, rejects %s", (given) => {
  expect(isProblem(parseTarget(given, NOWHERE, true))).toBe(true);
});

test("elsewhere, rejects a file URL with a host", () => {
  expect(isProblem(parseTarget("file://server/share/x.db", NOWHERE, false))).toBe(true);
});

test.each([
  ["shop.db", { kind: "sqlite", file: "shop.db" }],
  ["./shop.sqlite", { kind: "sqlite", file: "./shop.sqlite" }],
  ["/data/shop.sqlite3", { kind: "sqlite", file: "/data/shop.sqlite3" }],
  ["backup of may", { kind: "sqlite", file: "backup of may" }],
  ["C:\\data\\shop.db", { kind: "sqlite", file: "C:\\data\\shop.db" }],
  ["c:/data/shop.db", { kind: "sqlite", file: "c:/data/shop.db" }],
  ["./12:30.db", { kind: "sqlite", file: "./12:30.db" }],
  ["file:///data/my%20shop.db", { kind: "sqlite", file: "/data/my shop.db" }],
  ["file:/data/shop.db", { kind: "sqlite", file: "/data/shop.db" }],
  ["file:./shop.db", { kind: "sqlite", file: "./shop.db" }],
  ["file:shop.db", { kind: "sqlite", file: "shop.db" }],
  ["FILE:shop.db", { kind: "sqlite", file: "shop.db" }],
  ["postgres://app:pw@db/shop", { kind: "postgres", url: "postgres://app:pw@db/shop" }],
  ["postgresql:///shop?host=/run/postgresql", { kind: "postgres", url: "postgresql:///shop?host=/run/postgresql" }],
  ["POSTGRES://db/shop", { kind: "postgres", url: "POSTGRES://db/shop" }],
  ["mysql://root@127.0.0.1:3306/shop", { kind: "mariadb", url: "mysql://root@127.0.0.1:3306/shop" }],
  ["mariadb://[::1]/shop", { kind: "mariadb", url: "mariadb://[::1]/shop" }],
  ["pglite:./data", { kind: "pglite", folder: "./data" }],
  ["pglite:///var/data", { kind: "pglite", folder: "/var/data" }],
  ["pglite://data", { kind: "pglite", folder: "data" }],
])("parses %s", (given, target) => {
  expect(parseTarget(given, NOWHERE)).toEqual(target);
});

test.each([
  ["", "The database is empty. Give a SQLite file or a URL."],
  [" ", "The database is empty. Give a SQLite file or a URL."],
  [":memory:", "The database cannot be in memory: such a database is always empty. Give a file."],
  ["file::memory:", "The database cannot be in memory: such a database is always empty. Give a file."],
  ["a\0.db", "The database contains a zero character. Remove it."],
  ["file:a%00.db", "The database contains a zero character. Remove it."],
  ["file:", "The database has no file. Write `file:./shop.db`."],
  ["file://", "The database has no file. Write `file:./shop.db`."],
  ["file://server/shop.db", "The database is not a valid `file:` URL. Give the path of the file."],
  ["file:%zz", "The database is not a valid `file:` URL. Give the path of the file."],
  [
    "file:shop.db?mode=rw",
    "The database has parameters, which `file:` does not take. Remove `?` and everything after it.",
  ],
  ["pglite:", "The database has no folder. Write `pglite:<dir>`."],
  ["pglite://", "The database has no folder. Write `pglite:<dir>`."],
  ["pglite:memory://", "The database is not a folder. Write `pglite:<dir>`."],
  ["pglite:idb://shop", "The database is not a folder. Write `pglite:<dir>`."],
  [
    "host=db password=s3cret dbname=shop",
    "The database is a list of parameters. Give a URL such as `postgres://user@host/database`.",
  ],
])("refuses %j", (given, expected) => {
  expect(parseTarget(given, NOWHERE)).toEqual(problemOf(expected));
});

test.each([
  ["postgre://app:s3cret@db/shop", "postgre", "Did you mean `postgres:`? "],
  ["sqlite:./shop.db", "sqlite", "Did you mean `file:`? "],
  ["mssql://sa:s3cret@db", "mssql", ""],
  ["jdbc:sqlserver://db;user=sa;password=s3cret", "jdbc", ""],
  ["constructor:x", "constructor", ""],
])("refuses the scheme of %s, and names the schemes", (given, scheme, meant) => {
  const result = parseTarget(given, NOWHERE);
  expect(result).toEqual({
    reason: "usage",
    message: `The database has the unknown scheme \`${scheme}:\`; the schemes are \`postgres://\`, \`postgresql://\`, \`mysql://\`, \`mariadb://\`, \`pglite:<dir>\` and \`file:\`.`,
    fix: expect.stringMatching(/Write `\.\/` before the name of a file that contains a colon\.$/u),
  });
  expect("fix" in result ? result.fix.startsWith(meant) : false).toBe(true);
});

test.each([
  "postgres:shop",
  "postgres://app:pa#ss@db/shop",
  "postgres://app:pa/ss@db/shop",
  "postgres://app:12/34@db/shop",
  "postgres://app:pa ss@db/shop",
  "postgres://app:pa\nss@db/shop",
  "postgres://app:100%@db/shop",
  "mysql://app:pw@db:port/shop",
])("refuses the malformed URL %j", (given) => {
  const result = parseTarget(given, NOWHERE);
  expect(result).toMatchObject({ reason: "usage", fix: expect.stringContaining("`%40`") });
});

describe("without an argument", () => {
  test("DATABASE_URL is the target", () => {
    expect(parseTarget(undefined, { DATABASE_URL: "shop.db" })).toEqual({ kind: "sqlite", file: "shop.db" });
  });

  test("a fault names DATABASE_URL", () => {
    const result = parseTarget(undefined, { DATABASE_URL: "mongodb://app:s3cret@db" });
    expect(result).toMatchObject({
      message: expect.stringMatching(/^`DATABASE_URL` has the unknown scheme `mongodb:`/u),
    });
  });

  test.each([undefined, ""])("and with DATABASE_URL %j, the command needs a database", (url) => {
    expect(parseTarget(undefined, { DATABASE_URL: url })).toEqual(
      problemOf("No database is given. Give a SQLite file or a URL, or set `DATABASE_URL`."),
    );
  });
});

test.each([
  ["shop.db", "shop.db"],
  ["postgres://app:pw@db/shop", "postgres://app:***@db/shop"],
  ["postgres://:pw@db/shop", "postgres://:***@db/shop"],
  ["postgres://app@db:5432/shop?sslmode=require", "postgres://app@db:5432/shop?sslmode=require"],
  [
    "postgres://db/shop?user=app&password=pw&sslmode=require",
    "postgres://db/shop?user=***&password=***&sslmode=require",
  ],
  ["postgres://db/shop?sslpassword=pw", "postgres://db/shop?sslpassword=***"],
  ["postgres://db/shop?pass%77ord=pw", "postgres://db/shop?***"],
  ["postgres://db/shop?sslmode=require;password=pw", "postgres://db/shop?sslmode=***"],
  ["postgres://db/shop?pw", "postgres://db/shop?***"],
  ["postgres://db/shop&password=pw", "postgres://***"],
  ["postgres://app:p@ss@db/shop", "postgres://app:***@db/shop"],
  ["postgres://app@db/shop?password=a@b", "postgres://***"],
  ["postgres://app:hunter2", "postgres://***"],
  ["mariadb://[::1]:3306/shop", "mariadb://[::1]:3306/shop"],
  ["mysql://app:pw@db/shop#pw", "mysql://***"],
  ["app:pw@db/shop", "***"],
  ["password=pw", "***"],
  ["C:\\data\\shop.db", "C:\\data\\shop.db"],
  ["\u001B[2Jshop.db", "\\u{1b}[2Jshop.db"],
  ["x".repeat(100), `${"x".repeat(79)}…`],
])("shows %j as %j", (given, expected) => {
  expect(redact(given)).toBe(expected);
});

test.each([
  [{ kind: "sqlite", file: "shop.db" }, "shop.db"],
  [{ kind: "pglite", folder: "./data" }, "pglite:./data"],
  [{ kind: "postgres", url: "postgres://app:pw@db/shop" }, "postgres://app:***@db/shop"],
  [{ kind: "mariadb", url: "mysql://app:pw@db/shop" }, "mysql://app:***@db/shop"],
] as const)("describes %j", (target, expected) => {
  expect(describeTarget(target)).toBe(expected);
});

test.each([
  ["cannot use pa@ss here", "postgres://app:pa%40ss@db/shop", "cannot use *** here"],
  ["cannot use pa%40ss here", "postgres://app:pa%40ss@db/shop", "cannot use *** here"],
  ["key secret is wrong", "postgres://db/shop?sslpassword=secret", "key secret is wrong".replace("secret", "***")],
  ["bad mode require", "postgres://db/shop?sslmode=require", "bad mode require"],
  ["100% wrong", "postgres://app:100%@db/shop", "*** wrong"],
  ["two\n  lines", "shop.db", "two lines"],
  ["no \u001B[31mcolour", "shop.db", "no \\u{1b}[31mcolour"],
])("writes the driver's message %j on one line without secrets", (message, target, expected) => {
  expect(scrub(message, target)).toBe(expected);
});

// A marker at each end shows whether any part of the password is printed.
const password = fc.string({ unit: "binary-ascii", maxLength: 12 }).map((middle) => `Xq7Zw${middle}Kv9Jd`);
const place = fc.constantFrom<(secret: string) => string>(
  (secret) => `postgres://app:${secret}@db.example/shop`,
  (secret) => `mysql://app:${encodeURIComponent(secret)}@db.example:3306/shop`,
  (secret) => `postgres://:${secret}@/shop`,
  // With an `@`, the rest would be a host.
  (secret) => `postgres://app:${secret.replaceAll("@", "")}`,
  (secret) => `postgres://app:${secret}@`,
  (secret) => `postgres:app:${secret}@db.example`,
  (secret) => `postgres://db.example/shop?password=${secret}`,
  (secret) => `postgres://app@db.example/shop?sslmode=require&sslpassword=${secret}&schema=a`,
  (secret) => `postgres://db.example/shop?user=app;password=${secret}`,
  (secret) => `mysql://db.example/shop&password=${secret}`,
  (secret) => `postgre://app:${secret}@db.example/shop`,
  (secret) => `mongodb+srv://app:${secret}@db.example`,
  (secret) => `jdbc:sqlserver://db.example;user=sa;password=${secret}`,
  (secret) => `host=db.example password=${secret}`,
  (secret) => `file:shop.db?password=${secret}`,
  (secret) => `//app:${secret}@db.example/shop`,
);

test("no message contains a password", () => {
  fc.assert(
    fc.property(password, place, (secret, write) => {
      const given = write(secret);
      const result = parseTarget(given, NOWHERE);
      const texts = isProblem(result) ? [result.message, result.fix] : [describeTarget(result)];
      for (const text of [...texts, redact(given)]) expect(text).not.toMatch(/Xq7Zw|Kv9Jd/u);
    }),
    { numRuns: caseCount(5000) },
  );
});

test("no message of a driver contains the password of a valid URL", () => {
  fc.assert(
    fc.property(password, (secret) => {
      const url = `postgres://app:${encodeURIComponent(secret)}@db/shop?sslpassword=${encodeURIComponent(secret)}`;
      expect(scrub(`cannot use ${secret} of ${url}`, url)).not.toMatch(/Xq7Zw|Kv9Jd/u);
    }),
    { numRuns: caseCount(1000) },
  );
});

function problemOf(expected: string): object {
  const end = expected.lastIndexOf(". ") + 1;
  return { reason: "usage", message: expected.slice(0, end), fix: expected.slice(end + 1) };
}
