import { sql } from "kysely";
import {
  applyDelta,
  type Authorization,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noFailures } from "../../service/http/model.ts";
import { ENGINES, type OpenDatabase } from "../executors/engines.ts";

/** Foreign keys that follow in part from the parent, and foreign keys that only the other side declares. */

const Product = entityType("Product", { tenant: edm.int32().key(), id: edm.int32().key(), owner: edm.string() });
const Order = entityType("Order", { tenant: edm.int32().key(), id: edm.int32().key() });
const Line = entityType("Line", {
  tenant: edm.int32().key(),
  orderId: edm.int32().key(),
  number: edm.int32().key(),
  productId: edm.int32().nullable(),
});
const Client = entityType("Client", { id: edm.int32().key(), owner: edm.string() });
const Card = entityType("Card", { id: edm.int32().key(), clientId: edm.int32().nullable() });

/** Product 1 and client 1 are ann's, 2 are bob's; 3 does not exist. */
const OWNERS = ["ann", "bob"];
const PRODUCTS = OWNERS.map((owner, index) => ({ tenant: 7, id: index + 1, owner }));
const CLIENTS = OWNERS.map((owner, index) => ({ id: index + 1, owner }));
const productRules: Authorization<typeof Product> = {
  rows: (_user, row) => row.owner.eq("ann"),
};
const clientRules: Authorization<typeof Client> = {
  rows: (_user, row) => row.owner.eq("ann"),
};
const product = hasOptional<typeof Line, typeof Product>(Product, {
  on: { tenant: "tenant", productId: "id" },
  target: "Products",
});
const options = { prefix: "", authenticate: () => ({ id: "ann" }), logger: noFailures } as const;
type Service = ReturnType<typeof odataService>;

async function overTables({ db }: OpenDatabase): Promise<Service> {
  const owner = "owner varchar(20) not null";
  for (const table of [
    `fa_products (tenant integer, id integer, ${owner}, primary key (tenant, id))`,
    "fa_orders (tenant integer, id integer, primary key (tenant, id))",
    `fa_lines (tenant integer, order_id integer, number integer, product_id integer,
      primary key (tenant, order_id, number), foreign key (tenant, product_id) references fa_products (tenant, id))`,
    `fa_clients (id integer primary key, ${owner})`,
    "fa_cards (id integer primary key, client_id integer, foreign key (client_id) references fa_clients (id))",
  ]) {
    await sql`create table ${sql.raw(table)}`.execute(db);
  }
  for (const { tenant, id, owner: who } of PRODUCTS) {
    await sql`insert into fa_products values (${tenant}, ${id}, ${who})`.execute(db);
    await sql`insert into fa_clients values (${id}, ${who})`.execute(db);
  }
  await sql`insert into fa_orders values (7, 1)`.execute(db);
  await sql`insert into fa_cards values (1, 1)`.execute(db);
  const writes = { db, operations: ["read", "create", "replace", "patch", "delete"] as const };
  return odataService({
    ...options,
    entitySets: [
      sqlEntitySet(Product, { ...writes, table: "fa_products", authorization: productRules }),
      sqlEntitySet(Order, {
        ...writes,
        table: "fa_orders",
        allowDeepInsert: true,
        navigation: {
          lines: hasMany<typeof Order, typeof Line>(Line, { on: { tenant: "tenant", id: "orderId" }, target: "Lines" }),
        },
      }),
      sqlEntitySet(Line, {
        ...writes,
        table: "fa_lines",
        columns: { orderId: "order_id", productId: "product_id" },
        navigation: { product },
      }),
      sqlEntitySet(Client, {
        ...writes,
        table: "fa_clients",
        navigation: { cards: hasMany<typeof Client, typeof Card>(Card, { on: { id: "clientId" }, target: "Cards" }) },
        authorization: clientRules,
      }),
      sqlEntitySet(Card, { ...writes, table: "fa_cards", columns: { clientId: "client_id" } }),
    ],
  });
}

function overArrays(): Service {
  const cards = new Map([[1, { id: 1, clientId: 1 as number | null }]]);
  const save = <T extends { readonly id: number; readonly clientId: number | null }>(card: T): T => {
    cards.set(card.id, card);
    return card;
  };
  return odataService({
    ...options,
    entitySets: [
      entitySet(Product, {
        getAll: () => PRODUCTS,
        getByKey: ({ tenant, id }) => PRODUCTS.find((each) => each.tenant === tenant && each.id === id) ?? null,
        authorization: productRules,
      }),
      entitySet(Order, {
        getByKey: (key) => key,
        create: (order) => ({ ...order, lines: (order.lines ?? []).map((line) => ({ ...line, ...linkOf(order) })) }),
        allowDeepInsert: true,
        navigation: {
          lines: hasMany(Line, {
            on: { tenant: "tenant", id: "orderId" },
            target: "Lines",
            create: (key, line) => ({ ...line, ...linkOf(key) }),
          }),
        },
      }),
      entitySet(Line, { getByKey: (key) => ({ ...key, productId: null }), navigation: { product } }),
      // Read as a list: no client is read by its key.
      entitySet(Client, {
        getAll: () => CLIENTS,
        navigation: { cards: hasMany(Card, { on: { id: "clientId" }, target: "Cards" }) },
        authorization: clientRules,
      }),
      entitySet(Card, {
        getByKey: (key) => cards.get(key) ?? null,
        create: (card) => save({ ...card }),
        replace: (id, card) => (cards.has(id) ? save({ ...card, id }) : null),
        patch: (id, delta) => {
          const old = cards.get(id);
          return old === undefined ? null : save(applyDelta(Card, old, delta));
        },
      }),
    ],
  });
}

const linkOf = ({ tenant, id }: { readonly tenant: number; readonly id: number }) => ({ tenant, orderId: id });

const WRITES: ReadonlyArray<readonly [method: string, target: string, body: (id: number) => object, property: string]> =
  [
    ["POST", "Orders(Tenant=7,Id=1)/Lines", (id) => ({ Number: id, ProductId: id }), "ProductId"],
    [
      "POST",
      "Orders",
      (id) => ({ Tenant: 7, Id: 8, Lines: [{ Number: 1 }, { Number: 2, ProductId: id }] }),
      "Lines/1/ProductId",
    ],
    ["POST", "Cards", (id) => ({ Id: 9, ClientId: id }), "ClientId"],
    ["PUT", "Cards(1)", (id) => ({ ClientId: id }), "ClientId"],
    ["PATCH", "Cards(1)", (id) => ({ ClientId: id }), "ClientId"],
  ];

describe.each([
  { title: "arrays", open: () => Promise.resolve({ service: overArrays(), close: () => Promise.resolve() }) },
  ...ENGINES.map(({ title, open }) => ({
    title,
    open: async () => {
      const opened = await open();
      return { service: await overTables(opened), close: opened.close };
    },
  })),
])("$title", ({ open }) => {
  let running: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    running = await open();
  });
  afterAll(() => running.close());

  async function send(method: string, target: string, body: object) {
    const headers = { "Content-Type": "application/json" };
    const request = new Request(`http://service.example/${target}`, { method, headers, body: JSON.stringify(body) });
    const response = await running.service.fetch(request);
    return { status: response.status, text: await response.text() };
  }

  test.each(WRITES)("%s %s: a hidden row looks like a missing one", async (method, target, body, property) => {
    const message =
      "This value refers to an entity that does not exist. Create the entity first, or use another value.";
    const refused = { status: 409, text: JSON.stringify({ error: { code: "Conflict", message, target: property } }) };
    expect([await send(method, target, body(2)), await send(method, target, body(3))]).toEqual([refused, refused]);
    expect((await send(method, target, body(1))).status).toBeLessThan(300);
  });
});
