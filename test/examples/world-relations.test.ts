import type { Kysely } from "kysely";
import type { ODataService } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorldDatabase } from "../../examples/world/database.ts";
import { worldService } from "../../examples/world/service.ts";
import { openLoadedWorld } from "./loaded-world.ts";

const ROOT = "http://world.example/odata";

let db: Kysely<WorldDatabase>;
let world: ODataService;

beforeAll(async () => {
  db = await openLoadedWorld();
  world = worldService(db);
});
afterAll(() => db.destroy());

interface City {
  readonly Name: string;
  readonly CountryCode: string;
  readonly Population: number;
  readonly Country?: { readonly Name: string };
}

interface Country {
  readonly Code: string;
  readonly Name: string;
  readonly Cities?: readonly City[];
  readonly Borders?: readonly Country[];
}

async function get<T>(path: string): Promise<{ readonly context: string; readonly value: readonly T[] }> {
  const response = await world.fetch(new Request(`${ROOT}/${path}`));
  const text = await response.text();
  expect({ status: response.status, type: response.headers.get("content-type") }, text).toEqual({
    status: 200,
    type: "application/json;odata.metadata=minimal",
  });
  const { "@odata.context": context, value } = JSON.parse(text) as { "@odata.context": string; value: readonly T[] };
  return { context, value };
}

async function error(path: string): Promise<unknown> {
  const response = await world.fetch(new Request(`${ROOT}/${path}`));
  expect(response.status).toBe(400);
  return response.json();
}

describe("countries, their cities and their neighbours", () => {
  test("a country brings its greatest cities and its neighbours", async () => {
    const expand = "Cities($filter=Population gt 1000000;$orderby=Population desc;$top=3),Borders";
    const { context, value } = await get<Country>(`Countries?$expand=${expand}`);
    expect(context).toBe(`${ROOT}/$metadata#Countries`);
    expect(value).toHaveLength(250);
    const brazil = value.find(({ Code }) => Code === "BR");
    expect(brazil?.Cities?.map(({ Name }) => Name)).toEqual(["São Paulo", "Rio de Janeiro", "Salvador"]);
    expect(brazil?.Borders?.map(({ Code }) => Code)).toEqual([
      "AR",
      "BO",
      "CO",
      "GF",
      "GY",
      "PE",
      "PY",
      "SR",
      "UY",
      "VE",
    ]);
    for (const { Code, Cities = [], Borders = [] } of value) {
      expect(Cities.length).toBeLessThanOrEqual(3);
      for (const city of Cities) expect(city).toMatchObject({ CountryCode: Code });
      for (const { Population } of Cities) expect(Population).toBeGreaterThan(1_000_000);
      const sizes = Cities.map(({ Population }) => Population);
      expect(sizes).toEqual(sizes.toSorted((left, right) => right - left));
      // Who borders on another is bordered by it.
      for (const neighbour of Borders) {
        const other = value.find((country) => country.Code === neighbour.Code);
        expect(other?.Borders?.map((country) => country.Code)).toContain(Code);
      }
    }
  });

  test("a city brings its country", async () => {
    const { context, value } = await get<City>(
      "Cities?$filter=contains(tolower(Name),'são')&$expand=Country($select=Name)",
    );
    expect(context).toBe(`${ROOT}/$metadata#Cities(Country(Name))`);
    expect(value.length).toBeGreaterThan(50);
    for (const { Name, Country: country } of value) {
      expect(Name.toLowerCase()).toContain("são");
      expect(Object.keys(country ?? {})).toEqual(["@odata.id", "Name"]);
    }
    expect(new Set(value.map(({ Country: country }) => country?.Name)).has("Brazil")).toBe(true);
  });

  test("countries are found by their cities, and cities by their country", async () => {
    const { value } = await get<Country>("Countries?$filter=Cities/any(c: c/Population gt 10000000)");
    const great = await get<City>("Cities?$filter=Population gt 10000000");
    expect(value.map(({ Code }) => Code)).toEqual(
      [...new Set(great.value.map(({ CountryCode }) => CountryCode))].toSorted(),
    );
    const icelandic = await get<City>("Cities?$filter=Country/Name eq 'Iceland' and Population gt 100000");
    expect(icelandic.value.map(({ Name }) => Name)).toEqual(["Reykjavík"]);
    const islands = await get<Country>("Countries?$filter=not Borders/any() and Cities/$count gt 2000");
    expect(islands.value.map(({ Code }) => Code)).toEqual(["AU", "PH"]);
  });

  test.each([
    ["Countries?$search=republic AND NOT democratic&$filter=Region eq 'Europe'&$count=true", "Czechia"],
    ['Countries?$search="papua new"', "Papua New Guinea"],
    ["Countries?$search=LISBON", "Portugal"],
    ["Cities?$search=new york&$orderby=Population desc&$top=1", "New York City"],
  ])("a search finds by names: %s", async (path, name) => {
    expect((await get<Country>(path)).value.map(({ Name }) => Name)).toContain(name);
  });

  test.each([
    ["Countries('PT')/Borders?$select=Name", ["Spain"]],
    ["Countries('IS')/Cities?$orderby=Population desc&$top=1&$select=Name", ["Reykjavík"]],
  ])("navigation routes return entities related to a country: %s", async (path, expected) => {
    const { value } = await get<Country>(path);
    expect(value.map(({ Name }) => Name)).toEqual(expected);
  });

  test("reports invalid requests", async () => {
    expect(await error("Countries?$expand=City")).toEqual({
      error: {
        code: "InvalidQueryOption",
        message: expect.stringContaining("Cities") as unknown,
        target: "$expand",
      },
    });
    expect(await error("Cities?$filter=Country/Nmae eq 'x'")).toMatchObject({
      error: { code: "InvalidQueryOption", message: expect.stringContaining("Did you mean 'Name'?") as unknown },
    });
    expect(await error("Countries?$filter=Cities/Name eq 'x'")).toMatchObject({
      error: { code: "InvalidQueryOption", message: expect.stringContaining("any") as unknown },
    });
  });
});
