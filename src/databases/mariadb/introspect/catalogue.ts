import { textOf } from "../../introspect/catalogue-steps.ts";
import type { DatabaseCatalogue } from "../../introspect/database-catalogue.ts";
import { quoteName } from "../../introspect/quote-name.ts";
import { matchedInAnyCase, namedSchemas } from "../../introspect/wanted-objects.ts";
import { readMysqlCatalogue, readMysqlTexts } from "./mysql-catalogue.ts";
import { readMysqlDatabase } from "./mysql-database.ts";

/** What is in a database of MariaDB. */
export const MY_TABLES: DatabaseCatalogue = Object.freeze<DatabaseCatalogue>({
  kind: "mysql",
  quote: "`",
  ignoresCase: true,
  read: readMysqlCatalogue,
  readTexts: readMysqlTexts,
  readAll: readMysqlDatabase,
  *readWanted(wanted) {
    const [[own] = []] = yield { sql: "select database() as c0", parameters: [], width: 1 };
    const named = namedSchemas(wanted, own === null ? [] : [textOf(own)]);
    return matchedInAnyCase(yield* readMysqlDatabase(named.length === 0 ? {} : { schemas: named }), wanted);
  },
  estimate: ({ names }) => ({
    sql: `select table_rows as c0 from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema = ifnull(nullif(?, ''), database()) and table_name = ?`,
    parameters: [names.at(-2) ?? "", names.at(-1) ?? ""],
    width: 1,
  }),
  triggered: `select distinct event_object_schema as c0, event_object_table as c1 from information_schema.triggers
    where action_timing = 'BEFORE' and event_manipulation = 'INSERT'`,
  // MariaDB returns the account as `app@%`.
  accountOf: (user) => {
    const at = user.lastIndexOf("@");
    return `'${user.slice(0, at)}'@'${user.slice(at + 1)}'`;
  },
  // Some servers fill the first `timestamp` of a table.
  fillsIn: ({ type }) => type === "timestamp",
  setsDefaults: true,
  indexes: {
    namesIndexes: false,
    nullsAreLast: false,
    textCollation: null,
    unindexedTypes: [
      "tinytext",
      "text",
      "mediumtext",
      "longtext",
      "tinyblob",
      "blob",
      "mediumblob",
      "longblob",
      "json",
    ],
  },
  texts: {
    serves: ({ characterSet }) => characterSet === "utf8mb4",
    statedSet: ({ characterSet }) => `character set ${characterSet ?? ""}, `,
    fix: ({ text }, { name, definition, nullable }) =>
      `Change the column, with its default and comment: alter table ${text} modify ${quoteName(name, MY_TABLES)} ${definition} character set utf8mb4 collate utf8mb4_nopad_bin${nullable ? "" : " not null"}`,
  },
});
