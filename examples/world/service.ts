import { arraySource, entitySet, odataService, type ODataService } from "odatakit";
import type { WorldData } from "./data.ts";
import { City, Country } from "./model.ts";

/** The world as an OData service: every read option is on, 1000 rows to a page. */
export function worldService({ countries, cities }: WorldData): ODataService {
  const countryByCode = new Map(countries.map((country) => [country.code, country]));
  const cityById = new Map(cities.map((city) => [city.id, city]));
  return odataService({
    prefix: "/odata",
    namespace: "World",
    entitySets: [
      entitySet(Country, {
        queryable: () => arraySource(Country, countries),
        getByKey: (code) => countryByCode.get(code) ?? null,
      }),
      entitySet(City, {
        queryable: () => arraySource(City, cities),
        getByKey: (id) => cityById.get(id) ?? null,
      }),
    ],
  });
}
