import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase, type DescribedService } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES, type DatabaseEngine } from "../../../engine/executors/engines.ts";
import { openSample, type SampleName } from "../../../fixtures/databases/load.ts";

/** A served sample. */
interface Served {
  readonly described: DescribedService;
  readonly read: (path: string) => Promise<Readonly<Record<string, unknown>>>;
}

/** Serves a sample while a function uses it. */
async function withSample(
  engine: DatabaseEngine,
  sample: SampleName,
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const { db, close } = await openSample(engine, sample);
  try {
    // A test server contains schemas of other tests.
    const own = await sql<{ name: string }>`select current_schema() as name`.execute(db).catch(() => ({ rows: [] }));
    const schemas = engine.name === "postgres" ? own.rows.map(({ name }) => name) : undefined;
    const { entitySets, described } = await introspectDatabase(db, { schemas });
    const service = odataService({ prefix: "/odata", profile: "standard", entitySets });
    await use({
      described,
      read: async (path) => {
        const response = await service.fetch(new Request(`http://h/odata/${path}`));
        expect([path, response.status]).toEqual([path, 200]);
        return (await response.json()) as Readonly<Record<string, unknown>>;
      },
    });
  } finally {
    await close();
  }
}

describe.each(ENGINES)("$title", (engine) => {
  test("Northwind: a self reference and a many-to-many navigation", async () => {
    await withSample(engine, "northwind", async ({ described, read }) => {
      expect(described.sets.filter(({ kind }) => kind === "table")).toHaveLength(13);
      const { EmployeesByReportsTo: below } = await read("Employees(2)?$expand=EmployeesByReportsTo");
      expect(below).toEqual(expect.arrayContaining([expect.objectContaining({ ReportsTo: 2 })]));
      const { value } = await read("Employees?$expand=Territories&$orderby=EmployeeID");
      const [first] = value as ReadonlyArray<{ readonly Territories: readonly object[] }>;
      expect(first?.Territories.length).toBeGreaterThan(0);
      const { value: back } = await read("Territories?$filter=Employees/any(e: e/EmployeeID eq 1)");
      expect(back).toHaveLength(first?.Territories.length ?? 0);
    });
  });
});

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("$title", (engine) => {
  test("Sakila: 15 tables, many-to-many navigations of films, and views whose key is proven", async () => {
    await withSample(engine, "sakila", async ({ described, read }) => {
      expect(described.sets.filter(({ kind }) => kind === "table")).toHaveLength(15);
      const proven = described.sets.filter(({ key }) => key === "proven");
      expect(proven.length).toBeGreaterThanOrEqual(4);
      for (const { setName } of proven) await read(`${setName}?$top=1`);
      const { Actors, Categories } = await read("Films(1)?$expand=Actors,Categories");
      expect([Actors, Categories].map((list) => (list as readonly object[]).length > 0)).toEqual([true, true]);
      expect(JSON.stringify(await read("Actors(1)?$expand=Films($filter=FilmId eq 1)"))).toContain('"FilmId":1');
    });
  });
});
