import { describe, expect, test } from "vitest";
import { readArguments } from "../../../packages/create-odatakit/src/project-arguments.ts";

describe("arguments of create-odatakit", () => {
  test.each([
    ["shop", { folder: "shop", database: "sqlite", from: null }],
    [".", { folder: ".", database: "sqlite", from: null }],
    ["shop --db postgres", { folder: "shop", database: "postgres", from: null }],
    ["--db=mariadb shop", { folder: "shop", database: "mariadb", from: null }],
    ["shop --from ./a.db", { folder: "shop", database: "sqlite", from: "./a.db" }],
    ["--help", "help"],
    ["shop --version", "version"],
  ])("%s", (line, expected) => {
    expect(readArguments(line.split(" "))).toEqual(expected);
  });

  test.each([
    ["", "Name the folder of the new project."],
    ["shop more", 'One folder is enough: "more" has no meaning here.'],
    ["shop --form a.db", "There is no option --form. Did you mean --from?"],
    ["shop --bd postgres", "There is no option --bd."],
    ["shop -x", "There is no option -x."],
    ["shop --db postgre", '--db is one of sqlite, postgres, mariadb. Did you mean "postgres"?'],
    ["shop --db oracle", "--db is one of sqlite, postgres, mariadb."],
    ["shop --db", "--db is one of sqlite, postgres, mariadb."],
    ["shop --from", "--from needs a SQLite file or the URL of a server."],
    ["shop --from=", "--from needs a SQLite file or the URL of a server."],
    ["shop --db sqlite --from a.db", "Give --db or --from: the database of --from tells its kind."],
  ])("wrong: %s", (line, message) => {
    expect(readArguments(line === "" ? [] : line.split(" "))).toEqual({ message });
  });
});
