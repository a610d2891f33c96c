import { sql } from "kysely";
import { odataService, type ODataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AnyDatabase, type DatabaseName, ENGINES, type OpenDatabase } from "../../../engine/executors/engines.ts";
import { noFailures } from "../../../service/http/model.ts";

/** The columns of a foreign key, and texts that it finds equal to `Abc`. */
interface Kind {
  readonly title: string;
  readonly parent: string;
  readonly child: string;
  readonly alias: string;
  /** Whether requests cannot write the columns. */
  readonly isReadOnly?: true;
  /** Creates a type or collation. @returns false if this database does not support it */
  readonly prepare?: (db: AnyDatabase) => Promise<boolean>;
}

const withCitext = async (db: AnyDatabase, ...more: readonly string[]): Promise<boolean> => {
  const found = await sql`select 1 from pg_available_extensions where name = 'citext'`.execute(db);
  if (found.rows.length === 0) return false;
  for (const statement of ["create extension if not exists citext schema public", ...more]) {
    await sql.raw(statement).execute(db);
  }
  return true;
};
const both = (title: string, type: string, alias: string): Kind => ({ title, parent: type, child: type, alias });

const KINDS: Readonly<Record<DatabaseName, readonly Kind[]>> = {
  sqlite: [
    both("nocase", "text collate nocase", "aBC"),
    { title: "nocase of the parent alone", parent: "text collate nocase", child: "text", alias: "aBC" },
    // Such types are numbers for SQLite, so the property is the text of a cell.
    { ...both("nocase in a column of numbers", "string collate nocase", "aBC"), isReadOnly: true },
    { ...both("rtrim in a column of numbers", "string collate rtrim", "Abc  "), isReadOnly: true },
  ],
  postgres: [
    { ...both("citext", "citext", "aBC"), prepare: withCitext },
    {
      ...both("a domain over citext", "plate", "aBC"),
      prepare: (db) => withCitext(db, "create domain plate as citext"),
    },
    { title: "char(5)", parent: "char(5)", child: "varchar(9)", alias: "Abc  " },
  ],
  mariadb: [
    both("the default collation", "varchar(20)", "ÄBC  "),
    both("latin1", "varchar(20) character set latin1", "àBC "),
    both("utf8mb3", "varchar(20) character set utf8mb3 collate utf8mb3_unicode_ci", "ÄBC  "),
    both("ascii", "char(20) character set ascii", "aBC"),
    both("a binary collation of latin1", "varchar(20) character set latin1 collate latin1_bin", "Abc "),
  ],
};

const cases = ENGINES.flatMap((engine) => KINDS[engine.name].map((kind) => ({ engine, kind })));

type Row = Readonly<Record<string, unknown>>;
/** The columns of a row in a rule, whose names the compiler does not know. */
interface Columns {
  readonly [name: string]: Columns & { readonly eq: (value: string) => unknown };
}

describe.each(cases)("an inherited foreign key with $kind.title over $engine.title", ({ engine, kind }) => {
  const { alias } = kind;
  let open: OpenDatabase;
  let service: ODataService;
  let guarded: ODataService;
  let isThere = true;

  const servedWith = async (isGuarded: boolean): Promise<ODataService> => {
    const { rows } =
      engine.name === "postgres"
        ? await sql<{ name: string }>`select current_schema() as name`.execute(open.db)
        : { rows: [] };
    const schemas = engine.name === "postgres" ? rows.map(({ name }) => name) : undefined;
    const operations = ["read", "create", "patch", "replace", "delete"] as const;
    const rules: Readonly<Record<string, (user: unknown, row: Columns) => unknown>> = {
      Trucks: (_user, { name }) => name?.eq("first"),
      Trips: (_user, { truck }) => truck?.["name"]?.eq("first"),
    };
    const { entitySets } = await introspectDatabase(open.db, {
      schemas,
      operations: () => operations,
      settings: ({ setName }) => ({
        ...(isGuarded && rules[setName] !== undefined && { authorization: { rows: rules[setName] } }),
      }),
    });
    return odataService({
      logger: noFailures,
      authenticate: () => ({ id: "ann", roles: [] }),
      profile: "standard",
      entitySets,
    });
  };

  beforeAll(async () => {
    open = await engine.open();
    isThere = (await kind.prepare?.(open.db)) ?? true;
    if (!isThere) return;
    for (const statement of [
      `create table trucks (plate ${kind.parent} not null primary key, name varchar(20) not null)`,
      `create table trips (id int not null primary key, plate ${kind.child}, foreign key (plate) references trucks (plate))`,
      "create table tags (id int not null primary key)",
      `create table truck_tags (plate ${kind.child} not null, tag integer not null, primary key (plate, tag),
        foreign key (plate) references trucks (plate), foreign key (tag) references tags (id))`,
      "insert into trucks values ('Abc', 'first'), ('xyz', 'second'), ('none', 'third')",
      `insert into trips values (1, '${alias}'), (2, 'Abc'), (3, 'xyz'), (4, null)`,
      "insert into tags values (1), (2), (3)",
      `insert into truck_tags values ('${alias}', 1), ('Abc', 3), ('xyz', 2)`,
    ]) {
      await sql.raw(statement).execute(open.db);
    }
    service = await servedWith(false);
    guarded = await servedWith(true);
  });
  afterAll(() => open.close());

  const send = async (method: string, path: string, body?: object, to = service): Promise<readonly unknown[]> => {
    const response = await to.fetch(
      new Request(`http://x/${encodeURI(path)}`, {
        method,
        headers: { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return [response.status, text === "" ? null : JSON.parse(text)];
  };
  const get = (path: string, to = service): Promise<readonly unknown[]> => send("GET", path, undefined, to);
  /** The names and numbers that SQL joins. */
  const joined = async (): Promise<ReadonlyArray<{ readonly id: number; readonly name: string | null }>> => {
    const query = sql<{ id: number; name: string | null }>`select t.id as id, p.name as name from trips t
      left join trucks p on p.plate = t.plate order by t.id`;
    return (await query.execute(open.db)).rows;
  };
  const named = (rows: unknown): unknown =>
    (rows as { value: ReadonlyArray<{ Id: number; Truck: { Name: string } | null }> }).value.map(({ Id, Truck }) => ({
      id: Id,
      name: Truck === null ? null : Truck.Name,
    }));
  const ids = async (path: string, to = service): Promise<unknown> => {
    const [status, body] = await get(path, to);
    if (status !== 200) return [status, body];
    return (body as { value: readonly Row[] }).value.map((row) => row["Id"] ?? row["Name"]);
  };

  test("expansions join as SQL does", async () => {
    if (!isThere) return;
    const found = await joined();
    expect(found.map(({ name }) => name)).toEqual(["first", "first", "second", null]);
    for (const options of ["", "($filter=Name ne 'x')", "($select=Name)", "($expand=Trips)"]) {
      const [status, body] = await get(`Trips?$expand=Truck${options}&$orderby=Id`);
      expect([status, named(body)]).toEqual([200, found]);
    }
    for (const options of ["$orderby=Id", "$orderby=Id;$top=9;$count=true"]) {
      const [, body] = await get(`Trucks?$expand=Trips(${options}),Tags($orderby=Id)&$orderby=Name`);
      const trucks = (body as { value: ReadonlyArray<{ Trips: readonly Row[]; Tags: readonly Row[] }> }).value;
      const idsOf = (rows: readonly Row[]): readonly unknown[] => rows.map(({ Id }) => Id);
      expect(trucks.map(({ Trips, Tags }) => [idsOf(Trips), idsOf(Tags)])).toEqual([
        [
          [1, 2],
          [1, 3],
        ],
        [[3], [2]],
        [[], []],
      ]);
    }
  });

  test.each<readonly [path: string, found: readonly unknown[]]>([
    ["Trucks('Abc')/Trips?$orderby=Id", [1, 2]],
    ["Trucks('Abc')/Tags?$orderby=Id", [1, 3]],
    ["Tags(1)/Trucks", ["first"]],
    ["Trips?$filter=Truck/Name eq 'first'&$orderby=Id", [1, 2]],
    ["Trips?$filter=Truck/Plate eq 'Abc'&$orderby=Id", [1, 2]],
    ["Trips?$filter=Truck ne null&$orderby=Id", [1, 2, 3]],
    ["Trips?$filter=Truck/Trips/$count eq 2&$orderby=Id", [1, 2]],
    ["Trips?$filter=Truck/Tags/any(t:t/Id eq 1)&$orderby=Id", [1, 2]],
    ["Trips?$orderby=Truck/Name desc,Id", [3, 1, 2, 4]],
    ["Trucks?$filter=Trips/any(t:t/Id eq 1)", ["first"]],
    ["Trucks?$filter=Trips/all(t:t/Id eq 3)&$orderby=Name", ["second", "third"]],
    ["Trucks?$filter=not Trips/any()", ["third"]],
    ["Trucks?$filter=Tags/$count eq 2", ["first"]],
    ["Trips?$apply=filter(Truck/Name eq 'first')&$orderby=Id", [1, 2]],
    ["Trips?$filter=Plate eq 'Abc'", [2]],
  ])("%s", async (path, found) => {
    if (isThere) expect(await ids(path)).toEqual(found);
  });

  test("groups follow the foreign key", async () => {
    if (!isThere) return;
    const [status, body] = await get("Trips?$apply=groupby((Truck/Name),aggregate($count as N))&$orderby=N desc");
    expect(status).toBe(200);
    const groups = (body as { value: ReadonlyArray<{ Truck: Row | null; N: number }> }).value;
    expect(groups.map(({ Truck, N }) => `${String(Truck?.["Name"])} ${String(N)}`).toSorted()).toEqual([
      "first 2",
      "second 1",
      "undefined 1",
    ]);
  });

  test("row rules, writes and their judgement follow the foreign key", async () => {
    if (!isThere) return;
    expect(await ids("Trips?$orderby=Id", guarded)).toEqual([1, 2]);
    expect(await ids("Trucks('Abc')/Trips?$orderby=Id", guarded)).toEqual([1, 2]);
    expect((await get("Trips(1)", guarded))[0]).toBe(200);
    expect((await get("Trips(3)", guarded))[0]).toBe(404);
    if (kind.isReadOnly === true) return;
    const post = (body: object, to = guarded): Promise<readonly unknown[]> => send("POST", "Trips", body, to);
    expect(await post({ Id: 9, Plate: alias })).toEqual([201, { Id: 9, Plate: alias }]);
    expect((await post({ Id: 8, Plate: "xyz" }))[0]).toBe(409);
    expect((await post({ Id: 8, Plate: "missing" }))[0]).toBe(409);
    expect((await post({ Id: 8, Plate: "missing" }, service))[0]).toBe(409);
    expect((await send("DELETE", "Trips(9)", undefined, guarded))[0]).toBe(204);
    expect((await post({ Id: 10, Plate: null }, service))[0]).toBe(201);
    expect((await send("PUT", "Trips(10)/Truck/$ref", { "@odata.id": "Trucks('Abc')" }))[0]).toBe(204);
    expect(await ids("Trips?$filter=Truck/Name eq 'first'&$orderby=Id")).toEqual([1, 2, 10]);
    expect((await send("DELETE", "Trips(10)/Truck/$ref"))[0]).toBe(204);
    expect((await send("DELETE", "Trips(10)"))[0]).toBe(204);
    expect((await send("DELETE", "Trucks('Abc')/Trips/$ref?$id=Trips(1)"))[0]).toBe(204);
    expect((await send("PATCH", "Trips(1)", { Plate: alias }))[0]).toBeLessThan(300);
    expect((await send("DELETE", "Trucks('Abc')/Tags/$ref?$id=Tags(1)"))[0]).toBe(204);
    expect((await send("POST", "Trucks('Abc')/Tags/$ref", { "@odata.id": "Tags(1)" }))[0]).toBe(204);
    expect(await ids("Trucks('Abc')/Tags?$orderby=Id")).toEqual([1, 3]);
  });
});
