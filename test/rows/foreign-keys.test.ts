// Statements: docs/reference/errors.md#codes
// Statements: docs/reference/status-codes.md#errors
// Statements: docs/reference/writing.md#foreign-keys
import { sql } from "kysely";
import {
  allRows,
  applyDelta,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  type Authorization,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../executors/engines.ts";
import { noFailures } from "../http/model.ts";

const Owner = entityType("Owner", { id: edm.int32().key(), user: edm.string() });
const Place = entityType("Place", { country: edm.int32().key(), number: edm.int32().key(), user: edm.string() });
const Item = entityType("Item", {
  id: edm.int32().key(),
  ownerId: edm.int32(),
  country: edm.int32().nullable(),
  number: edm.int32().nullable(),
  parentId: edm.int32().nullable(),
  text: edm.string().nullable(),
});
const Box = entityType("Box", { id: edm.int32().key(), name: edm.string() });

interface User {
  readonly id: string;
}
const authenticate = ({ headers }: { readonly headers: Headers }): User | null => {
  const id = headers.get("x-user");
  return id === null ? null : { id };
};

/** Users who are not the admin see only their rows. */
const ownerRules: Authorization<typeof Owner> = {
  rows: (user, row) => (idOf(user) === "admin" ? allRows : row.user.eq(idOf(user))),
};
const placeRules: Authorization<typeof Place> = {
  rows: (user, row) => (idOf(user) === "admin" ? allRows : row.user.eq(idOf(user))),
};
const idOf = (user: unknown): string => (user as User).id;

/** 1 is ann's and 2 is bob's; 3 does not exist. */
const OWNERS = [
  { id: 1, user: "ann" },
  { id: 2, user: "bob" },
];
const PLACES = [
  { country: 1, number: 1, user: "ann" },
  { country: 1, number: 2, user: "bob" },
];
const ITEMS = [
  { id: 1, ownerId: 1, country: null, number: null, parentId: null, text: "a" },
  { id: 2, ownerId: 2, country: 1, number: 2, parentId: null, text: "b" },
];

const ownerNavigation = {
  owner: hasRequired<typeof Item, typeof Owner>(Owner, { on: { ownerId: "id" }, target: "Owners" }),
};
const navigation = {
  ...ownerNavigation,
  place: hasOptional<typeof Item, typeof Place>(Place, {
    on: { country: "country", number: "number" },
    target: "Places",
  }),
  parent: hasOptional<typeof Item, typeof Item>(Item, { on: { parentId: "id" }, target: "Items" }),
};

interface Running {
  readonly service: ReturnType<typeof odataService>;
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const options = { prefix: "", authenticate, logger: noFailures };
const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;

/** Over tables, with and without constraints; `owners` may be an array, or a table of another database. */
async function overTables(
  { db, close: closeMain }: OpenDatabase,
  {
    isConstrained,
    isMixed,
    other,
  }: { readonly isConstrained: boolean; readonly isMixed: boolean; readonly other?: OpenDatabase },
): Promise<Running> {
  await createTables(db, isConstrained && !isMixed);
  if (other !== undefined) {
    await createTables(other.db, false);
    await resetTables(other.db);
  }
  const owners = isMixed
    ? entitySet(Owner, {
        getAll: () => OWNERS,
        getByKey: (key) => OWNERS.find(({ id }) => id === key) ?? null,
        authorization: ownerRules,
      })
    : sqlEntitySet(Owner, {
        db: other?.db ?? db,
        table: "fk_owners",
        operations: OPERATIONS,
        authorization: ownerRules,
      });
  const service = odataService({
    ...options,
    entitySets: [
      owners,
      sqlEntitySet(Place, { db, table: "fk_places", operations: OPERATIONS, authorization: placeRules }),
      sqlEntitySet(Item, { db, table: "fk_items", operations: OPERATIONS, allowUpsert: true, navigation }),
      sqlEntitySet(Box, {
        db,
        table: "fk_boxes",
        operations: OPERATIONS,
        allowDeepInsert: true,
        navigation: {
          items: hasMany<typeof Box, typeof Item>(Item, { on: { id: "parentId" }, target: "Items" }),
        },
      }),
    ],
  });
  const close = async () => {
    await other?.close();
    await closeMain();
  };
  return { service, reset: () => resetTables(db), close };
}

async function createTables(db: AnyDatabase, isConstrained: boolean): Promise<void> {
  await sql`create table fk_owners (id integer primary key, ${sql.id("user")} varchar(20) not null)`.execute(db);
  await sql`create table fk_places (country integer not null, number integer not null, ${sql.id("user")} varchar(20) not null,
    primary key (country, number))`.execute(db);
  await sql`create table fk_boxes (id integer primary key, name varchar(20) not null)`.execute(db);
  const constraints = isConstrained
    ? sql`, foreign key (${sql.id("ownerId")}) references fk_owners (id),
        foreign key (country, number) references fk_places (country, number)`
    : sql``;
  await sql`create table fk_items (id integer primary key, ${sql.id("ownerId")} integer not null, country integer,
    number integer, ${sql.id("parentId")} integer, text varchar(20)${constraints})`.execute(db);
}

async function resetTables(db: AnyDatabase): Promise<void> {
  for (const table of ["fk_items", "fk_boxes", "fk_places", "fk_owners"]) {
    await sql`delete from ${sql.table(table)}`.execute(db);
  }
  for (const { id, user } of OWNERS) await sql`insert into fk_owners values (${id}, ${user})`.execute(db);
  for (const { country, number, user } of PLACES) {
    await sql`insert into fk_places values (${country}, ${number}, ${user})`.execute(db);
  }
  for (const { id, ownerId, country, number, parentId, text } of ITEMS) {
    await sql`insert into fk_items values (${id}, ${ownerId}, ${country}, ${number}, ${parentId}, ${text})`.execute(db);
  }
}

/** Over arrays; `reads` is how the target sets are read. */
function overArrays(reads: "keys" | "lists"): Running {
  const items = new Map<number, (typeof ITEMS)[number]>();
  const reset = (): Promise<void> => {
    items.clear();
    for (const item of ITEMS) items.set(item.id, { ...item });
    return Promise.resolve();
  };
  const save = <T extends { readonly id: number }>(item: T): T => {
    items.set(item.id, item as never);
    return item;
  };
  const service = odataService({
    ...options,
    entitySets: [
      entitySet(Owner, {
        getAll: () => OWNERS,
        ...(reads === "keys" ? { getByKey: (key: number) => OWNERS.find(({ id }) => id === key) ?? null } : {}),
        authorization: ownerRules,
      }),
      entitySet(Place, {
        getAll: () => PLACES,
        getByKey: ({ country, number }) =>
          PLACES.find((place) => place.country === country && place.number === number) ?? null,
        authorization: placeRules,
      }),
      entitySet(Item, {
        getAll: () => items.values(),
        getByKey: (key) => items.get(key) ?? null,
        create: (item) => save({ ...item } as (typeof ITEMS)[number]),
        replace: (key, item) => (items.has(key) ? save({ ...item, id: key } as (typeof ITEMS)[number]) : null),
        patch: (key, delta) => {
          const old = items.get(key);
          return old === undefined ? null : save(applyDelta(Item, old, delta));
        },
        allowUpsert: true,
        navigation,
      }),
      entitySet(Box, {
        getByKey: (key) => ({ id: key, name: "box" }),
        create: ({ id, name, items: nested }) => {
          for (const item of nested ?? []) save({ ...item } as (typeof ITEMS)[number]);
          return { id, name };
        },
        allowDeepInsert: true,
        navigation: {
          items: hasMany(Item, {
            on: { id: "parentId" },
            target: "Items",
            create: (_key, item) => save({ ...item } as (typeof ITEMS)[number]),
          }),
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
  { title: "arrays read by keys", open: () => Promise.resolve(overArrays("keys")) },
  { title: "arrays read as lists", open: () => Promise.resolve(overArrays("lists")) },
  ...ENGINES.flatMap(({ name, title, open }): readonly Variant[] => [
    { title, open: async () => overTables(await open(), { isConstrained: false, isMixed: false }) },
    {
      title: `${title} with constraints`,
      open: async () => overTables(await open(), { isConstrained: true, isMixed: false }),
    },
    // Sets over arrays do not depend on the database.
    ...(name === "sqlite"
      ? [
          {
            title: `${title} beside arrays`,
            open: async () => overTables(await open(), { isConstrained: false, isMixed: true }),
          },
          {
            title: `${title} beside another database`,
            open: async () => overTables(await open(), { isConstrained: false, isMixed: false, other: await open() }),
          },
        ]
      : []),
  ]),
];

type Write = readonly [name: string, method: string, target: string, body: (id: number) => object, property: string];

/** Writes of a foreign key to the owner, and to the place: each with the property name in errors. */
const WRITES: readonly Write[] = [
  ["POST", "POST", "Items", (id) => ({ Id: 9, OwnerId: id }), "OwnerId"],
  ["PUT", "PUT", "Items(1)", (id) => ({ OwnerId: id }), "OwnerId"],
  ["PUT that creates", "PUT", "Items(9)", (id) => ({ OwnerId: id }), "OwnerId"],
  ["PATCH", "PATCH", "Items(1)", (id) => ({ OwnerId: id, Text: "new" }), "OwnerId"],
  ["PUT of the property", "PUT", "Items(1)/OwnerId", (id) => ({ value: id }), "OwnerId"],
  ["PATCH of the property", "PATCH", "Items(1)/OwnerId", (id) => ({ value: id }), "OwnerId"],
  ["POST along a navigation", "POST", "Boxes(1)/Items", (id) => ({ Id: 9, OwnerId: id }), "OwnerId"],
  [
    "deep insert",
    "POST",
    "Boxes",
    (id) => ({
      Id: 9,
      Name: "n",
      Items: [
        { Id: 8, OwnerId: 1 },
        { Id: 9, OwnerId: id },
      ],
    }),
    "Items/1/OwnerId",
  ],
  ["POST of two properties", "POST", "Items", (id) => ({ Id: 9, OwnerId: 1, Country: 1, Number: id }), "Country"],
  ["PATCH of two properties", "PATCH", "Items(1)", (id) => ({ Country: 1, Number: id }), "Country"],
  ["PATCH of one of two properties", "PATCH", "Items(2)", (id) => ({ Number: id }), "Number"],
];

describe.each(VARIANTS)("foreign keys written as properties: $title", ({ open }) => {
  let running: Running;

  beforeAll(async () => {
    running = await open();
  });
  beforeEach(async () => {
    await running.reset();
    // The box in which items are created; arrays have every box.
    await send("admin", "POST", "Boxes", { Id: 1, Name: "one", Items: [] });
  });
  afterAll(() => running.close());

  async function send(user: string | null, method: string, target: string, body?: object) {
    const response = await running.service.fetch(
      new Request(`http://service.example/${target}`, {
        method,
        headers: {
          ...(user === null ? {} : { "x-user": user }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const { "x-request-id": _id, ...headers } = Object.fromEntries(response.headers);
    return { status: response.status, headers, text };
  }

  const stored = async () => (await send("admin", "GET", "Items?$orderby=Id")).text;

  test.each(WRITES)("%s: a hidden row looks like a missing one", async (name, method, target, body, property) => {
    const before = await stored();
    // Item 2 already refers to a row that ann does not see, so ann does not write that reference.
    const [hidden, missing] = name.startsWith("PATCH of one") ? [7, 8] : [2, 3];
    const answers = [await send("ann", method, target, body(hidden)), await send("ann", method, target, body(missing))];
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
  });

  test.each(WRITES)("%s: what the user sees can be referred to", async (name, method, target, body) => {
    expect((await send("ann", method, target, body(1))).status, name).toBeLessThan(300);
    await running.reset();
    await send("admin", "POST", "Boxes", { Id: 1, Name: "one", Items: [] });
    expect((await send("admin", method, target, body(2))).status, name).toBeLessThan(300);
  });

  test("anonymous users see no row, so they can refer to none", async () => {
    const answers = [2, 3, 1].map((id) => send(null, "POST", "Items", { Id: 9, OwnerId: id }));
    const [hidden, missing, own] = await Promise.all(answers);
    expect(hidden).toEqual(missing);
    expect(hidden).toEqual(own);
    expect(hidden?.status).toBe(409);
  });

  test("null refers to nothing, and neither does half of a key", async () => {
    expect((await send("ann", "POST", "Items", { Id: 9, OwnerId: 1, Country: null, Number: 2 })).status).toBe(201);
    expect((await send("ann", "PATCH", "Items(9)", { Country: null, Number: null })).status).toBe(200);
    expect((await send("ann", "DELETE", "Items(2)/Country")).status).toBe(204);
  });

  test("a body as it was read can be written, though it refers to a hidden row", async () => {
    const body = { OwnerId: 2, Country: 1, Number: 2, Text: "new" };
    expect((await send("ann", "PUT", "Items(2)", body)).status).toBe(200);
    expect((await send("ann", "PATCH", "Items(2)", { OwnerId: 2, Text: "newer" })).status).toBe(200);
    expect((await send("ann", "PATCH", "Items(2)", { OwnerId: 2, Country: 1, Number: 7 })).status).toBe(409);
  });

  test("a missing entity is missing, whatever the body refers to", async () => {
    for (const id of [1, 2, 3]) {
      expect((await send("ann", "PATCH", "Items(99)", { OwnerId: id })).status).toBe(404);
    }
  });

  test("sets without a row rule are as before", async () => {
    expect((await send("ann", "POST", "Items", { Id: 9, OwnerId: 1, ParentId: 77 })).status).toBe(201);
  });
});
