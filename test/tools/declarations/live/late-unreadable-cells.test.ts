import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "../../../engine/executors/engines.ts";

interface Fixture {
  readonly table: string;
  /** Two rows that can be read, with a value of each column. */
  readonly rows: readonly string[];
  /** A row of another program, whose cells no sample has seen. */
  readonly late: string;
  /** The cells of the late row as the database shows them. */
  readonly raw: string;
  readonly good: Readonly<Record<string, unknown>>;
}

/** No column may be null, so no property is nullable. */
const FIXTURES: Readonly<Record<DatabaseName, Fixture>> = {
  sqlite: {
    table: `create table cells (id integer primary key, name text not null, day date not null, amount integer not null,
      at datetime not null)`,
    rows: ["(1, 'a', '2024-01-01', 1, '2024-01-01T00:00:00Z')", "(3, 'c', '2024-01-01', 1, '2024-01-01T00:00:00Z')"],
    late: "(2, 'b', 'never', 'many', 'x')",
    raw: "day || '/' || amount || '/' || at",
    good: { Day: "2024-02-01", Amount: 7 },
  },
  postgres: {
    table: `create table cells (id int primary key, name text not null, day date not null, amount numeric(9, 2) not null,
      at timestamp not null)`,
    rows: ["(1, 'a', '2024-01-01', 1, '2024-01-01')", "(3, 'c', '2024-01-01', 1, '2024-01-01')"],
    late: "(2, 'b', 'infinity', 'NaN', '-infinity')",
    raw: "day::text || '/' || amount::text || '/' || at::text",
    good: { Day: "2024-02-01", Amount: 7 },
  },
  mariadb: {
    table: `create table cells (id int primary key, name varchar(9) not null, day date not null,
      amount enum('A', 'B') not null, at datetime not null)`,
    rows: ["(1, 'a', '2024-01-01', 'A', '2024-01-01')", "(3, 'c', '2024-01-01', 'A', '2024-01-01')"],
    late: "(2, 'b', '0000-00-00', 'bogus', '2024-00-00')",
    raw: "concat(day, '/', amount + 0, '/', at)",
    good: { Day: "2024-02-01", Amount: "B" },
  },
};

const JSON_HEADERS = { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" };

describe.each(ENGINES)("a late row with cells that cannot be read, in columns without null over $title", (engine) => {
  const { table, rows, late, raw, good } = FIXTURES[engine.name];

  const start = async () => {
    const { db, close } = await engine.open();
    const run = (...texts: readonly string[]): Promise<void> =>
      db.connection().execute(async (one) => {
        if (engine.name === "mariadb") await sql`set session sql_mode = ''`.execute(one);
        for (const text of texts) await sql.raw(text).execute(one);
        if (engine.name === "mariadb") await sql`set session sql_mode = default`.execute(one);
      });
    await run(table, ...rows.map((row) => `insert into cells values ${row}`));
    const operations = () => ["read", "create", "patch", "replace", "delete"] as const;
    const { entitySets } = await introspectDatabase(db, { operations });
    await run(`insert into cells values ${late}`);
    const warnings: string[] = [];
    const failures: unknown[] = [];
    const service = odataService({
      entitySets,
      secret: "a secret of more than thirty-two characters",
      defaults: { paging: "keyset", applyEnabled: true },
      logger: {
        error: (...given: readonly unknown[]) => failures.push(given),
        warn: (text: string) => warnings.push(text),
        info: () => undefined,
      },
    });
    const send = async (method: string, path: string, body?: object) => {
      const headers = { ...JSON_HEADERS, ...(path.includes("$orderby=") && { Prefer: "maxpagesize=1" }) };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await service.fetch(new Request(`http://x/${encodeURI(path)}`, init));
      const text = await response.text();
      return [response.status, text === "" ? null : (JSON.parse(text) as unknown)] as const;
    };
    const stored = async (): Promise<unknown> => {
      const found = await sql.raw<{ raw: unknown }>(`select ${raw} as raw from cells where id = 2`).execute(db);
      return found.rows[0]?.raw;
    };
    return { service, send, stored, warnings, failures, close };
  };

  test("are null in every response, and found by eq null alone", async () => {
    const { service, send, warnings, failures, close } = await start();
    try {
      const metadata = await (await service.fetch(new Request("http://x/$metadata"))).text();
      expect(metadata).toMatch(/<Property Name="Day" Type="Edm.Date" Nullable="false"/);
      const shown = { Id: 2, Name: "b", Day: null, Amount: null, At: null };
      expect(await send("GET", "Cells(2)")).toEqual([200, shown]);
      expect(await send("GET", "Cells?$filter=Id eq 2")).toEqual([200, { value: [shown] }]);
      expect(await send("GET", "Cells(2)/Day")).toEqual([204, null]);
      expect((await send("GET", "Cells(2)/Amount/$value"))[0]).toBe(404);
      const ids = async (filter: string): Promise<unknown> => {
        const [status, found] = await send("GET", `Cells?$select=Id&$filter=${filter}`);
        const { value } = found as { readonly value?: ReadonlyArray<{ readonly Id: number }> };
        return status === 200 ? value?.map(({ Id }) => Id).toSorted() : found;
      };
      for (const name of ["Day", "Amount", "At"]) {
        expect([name, await ids(`${name} eq null`)]).toEqual([name, [2]]);
        expect([name, await ids(`${name} ne null`)]).toEqual([name, [1, 3]]);
        expect([name, await ids(`not (${name} eq null)`)]).toEqual([name, [1, 3]]);
      }
      expect(await ids("Day eq 2024-01-01")).toEqual([1, 3]);
      expect(await ids("Day ne 2024-01-01")).toEqual([2]);
      expect(await ids("Day ge 1900-01-01 or Day lt 1900-01-01")).toEqual([1, 3]);
      expect(await ids("not (Day ge 1900-01-01)")).toEqual([2]);
      expect(await send("GET", "Cells?$apply=groupby((Day),aggregate($count as N))/orderby(N)")).toEqual([
        200,
        {
          value: [
            { Day: null, N: 1 },
            { Day: "2024-01-01", N: 2 },
          ],
        },
      ]);
      for (const name of ["Day", "At"]) {
        for (const direction of ["asc", "desc"]) {
          const found: number[] = [];
          let next: string | undefined = `Cells?$orderby=${name} ${direction}&$select=Id`;
          while (next !== undefined && found.length < 9) {
            const [status, page] = await send("GET", decodeURI(next));
            const { value, "@odata.nextLink": link } = page as {
              readonly value: ReadonlyArray<{ readonly Id: number }>;
              readonly "@odata.nextLink"?: string;
            };
            expect(status).toBe(200);
            found.push(...value.map(({ Id }) => Id));
            next = link?.replace("http://x/", "");
          }
          expect([name, direction, found.toSorted((left, right) => left - right)]).toEqual([
            name,
            direction,
            [1, 2, 3],
          ]);
        }
      }
      expect(failures).toEqual([]);
      for (const column of ["day", "amount", "at"]) {
        expect(warnings.filter((text) => text.includes(`column ${column} of cells`)).length).toBe(1);
      }
    } finally {
      await close();
    }
  });

  test("are left by writes that give the null back, which is refused elsewhere", async () => {
    const { send, stored, failures, close } = await start();
    try {
      const before = await stored();
      const shown = { Id: 2, Name: "b", Day: null, Amount: null, At: null };
      for (const [method, path, body, status] of [
        ["PATCH", "Cells(2)", { Day: null }, 200],
        ["PATCH", "Cells(2)", { Day: null, Amount: null, At: null, Name: "y" }, 200],
        ["PUT", "Cells(2)", { ...shown, Name: "z" }, 200],
        ["PUT", "Cells(2)/Amount", { value: null }, 204],
      ] as const) {
        expect([method, path, (await send(method, path, body))[0]]).toEqual([method, path, status]);
        expect([method, path, await stored()]).toEqual([method, path, before]);
      }
      expect(await send("GET", "Cells(2)")).toEqual([200, { ...shown, Name: "z" }]);
      const refused = (target: string) => [
        400,
        { error: { code: "NullNotAllowed", message: `${target} must not be null: give it a value.`, target } },
      ];
      // The cell of the name can be read.
      expect(await send("PATCH", "Cells(2)", { Name: null, Day: null })).toEqual(refused("Name"));
      expect(await send("PATCH", "Cells(3)", { Day: null })).toEqual(refused("Day"));
      expect(await send("PUT", "Cells(3)", { ...shown, Id: 3 })).toEqual(refused("Day"));
      expect(await send("PUT", "Cells(3)/Day", { value: null })).toEqual(refused("Day"));
      expect(await send("POST", "Cells", { ...shown, Id: 4 })).toEqual(refused("Day"));
      expect((await send("PUT", "Cells(5)", { ...shown, Id: 5 }))[0]).not.toBe(500);
      expect((await send("DELETE", "Cells(2)/Day"))[0]).toBe(400);
      expect((await send("GET", "Cells(5)"))[0]).toBe(404);
      expect(await send("GET", "Cells(3)")).toMatchObject([200, { Name: "c", Day: "2024-01-01" }]);
      expect((await send("PATCH", "Cells(2)", good))[1]).toMatchObject({ ...good, At: null });
      expect(failures).toEqual([]);
    } finally {
      await close();
    }
  });
});
