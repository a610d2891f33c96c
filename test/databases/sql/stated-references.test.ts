import { Kysely, sql } from "kysely";
import { edm, entitySet, entityType, hasOptional, odataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "./orders.ts";

const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string() });
const Place = entityType("Place", { id: edm.int32().key(), tenant: edm.string(), user: edm.string() });
const Item = entityType("Item", {
  id: edm.int32().key(),
  ownerId: edm.int32().nullable(),
  placeId: edm.int32().nullable(),
  tenant: edm.string().nullable(),
  parentId: edm.int32().nullable(),
  user: edm.string().nullable(),
});

const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
await sql`create table places (id integer primary key, tenant text not null, "user" text not null)`.execute(db);
await sql`insert into places values (1, 'a', 'ann'), (2, 'a', 'bob')`.execute(db);
await sql`create table items (id integer primary key, "ownerId" integer, "placeId" integer, tenant text, "parentId" integer, "user" text)`.execute(
  db,
);
afterAll(() => db.destroy());
beforeEach(() => sql`delete from items`.execute(db));

const quiet = { error() {}, warn() {}, info() {} };
const service = odataService({
  logger: quiet,
  authenticate: () => ({ id: "ann" }),
  entitySets: [
    entitySet(Owner, {
      getAll: () => [],
      getByKey: (key) => {
        switch (key) {
          case 1:
            return { id: 1, name: "one" };
          case 2:
            return odataError(404, "NotFound", "There is no such owner.");
          case 3:
            throw odataError(404, "NotFound", "There is no such owner.");
          case 4:
            return odataError(503, "ServiceUnavailable", "The owners are elsewhere.");
          case 5:
            throw new Error("The owners are lost.");
          default:
            return null;
        }
      },
      authorization: { rows: (_user, row) => row.name.ne("hidden") },
    }),
    sqlEntitySet(Place, {
      db,
      table: "places",
      operations: ["read"],
      authorization: { rows: (user, row) => row.user.eq(user.id ?? "") },
    }),
    sqlEntitySet(Item, {
      db,
      table: "items",
      operations: ["read", "create", "patch"],
      authorization: { rows: (user, row) => row.user.eq(user.id ?? "") },
      navigation: {
        owner: hasOptional<typeof Item, typeof Owner>(Owner, { on: { ownerId: "id" }, target: "Owners" }),
        place: hasOptional<typeof Item, typeof Place>(Place, {
          on: { placeId: "id", tenant: "tenant" },
          target: "Places",
        }),
        parent: hasOptional<typeof Item, typeof Item>(Item, { on: { parentId: "id" }, target: "Items" }),
      },
    }),
  ],
});

async function send(method: string, target: string, body: object): Promise<readonly [number, string | undefined]> {
  const request = new Request(`http://service.example${target}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const response = await service.fetch(request);
  const { error } = (await response.json()) as { readonly error?: { readonly target?: string } };
  return [response.status, error?.target];
}

describe("a foreign key to a set with a row rule", () => {
  test.each<[name: string, body: object, status: number, target: string | undefined]>([
    ["to an entity that its handler returns", { OwnerId: 1 }, 201, undefined],
    ["to an entity that its handler does not find", { OwnerId: 9 }, 409, "OwnerId"],
    ["whose handler returns 404", { OwnerId: 2 }, 409, "OwnerId"],
    ["whose handler throws 404", { OwnerId: 3 }, 409, "OwnerId"],
    ["whose handler returns another error", { OwnerId: 4 }, 503, undefined],
    ["whose handler fails", { OwnerId: 5 }, 500, undefined],
    ["to a row that also shares its tenant", { PlaceId: 1, Tenant: "a" }, 201, undefined],
    ["to a row of another tenant", { PlaceId: 1, Tenant: "b" }, 409, "PlaceId"],
    ["to a hidden row", { PlaceId: 2, Tenant: "a" }, 409, "PlaceId"],
    ["to a missing row", { PlaceId: 3, Tenant: "a" }, 409, "PlaceId"],
    ["to the entity itself", { ParentId: 1 }, 201, undefined],
    ["to a missing entity of the same set", { ParentId: 2 }, 409, "ParentId"],
  ])("%s", async (_name, body, status, target) => {
    expect(await send("POST", "/Items", { Id: 1, User: "ann", ...body })).toEqual([status, target]);
    await sql`delete from items`.execute(db);
    await sql`insert into items (id, "user") values (1, 'ann')`.execute(db);
    expect(await send("PATCH", "/Items(1)", body)).toEqual([status === 201 ? 200 : status, target]);
  });
});
