import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Words of one mechanism, the folder that holds it, and how many files elsewhere may name it: its option, and what declares it. */
const SEAMS = [
  { word: /distribut/iu, folder: "src/databases/placement/", most: 12 },
  { word: /replica/iu, folder: "src/databases/replicas/", most: 12 },
] as const;

test.each(SEAMS)("at most $most files outside of $folder name $word", ({ word, folder, most }) => {
  const naming = filesBelow("src", ".ts")
    .filter(({ path, text }) => !path.startsWith(folder) && (word.test(path) || word.test(text)))
    .map(({ path }) => path);
  // The list is shown if it is too long.
  expect(naming.length > most ? naming : []).toEqual([]);
});

/** The files that choose by the name of a kind of database: each one table, by which all others find an object. */
const CHOOSING = [
  "src/databases/kinds/catalogues.ts",
  "src/tools/cli/databases/find.ts",
  "src/tools/cli/target.ts",
  "src/tools/declarations/code/database-code.ts",
  "src/tools/declarations/columns/rules-of.ts",
];

test("no other file outside of the folders of databases asks for a kind of database by its name", () => {
  const name = String.raw`(?:sqlite|postgres|postgresql|mysql|mariadb|pglite|SQLite|PostgreSQL|MariaDB)`;
  const asks = new RegExp(`(?:===|!==) ?"${name}"|case "${name}"|^\\s*${name}:`, "mu");
  const asking = filesBelow("src", ".ts")
    .filter(({ path, text }) => !/^src\/databases\/(?:sqlite|postgres|mariadb)\//u.test(path) && asks.test(text))
    .map(({ path }) => path);
  expect(asking).toEqual(CHOOSING);
});
