/**
 * The tables of the world, which are filled from the packages and only read. Columns are named like the properties of the
 * model, complex members `property_member`.
 */
export const WORLD_TABLES: Readonly<Record<"countries" | "cities" | "borders", string>> = {
  countries: `create table countries (
    code text primary key, code3 text not null, name text not null, officialName text not null, region text not null,
    subregion text, capital text, area real, independent integer, unMember integer not null,
    landlocked integer not null, flag text, location_latitude real not null, location_longitude real not null,
    languages text not null, domains text not null, currencies text not null
  ) without rowid`,
  cities: `create table cities (
    id integer primary key, name text not null, alternativeName text, countryCode text not null, adminCode text,
    featureCode text, population integer not null, location_latitude real not null, location_longitude real not null
  )`,
  borders:
    "create table borders (country text not null, neighbour text not null, primary key (country, neighbour)) without rowid",
};

export const WORLD_INDEXES: readonly string[] = [
  "create index countries_region on countries (region, code)",
  "create index cities_name on cities (name, id)",
  "create index cities_population on cities (population, id)",
  "create index cities_alternative_name on cities (alternativeName, id)",
  "create index cities_admin_code on cities (adminCode, id)",
  "create index cities_feature_code on cities (featureCode, id)",
  "create index cities_latitude on cities (location_latitude, id)",
  "create index cities_longitude on cities (location_longitude, id)",
  "create index cities_country on cities (countryCode, population)",
];

/**
 * The tables of trips, which clients write. They begin empty, and are never made anew: what was written stays. The
 * database sees to what must hold of several rows: titles are unique, and with a trip its stops go.
 */
export const TRIP_TABLES: Readonly<Record<"trips" | "stops" | "tripCountries", string>> = {
  // Autoincrement: the id of a trip that was deleted is not used again, so no ETag of it fits another trip.
  trips: `create table if not exists trips (
    id integer primary key autoincrement, title text not null unique, status text not null, startsOn text,
    budget integer check (budget >= 0), notes text, rowVersion integer not null
  )`,
  stops: `create table if not exists stops (
    id integer primary key autoincrement, tripId integer not null references trips (id) on delete cascade,
    position integer not null, place text not null, nights integer not null, cityId integer references cities (id),
    unique (tripId, position)
  )`,
  tripCountries: `create table if not exists tripCountries (
    trip integer not null references trips (id) on delete cascade, country text not null references countries (code),
    primary key (trip, country)
  ) without rowid`,
};

export const TRIP_INDEXES: readonly string[] = [
  "create index if not exists stops_city on stops (cityId)",
  "create index if not exists tripCountries_country on tripCountries (country, trip)",
];
