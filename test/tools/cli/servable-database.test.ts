import { Kysely, sql } from "kysely";
import { ConfigurationError, odataService, type EntitySet, type ODataService } from "odatakit";
import { introspectDatabase, type IntrospectedDatabase } from "odatakit/introspect";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { servableDatabase } from "../../../src/tools/cli/load-database.ts";

async function namesOf(service: ODataService): Promise<readonly string[]> {
  const response = await service.fetch(new Request("http://h/odata/"));
  const { value } = (await response.json()) as { readonly value: ReadonlyArray<{ readonly name: string }> };
  return value.map(({ name }) => name);
}

/** A database, and a function that makes services which fail while they have one of some sets. */
async function withFaults(...faulty: readonly string[]) {
  const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
  onTestFinished(() => db.destroy());
  for (const table of ["a", "b"]) await sql.raw(`create table ${table} (id integer primary key)`).execute(db);
  await sql`create table "c*" (id integer primary key, a_id integer references a)`.execute(db);
  const readAgain = (omitted: readonly string[] = []): Promise<IntrospectedDatabase> =>
    introspectDatabase(db, { exclude: omitted });
  const make = (entitySets: readonly EntitySet[]): ODataService => {
    const service = odataService({ prefix: "/odata", profile: "standard", entitySets });
    const ready = async (): Promise<void> => {
      const faults = (await namesOf(service))
        .filter((name) => faulty.includes(name))
        .map((set) => ({ set, message: `${set} is odd.`, fix: "Fix it." }));
      const others = faulty.includes("") ? [{ message: "All is odd.", fix: "Fix it." }] : [];
      if (faults.length + others.length > 0) throw new ConfigurationError([...faults, ...others]);
    };
    return { ...service, ready };
  };
  return { found: await readAgain(), readAgain, make };
}

test.each([
  [[], ["As", "Bs", "Cs"], []],
  [["As"], ["Bs", "Cs"], ["main.a omitted, because it cannot be served: As is odd."]],
  [
    ["As", "Cs"],
    ["Bs"],
    [
      "main.a omitted, because it cannot be served: As is odd.",
      "main.c* omitted, because it cannot be served: Cs is odd.",
    ],
  ],
])("without %j, the others are served", async (faulty, served, warnings) => {
  const { found, readAgain, make } = await withFaults(...faulty);
  const servable = await servableDatabase({ found, readAgain }, make);
  expect(servable.found.described.sets.map(({ setName }) => setName)).toEqual(served);
  const unservable = servable.found.warnings.filter(({ code }) => code === "unservable");
  expect(unservable.map(({ place, message }) => `${place} ${message}`)).toEqual(warnings);
  expect(await namesOf(servable.service)).toEqual(served);
});

test.each([[["As", "Bs", "Cs"]], [["As", ""]]])("the faults of %j stop the service", async (faulty) => {
  const { found, readAgain, make } = await withFaults(...faulty);
  await expect(servableDatabase({ found, readAgain }, make)).rejects.toBeInstanceOf(ConfigurationError);
});

test("a database without sets makes a service", async () => {
  const { readAgain, make } = await withFaults();
  const found = await readAgain(["*"]);
  expect((await servableDatabase({ found, readAgain }, make)).found).toBe(found);
});
