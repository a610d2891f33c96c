import { odataService, type Logger } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { openHostile as openHostileMariadb, MARIADB } from "../../databases/introspect/mysql-hostile.ts";
import { openHostile as openHostilePostgres } from "../../databases/introspect/postgres-hostile.ts";
import { openHostile as openHostileSqlite } from "../../databases/introspect/sqlite-hostile.ts";
import { countRows } from "./count-rows.ts";
import { walkService } from "./walk-service.ts";

const HOSTILE = [
  ["SQLite", openHostileSqlite],
  ["PGlite", openHostilePostgres],
  ...(MARIADB === undefined ? [] : [["MariaDB", openHostileMariadb] as const]),
] as const;

const SILENT: Logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

describe.each(HOSTILE)("a walk through a hostile database in %s", (_title, open) => {
  test("each answer is right", async () => {
    const opened = await open();
    try {
      const { entitySets, described } = await introspectDatabase(opened.db);
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger: SILENT });
      await service.ready();
      const counts = await countRows(opened, described);
      const { refused, faults } = await walkService(service, "http://service.example/odata/", counts);
      expect(faults).toEqual([]);
      // The rows of one view divide by zero.
      expect(refused.filter(([path, status]) => status !== 501 || !path.startsWith("VBrokens"))).toEqual([]);
    } finally {
      await opened.close();
    }
  });
});
