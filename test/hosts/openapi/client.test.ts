import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { authenticated, type ODataService, role } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorldDatabase } from "../../../examples/world/database.ts";
import { worldService } from "../../../examples/world/service.ts";
import { openLoadedWorld } from "../../examples/loaded-world.ts";
import { ROOT } from "../../house/source-files.ts";
import { deskService } from "./guarded-model.ts";
import { everything } from "./model.ts";

/** The functions of the generated client that the tests call. */
interface Answer<T> {
  readonly status: number;
  readonly data: T;
}
type Call = (...parameters: readonly unknown[]) => Promise<Answer<Record<string, unknown>>>;
interface Client {
  readonly odata: Readonly<Record<string, Call>>;
}

/** The used part of the generator, because its own types need browser types. */
interface Generator {
  generateApi(options: {
    readonly spec: object;
    readonly output: false;
    readonly fileName: string;
    readonly silent: boolean;
  }): Promise<{ readonly files: ReadonlyArray<{ readonly fileContent: string }> }>;
}
const require = createRequire(import.meta.url);
const generator = require("swagger-typescript-api") as Generator;

let directory: string;
let db: Kysely<WorldDatabase>;
let world: ODataService;
const desks = deskService({ service: { authorization: authenticated() }, desks: { delete: role("member") } });

async function generate(service: ODataService, name: string): Promise<void> {
  const spec = openApiDocument(service);
  const { files } = await generator.generateApi({ spec, output: false, fileName: `${name}.ts`, silent: true });
  writeFileSync(join(directory, `${name}.ts`), files.map(({ fileContent }) => fileContent).join("\n"));
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "openapi-client-"));
  db = await openLoadedWorld();
  world = worldService(db);
  await generate(world, "world");
  await generate(desks, "desks");
  await generate(everything(), "everything");
  await generate(everything({ profile: "standard" }), "standard");
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await db.destroy();
});

describe("a client generated from the document by a public generator", () => {
  test("compiles", () => {
    // Typed like an application: a read returns a page of countries, and a filter is a string.
    const program = `
import { Api } from "./world.ts";
const client = new Api();
const { data } = await client.odata.countriesList({ $filter: "Name eq 'Portugal'", $top: 1 });
export const names: ReadonlyArray<string | undefined> = data.value.map(({ Name }) => Name);
const { data: trip } = await client.odata.tripsCreate({ Title: "South", Stops: [{ Position: 1, Place: "Faro" }] });
export const status: "Planned" | "Booked" | "Done" | undefined = trip.Status;
const { data: borders } = await client.odata.countriesBordersList("PT", { $orderby: "Name" });
export const first: string | null | undefined = borders.value[0]?.Capital;
// @ts-expect-error -- a filter is not a number
await client.odata.countriesList({ $filter: 5 });
// @ts-expect-error -- the title is missing
await client.odata.tripsCreate({ Notes: "none" });
`;
    writeFileSync(join(directory, "program.ts"), program);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2023",
      lib: ["es2023", "dom", "dom.iterable"],
      types: [],
      module: "nodenext",
      moduleDetection: "force",
      allowImportingTsExtensions: true,
    };
    const files = ["world.ts", "desks.ts", "everything.ts", "standard.ts", "program.ts"];
    writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const { stdout } = spawnSync(tsc, ["-p", directory, "--pretty", "false"], { cwd: ROOT, encoding: "utf8" });
    expect(stdout).toBe("");
  });

  test("reads and writes the world", async () => {
    const { Api } = (await import(/* @vite-ignore */ join(directory, "world.ts"))) as {
      Api: new (options: object) => Client;
    };
    const { odata } = new Api({
      baseUrl: "http://world.example",
      customFetch: (...parameters: ConstructorParameters<typeof Request>) => world.fetch(new Request(...parameters)),
      baseApiParams: { format: "json" },
    });
    const call = (name: string, ...parameters: readonly unknown[]) => {
      const method = odata[name];
      if (method === undefined) throw new Error(`${name} is none of ${Object.keys(odata).join(" ")}`);
      return method(...parameters);
    };
    const page = await call("countriesList", { $filter: "startswith(Name,'Port')", $select: "Name", $count: true });
    expect(page.data).toMatchObject({ "@odata.count": 1, value: [{ Name: "Portugal" }] });
    expect((await call("countriesRead", "PT", { $select: "Capital" })).data).toMatchObject({ Capital: "Lisbon" });
    expect((await call("countriesBordersList", "PT", { $select: "Code" })).data["value"]).toEqual([{ Code: "ES" }]);
    const trip = { Title: "South", Stops: [{ Position: 1, Place: "Faro" }] };
    const created = await call("tripsCreate", trip);
    expect(created).toMatchObject({ status: 201, data: { Title: "South", Status: "Planned" } });
    const id = created.data["Id"];
    expect((await call("tripsStopsList", id, { $select: "Place" })).data["value"]).toEqual([
      { "@odata.id": expect.stringMatching(/\/Stops\(\d+\)$/u), Place: "Faro" },
    ]);
    expect((await call("tripsPatch", id, { Notes: "in May" })).data).toMatchObject({ Notes: "in May" });
    const [stop] = (await call("tripsStopsList", id, {})).data["value"] as ReadonlyArray<{ readonly Id: number }>;
    expect((await call("tripsStopsReadOne", id, stop?.Id, {})).data).toMatchObject({ Place: "Faro" });
    expect(await call("tripsStopsCreate", id, { Position: 2, Place: "Tavira" })).toMatchObject({ status: 201 });
    expect((await call("tripsCountriesAddRef", id, { "@odata.id": "Countries('PT')" })).status).toBe(204);
    expect((await call("tripsCountriesList", id, { $select: "Code" })).data["value"]).toEqual([{ Code: "PT" }]);
    const found = await call("tripsRead", id, { $expand: "Stops($select=Place;$orderby=Position)" });
    expect(found.data["Stops"]).toEqual(
      ["Faro", "Tavira"].map((Place) => ({ "@odata.id": expect.stringMatching(/\/Stops\(\d+\)$/u), Place })),
    );
    const replaced = await call("tripsReplace", id, { Title: "North", Budget: 12.5 });
    expect(replaced.data).toMatchObject({ Title: "North", Budget: 12.5, Notes: null });
    await expect(
      call("tripsPatch", id, { Title: "x" }, {}, { headers: { "If-Match": '"old"' } }),
    ).rejects.toMatchObject({ status: 412, error: { error: { code: "PreconditionFailed" } } });
    expect((await call("tripsDelete", id)).status).toBe(204);
    await expect(call("tripsRead", id)).rejects.toMatchObject({ status: 404, error: { error: { code: "NotFound" } } });
  });

  test("sends a bearer token if an operation needs it", async () => {
    const { Api } = (await import(/* @vite-ignore */ join(directory, "desks.ts"))) as {
      Api: new (options: object) => {
        readonly d: Readonly<Record<string, Call | undefined>>;
        setSecurityData(token: string | null): void;
      };
    };
    const api = new Api({
      baseUrl: "http://desks.example",
      customFetch: (...parameters: ConstructorParameters<typeof Request>) => desks.fetch(new Request(...parameters)),
      baseApiParams: { format: "json" },
      securityWorker: (token: string | null) =>
        token === null ? {} : { headers: { Authorization: `Bearer ${token}` } },
    });
    const call = (name: string, ...parameters: readonly unknown[]) => {
      const method = api.d[name];
      if (method === undefined) throw new Error(`${name} is none of ${Object.keys(api.d).join(" ")}`);
      return method(...parameters);
    };
    await expect(call("desksList", {})).rejects.toMatchObject({
      status: 401,
      error: { error: { code: "Unauthorized" } },
    });
    api.setSecurityData("ann");
    expect((await call("desksList", { $select: "Name" })).data["value"]).toEqual([
      { "@odata.id": "http://desks.example/d/Desks(1)", Name: "Oak" },
      { "@odata.id": "http://desks.example/d/Desks(2)", Name: "Elm" },
    ]);
    expect((await call("desksPatch", 1, { Name: "Ash" })).data).toMatchObject({ Name: "Ash" });
    await expect(call("desksDelete", 1)).rejects.toMatchObject({
      status: 403,
      error: { error: { code: "Forbidden" } },
    });
    api.setSecurityData("ann:member");
    expect((await call("desksDelete", 1)).status).toBe(204);
  });
});
