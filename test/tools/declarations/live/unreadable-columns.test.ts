import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "../../../engine/executors/engines.ts";

const MANY = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 10300)";

/** Columns without null, whose type has cells that no property has: none, near both ends, beyond the sample, and defaults. */
const STATEMENTS: Readonly<Record<Exclude<DatabaseName, "sqlite">, readonly string[]>> = {
  postgres: [
    `create table tickets (id int primary key, made timestamptz not null default now(), first date not null,
      last timestamp not null, hidden timestamptz not null, known timestamptz not null, price numeric(10, 2) not null,
      odd numeric not null, at time not null, midnight time not null,
      until timestamptz not null default 'infinity', "maybe" date)`,
    "create index on tickets (known)",
    `insert into tickets ${MANY} select i, '2020-01-02 00:00:00+00', case i when 7 then 'infinity' else '2020-01-02' end::date,
      case i when 10299 then '-infinity' else '2020-01-02' end::timestamp,
      case i when 5100 then 'infinity' else '2020-01-02 00:00:00+00' end::timestamptz,
      case i when 5100 then 'infinity' else '2020-01-02 00:00:00+00' end::timestamptz, i,
      case i when 3 then 'NaN' else '1' end::numeric, '12:00', case i when 3 then '24:00' else '12:00' end::time,
      '2020-01-02', null from n`,
  ],
  mariadb: [
    "set session sql_mode = ''",
    "set session max_recursive_iterations = 20000",
    `create table tickets (id int primary key, made datetime not null default now(), first date not null,
      last datetime not null, hidden datetime not null, known datetime not null, price decimal(10, 2) not null,
      until datetime not null default '0000-00-00 00:00:00', maybe date, key (known))`,
    `insert into tickets ${MANY} select i, '2020-01-02', if(i = 7, '2020-00-10', '2020-01-02'),
      if(i = 10299, 0, '2020-01-02'), if(i = 5100, 0, '2020-01-02'), if(i = 5100, 0, '2020-01-02'), i,
      '2020-01-02', null from n`,
  ],
};

const SERVERS = ENGINES.flatMap((engine) => (engine.name === "sqlite" ? [] : [{ ...engine, name: engine.name }]));

describe.each(SERVERS)("cells without a value over $title", ({ name, open }) => {
  test("make a column without null nullable only where there are some", async () => {
    const { db, close } = await open();
    try {
      await db.connection().execute(async (one) => {
        for (const statement of STATEMENTS[name]) await sql.raw(statement).execute(one);
        if (name === "mariadb") await sql`set session sql_mode = default`.execute(one);
      });
      const { entitySets, described, warnings } = await introspectDatabase(db, { include: ["tickets"] });
      const properties = described.sets.flatMap((set) => set.properties);
      const nullable = properties.filter((property) => property.nullable).map((property) => property.name);
      const ofServer = name === "postgres" ? ["Odd", "Midnight"] : [];
      expect(nullable).toEqual(["First", "Last", "Known", ...ofServer, "Until", "Maybe"]);
      expect(warnings.map(({ code, place, message, flag }) => [code, place, message, flag])).toEqual(
        ["First", "Last", "Known", ...ofServer, "Until"].map((property) => [
          "null-cells",
          `Tickets.${property}`,
          "holds cells without a value, published as null",
          null,
        ]),
      );
      const service = odataService({ entitySets, schemaCheck: false });
      const ask = async (target: string): Promise<readonly [number, unknown]> => {
        const response = await service.fetch(new Request(`http://service.example/${target}`));
        return [response.status, await response.json()];
      };
      expect(await ask("Tickets(7)?$select=Id,First")).toMatchObject([200, { Id: 7, First: null }]);
      expect(await ask("Tickets(5100)?$select=Id,Known")).toMatchObject([200, { Id: 5100, Known: null }]);
      // No sample read this row, so its property is not nullable.
      expect(await ask("Tickets(5100)?$select=Id,Hidden")).toMatchObject([200, { Id: 5100, Hidden: null }]);
      expect(await ask("Tickets?$select=Id&$filter=Hidden eq null")).toMatchObject([200, { value: [{ Id: 5100 }] }]);
      expect(await ask("Tickets(5101)?$select=Id,Hidden")).toMatchObject([
        200,
        { Hidden: expect.stringMatching(/^2020-01-02T00:00:00(?:\.0+)?Z$/) as unknown },
      ]);
      const metadata = await service.fetch(new Request("http://service.example/$metadata"));
      expect(await metadata.text()).toMatch(
        /<Property Name="Made" Type="Edm.DateTimeOffset" Nullable="false"[^/]*>\s*<Annotation Term="Org.OData.Core.V1.ComputedDefaultValue"/,
      );
    } finally {
      await close();
    }
  });
});
