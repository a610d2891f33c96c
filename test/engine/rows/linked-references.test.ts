import { sql } from "kysely";
import { allRows, edm, entitySet, entityType, hasMany, hasOptional, odataService, type Authorization } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { noFailures } from "../../service/http/model.ts";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../executors/engines.ts";

/** An item has a place and a zone in the same country: both foreign keys share the property `country`. */
const Item = entityType("Item", {
  id: edm.int32().key(),
  country: edm.int32().nullable(),
  placeId: edm.int32().nullable(),
  zoneId: edm.int32().nullable(),
});
const Place = entityType("Place", { country: edm.int32().key(), id: edm.int32().key() });
const Zone = entityType("Zone", { country: edm.int32().key(), id: edm.int32().key(), user: edm.string() });
/** A country is never null in items that clients see. */
const Country = entityType("Country", { id: edm.int32().key(), user: edm.string() });

interface Key {
  readonly country: number;
  readonly id: number;
}
interface StoredItem {
  readonly id: number;
  readonly country: number | null;
  readonly placeId: number | null;
  readonly zoneId: number | null;
}

/** Users who are not the admin see only their rows. */
const zoneRules: Authorization<typeof Zone> = {
  rows: (user, row) => (idOf(user) === "admin" ? allRows : row.user.eq(idOf(user))),
};
const countryRules: Authorization<typeof Country> = {
  rows: (user, row) => (idOf(user) === "admin" ? allRows : row.user.ne("bob")),
};
const idOf = (user: unknown): string => (user as { readonly id: string }).id;
const authenticate = ({ headers }: { readonly headers: Headers }) => {
  const id = headers.get("x-user");
  return id === null ? null : { id };
};

/**
 * Zone 1 of country 1 is ann's, zone 1 of country 2 is bob's, and country 3 has no zone. Ann sees countries 1 to 3, but
 * neither country 4, which is bob's, nor country 5, which does not exist. Each country has place 1.
 */
const ZONES = [
  { country: 1, id: 1, user: "ann" },
  { country: 2, id: 1, user: "bob" },
];
const COUNTRIES = [
  { id: 1, user: "ann" },
  { id: 2, user: "all" },
  { id: 3, user: "all" },
  { id: 4, user: "bob" },
];
const PLACES: readonly Key[] = [1, 2, 3, 4, 5].map((country) => ({ country, id: 1 }));
/** Item 1 has a zone, item 2 only a country, and item 3 refers to nothing. */
const ITEMS: readonly StoredItem[] = [
  { id: 1, country: 1, placeId: 1, zoneId: 1 },
  { id: 2, country: 1, placeId: 1, zoneId: null },
  { id: 3, country: null, placeId: null, zoneId: null },
];

const place = hasOptional<typeof Item, typeof Place>(Place, {
  on: { country: "country", placeId: "id" },
  target: "Places",
});
const zone = hasOptional<typeof Item, typeof Zone>(Zone, { on: { country: "country", zoneId: "id" }, target: "Zones" });
const ofCountry = hasOptional<typeof Item, typeof Country>(Country, { on: { country: "id" }, target: "Countries" });
const onPlace = { country: "country", id: "placeId" } as const;

interface Running {
  readonly service: ReturnType<typeof odataService>;
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const options = { prefix: "", authenticate, logger: noFailures };
const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;

const zonesOf = () =>
  entitySet(Zone, {
    getAll: () => ZONES,
    getByKey: (key: Key) => ZONES.find(({ country, id }) => country === key.country && id === key.id) ?? null,
    authorization: zoneRules,
  });
const countriesOf = () =>
  entitySet(Country, {
    getAll: () => COUNTRIES,
    getByKey: (key: number) => COUNTRIES.find(({ id }) => id === key) ?? null,
    authorization: countryRules,
  });

/** Over tables; the sets with row rules may be arrays. */
async function overTables({ db, close }: OpenDatabase, isMixed = false): Promise<Running> {
  await sql`create table lr_countries (id integer primary key, ${sql.id("user")} varchar(20) not null)`.execute(db);
  await sql`create table lr_zones (country integer not null, id integer not null, ${sql.id("user")} varchar(20) not null,
    primary key (country, id))`.execute(db);
  await sql`create table lr_places (country integer not null, id integer not null, primary key (country, id))`.execute(
    db,
  );
  await sql`create table lr_items (id integer primary key, country integer, ${sql.id("placeId")} integer,
    ${sql.id("zoneId")} integer)`.execute(db);
  const service = odataService({
    ...options,
    entitySets: [
      isMixed
        ? countriesOf()
        : sqlEntitySet(Country, { db, table: "lr_countries", operations: OPERATIONS, authorization: countryRules }),
      isMixed
        ? zonesOf()
        : sqlEntitySet(Zone, { db, table: "lr_zones", operations: OPERATIONS, authorization: zoneRules }),
      sqlEntitySet(Place, {
        db,
        table: "lr_places",
        operations: OPERATIONS,
        allowDeepInsert: true,
        navigation: {
          items: hasMany<typeof Place, typeof Item>(Item, { on: onPlace, target: "Items" }),
          sample: hasOptional<typeof Place, typeof Item>(Item, { on: onPlace, target: "Items" }),
        },
      }),
      sqlEntitySet(Item, {
        db,
        table: "lr_items",
        operations: OPERATIONS,
        allowDeepInsert: true,
        navigation: { place, zone, ofCountry },
      }),
    ],
  });
  return { service, reset: () => resetTables(db), close };
}

async function resetTables(db: AnyDatabase): Promise<void> {
  for (const table of ["lr_items", "lr_places", "lr_zones", "lr_countries"]) {
    await sql`delete from ${sql.table(table)}`.execute(db);
  }
  for (const { id, user } of COUNTRIES) await sql`insert into lr_countries values (${id}, ${user})`.execute(db);
  for (const { country, id, user } of ZONES) {
    await sql`insert into lr_zones values (${country}, ${id}, ${user})`.execute(db);
  }
  for (const { country, id } of PLACES) await sql`insert into lr_places values (${country}, ${id})`.execute(db);
  for (const { id, country, placeId, zoneId } of ITEMS) {
    await sql`insert into lr_items values (${id}, ${country}, ${placeId}, ${zoneId})`.execute(db);
  }
}

/** Over arrays, with handlers of links. */
function overArrays(): Running {
  const items = new Map<number, StoredItem>();
  const places: Key[] = [];
  const reset = (): Promise<void> => {
    items.clear();
    for (const item of ITEMS) items.set(item.id, item);
    places.splice(0, places.length, ...PLACES);
    return Promise.resolve();
  };
  const save = (item: Partial<StoredItem>): StoredItem => {
    const { id = 0, country = null, placeId = null, zoneId = null } = item;
    items.set(id, { id, country, placeId, zoneId });
    return { id, country, placeId, zoneId };
  };
  const numbers = (reference: string): readonly number[] => (reference.match(/\d+/g) ?? []).slice(-2).map(Number);
  const link = (item: number, key: Key | null): void => {
    const old = items.get(item);
    if (old !== undefined) items.set(item, { ...old, country: key?.country ?? null, placeId: key?.id ?? null });
  };
  const linkItem = (key: Key, reference: string): void => {
    link(numbers(reference).at(-1) ?? 0, key);
  };
  const linkToPlace = (item: number, reference: string): void => {
    const [country = 0, id = 0] = numbers(reference);
    link(item, { country, id });
  };
  const service = odataService({
    ...options,
    entitySets: [
      countriesOf(),
      zonesOf(),
      entitySet(Place, {
        getAll: () => places,
        getByKey: (key) => places.find(({ country, id }) => country === key.country && id === key.id) ?? null,
        create: ({ country, id, items: nested, sample }) => {
          places.push({ country, id });
          for (const item of [nested ?? [], sample ?? []].flat()) {
            save({ ...(item as Partial<StoredItem>), country, placeId: id });
          }
          return { country, id };
        },
        allowDeepInsert: true,
        navigation: {
          items: hasMany<typeof Place, typeof Item>(Item, {
            on: onPlace,
            target: "Items",
            create: (key, item) => save({ ...(item as Partial<StoredItem>), country: key.country, placeId: key.id }),
            addRef: linkItem,
            removeRef: (_key, reference) => {
              link(numbers(reference).at(-1) ?? 0, null);
            },
          }),
          sample: hasOptional<typeof Place, typeof Item>(Item, { on: onPlace, target: "Items", setRef: linkItem }),
        },
      }),
      entitySet(Item, {
        getAll: () => items.values(),
        getByKey: (key) => items.get(key) ?? null,
        create: ({ place: nested, ...item }) => {
          if (nested === null || nested === undefined) return save(item);
          const { country, id } = nested as Key;
          places.push({ country, id });
          return save({ ...(item as Partial<StoredItem>), country, placeId: id });
        },
        patch: (key, delta) => {
          const old = items.get(key);
          return old === undefined ? null : save({ ...old, ...(delta as Partial<StoredItem>) });
        },
        allowDeepInsert: true,
        navigation: {
          place: hasOptional<typeof Item, typeof Place>(Place, {
            on: { country: "country", placeId: "id" },
            target: "Places",
            setRef: linkToPlace,
            removeRef: (key: number) => {
              link(key, null);
            },
          }),
          zone,
          ofCountry,
        },
      }),
    ],
  });
  return { service, reset, close: () => Promise.resolve() };
}

interface Variant {
  readonly title: string;
  readonly open: () => Promise<Running>;
}

const VARIANTS: readonly Variant[] = [
  { title: "arrays", open: () => Promise.resolve(overArrays()) },
  ...ENGINES.flatMap(({ name, title, open }): readonly Variant[] => [
    { title, open: async () => overTables(await open()) },
    // Sets over arrays do not depend on the database.
    ...(name === "sqlite"
      ? [{ title: `${title} beside arrays`, open: async () => overTables(await open(), true) }]
      : []),
  ]),
];

type Write = readonly [
  name: string,
  method: string,
  target: (country: number) => string,
  body: (country: number) => object,
  property: string,
];

const placeIn = (country: number): string => `Places(Country=${String(country)},Id=1)`;
const referenceTo = (id: string) => ({ "@odata.id": id });

/** Writes that give an item with the zone 1 another country. */
const ZONE_WRITES: readonly Write[] = [
  ["PATCH", "PATCH", () => "Items(1)", (country) => ({ Country: country }), "Country"],
  ["PUT of the link", "PUT", () => "Items(1)/Place/$ref", (country) => referenceTo(placeIn(country)), "Country"],
  [
    "a link of the collection",
    "POST",
    (country) => `${placeIn(country)}/Items/$ref`,
    () => referenceTo("Items(1)"),
    "Country",
  ],
  [
    "the link of the other side",
    "PUT",
    (country) => `${placeIn(country)}/Sample/$ref`,
    () => referenceTo("Items(1)"),
    "Country",
  ],
  ["POST along a navigation", "POST", (country) => `${placeIn(country)}/Items`, () => ({ Id: 9, ZoneId: 1 }), "ZoneId"],
  [
    "deep insert",
    "POST",
    () => "Places",
    (country) => ({ Country: country, Id: 9, Items: [{ Id: 9, ZoneId: 1 }] }),
    "Items/0/ZoneId",
  ],
  [
    "deep insert of a single dependent",
    "POST",
    () => "Places",
    (country) => ({ Country: country, Id: 9, Sample: { Id: 9, ZoneId: 1 } }),
    "Sample/ZoneId",
  ],
  [
    "deep insert of the place",
    "POST",
    () => "Items",
    (country) => ({ Id: 9, ZoneId: 1, Place: { Country: country, Id: 9 } }),
    "ZoneId",
  ],
];

/** Writes that give an item another country, which is a foreign key on its own. */
const COUNTRY_WRITES: readonly Write[] = [
  ["PATCH", "PATCH", () => "Items(2)", (country) => ({ Country: country }), "Country"],
  ["PUT of the link", "PUT", () => "Items(2)/Place/$ref", (country) => referenceTo(placeIn(country)), "Country"],
  ["PUT of the first link", "PUT", () => "Items(3)/Place/$ref", (country) => referenceTo(placeIn(country)), "Country"],
  [
    "a link of the collection",
    "POST",
    (country) => `${placeIn(country)}/Items/$ref`,
    () => referenceTo("Items(2)"),
    "Country",
  ],
  [
    "deep insert of the place",
    "POST",
    () => "Items",
    (country) => ({ Id: 9, Place: { Country: country, Id: 9 } }),
    "Country",
  ],
];

/** Writes that create an item with the country of its place, which is visible or created along with it. */
const REPEATING_WRITES: readonly Write[] = [
  ["POST along a navigation", "POST", (country) => `${placeIn(country)}/Items`, () => ({ Id: 9 }), "Country"],
  [
    "deep insert",
    "POST",
    () => "Places",
    (country) => ({ Country: country, Id: 9, Items: [{ Id: 9 }] }),
    "Items/0/Country",
  ],
];

describe.each(VARIANTS)("foreign keys that share a property with a link: $title", ({ title, open }) => {
  let running: Running;

  beforeAll(async () => {
    running = await open();
  });
  beforeEach(() => running.reset());
  afterAll(() => running.close());

  async function send(user: string, method: string, target: string, body?: object) {
    const response = await running.service.fetch(
      new Request(`http://service.example/${target}`, {
        method,
        headers: { "x-user": user, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const { "x-request-id": _id, ...headers } = Object.fromEntries(response.headers);
    return { status: response.status, headers, text };
  }

  const stored = async () =>
    (await send("admin", "GET", "Items?$orderby=Id")).text + (await send("admin", "GET", "Places")).text;

  const hiddenLooksMissing = async (
    [, method, target, body, property]: Write,
    [hidden, missing]: readonly [number, number],
  ): Promise<void> => {
    const before = await stored();
    const answers = [
      await send("ann", method, target(hidden), body(hidden)),
      await send("ann", method, target(missing), body(missing)),
    ];
    expect(answers[0]).toEqual(answers[1]);
    expect({ ...answers[0], text: JSON.parse(answers[0]?.text ?? "") as unknown }).toMatchObject({
      status: 409,
      text: {
        error: {
          code: "Conflict",
          message: "This value refers to an entity that does not exist. Create the entity first, or use another value.",
          target: property,
        },
      },
    });
    expect(await stored()).toBe(before);
  };

  test.each(ZONE_WRITES)("a hidden zone looks like a missing one: %s", (...write) => hiddenLooksMissing(write, [2, 3]));

  test.each(COUNTRY_WRITES)("a hidden country looks like a missing one: %s", (...write) =>
    hiddenLooksMissing(write, [4, 5]),
  );

  test.each(REPEATING_WRITES)("a new item has the country of its place: %s", async (_name, method, target, body) => {
    expect((await send("ann", method, target(4), body(4))).status).toBe(201);
  });

  test.each([...ZONE_WRITES, ...COUNTRY_WRITES, ...REPEATING_WRITES])(
    "entities that the user sees can be referred to: %s",
    async (_name, method, target, body) => {
      expect((await send("ann", method, target(1), body(1))).status).toBeLessThan(300);
      await running.reset();
      expect((await send("admin", method, target(2), body(2))).status).toBeLessThan(300);
    },
  );

  test("a change set resolves a link to an entity that it creates", async () => {
    const before = await stored();
    const boundary = "b";
    const part = (lines: readonly string[]): readonly string[] => [
      `--${boundary}`,
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      ...lines,
    ];
    const changeSet = (country: number): string =>
      [
        "--outer",
        `Content-Type: multipart/mixed; boundary=${boundary}`,
        "",
        ...part(["Content-ID: 1", "", "POST Places HTTP/1.1", "Content-Type: application/json", ""]),
        JSON.stringify({ Country: country, Id: 9 }),
        ...part(["Content-ID: 2", "", "PUT Items(1)/Place/$ref HTTP/1.1", "Content-Type: application/json", ""]),
        JSON.stringify(referenceTo("$1")),
        `--${boundary}--`,
        "--outer--",
        "",
      ].join("\r\n");
    const answers: string[] = [];
    for (const country of [2, 3, 1]) {
      const response = await running.service.fetch(
        new Request("http://service.example/$batch", {
          method: "POST",
          headers: { "x-user": "ann", "Content-Type": "multipart/mixed; boundary=outer" },
          body: changeSet(country),
        }),
      );
      const text = await response.text();
      answers.push([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status).join(" "));
      if (answers.at(-1) === "409") expect(await stored()).toBe(before);
    }
    // Sets over arrays have no transactions.
    expect(answers).toEqual(title === "arrays" ? ["501", "501", "501"] : ["409", "409", "201 204"]);
  });

  test("a link to the same place changes no foreign key", async () => {
    await send("admin", "PATCH", "Items(1)", { Country: 2 });
    expect((await send("ann", "PUT", "Items(1)/Place/$ref", referenceTo(placeIn(2)))).status).toBe(204);
    expect((await send("ann", "POST", `${placeIn(2)}/Items/$ref`, referenceTo("Items(1)"))).status).toBe(204);
  });

  test.each([["Items(1)/Place/$ref"], [`${placeIn(1)}/Items/$ref?$id=Items(1)`]])(
    "without the link no entity is referred to: DELETE %s",
    async (target) => {
      expect((await send("ann", "DELETE", target)).status).toBe(204);
      expect(JSON.parse((await send("admin", "GET", "Items(1)")).text)).toMatchObject({
        Country: null,
        PlaceId: null,
        ZoneId: 1,
      });
    },
  );
});

test("a handler that removes links gets any reference", async () => {
  const { service, reset } = overArrays();
  await reset();
  const target = `${placeIn(1)}/Items/$ref?$id=${encodeURIComponent("urn:item:1")}`;
  const request = new Request(`http://service.example/${target}`, { method: "DELETE", headers: { "x-user": "ann" } });
  expect((await service.fetch(request)).status).toBe(204);
});

/** Clients never see the tenant of a ticket: only links and parents write it. */
const Tenant = entityType("Tenant", { id: edm.int32().key(), user: edm.string() });
const Desk = entityType("Desk", { tenant: edm.int32().key(), id: edm.int32().key() });
const Ticket = entityType("Ticket", {
  id: edm.int32().key(),
  tenant: edm.int32().nullable().ignored(),
  deskId: edm.int32().nullable(),
});
const tenantRules: Authorization<typeof Tenant> = { rows: (user, row) => row.user.eq(idOf(user)) };

describe.each(ENGINES)("an ignored foreign key that shares a property with a link: $title", (engine) => {
  let opened: OpenDatabase;
  let send: (method: string, target: string, body: object) => Promise<readonly unknown[]>;

  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    await sql`create table lr_tenants (id integer primary key, ${sql.id("user")} varchar(20) not null)`.execute(db);
    await sql`create table lr_desks (tenant integer not null, id integer not null, primary key (tenant, id))`.execute(
      db,
    );
    await sql`create table lr_tickets (id integer primary key, tenant integer, ${sql.id("deskId")} integer)`.execute(
      db,
    );
    await sql`insert into lr_tenants values (1, 'ann'), (2, 'bob')`.execute(db);
    await sql`insert into lr_desks values (1, 1), (2, 1), (3, 1)`.execute(db);
    await sql`insert into lr_tickets values (1, 1, 1)`.execute(db);
    const service = odataService({
      ...options,
      entitySets: [
        sqlEntitySet(Tenant, { db, table: "lr_tenants", operations: OPERATIONS, authorization: tenantRules }),
        sqlEntitySet(Desk, {
          db,
          table: "lr_desks",
          operations: OPERATIONS,
          navigation: {
            tickets: hasMany<typeof Desk, typeof Ticket>(Ticket, {
              on: { tenant: "tenant", id: "deskId" },
              target: "Tickets",
            }),
          },
        }),
        sqlEntitySet(Ticket, {
          db,
          table: "lr_tickets",
          operations: OPERATIONS,
          navigation: {
            desk: hasOptional<typeof Ticket, typeof Desk>(Desk, {
              on: { tenant: "tenant", deskId: "id" },
              target: "Desks",
            }),
            owner: hasOptional<typeof Ticket, typeof Tenant>(Tenant, { on: { tenant: "id" }, target: "Tenants" }),
          },
        }),
      ],
    });
    send = async (method, target, body) => {
      const headers = { "x-user": "ann", "Content-Type": "application/json" };
      const sent = { method, headers, body: JSON.stringify(body) };
      const response = await service.fetch(new Request(`http://service.example/${target}`, sent));
      const text = await response.text();
      const { error } = (text === "" ? {} : JSON.parse(text)) as { readonly error?: object };
      return [response.status, error];
    };
  });
  afterAll(() => opened.close());

  const deskOf = (tenant: number): string => `Desks(Tenant=${String(tenant)},Id=1)`;

  test.each<readonly [method: string, target: (tenant: number) => string, body: (tenant: number) => object]>([
    ["PUT", () => "Tickets(1)/Desk/$ref", (tenant) => referenceTo(deskOf(tenant))],
    ["POST", (tenant) => `${deskOf(tenant)}/Tickets/$ref`, () => referenceTo("Tickets(1)")],
  ])("%s of a link to another tenant that the user does not see", async (method, target, body) => {
    const [hidden, missing] = [await send(method, target(2), body(2)), await send(method, target(3), body(3))];
    expect(hidden).toEqual(missing);
    const message =
      "This value refers to an entity that does not exist. Create the entity first, or use another value.";
    expect(hidden).toEqual([409, { code: "Conflict", message }]);
    expect(await send(method, target(1), body(1))).toEqual([204, undefined]);
    const { rows } = await sql`select tenant from lr_tickets where id = 1`.execute(opened.db);
    expect(rows).toEqual([{ tenant: 1 }]);
  });

  test("a new ticket has the tenant of its desk", async () => {
    expect(await send("POST", `${deskOf(2)}/Tickets`, { Id: 9 })).toEqual([201, undefined]);
  });
});
