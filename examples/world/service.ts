import type { Kysely } from "kysely";
import {
  applyDelta,
  type EntityOf,
  type EntitySet,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  type ODataService,
  type ServiceOptions,
  singleton,
} from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { sqlEntitySet } from "odatakit/kysely";
import { openApiRoute } from "odatakit/openapi";
import type { WorldDatabase } from "./database.ts";
import { City, Country, Stop, Traveller, Trip } from "./model.ts";

/**
 * The world as an OData service: every read option is on, `$apply` and `$compute` included, and pages have 1000 rows.
 * Countries and cities refer to each other and are only read; trips with their stops are written, too. `Me` is the one who
 * travels. The explorer, its description and a viewer are served with it.
 * @param serverTiming whether responses report the time of their stages, which the explorer shows
 * @param explorer serves the explorer
 */
export function worldService(
  db: Kysely<WorldDatabase>,
  serverTiming: boolean = false,
  explorer: ServiceOptions["routes"] = [explorerRoute()],
): ODataService {
  const world = worldSets(db);
  const [trips, stops] = tripSets(db);
  return odataService({
    prefix: "/odata",
    namespace: "World",
    defaults: { applyEnabled: true, computeEnabled: true },
    entitySets: [...world, trips, stops],
    singletons: [me(world[0], trips)],
    routes: [...explorer, openApiRoute({ viewer: true })],
    serverTiming,
  });
}

/** The example has one user, who is kept in this process. */
function me(countries: EntitySet<typeof Country>, trips: EntitySet<typeof Trip>) {
  let traveller: EntityOf<typeof Traveller> = { id: 1, name: "Traveller", homeCode: "PT" };
  return singleton(Traveller, {
    name: "Me",
    etag: ["name", "homeCode"],
    get: () => traveller,
    patch: (delta) => (traveller = applyDelta(Traveller, traveller, delta)),
    navigation: {
      home: hasOptional(Country, {
        target: "Countries",
        get: (_key, ctx) => (traveller.homeCode === null ? null : ctx.sets(countries).get(traveller.homeCode)),
      }),
      trips: hasMany(Trip, { target: "Trips", get: (_key, ctx) => ctx.sets(trips).query() }),
    },
  });
}

function worldSets(db: Kysely<WorldDatabase>) {
  return [
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
  ] as const;
}

function tripSets(db: Kysely<WorldDatabase>) {
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  return [
    sqlEntitySet(Trip, {
      db,
      table: "trips",
      operations,
      // A decimal of two digits is kept as a whole number of hundredths.
      columns: { budget: { storage: "scaled" } },
      // Each write counts the version up, and the ETag tells versions apart.
      rowVersion: "rowVersion",
      etag: ["rowVersion"],
      // A trip may be created with its stops, as one transaction.
      allowDeepInsert: true,
      search: ["title", "notes"],
      navigation: {
        stops: hasMany(Stop, { on: { id: "tripId" }, target: "Stops", partner: "trip" }),
        countries: hasMany(Country, {
          through: { table: "tripCountries", from: { id: "trip" }, to: { country: "code" } },
          target: "Countries",
        }),
      },
    }),
    sqlEntitySet(Stop, {
      db,
      table: "stops",
      operations,
      search: ["place"],
      navigation: {
        trip: hasRequired(Trip, { on: { tripId: "id" }, target: "Trips", partner: "stops" }),
        city: hasOptional(City, { on: { cityId: "id" }, target: "Cities" }),
      },
    }),
  ] as const;
}
