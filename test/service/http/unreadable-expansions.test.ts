import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, hasRequired, odataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { openApiDocument } from "odatakit/openapi";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** Expansions that nothing can read are refused, and no document offers them. */

const Room = entityType("Room", { id: edm.int32().key(), name: edm.string() });
const Desk = entityType("Desk", { id: edm.int32().key(), roomId: edm.int32() });
const ROOMS = [{ id: 1, name: "north" }];
const DESKS = [{ id: 7, roomId: 1 }];

// oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
const db = new Kysely<any>({ dialect: sqliteDialect(":memory:") });
beforeAll(async () => {
  await sql`create table rooms (id integer primary key, name text not null)`.execute(db);
  await sql`create table desks (id integer primary key, "roomId" integer not null)`.execute(db);
  await sql`insert into rooms values (1, 'north')`.execute(db);
  await sql`insert into desks values (7, 1)`.execute(db);
});
afterAll(() => db.destroy());

const operations = ["read"] as const;
const ON = { on: { id: "roomId" }, target: "Desks" } as const;
type Link = Parameters<typeof hasMany<typeof Room, typeof Desk>>[1];

const getRoom = (id: number) => ROOMS.find((room) => room.id === id) ?? null;
const getDesk = (id: number) => DESKS.find((desk) => desk.id === id) ?? null;
const ROOM_SETS = {
  table: (link: Link, others: object = {}) =>
    sqlEntitySet(Room, { db, table: "rooms", operations, navigation: { desks: hasMany(Desk, link) }, ...others }),
  array: (link: Link) =>
    entitySet(Room, {
      queryable: () => arraySource(Room, ROOMS),
      getByKey: getRoom,
      navigation: { desks: hasMany(Desk, link) },
    }),
};
const BACK = { room: hasRequired(Room, { on: { roomId: "id" }, target: "Rooms" }) };
const DESK_SETS = {
  table: () => sqlEntitySet(Desk, { db, table: "desks", operations, navigation: BACK }),
  array: () => entitySet(Desk, { queryable: () => arraySource(Desk, DESKS), getByKey: getDesk, navigation: BACK }),
  keyed: () => entitySet(Desk, { getByKey: getDesk }),
  query: () => entitySet(Desk, { applyQuery: () => ({ items: DESKS }), getByKey: getDesk }),
};

const REFUSED = [
  ["a table without a declaration", () => [ROOM_SETS.table({ target: "Desks" }), DESK_SETS.table()]],
  ["a table that expands nothing", () => [ROOM_SETS.table(ON, { expandPushdownEnabled: false }), DESK_SETS.table()]],
  ["a table by `on` without a target", () => [ROOM_SETS.table({ on: { id: "roomId" } }), DESK_SETS.table()]],
  ["a table by `on` to a set that only keys read", () => [ROOM_SETS.table(ON), DESK_SETS.keyed()]],
  ["a table by `on` to a set that applies queries", () => [ROOM_SETS.table(ON), DESK_SETS.query()]],
  ["an array by `on` to a set that only keys read", () => [ROOM_SETS.array(ON), DESK_SETS.keyed()]],
  ["an array by `on` without a target", () => [ROOM_SETS.array({ on: { id: "roomId" } }), DESK_SETS.array()]],
] as const;

const serve = (
  entitySets: Parameters<typeof odataService>[0]["entitySets"],
  profile: "specification" | "standard" = "specification",
) =>
  odataService({
    entitySets,
    profile,
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });

async function ask(service: ReturnType<typeof serve>, path: string): Promise<readonly [number, unknown]> {
  const response = await service.fetch(new Request(`http://service.example/${path}`));
  const text = await response.text();
  return [response.status, text.startsWith("{") ? JSON.parse(text) : text];
}

describe.each(REFUSED)("%s", (_name, sets) => {
  test.each([
    ["specification", 400, "UnsupportedQueryOption"],
    ["standard", 501, "NotImplemented"],
  ] as const)("is refused in the profile %s", async (profile, status, code) => {
    const service = serve(sets(), profile);
    for (const path of [
      "Rooms?$expand=Desks",
      "Rooms(1)?$expand=Desks",
      "Rooms?$expand=Desks/$count&$filter=Id lt 0",
    ]) {
      expect(await ask(service, path)).toMatchObject([
        status,
        {
          error: {
            code,
            target: "$expand",
            message:
              "$expand at position 0: 'Desks' of Rooms cannot be expanded: the service cannot read these related entities together with their parents.",
          },
        },
      ]);
    }
    expect(await ask(service, "Rooms?$expand=*&$select=Id")).toMatchObject([200, { value: [{ Id: 1 }] }]);
  });

  test("is in no document", async () => {
    const service = serve(sets());
    const [, metadata] = await ask(service, "$metadata");
    const [, rooms = ""] = /EntitySet Name="Rooms"([\s\S]*?)<\/EntitySet>/u.exec(String(metadata)) ?? [];
    const [, restrictions = ""] = /ExpandRestrictions">([\s\S]*?)<\/Annotation>/u.exec(rooms) ?? [];
    expect(restrictions).toContain("<NavigationPropertyPath>Desks</NavigationPropertyPath>");
    const document = JSON.stringify(openApiDocument(service));
    expect(document).toContain("The related entities to return. Allowed: .");
  });
});

describe("is refused where only the request shows it", () => {
  test("rows of a source that is made for each request", async () => {
    const queryable = () => sqlSource(Room, { db, from: "rooms" });
    const rooms = entitySet(Room, { queryable, navigation: { desks: hasMany(Desk, { target: "Desks" }) } });
    const sets = [rooms, DESK_SETS.array()];
    const service = serve(sets);
    expect(await ask(service, "Rooms?$expand=Desks")).toMatchObject([
      400,
      { error: { code: "UnsupportedQueryOption", target: "$expand" } },
    ]);
    expect(await ask(serve(sets, "standard"), "Rooms?$expand=Desks")).toMatchObject([501, {}]);
    // A star leaves it out.
    expect(await ask(service, "Rooms?$expand=*")).toEqual([
      200,
      { "@odata.context": "http://service.example/$metadata#Rooms", value: [{ Id: 1, Name: "north" }] },
    ]);
  });
});

describe("what handlers have populated is written", () => {
  const desks = [{ id: 70, roomId: 9 }];
  test.each([
    ["without a declaration", { target: "Desks" }, DESK_SETS.array],
    ["by `on`, also where the target set has others", ON, DESK_SETS.array],
    ["by `on` to a set that only keys read", ON, DESK_SETS.keyed],
  ] as const)("%s", async (_name, link, other) => {
    const rows = [
      { id: 1, name: "north", desks },
      { id: 2, name: "south" },
    ];
    const rooms = entitySet(Room, {
      getAll: () => rows,
      getByKey: (id) => rows.find((room) => room.id === id) ?? null,
      navigation: { desks: hasMany(Desk, link) },
    });
    const service = serve([rooms, other()]);
    expect(await ask(service, "Rooms(1)?$expand=Desks")).toMatchObject([200, { Desks: [{ Id: 70 }] }]);
    const [status, body] = await ask(service, "Rooms?$expand=Desks");
    // The others are read where that is possible, and left out where not.
    const isRead = link === ON && other === DESK_SETS.array;
    const south = { Id: 2, Name: "south", ...(isRead ? { Desks: [] } : {}) };
    expect([status, (body as { value: unknown }).value]).toEqual([
      200,
      [{ Id: 1, Name: "north", Desks: [{ Id: 70, RoomId: 9 }] }, south],
    ]);
  });

  test("also below a navigation that a handler reads", async () => {
    const desk = { id: 7, roomId: 1, room: { id: 1, name: "north", desks } };
    const service = serve([
      sqlEntitySet(Room, {
        db,
        table: "rooms",
        operations,
        expandPushdownEnabled: false,
        navigation: { desks: hasMany(Desk, ON) },
      }),
      entitySet(Desk, {
        getAll: () => [desk],
        navigation: { room: hasOptional(Room, { target: "Rooms", get: () => desk.room }) },
      }),
    ]);
    expect(await ask(service, "Desks?$expand=Room($expand=Desks)")).toMatchObject([
      200,
      { value: [{ Room: { Desks: [{ Id: 70 }] } }] },
    ]);
    expect(await ask(service, "Rooms?$expand=Desks")).toMatchObject([400, {}]);
  });
});
