import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { expect, test } from "vitest";
import { required } from "../../../../src/base/required.ts";
import { ENGINES } from "../../../engine/executors/engines.ts";

const MANY = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)";

const MARIADB = ENGINES.find(({ name }) => name === "mariadb");

test.skipIf(MARIADB === undefined)(
  "a tinyint(1) with other numbers than 0 and 1 is a number over MariaDB",
  async () => {
    const { db, close } = await required(MARIADB, "MariaDB runs.").open();
    try {
      await db.connection().execute(async (one) => {
        await sql`set max_recursive_iterations = 20000`.execute(one);
        await sql`create table flags (id int primary key, flag tinyint(1) not null, level tinyint(1), late tinyint(1), indexed_late tinyint(1), hidden tinyint(1), key (indexed_late))`.execute(
          one,
        );
        await sql
          .raw(
            `insert into flags ${MANY} select i, i % 2, if(i = 7, 5, null), if(i = 11990, -3, 1), if(i = 6000, 2, 0), if(i = 6000, 2, 0) from n`,
          )
          .execute(one);
        await sql`create table nothing (id int primary key, flag tinyint(1))`.execute(one);
      });
      const { entitySets, described, warnings } = await introspectDatabase(db, { include: ["flags", "nothing"] });
      expect(described.sets.map(({ properties }) => properties.map(({ name, type }) => [name, type]))).toEqual([
        [
          ["Id", "Edm.Int32"],
          ["Flag", "Edm.Boolean"],
          ["Level", "Edm.SByte"],
          ["Late", "Edm.SByte"],
          ["IndexedLate", "Edm.SByte"],
          ["Hidden", "Edm.Boolean"],
        ],
        [
          ["Id", "Edm.Int32"],
          ["Flag", "Edm.Boolean"],
        ],
      ]);
      expect(warnings.map(({ place, message, flag }) => [place, message, flag])).toEqual([
        [
          "Flags.Level",
          "is a tinyint(1) with other numbers than 0 and 1 in 1 of 10000 rows, published as SByte",
          '--map "Flags.Level=boolean(0,1)"',
        ],
        [
          "Flags.Late",
          "is a tinyint(1) with other numbers than 0 and 1 in 1 of 10001 rows, published as SByte",
          '--map "Flags.Late=boolean(0,1)"',
        ],
        [
          "Flags.IndexedLate",
          "is a tinyint(1) with other numbers than 0 and 1 in 1 of 10002 rows, published as SByte",
          '--map "Flags.IndexedLate=boolean(0,1)"',
        ],
      ]);
      const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
      const read = async (path: string): Promise<unknown> => {
        const response = await service.fetch(new Request(encodeURI(`http://h/odata/${path}`)));
        return [response.status, await response.json()];
      };
      expect(await read("Flags?$filter=Level gt 1&$select=Id,Level,Flag")).toMatchObject([
        200,
        { value: [{ Id: 7, Level: 5, Flag: true }] },
      ]);
      const mapped = await introspectDatabase(db, {
        include: ["flags"],
        map: { "Flags.Level": "boolean(0,1)", "Flags.Flag": "number" },
      });
      expect(mapped.described.sets[0]?.properties.map(({ type }) => type).slice(1, 3)).toEqual([
        "Edm.SByte",
        "Edm.Boolean",
      ]);
    } finally {
      await sql`drop table if exists flags, nothing`.execute(db);
      await close();
    }
  },
);
