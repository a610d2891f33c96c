import { sql } from "kysely";
import { ConfigurationError, edm, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

/** Guids that are stored as text in any letter case, under constraints of the database that compare letters. */

const Owner = entityType("Owner", {
  id: edm.guid().key(),
  name: edm.string(),
  mentorId: edm.guid().nullable(),
});
const Car = entityType("Car", { id: edm.int32().key(), ownerId: edm.guid().nullable() });

const Club = entityType("Club", { id: edm.guid().key(), name: edm.string() });

const UPPER = "AAAAAAAA-0000-4000-8000-00000000000A";
const MIXED = "bBbBbBbB-0000-4000-8000-00000000000B";
const CLUB = "CcCcCcCc-0000-4000-8000-000000000001";
const LOWER = "cccccccc-0000-4000-8000-00000000000c";
const TYPES = {
  sqlite: "text",
  postgres: "text",
  mariadb: "char(36) character set utf8mb4 collate utf8mb4_bin",
} as const;

describe.each(ENGINES)("Guids in any letter case: $title", (engine) => {
  let opened: OpenDatabase;
  let service: ReturnType<typeof odataService>;
  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    const type = sql.raw(TYPES[engine.name]);
    await sql`create table owners (id ${type} primary key, name varchar(20) not null, mentor ${type}, foreign key (mentor) references owners (id))`.execute(
      db,
    );
    await sql`create table cars (id integer primary key, owner ${type}, foreign key (owner) references owners (id))`.execute(
      db,
    );
    await sql`insert into owners values (${UPPER}, 'upper', null), (${MIXED}, 'mixed', ${UPPER}), (${LOWER}, 'lower', ${MIXED})`.execute(
      db,
    );
    await sql`insert into cars values (1, ${UPPER}), (2, ${MIXED}), (3, ${LOWER}), (4, null)`.execute(db);
    await sql`create table clubs (id ${type} primary key, name varchar(20) not null)`.execute(db);
    await sql`create table members (owner ${type} not null, club ${type} not null, primary key (owner, club),
      foreign key (owner) references owners (id), foreign key (club) references clubs (id))`.execute(db);
    await sql`insert into clubs values (${CLUB}, 'sea')`.execute(db);
    await sql`insert into members values (${UPPER}, ${CLUB})`.execute(db);
    const operations = ["read", "create", "replace", "patch", "delete"] as const;
    service = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Owner, {
          db,
          table: "owners",
          operations,
          allowDeepInsert: true,
          columns: { id: { storage: "text" }, mentorId: { name: "mentor", storage: "text" } },
          navigation: {
            cars: hasMany(Car, { on: { id: "ownerId" }, target: "Cars" }),
            mentor: hasOptional(Owner, { on: { mentorId: "id" }, target: "Owners" }),
            clubs: hasMany(Club, {
              target: "Clubs",
              through: { table: "members", from: { id: "owner" }, to: { club: "id" } },
            }),
          },
        }),
        sqlEntitySet(Club, {
          db,
          table: "clubs",
          operations,
          allowDeepInsert: true,
          columns: { id: { storage: "text" } },
          navigation: {
            members: hasMany(Owner, {
              target: "Owners",
              through: { table: "members", from: { id: "club" }, to: { owner: "id" } },
            }),
          },
        }),
        sqlEntitySet(Car, {
          db,
          table: "cars",
          operations,
          allowDeepInsert: true,
          columns: { ownerId: { name: "owner", storage: "text" } },
          navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
        }),
      ],
    });
  });
  afterAll(() => opened.close());

  async function send(target: string, method = "GET", body?: object): Promise<readonly [number, unknown]> {
    const headers = { Accept: "application/json;odata.metadata=none", "Content-Type": "application/json" };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://h${target}`, { method, headers, ...given }));
    const text = await response.text();
    return [response.status, text === "" ? null : JSON.parse(text)];
  }

  async function stored(column: string, table: string, id: string | number): Promise<unknown> {
    const found = await sql`select ${sql.id(column)} as cell from ${sql.table(table)} where id = ${id}`.execute(
      opened.db,
    );
    return (found.rows[0] as { readonly cell: unknown } | undefined)?.cell;
  }

  test("are found by key, filter, path and expansion, and returned in lower case", async () => {
    for (const [index, guid] of [UPPER, MIXED, LOWER].entries()) {
      const id = guid.toLowerCase();
      const name = ["upper", "mixed", "lower"][index];
      const cars = [{ id: index + 1, ownerId: id }];
      expect(await send(`/Owners(${guid})?$expand=cars&$select=id,name`)).toEqual([200, { id, name, cars }]);
      expect(await send(`/Cars?$filter=ownerId eq ${id}&$expand=owner($select=name)`)).toEqual([
        200,
        { value: [{ ...cars[0], owner: { name } }] },
      ]);
      expect(await send(`/Cars?$filter=owner/id in (${id}) and owner/cars/$count eq 1`)).toEqual([
        200,
        { value: cars },
      ]);
    }
    expect(await send(`/Owners?$orderby=id desc&$filter=id lt ${LOWER}&$select=name`)).toEqual([
      200,
      { value: [{ name: "mixed" }, { name: "upper" }] },
    ]);
  });

  test("stores a foreign key as the key of the referenced row", async () => {
    const { db } = opened;
    expect(await send("/Cars", "POST", { id: 10, ownerId: UPPER.toLowerCase() })).toEqual([
      201,
      { id: 10, ownerId: UPPER.toLowerCase() },
    ]);
    expect(await stored("owner", "cars", 10)).toBe(UPPER);
    expect((await send("/Cars(10)", "PATCH", { ownerId: MIXED }))[0]).toBe(200);
    expect(await stored("owner", "cars", 10)).toBe(MIXED);
    expect((await send("/Cars(10)", "PUT", { ownerId: LOWER.toUpperCase() }))[0]).toBe(200);
    expect(await stored("owner", "cars", 10)).toBe(LOWER);
    expect((await send("/Cars(10)", "PATCH", { ownerId: null }))[0]).toBe(200);
    expect((await send("/Cars(10)/owner/$ref", "PUT", { "@odata.id": `Owners(${UPPER.toLowerCase()})` }))[0]).toBe(204);
    expect(await stored("owner", "cars", 10)).toBe(UPPER);
    expect((await send(`/Owners(${MIXED.toLowerCase()})/cars/$ref`, "POST", { "@odata.id": "Cars(10)" }))[0]).toBe(204);
    expect(await stored("owner", "cars", 10)).toBe(MIXED);
    expect((await send(`/Owners(${UPPER})/cars`, "POST", { id: 11 }))[0]).toBe(201);
    expect(await stored("owner", "cars", 11)).toBe(UPPER);
    expect((await send("/Cars", "POST", { id: 12, ownerId: "dddddddd-0000-4000-8000-00000000000d" }))[0]).toBe(409);
    await sql`delete from cars where id > 9`.execute(db);
  });

  test("stores a reference to the same table, and one in a deep insert, in the same way", async () => {
    const id = "EEEEEEEE-0000-4000-8000-00000000000E".toLowerCase();
    const body = { id, name: "new", mentorId: UPPER.toLowerCase(), cars: [{ id: 20 }] };
    expect((await send("/Owners", "POST", body))[0]).toBe(201);
    expect(await stored("mentor", "owners", id)).toBe(UPPER);
    expect(await stored("owner", "cars", 20)).toBe(id);
    expect((await send(`/Owners(${id})`, "PATCH", { mentorId: MIXED.toLowerCase() }))[0]).toBe(200);
    expect(await stored("mentor", "owners", id)).toBe(MIXED);
    expect((await send("/Cars(20)", "DELETE"))[0]).toBe(204);
    expect((await send(`/Owners(${id.toUpperCase()})`, "DELETE"))[0]).toBe(204);
  });

  test("stores the columns of a link table in the same way", async () => {
    const { db } = opened;
    const club = CLUB.toLowerCase();
    const shown = { id: club, name: "sea" };
    expect(await send(`/Owners(${UPPER})/clubs`)).toEqual([200, { value: [shown] }]);
    expect(await send("/Owners?$filter=clubs/any(c: c/name eq 'sea')&$select=name&$expand=clubs")).toEqual([
      200,
      { value: [{ name: "upper", clubs: [shown] }] },
    ]);
    expect(
      await send("/Clubs?$select=name&$expand=members($select=name;$top=1;$count=true)&$filter=members/$count eq 1"),
    ).toEqual([200, { value: [{ name: "sea", members: [{ name: "upper" }], "members@odata.count": 1 }] }]);
    const link = { "@odata.id": `Clubs(${club})` };
    expect((await send(`/Owners(${MIXED.toLowerCase()})/clubs/$ref`, "POST", link))[0]).toBe(204);
    expect((await send(`/Owners(${MIXED})/clubs/$ref`, "POST", link))[0]).toBe(204);
    const links = await sql`select owner, club from members order by owner`.execute(db);
    expect(links.rows).toEqual([
      { owner: UPPER, club: CLUB },
      { owner: MIXED, club: CLUB },
    ]);
    expect((await send(`/Owners(${MIXED})/clubs/$ref?$id=Clubs(${club})`, "DELETE"))[0]).toBe(204);
    expect(await send(`/Owners(${MIXED})/clubs/$count`)).toEqual([200, 0]);
  });
});

describe.each(ENGINES)("a foreign key with another storage form than its key: $title", (engine) => {
  let opened: OpenDatabase;
  beforeAll(async () => {
    opened = await engine.open();
    const type = sql.raw(TYPES[engine.name]);
    await sql`create table owners (id ${type} not null primary key, name varchar(20) not null, mentor ${type})`.execute(
      opened.db,
    );
    await sql`create table cars (id int not null primary key, owner ${type})`.execute(opened.db);
  });
  afterAll(() => opened.close());

  type Operation = "read" | "create" | "patch";
  interface Storage {
    readonly storage?: "text";
  }

  /** The faults of owners and their cars at startup. */
  const faultsOf = async (key: Storage, foreignKey: Storage, operations: readonly Operation[]) => {
    const { db } = opened;
    try {
      const service = odataService({
        entitySets: [
          sqlEntitySet(Owner, {
            db,
            table: "owners",
            operations: ["read"],
            columns: { id: key, mentorId: { name: "mentor", ...key } },
            navigation: { cars: hasMany(Car, { on: { id: "ownerId" }, target: "Cars" }) },
          }),
          sqlEntitySet(Car, {
            db,
            table: "cars",
            operations,
            columns: { ownerId: { name: "owner", ...foreignKey } },
            navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
          }),
        ],
      });
      await service.ready();
      return [];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return error.faults.map(({ set, property, message, fix }) => `${set ?? ""} ${property ?? ""}: ${message} ${fix}`);
    }
  };
  const joined = (place: string, text: string, plain: string): string =>
    `${place} is joined by ${text}, which has \`storage: "text"\`, and ${plain}, which does not. Constraints of the database compare their letter case. Give ${plain} \`storage: "text"\`, too.`;
  const isOneOfTexts = engine.name !== "postgres";

  test("is reported at startup if clients can write it", async () => {
    const text = { storage: "text" } as const;
    for (const operations of [["read", "patch"], ["create"]] as const) {
      const keyAlone = await faultsOf(text, {}, operations);
      const foreignKeyAlone = await faultsOf({}, text, operations);
      if (isOneOfTexts) {
        expect(keyAlone).toEqual([
          expect.stringContaining(joined("`cars`", "Owners/id", "Cars/ownerId")),
          expect.stringContaining(joined("`owner`", "Owners/id", "Cars/ownerId")),
        ]);
        expect(foreignKeyAlone).toEqual([
          expect.stringContaining(joined("`cars`", "Cars/ownerId", "Owners/id")),
          expect.stringContaining(joined("`owner`", "Cars/ownerId", "Owners/id")),
        ]);
      } else {
        // PostgreSQL has a type for Guids, so a text column always needs the form.
        const unfit = expect.stringMatching(
          /has the type `text`, which is not compared as a uuid. Give the property `storage: "text"`/u,
        );
        expect(keyAlone).toEqual([unfit]);
        expect(foreignKeyAlone).toEqual([unfit, unfit]);
      }
      expect(await faultsOf(text, text, operations)).toEqual([]);
    }
    expect(await faultsOf(text, {}, ["read"])).toHaveLength(isOneOfTexts ? 0 : 1);
  });
});
