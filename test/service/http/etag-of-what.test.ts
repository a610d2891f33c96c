import { sql } from "kysely";
import { complexType, edm, entitySet, entityType, fn, hasMany, hasRequired, odataService, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { multipart, MULTIPART } from "./batch-model.ts";
import { type Answer, EMPTY_HEADERS, eachDoor, type HeaderTable, JSON_HEADERS, type Service, VARY } from "./doors.ts";
import { noFailures } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Place = complexType("Place", { town: edm.string() });
const Depot = entityType("Depot", { id: edm.int32().key(), name: edm.string(), version: edm.int32().computed() });
const Parcel = entityType("Parcel", {
  id: edm.int32().key(),
  label: edm.string(),
  fee: edm.int32(),
  place: edm.complex(Place),
  depotId: edm.int32(),
  version: edm.int32().computed(),
});

const DEPOTS = [
  { id: 1, name: "North", version: 1 },
  { id: 2, name: "South", version: 1 },
];
const PARCEL = { id: 1, label: "Box", fee: 5, place: { town: "Oslo" }, depotId: 1, version: 1 };

/** A service, and a write that changes the depot of the parcel but no version. */
interface Opened {
  readonly service: Service;
  readonly moveTo: (depotId: number) => Promise<unknown>;
}

const COMMON = {
  prefix: "/s",
  logger: noFailures,
  batch: { json: true },
  defaults: { computeEnabled: true },
  authenticate: ({ headers }: { readonly headers: Headers }) => {
    const roles = headers.get("x-roles");
    return roles === null ? null : { id: "ann", roles: roles.split(",") };
  },
} as const;
const RULES = { properties: { fee: { read: role("clerk"), update: [] }, label: { read: role("clerk"), update: [] } } };
const PROFILES = ["specification", "standard"] as const;
type Profile = (typeof PROFILES)[number];

function overHandlers(profile: Profile): Opened {
  let parcel = PARCEL;
  const find = (id: number) => DEPOTS.find((each) => each.id === id) ?? null;
  const service = odataService({
    ...COMMON,
    profile,
    entitySets: [
      entitySet(Parcel, {
        etag: ["version"],
        authorization: RULES,
        getAll: () => [parcel],
        getByKey: (id) => (id === 1 ? parcel : null),
        patch: (_id, delta) => (parcel = { ...parcel, ...(delta as object), version: parcel.version + 1 }),
        navigation: {
          depot: hasRequired(Depot, {
            target: "Depots",
            on: { depotId: "id" },
            get: (id) => (id === 1 ? find(parcel.depotId) : null),
          }),
        },
        functions: { first: fn({ bound: "collection", returns: Parcel, handler: () => parcel }) },
      }),
      entitySet(Depot, {
        etag: ["version"],
        getAll: () => DEPOTS,
        getByKey: find,
        navigation: {
          parcels: hasMany(Parcel, {
            target: "Parcels",
            get: (id) => [parcel].filter(({ depotId }) => depotId === id),
          }),
        },
      }),
    ],
  });
  return { service, moveTo: (depotId) => Promise.resolve((parcel = { ...parcel, depotId })) };
}

const { db, close } = await openSql();
beforeAll(async () => {
  await sql`create table depots (id integer primary key, name text not null, version integer not null)`.execute(db);
  await sql`create table parcels (id integer primary key, label text not null, fee integer not null,
    town text not null, "depotId" integer not null, version integer not null)`.execute(db);
  await db.insertInto("depots").values(DEPOTS).execute();
  const { place, ...row } = PARCEL;
  await db
    .insertInto("parcels")
    .values({ ...row, ...place })
    .execute();
});
afterAll(close);

function overTables(profile: Profile): Opened {
  const service = odataService({
    ...COMMON,
    profile,
    entitySets: [
      sqlEntitySet(Parcel, {
        db,
        table: "parcels",
        operations: ["read", "patch"],
        etag: ["version"],
        rowVersion: "version",
        columns: { place: { columns: { town: "town" } } },
        authorization: RULES,
        navigation: { depot: hasRequired(Depot, { target: "Depots", on: { depotId: "id" } }) },
        functions: {
          first: fn({
            bound: "collection",
            returns: Parcel,
            handler: async () => {
              const row: { version: number } = await db
                .selectFrom("parcels")
                .select("version")
                .executeTakeFirstOrThrow();
              return { ...PARCEL, ...row };
            },
          }),
        },
      }),
      sqlEntitySet(Depot, {
        db,
        table: "depots",
        operations: ["read"],
        etag: ["version"],
        navigation: { parcels: hasMany(Parcel, { target: "Parcels", on: { id: "depotId" } }) },
      }),
    ],
  });
  return { service, moveTo: (depotId) => db.updateTable("parcels").set({ depotId }).execute() };
}

const CLERK = { "x-roles": "clerk" };
const encoded = (path: string): string => `/s/${path.replaceAll(" ", "%20")}`;
const told = ({ status, headers, text }: Answer): object => ({ status, headers, text });

eachDoor((door) => {
  describe.each(
    (
      [
        ["handlers", overHandlers],
        ["tables", overTables],
      ] as const
    ).flatMap(([form, open]) => PROFILES.map((profile) => [form, profile, open] as const)),
  )("ETags, over %s, profile %s", (_form, profile, open) => {
    const { service, moveTo } = open(profile);
    const ask = door.to(service);
    const read = (path: string, headers: HeaderTable = CLERK, method = "GET") => ask(encoded(path), headers, method);

    test.each([
      ["Parcels(1)"],
      ["Parcels(1)?$select=Label"],
      ["Parcels(1)?$format=json"],
      ["Parcels(1)?$compute=Fee add 1 as More,Place/Town as Town&$select=More,Town"],
      ["Parcels(1)/Label"],
      ["Parcels(1)/Place"],
    ])("%s is 304 for who has it, and 412 for who has another", async (path) => {
      const { etag = "" } = (await read(path)).headers;
      for (const method of ["GET", "HEAD"]) {
        const known = await read(path, { ...CLERK, "If-None-Match": etag }, method);
        const headers = { ...EMPTY_HEADERS, vary: VARY, "cache-control": "no-store", etag };
        expect(told(known)).toEqual({ status: 304, headers, text: "" });
        expect((await read(path, { ...CLERK, "If-Match": '"x"' }, method)).status).toBe(412);
        expect((await read(path, { ...CLERK, "If-Match": etag }, method)).status).toBe(200);
      }
    });

    test.each([
      ["Parcels(1)?$expand=Depot", "South"],
      ["Parcels(1)?$expand=Depot($select=Name)&$select=Id", "South"],
      ["Parcels(1)?$compute=Depot/Name as D", "South"],
      ["Parcels(1)?$compute=Depot/Name as D&$select=D", "South"],
      ["Parcels(1)?$compute=concat(Label,$root/Depots(2)/Name) as D", "BoxSouth"],
      ["Parcels(1)?$compute=year(now()) as Y", "Box"],
      ["Parcels(1)/Depot", "South"],
      ["Parcels(1)/Depot?$select=Name", "South"],
      ["Depots(2)/Parcels(1)", "Box"],
      ["Parcels/first()", "Box"],
    ])("%s is read again", async (path, shown) => {
      const expected = JSON.stringify(shown).slice(1, -1);
      await moveTo(path.startsWith("Depots") ? 2 : 1);
      const { headers } = await read(path);
      const { etag = "" } = headers;
      expect(etag).not.toBe("");
      await moveTo(2);
      const plain = await read(path);
      expect(told(plain)).toMatchObject({
        status: 200,
        headers: { ...JSON_HEADERS, "cache-control": "no-store", etag },
        text: expect.stringContaining(expected) as string,
      });
      for (const header of ["If-None-Match", "If-Match"]) {
        for (const value of [etag, "*", '"x"', `W/${etag}`]) {
          expect(told(await read(path, { ...CLERK, [header]: value }))).toEqual(told(plain));
          const head = await read(path, { ...CLERK, [header]: value }, "HEAD");
          expect(told(head)).toEqual({ ...told(plain), text: "" });
        }
      }
      await moveTo(1);
    });

    test("the same holds in batches", async () => {
      const { etag = "" } = (await read("Parcels(1)")).headers;
      const inner = ["Parcels(1)", "Parcels(1)?$expand=Depot", "Parcels(1)/Depot"];
      const requests = inner.map((url, id) => ({
        id: String(id),
        method: "GET",
        url,
        headers: { "if-none-match": etag },
      }));
      const json = await ask(
        "/s/$batch",
        { ...CLERK, "Content-Type": "application/json" },
        "POST",
        JSON.stringify({ requests }),
      );
      const { responses } = json.json as { readonly responses: ReadonlyArray<{ readonly status: number }> };
      expect(responses.map(({ status }) => status)).toEqual([304, 200, 200]);
      const parts = inner.map((url) => ({ request: `GET ${url}`, headers: { "If-None-Match": etag } }));
      const answer = await ask("/s/$batch", { ...CLERK, ...MULTIPART }, "POST", multipart(parts));
      expect(answer.text.match(/HTTP\/1\.1 \d+/gu)).toEqual(["HTTP/1.1 304", "HTTP/1.1 200", "HTTP/1.1 200"]);
    });

    test("an entity without the properties that the user may not read has another ETag, which writes accept", async () => {
      const full = await read("Parcels(1)");
      const part = await read("Parcels(1)", {});
      const { etag: whole = "" } = full.headers;
      const { etag: partial = "" } = part.headers;
      expect(part.json).not.toHaveProperty("Fee");
      expect(partial).toMatch(/^"[A-Za-z0-9+/=]{44}\.[A-Za-z0-9+/=]{8}"$/u);
      expect(partial.slice(0, 45)).toBe(whole.slice(0, 45));
      expect(whole).toMatch(/^"[A-Za-z0-9+/=]{44}"$/u);
      for (const [headers, own, other] of [
        [CLERK, whole, partial],
        [{}, partial, whole],
      ] as const) {
        const plain = await read("Parcels(1)", headers);
        expect((await read("Parcels(1)", { ...headers, "If-None-Match": own })).status).toBe(304);
        // The rights of the user have changed, so the client has another representation.
        expect(told(await read("Parcels(1)", { ...headers, "If-None-Match": other }))).toEqual(told(plain));
        expect(told(await read("Parcels(1)", { ...headers, "If-Match": other }))).toEqual(told(plain));
        for (const path of ["Parcels", "Parcels?$select=Id", "Depots(1)/Parcels"]) {
          expect([path, (await read(path, headers)).json.value[0]["@odata.etag"]]).toEqual([path, own]);
        }
        const expanded = await read("Depots(1)?$expand=Parcels", headers);
        expect(expanded.json.Parcels[0]["@odata.etag"]).toBe(own);
        for (const path of ["Parcels(1)/Place", "Depots(1)/Parcels(1)", "Parcels/first()"]) {
          expect([path, (await read(path, headers)).headers["etag"]]).toEqual([path, own]);
        }
        const full = await read("Parcels(1)?$format=application/json;odata.metadata=full", headers);
        expect([full.json["@odata.etag"], full.headers["etag"]]).toEqual([own, own]);
      }
      // A write compares the stored entity alone. The response has the ETag of the values that the writer may read.
      const patch = (headers: HeaderTable) =>
        ask("/s/Parcels(1)", { "Content-Type": "application/json", ...headers }, "PATCH", '{"Place":{"Town":"Oslo"}}');
      const changed = await patch({ "If-Match": partial });
      expect([changed.status, changed.json["@odata.etag"]]).toEqual([200, changed.headers["etag"]]);
      expect(changed.headers["etag"]).toBe((await read("Parcels(1)", {})).headers["etag"]);
      expect((await patch({ "If-Match": partial })).status).toBe(412);
      const again = await patch({ ...CLERK, "If-Match": changed.headers["etag"] ?? "" });
      expect([again.status, again.headers["etag"]]).toEqual([200, (await read("Parcels(1)")).headers["etag"]]);
      expect(
        (await patch({ ...CLERK, "If-None-Match": (await read("Parcels(1)", {})).headers["etag"] ?? "" })).status,
      ).toBe(412);
    });
  });
});
