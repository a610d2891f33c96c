import { readMysqlCatalogue } from "../../../introspect/mysql-catalogue.ts";
import type { DialectCatalogue } from "../dialect-profile.ts";
import { MY_STORED_TYPES } from "./stored-types.ts";

export const MY_CATALOGUE: DialectCatalogue = Object.freeze<DialectCatalogue>({
  read: readMysqlCatalogue,
  storedTypes: MY_STORED_TYPES,
  indexes: {
    quote: "`",
    namesIndexes: false,
    nullsAreLast: false,
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
});
