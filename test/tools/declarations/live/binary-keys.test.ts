import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase, writeDeclarations } from "odatakit/introspect";
import { expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "../../../engine/executors/engines.ts";

const TYPES: Readonly<Record<DatabaseName, readonly [long: string, short: string, open: string, close: string]>> = {
  sqlite: ["blob", "blob", "x'", "'"],
  postgres: ["bytea", "bytea", "'\\x", "'"],
  mariadb: ["varbinary(20)", "binary(4)", "x'", "'"],
};

test.each(ENGINES)("keys of bytes and their foreign keys are digits over $title", async (engine) => {
  const [long, short, open, end] = TYPES[engine.name];
  const bytes = (digits: string): string => `${open}${digits}${end}`;
  const { db, close } = await engine.open();
  const statements = [
    `create table hosts (id ${short} not null primary key, name varchar(20), payload ${long})`,
    `create table services (checksum ${long} not null primary key, host_id ${short}, foreign key (host_id) references hosts (id))`,
    `create table tags (tag ${long} not null unique, note varchar(10))`,
    `create table host_tags (host_id ${short} not null, tag ${long} not null, primary key (host_id, tag),
      foreign key (host_id) references hosts (id), foreign key (tag) references tags (tag))`,
    `insert into hosts values (${bytes("00ff00ff")}, 'a', ${bytes("01")}), (${bytes("deadbeef")}, 'b', null)`,
    `insert into services values (${bytes("61ff")}, ${bytes("deadbeef")}), (${bytes("62")}, null)`,
    `insert into tags values (${bytes("aa")}, 'x'), (${bytes("bb")}, 'y')`,
    `insert into host_tags values (${bytes("deadbeef")}, ${bytes("bb")})`,
  ];
  try {
    for (const statement of statements) await sql.raw(statement).execute(db);
    const include = ["hosts", "services", "tags", "host_tags"];
    // A test server contains schemas of other tests.
    const own = await sql<{ name: string }>`select current_schema() as name`.execute(db).catch(() => ({ rows: [] }));
    const { entitySets, described, warnings } = await introspectDatabase(db, {
      include,
      schemas: engine.name === "postgres" ? own.rows.map(({ name }) => name) : undefined,
      operations: () => ["read", "create", "patch", "delete"],
    });
    const typesOf = described.sets.map(({ setName, properties }) => [
      setName,
      properties.map(({ name, type, storage, isKey, facets }) => [name, type, storage, isKey, facets.maxLength]),
    ]);
    const [longest, shortest] = engine.name === "mariadb" ? [40, 8] : [];
    expect(typesOf).toEqual([
      [
        "HostTags",
        [
          ["HostId", "Edm.String", "hex", true, shortest],
          ["Tag", "Edm.String", "hex", true, longest],
        ],
      ],
      [
        "Hosts",
        [
          ["Id", "Edm.String", "hex", true, shortest],
          ["Name", "Edm.String", null, false, engine.name === "sqlite" ? undefined : 20],
          ["Payload", "Edm.Binary", null, false, longest === undefined ? undefined : 20],
        ],
      ],
      [
        "Services",
        [
          ["Checksum", "Edm.String", "hex", true, longest],
          ["HostId", "Edm.String", "hex", false, shortest],
        ],
      ],
      [
        "Tags",
        [
          ["Tag", "Edm.String", "hex", true, longest],
          ["Note", "Edm.String", null, false, engine.name === "sqlite" ? undefined : 10],
        ],
      ],
    ]);
    expect(warnings.filter(({ code }) => code === "no-key" || code === "foreign-key")).toEqual([]);
    const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
    const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
    const send = async (path: string, method = "GET", body?: object): Promise<readonly [number, unknown]> => {
      const response = await service.fetch(
        new Request(`http://h/odata/${path}`, {
          method,
          headers: { "Content-Type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      return [response.status, text === "" ? null : JSON.parse(text)];
    };
    expect(await send("Hosts('deadbeef')?$expand=Services,Tags")).toMatchObject([
      200,
      { Id: "deadbeef", Services: [{ Checksum: "61ff", HostId: "deadbeef" }], Tags: [{ Tag: "bb", Note: "y" }] },
    ]);
    expect(await send("Services('61ff')/Host?$select=Name")).toMatchObject([200, { Name: "b" }]);
    expect(await send("Tags?$filter=Hosts/any(h:startswith(h/Id,'dead'))")).toMatchObject([
      200,
      { value: [{ Tag: "bb" }] },
    ]);
    expect((await send("Services", "POST", { Checksum: "0102", HostId: "00ff00ff" }))[0]).toBe(201);
    expect((await send("Services", "POST", { Checksum: "0103", HostId: "00ff00fe" }))[0]).toBe(409);
    expect(await send("Services('0102')?$expand=Host")).toMatchObject([
      200,
      { HostId: "00ff00ff", Host: { Name: "a" } },
    ]);
    const code = writeDeclarations(described, { database: { kind: "postgres" }, service: {} });
    const host = code.find(({ path }) => path === "host.ts")?.text ?? "";
    expect(host).toContain('id: { storage: "hex" }');
    expect(host).toMatch(/through: \{.*columns: \{ host_id: \{ storage: "hex" \}, tag: \{ storage: "hex" \} \}/s);
  } finally {
    for (const table of ["host_tags", "tags", "services", "hosts"]) {
      await sql.raw(`drop table if exists ${table}`).execute(db);
    }
    await close();
  }
});

test.each(ENGINES.filter(({ name }) => name === "mariadb"))(
  "a value that a column of $title would fill with zero bytes is refused",
  async (engine) => {
    const { db, close } = await engine.open();
    try {
      await sql`create table pads (id binary(4) primary key, up binary(4), foreign key (up) references pads (id))`.execute(
        db,
      );
      const { entitySets } = await introspectDatabase(db, {
        include: ["pads"],
        operations: () => ["read", "create", "patch"],
      });
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets });
      const send = async (path: string, method: string, body: object): Promise<readonly [number, unknown]> => {
        const response = await service.fetch(
          new Request(`http://h/odata/${path}`, {
            method,
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(body),
          }),
        );
        return [response.status, await response.json()];
      };
      expect(await send("Pads", "POST", { Id: "ab" })).toEqual([
        400,
        { error: { code: "InvalidBody", message: "The column cannot store the whole value.", target: "Id" } },
      ]);
      expect((await send("Pads", "POST", { Id: "ab000000" }))[0]).toBe(201);
      expect((await send("Pads('ab000000')", "PATCH", { Up: "ab" }))[0]).toBe(400);
      expect((await send("Pads('ab000000')", "PATCH", { Up: "ab000000" }))[0]).toBe(200);
      expect((await send("Pads", "POST", { Id: "ab00000000" }))[0]).toBe(400);
      const { rows } = await sql<{ id: string }>`select hex(id) as id from pads`.execute(db);
      expect(rows).toEqual([{ id: "AB000000" }]);
    } finally {
      await sql`drop table pads`.execute(db);
      await close();
    }
  },
);
