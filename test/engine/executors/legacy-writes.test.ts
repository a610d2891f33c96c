import { sql } from "kysely";
import { edm, entityType, enumType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "./engines.ts";

/** Keys, links, row rules and related writes over columns with mapped cells. */

const Kind = enumType("Kind", { Red: 3, Green: 1, Blue: 2 });
const Team = entityType("Team", { kind: edm.enum(Kind).key(), open: edm.boolean().key(), name: edm.string() });
const Player = entityType("Player", {
  id: edm.int32().key(),
  kind: edm.enum(Kind).nullable(),
  open: edm.boolean().nullable(),
  active: edm.boolean().default(true),
  level: edm.enum(Kind).default("Blue"),
});
const Badge = entityType("Badge", { kind: edm.enum(Kind).key(), text: edm.string() });

const letters = { storage: { values: { Red: "r", Green: "R", Blue: "b" } } } as const;
const numbers = { storage: { values: { Red: 1, Green: 2, Blue: 3 } } } as const;
const yesNo = { storage: { true: "Y", false: "N" } } as const;

const ORIGIN = "http://service.example";
const operations = ["read", "create", "replace", "patch", "delete"] as const;

describe.each(ENGINES)("mapped columns in keys, links and rules: $title", (engine) => {
  let opened: OpenDatabase;
  let service: ReturnType<typeof odataService>;
  let logged: unknown;

  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    const exact = engine.name === "mariadb" ? sql` collate utf8mb4_nopad_bin` : sql``;
    await sql`create table teams (kind varchar(2)${exact} not null, open varchar(2) not null, name varchar(20) not null, primary key (kind, open))`.execute(
      db,
    );
    await sql`create table players (id int primary key, kind smallint, open varchar(2), active varchar(2) not null, level varchar(2) not null)`.execute(
      db,
    );
    await sql`create table badges (kind varchar(2)${exact} not null primary key, text varchar(20) not null)`.execute(
      db,
    );
    await sql`create table player_badges (player int, badge varchar(10), primary key (player, badge))`.execute(db);
    await sql`insert into teams values ('r', 'Y', 'red'), ('R', 'N', 'green'), ('b', 'Y', 'blue')`.execute(db);
    await sql`insert into players values (1, 1, 'Y', 'Y', 'r'), (2, 2, 'N', 'N', 'R'), (3, null, 'Y', 'Y', 'b')`.execute(
      db,
    );
    await sql`insert into badges values ('r', 'first'), ('R', 'second')`.execute(db);
    await sql`insert into player_badges values (1, 'Red'), (2, 'Green')`.execute(db);
    service = odataService({
      propertyNaming: "camelCase",
      authenticate: (request) => {
        const id = request.headers.get("x-user");
        return id === null ? null : { id };
      },
      logger: { error: (_message, fields) => void (logged = fields), warn: () => {}, info: () => {} },
      entitySets: [
        sqlEntitySet(Team, {
          db,
          table: "teams",
          operations,
          columns: { kind: letters, open: yesNo },
          allowDeepInsert: true,
          allowUpsert: true,
          navigation: { players: hasMany(Player, { on: { kind: "kind", open: "open" }, target: "Players" }) },
        }),
        sqlEntitySet(Player, {
          db,
          table: "players",
          operations,
          columns: { kind: numbers, open: yesNo, active: yesNo, level: letters },
          navigation: {
            team: hasOptional(Team, { on: { kind: "kind", open: "open" }, target: "Teams" }),
            badges: hasMany(Badge, {
              target: "Badges",
              through: { table: "player_badges", from: { id: "player" }, to: { badge: "kind" } },
            }),
          },
        }),
        sqlEntitySet(Player, {
          name: "Active",
          db,
          table: "players",
          operations: ["read"] as const,
          columns: { kind: numbers, open: yesNo, active: yesNo, level: letters },
          authorization: {
            rows: (user, row) =>
              row.active
                .eq(true)
                .and(row.kind.in(["Red", "Green"]))
                .or(row.level.gt(user.id === "g" ? "Blue" : "Red")),
          },
        }),
        sqlEntitySet(Badge, { db, table: "badges", operations, columns: { kind: letters } }),
      ],
    });
  });
  afterAll(() => opened.close());

  async function ask(
    target: string,
    init: { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<readonly [status: number, body: Readonly<Record<string, unknown>>]> {
    const { body, ...others } = init;
    const request = new Request(ORIGIN + encodeURI(target), {
      ...others,
      headers: { "Content-Type": "application/json", Prefer: "return=representation", "x-user": "u", ...init.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await service.fetch(request);
    const text = await response.text();
    if (response.status === 500) console.log(target, logged);
    return [response.status, text.startsWith("{") ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : { text }];
  }
  const ids = ([, { value }]: readonly [number, Readonly<Record<string, unknown>>]): readonly unknown[] =>
    (value as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id);

  test("keys and links go by value", async () => {
    expect(await ask("/Teams(kind='Green',open=false)")).toMatchObject([200, { name: "green" }]);
    expect((await ask("/Teams(kind='Green',open=true)"))[0]).toBe(404);
    expect(await ask("/Players(2)/team")).toMatchObject([200, { name: "green" }]);
    expect(await ask("/Players?$expand=team,badges&$orderby=id")).toMatchObject([
      200,
      {
        value: [
          { id: 1, team: { name: "red" }, badges: [{ kind: "Red", text: "first" }] },
          { id: 2, team: { name: "green" }, badges: [{ kind: "Green", text: "second" }] },
          { id: 3, team: null, badges: [] },
        ],
      },
    ]);
    expect(ids(await ask("/Players?$filter=team/kind gt 'Green'"))).toEqual([1]);
    expect(ids(await ask("/Players?$filter=badges/any(b: b/kind eq 'Green')"))).toEqual([2]);
    expect(ids(await ask("/Teams(kind='Red',open=true)/players"))).toEqual([1]);
    expect(await ask("/Teams?$expand=players($top=1;$orderby=level desc)&$orderby=kind desc")).toMatchObject([
      200,
      { value: [{ kind: "Red", players: [{ id: 1 }] }, { kind: "Blue" }, { kind: "Green", players: [{ id: 2 }] }] },
    ]);
    expect(ids(await ask("/Players(1)/badges/$ref")).length).toBe(1);
  });

  test("a row rule goes by value", async () => {
    expect(ids(await ask("/Active?$orderby=id"))).toEqual([1]);
    expect(ids(await ask("/Active?$orderby=id", { headers: { "x-user": "g" } }))).toEqual([1]);
    expect((await ask("/Active(2)"))[0]).toBe(404);
  });

  test("related writes, defaults, upserts and links store cells", async () => {
    const { db } = opened;
    const created = await ask("/Teams", {
      method: "POST",
      body: { kind: "Blue", open: false, name: "deep", players: [{ id: 10, kind: "Blue", open: false }] },
    });
    expect(created[0]).toBe(201);
    const cells = async (id: number) => {
      const { rows } = await sql`select kind, open, active, level from players where id = ${sql.lit(id)}`.execute(db);
      return Object.values(rows[0] as object) as readonly unknown[];
    };
    expect(await cells(10)).toEqual([3, "N", "Y", "b"]);
    expect((await ask("/Teams(kind='Red',open=true)/players", { method: "POST", body: { id: 11 } }))[0]).toBe(201);
    expect(await cells(11)).toEqual([1, "Y", "Y", "b"]);
    expect((await ask("/Teams(kind='Green',open=true)", { method: "PUT", body: { name: "new" } }))[0]).toBe(201);
    const { rows } = await sql`select kind, open from teams where name = 'new'`.execute(db);
    expect(rows).toEqual([{ kind: "R", open: "Y" }]);
    const link = { "@odata.id": `${ORIGIN}/Teams(kind='Green',open=true)` };
    expect((await ask("/Players(11)/team/$ref", { method: "PUT", body: link }))[0]).toBe(204);
    expect(await cells(11)).toEqual([2, "Y", "Y", "b"]);
    expect((await ask("/Players(11)/team/$ref", { method: "DELETE" }))[0]).toBe(204);
    expect((await cells(11))[0]).toBe(null);
    const badge = { "@odata.id": `${ORIGIN}/Badges('Green')` };
    expect((await ask("/Players(1)/badges/$ref", { method: "POST", body: badge }))[0]).toBe(204);
    expect(((await ask("/Players(1)/badges"))[1]["value"] as readonly unknown[]).length).toBe(2);
    expect((await ask("/Teams(kind='Green',open=true)", { method: "DELETE" }))[0]).toBe(204);
    expect((await ask("/Teams(kind='Green',open=false)"))[0]).toBe(200);
  });

  test("a database on several machines gives the same rows", async () => {
    const { db } = opened;
    const shared = { db, operations: ["read"] as const, distributed: true };
    const spread = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Team, { ...shared, table: "teams", columns: { kind: letters, open: yesNo } }),
        sqlEntitySet(Player, {
          ...shared,
          table: "players",
          columns: { kind: numbers, open: yesNo, active: yesNo, level: letters },
          navigation: { team: hasOptional(Team, { on: { kind: "kind", open: "open" }, target: "Teams" }) },
        }),
      ],
    });
    const response = await spread.fetch(
      new Request(
        `${ORIGIN}/Players?$filter=${encodeURIComponent("team/kind eq 'Red' and active")}&$expand=team&$select=id`,
      ),
    );
    expect(JSON.parse(await response.text())).toMatchObject({ value: [{ id: 1, team: { name: "red" } }] });
  });
});
