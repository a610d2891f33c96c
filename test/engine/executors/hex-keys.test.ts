import { sql } from "kysely";
import {
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  type EntityOf,
  type EntitySet,
  type ODataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseEngine } from "./engines.ts";

/** Columns of bytes as texts of hexadecimal digits: keys, foreign keys and link tables. */

const Actor = entityType("Actor", { id: edm.string().key(), part: edm.string().key(), name: edm.string().nullable() });
const Edit = entityType("Edit", {
  hash: edm.string().key(),
  actorId: edm.string().nullable(),
  actorPart: edm.string().nullable(),
  size: edm.int32(),
});

type ActorRow = EntityOf<typeof Actor>;
type EditRow = EntityOf<typeof Edit>;

const IDS = ["", "00", "0000", "61", "6162", "61ff", "7f", "80", "a0", "ff", "ff00", "ffff"] as const;
const partOf = (at: number): string => (at % 2 === 0 ? "0a" : "0b");
const ACTORS: readonly ActorRow[] = IDS.map((id, at) => ({
  id,
  part: partOf(at),
  name: at % 5 === 0 ? null : `n${String(at)}`,
}));
const EDITS: readonly EditRow[] = IDS.map((hash, at) => ({
  hash,
  actorId: at % 4 === 0 ? null : (IDS[(at * 7) % IDS.length] ?? null),
  actorPart: at % 6 === 5 ? null : partOf((at * 7) % IDS.length),
  size: at,
}));

const ON = { actorId: "id", actorPart: "part" } as const;
const HEX = { storage: "hex" } as const;

function memoryService(): ODataService {
  const actors = entitySet(Actor, {
    getAll: () => ACTORS,
    getByKey: ({ id, part }) => ACTORS.find((row) => row.id === id && row.part === part) ?? null,
    navigation: { edits: hasMany(() => Edit, { on: { id: "actorId", part: "actorPart" }, target: "Edits" }) },
  });
  const edits = entitySet(Edit, {
    getAll: () => EDITS,
    getByKey: (hash) => EDITS.find((row) => row.hash === hash) ?? null,
    navigation: { actor: hasOptional(() => Actor, { on: ON, target: "Actors" }) },
  });
  return odataService({ profile: "standard", entitySets: [actors, edits] });
}

function tableService(db: AnyDatabase): ODataService {
  return odataService({ profile: "standard", entitySets: tableSets(db) });
}

function tableSets(db: AnyDatabase): readonly EntitySet[] {
  const all = ["read", "create", "replace", "patch", "delete"] as const;
  const actors = sqlEntitySet(Actor, {
    db,
    table: "actors",
    operations: all,
    columns: { id: HEX, part: HEX },
    navigation: { edits: hasMany(() => Edit, { on: { id: "actorId", part: "actorPart" }, target: "Edits" }) },
  });
  const edits = sqlEntitySet(Edit, {
    db,
    table: "edits",
    operations: all,
    columns: { hash: HEX, actorId: { name: "actor_id", ...HEX }, actorPart: { name: "actor_part", ...HEX } },
    navigation: { actor: hasOptional(() => Actor, { on: ON, target: "Actors" }) },
  });
  return [actors, edits];
}

const TYPES = {
  sqlite: ["blob", "blob"],
  postgres: ["bytea", "bytea"],
  mariadb: ["varbinary(20)", "binary(1)"],
} as const;

async function makeTables(db: AnyDatabase, { name }: DatabaseEngine): Promise<void> {
  const [id, part] = TYPES[name].map((type) => sql.raw(type));
  await sql`create table actors (id ${id} not null, part ${part} not null, name varchar(20), primary key (id, part))`.execute(
    db,
  );
  await sql`create table edits (hash ${id} not null primary key, actor_id ${id}, actor_part ${part}, size integer not null)`.execute(
    db,
  );
}

async function fill(service: ODataService): Promise<void> {
  const nameOf = (key: string): string => key.replace(/^./, (letter) => letter.toUpperCase());
  for (const [set, rows] of [
    ["Actors", ACTORS],
    ["Edits", EDITS],
  ] as const) {
    for (const row of rows) {
      const body = Object.fromEntries(Object.entries(row).map(([key, value]) => [nameOf(key), value]));
      const [status, text] = await send(service, set, { method: "POST", body });
      expect([status, text]).toEqual([201, expect.anything()]);
    }
  }
}

async function send(
  service: ODataService,
  path: string,
  { body, ...init }: { readonly method?: string; readonly body?: unknown } = {},
): Promise<readonly [status: number, body: unknown]> {
  const response = await service.fetch(
    new Request(encodeURI(`http://h/${path}`), {
      ...init,
      headers: { "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return [response.status, text === "" ? null : JSON.parse(text)];
}

const TEXTS = ["61ff", "61FF", "61f", "b", "zz", "", "ff", "0", "G0", "it's", "\u{1F600}"];

const QUERIES: readonly string[] = [
  ...TEXTS.flatMap((text) => {
    const literal = `'${text.replace("'", "''")}'`;
    return [
      ...["eq", "ne", "lt", "le", "gt", "ge"].flatMap((operator) => [
        `Edits?$filter=ActorId ${operator} ${literal}`,
        `Edits?$filter=not (ActorId ${operator} ${literal})`,
        `Edits?$filter=${literal} ${operator} Hash`,
      ]),
      `Edits?$filter=ActorId in (${literal},'00',null)`,
      `Edits?$filter=not (Hash in (${literal},'00'))`,
      `Edits?$filter=startswith(Hash,${literal})`,
      `Edits?$filter=contains(ActorId,${literal})`,
      `Edits?$filter=endswith(Hash,${literal})`,
      `Edits?$filter=indexof(Hash,${literal}) eq 1`,
      `Edits?$filter=concat(Hash,${literal}) eq 'ffzz'`,
      `Edits?$filter=Actor/Id eq ${literal}`,
      `Actors?$filter=Edits/any(e:e/Hash gt ${literal})`,
      `Edits(${literal})`,
      `Actors(Id=${literal},Part='0a')`,
    ];
  }),
  "Edits?$filter=ActorId eq null",
  "Edits?$filter=ActorId ne null",
  "Edits?$filter=ActorId eq Hash",
  "Edits?$filter=ActorId lt Hash",
  "Edits?$filter=not (ActorId ge Hash)",
  "Edits?$filter=length(Hash) eq 4 and toupper(Hash) eq 'FF00'",
  "Edits?$filter=substring(Hash,1,2) eq '1f'",
  "Edits?$orderby=ActorId,Hash desc",
  "Edits?$orderby=ActorId desc&$top=5&$skip=2",
  "Edits?$expand=Actor",
  "Edits?$expand=Actor($expand=Edits($orderby=Hash desc))",
  "Actors?$expand=Edits($filter=Hash ge '61';$select=Hash)",
  "Edits?$select=ActorPart&$orderby=Actor/Name,Hash",
  "Edits/$count?$filter=Actor/Part eq '0b'",
  "Edits?$apply=aggregate(Hash with min as A,Hash with max as B,ActorId with countdistinct as C)",
  "Edits?$apply=groupby((ActorPart),aggregate(Hash with max as A,ActorId with min as B))",
  "Edits?$apply=groupby((ActorId),aggregate($count as N))",
  "Edits?$apply=groupby((Actor/Id,Actor/Part),aggregate(Size with sum as S))",
  "Edits?$apply=topcount(3,Hash)",
  "Edits('ff00')/ActorId",
  "Edits('ff00')/ActorId/$value",
];

/** Removes the differences between a table and an array: ETags. */
function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === "@odata.etag" ? undefined : value)));
}

describe.each(ENGINES)("$title", (engine) => {
  const memory = memoryService();
  let db: AnyDatabase;
  let service: ODataService;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ db, close } = await engine.open());
    await makeTables(db, engine);
    service = tableService(db);
    await fill(service);
  });
  afterAll(async () => {
    await sql`drop table edits`.execute(db);
    await sql`drop table actors`.execute(db);
    await close();
  });

  test("stores the bytes of the digits", async () => {
    const digits = { sqlite: "lower(hex(hash))", postgres: "encode(hash, 'hex')", mariadb: "lower(hex(hash))" };
    const { rows } = await sql<{
      d: string;
    }>`select ${sql.raw(digits[engine.name])} as d from edits order by hash`.execute(db);
    expect(rows.map(({ d }) => d)).toEqual(IDS);
  });

  test("gives the responses of an array", async () => {
    const differences: unknown[] = [];
    for (const query of QUERIES) {
      const expected = await send(memory, query).catch((error: unknown) => [error]);
      const found = await send(service, query).catch((error: unknown) => [error]);
      if (JSON.stringify(plain(found)) !== JSON.stringify(plain(expected))) differences.push([query, found, expected]);
    }
    expect(differences).toEqual([]);
  });

  test("navigation routes compare the bytes", async () => {
    const edits = EDITS.filter(({ actorId, actorPart }) => actorId === "61" && actorPart === "0b");
    expect(edits.length).toBeGreaterThan(0);
    const [status, body] = await send(service, "Actors(Id='61',Part='0b')/Edits?$select=Hash&$top=5");
    expect([status, body]).toMatchObject([200, { value: edits.map(({ hash }) => ({ Hash: hash })) }]);
    const { hash, actorId, actorPart } = edits[0] ?? { hash: "" };
    expect(await send(service, `Edits('${hash}')/Actor`)).toMatchObject([200, { Id: actorId, Part: actorPart }]);
  });

  test.each(["Hash", "ActorId,Hash", "ActorId desc,Hash desc"])("pages by %s give each row once", async (order) => {
    const paged = odataService({
      profile: "standard",
      entitySets: tableSets(db),
      defaults: { paging: "keyset", maxTop: 2 },
      secret: "0123456789abcdef0123456789abcdef",
    });
    const [, whole] = await send(memory, `Edits?$orderby=${order}&$select=Hash`);
    const hashes: unknown[] = [];
    for (let next: string | undefined = `Edits?$orderby=${order}&$select=Hash`; next !== undefined;) {
      const [status, page] = await send(paged, next);
      expect(status).toBe(200);
      const { value, ...others } = page as { value: readonly { Hash: string }[]; "@odata.nextLink"?: string };
      hashes.push(...value.map(({ Hash }) => Hash));
      next =
        others["@odata.nextLink"] === undefined
          ? undefined
          : decodeURI(others["@odata.nextLink"].replace(/^.*h\//, ""));
    }
    expect(hashes).toEqual((whole as { value: readonly { Hash: string }[] }).value.map(({ Hash }) => Hash));
  });

  test("writes are exact, and other texts are refused", async () => {
    const edit = { Hash: "abcd", ActorId: "61", ActorPart: "0b", Size: 1 };
    expect((await send(service, "Edits", { method: "POST", body: edit }))[0]).toBe(201);
    expect(plain(await send(service, "Edits('abcd')"))).toMatchObject([200, edit]);
    for (const wrong of ["ABCD", "abc", "x", "0x61", "61 "]) {
      const [created] = await send(service, "Edits", { method: "POST", body: { ...edit, Hash: wrong } });
      const [patched] = await send(service, "Edits('abcd')", { method: "PATCH", body: { ActorId: wrong } });
      expect([wrong, created, patched]).toEqual([wrong, 400, 400]);
    }
    expect((await send(service, "Edits('abcd')", { method: "PATCH", body: { ActorId: "ffff" } }))[0]).toBe(200);
    expect(plain(await send(service, "Edits('abcd')"))).toMatchObject([200, { ...edit, ActorId: "ffff" }]);
    expect((await send(service, "Edits('ABCD')", { method: "PATCH", body: { Size: 2 } }))[0]).toBe(404);
    expect((await send(service, "Edits('abcd')", { method: "DELETE" }))[0]).toBe(204);
  });
});
