import { sql } from "kysely";
import { edm, entityType, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { DISTRIBUTED } from "./distributed-engines.ts";

const Reading = entityType("Reading", {
  id: edm.int32().key(),
  price: edm.decimal({ precision: 10, scale: 3 }),
  whole: edm.collection(edm.decimal().nullable()),
  seconds: edm.collection(edm.dateTimeOffset({ precision: 3 })),
});
const Owner = entityType("Owner", { id: edm.guid().key(), mentorId: edm.guid().nullable() });

const UPPER = "AAAAAAAA-0000-4000-8000-00000000000A";
const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;
const array = { storage: "array" } as const;

describe.each(DISTRIBUTED)("writes over $title", ({ open }) => {
  test("store the values that were sent, or reject them", async () => {
    const { db, close } = await open();
    await sql`create table readings (id int primary key, price numeric(10,2) not null, whole int4[], seconds timestamptz(0)[])`.execute(
      db,
    );
    await sql`create table owners (id text primary key, mentor text references owners (id))`.execute(db);
    await sql`insert into owners values (${UPPER}, null)`.execute(db);
    const place = { db, operations: OPERATIONS, distributed: true } as const;
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Reading, { ...place, table: "readings", columns: { whole: array, seconds: array } }),
        sqlEntitySet(Owner, {
          ...place,
          table: "owners",
          columns: { id: { storage: "text" }, mentorId: { name: "mentor", storage: "text" } },
          navigation: { mentor: hasOptional(Owner, { on: { mentorId: "id" }, target: "Owners" }) },
        }),
      ],
    });
    const send = async (method: string, target: string, body: object): Promise<readonly [number, string]> => {
      const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
      const response = await service.fetch(new Request(`http://service.example/${target}`, init));
      return [response.status, await response.text()];
    };
    const exact = { id: 1, price: 1.25, whole: [1, null, -2], seconds: ["2024-02-29T12:00:00.000Z"] };
    expect((await send("POST", "Readings", exact))[0]).toBe(201);
    for (const rounded of [{ whole: [1.5] }, { seconds: ["2024-02-29T12:00:00.500Z"] }, { price: 1.255 }]) {
      for (const [method, target] of [
        ["POST", "Readings"],
        ["PUT", "Readings(1)"],
        ["PATCH", "Readings(1)"],
      ] as const) {
        const [status, text] = await send(method, target, { ...exact, id: method === "POST" ? 2 : 1, ...rounded });
        expect([method, status, text], JSON.stringify(rounded)).toEqual([
          method,
          400,
          `{"error":{"code":"InvalidBody","message":"The column cannot store the whole value.","target":"${Object.keys(rounded).join()}"}}`,
        ]);
      }
    }
    const { rows } = await sql`select id, price::text as price, whole::text as whole from readings`.execute(db);
    expect(rows).toEqual([{ id: 1, price: "1.25", whole: "{1,NULL,-2}" }]);

    const other = "BBBBBBBB-0000-4000-8000-00000000000B".toLowerCase();
    const mentorId = UPPER.toLowerCase();
    expect((await send("POST", "Owners", { id: other, mentorId }))[0]).toBe(201);
    expect((await send("PATCH", `Owners(${other})`, { mentorId: null }))[0]).toBe(200);
    expect((await send("PATCH", `Owners(${other})`, { mentorId }))[0]).toBe(200);
    const stored = await sql`select id, mentor from owners order by id`.execute(db);
    expect(stored.rows).toContainEqual({ id: other, mentor: UPPER });
    expect((await send("PATCH", `Owners(${other})`, { mentorId: "cccccccc-0000-4000-8000-00000000000c" }))[0]).toBe(
      409,
    );
    await close();
  });
});
