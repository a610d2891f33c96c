import type { Kysely } from "kysely";
import { hasMany, hasRequired, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { WorldDatabase } from "./database.ts";
import { City, Country } from "./model.ts";

/** The world as an OData service: every read option is on, 1000 rows to a page, countries and cities lead to each other. */
export function worldService(db: Kysely<WorldDatabase>): ODataService {
  return odataService({
    prefix: "/odata",
    namespace: "World",
    entitySets: [
      sqlEntitySet(Country, {
        db,
        table: "countries",
        operations: ["read"],
        search: ["name", "officialName", "capital"],
        navigation: {
          cities: hasMany(City, { on: { code: "countryCode" }, target: "Cities", partner: "country" }),
          borders: hasMany(Country, {
            through: { table: "borders", from: { code: "country" }, to: { neighbour: "code" } },
            target: "Countries",
          }),
        },
      }),
      sqlEntitySet(City, {
        db,
        table: "cities",
        operations: ["read"],
        search: ["name", "alternativeName"],
        navigation: {
          country: hasRequired(Country, { on: { countryCode: "code" }, target: "Countries", partner: "cities" }),
        },
      }),
    ],
  });
}
