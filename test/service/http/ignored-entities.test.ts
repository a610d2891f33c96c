import { sql } from "kysely";
import { applyDelta, edm, entitySet, entityType, hasMany, hasOptional, type Logger, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { eachDoor, type Service } from "./doors.ts";
import { openSql } from "./sql-database.ts";

const Team = entityType("Team", { id: edm.int32().key(), name: edm.string() });
const Player = entityType("Player", {
  id: edm.int32().key(),
  name: edm.string(),
  teamId: edm.int32().nullable(),
});

const PROFILES = ["specification", "standard"] as const;
type Profile = (typeof PROFILES)[number];

interface Started {
  readonly service: Service;
  /** The records of level `info`. */
  readonly records: ReadonlyArray<readonly [message: string, fields: Readonly<Record<string, unknown>>]>;
}

function recorder() {
  const records: Array<[string, Readonly<Record<string, unknown>>]> = [];
  const logger: Logger = {
    error: (message, fields) => console.error(message, fields),
    warn: (message, fields) => console.warn(message, fields),
    info: (message, fields) => void records.push([message, fields]),
  };
  return { records, logger };
}

async function overHandlers(profile: Profile): Promise<Started> {
  const { records, logger } = recorder();
  const teams = [{ id: 1, name: "red" }];
  const players = [{ id: 1, name: "Ann", teamId: 1 as number | null }];
  const service = odataService({
    profile,
    logger,
    batch: { json: true },
    entitySets: [
      entitySet(Team, {
        getByKey: (id) => teams.find((team) => team.id === id) ?? null,
        patch: (_id, delta) => applyDelta(Team, teams[0]!, delta),
        replace: (_id, team) => ({ ...team }),
        navigation: { players: hasMany(Player, { target: "Players" }) },
      }),
      entitySet(Player, {
        getByKey: (id) => players.find((player) => player.id === id) ?? null,
        patch: (_id, delta) => applyDelta(Player, players[0]!, delta),
        replace: (_id, player) => ({ ...player }),
        navigation: { team: hasOptional(Team, { target: "Teams" }) },
      }),
    ],
  });
  return { service, records };
}

const { db, close } = await openSql();
afterAll(close);

async function overTables(profile: Profile): Promise<Started> {
  const { records, logger } = recorder();
  await sql`drop table if exists players`.execute(db);
  await sql`drop table if exists teams`.execute(db);
  await sql`create table teams (id integer primary key, name text not null)`.execute(db);
  await sql`create table players (id integer primary key, name text not null, "teamId" integer)`.execute(db);
  await db
    .insertInto("teams")
    .values([{ id: 1, name: "red" }])
    .execute();
  await db
    .insertInto("players")
    .values([{ id: 1, name: "Ann", teamId: 1 }])
    .execute();
  const operations = ["read", "replace", "patch"] as const;
  const service = odataService({
    profile,
    logger,
    batch: { json: true },
    entitySets: [
      sqlEntitySet(Team, {
        db,
        table: "teams",
        operations,
        navigation: { players: hasMany(Player, { target: "Players", on: { id: "teamId" } }) },
      }),
      sqlEntitySet(Player, {
        db,
        table: "players",
        operations,
        navigation: { team: hasOptional(Team, { target: "Teams", on: { teamId: "id" } }) },
      }),
    ],
  });
  return { service, records };
}

const FORMS = [
  ["handlers", overHandlers],
  ["tables", overTables],
] as const;

const JSON_BODY = { "Content-Type": "application/json" };
const message = (set: string, navigation: string) =>
  `PATCH and PUT of '${set}' ignore the related entities of '${navigation}' in their bodies. Write them with requests of their own.`;

eachDoor((door) => {
  describe.each(FORMS.flatMap(([form, start]) => PROFILES.map((profile) => [form, profile, start] as const)))(
    "PATCH and PUT ignore related entities, over %s, profile %s",
    (_form, profile, start) => {
      /** The standard profile refuses lists of related entities. */
      const ofLists = profile === "standard" ? 501 : 200;

      test("with one record for each set and navigation", async () => {
        const { service, records } = await start(profile);
        const ask = door.to(service);
        const write = async (method: string, path: string, body: object, status = 200) => {
          const answer = await ask(`/${path}`, JSON_BODY, method, JSON.stringify(body));
          expect(answer.status).toBe(status);
          return answer;
        };
        const patched = await write("PATCH", "Teams(1)", { Name: "blue", Players: [{ Id: 9, Name: "New" }] }, ofLists);
        const refused = { error: { code: "NotImplemented", target: "Players" } };
        expect(patched.json).toMatchObject(ofLists === 501 ? refused : { Id: 1, Name: "blue" });
        await write("PATCH", "Teams(1)", { Players: [{ Id: 9 }, { "@odata.type": "#x" }] }, ofLists);
        await write("PUT", "Teams(1)", { Name: "blue", Players: [{}] }, ofLists);
        await write("PUT", "Players(1)", { Name: "Ann", TeamId: 1, Team: { Id: 1, Name: "green" } });
        await write("PATCH", "Players(1)", { Team: { Nope: 1 } });
        const list = [
          message("Teams", "Players"),
          expect.objectContaining({ set: "Teams", navigation: "Players", method: "PATCH", path: "/Teams(1)" }),
        ];
        expect(records).toEqual([
          ...(ofLists === 501 ? [] : [list]),
          [
            message("Players", "Team"),
            expect.objectContaining({ set: "Players", navigation: "Team", method: "PUT", path: "/Players(1)" }),
          ],
        ]);
      });

      test("no record for null, an empty collection, or a request without them", async () => {
        const { service, records } = await start(profile);
        const ask = door.to(service);
        for (const [method, path, body] of [
          ["PATCH", "Teams(1)", { Name: "blue", Players: [] }],
          ["PATCH", "Players(1)", { Team: null }],
          ["PUT", "Players(1)", { Name: "Ann", TeamId: null }],
        ] as const) {
          expect((await ask(`/${path}`, JSON_BODY, method, JSON.stringify(body))).status).toBe(200);
        }
        expect(records).toEqual([]);
      });

      test("in a batch, too", async () => {
        const { service, records } = await start(profile);
        const requests = ["1", "2"].map((id) => {
          return { id, method: "PATCH", url: "Teams(1)", body: { Players: [{ Id: 1 }] } };
        });
        // The second one runs although the first one has failed.
        const continued = { ...JSON_BODY, Prefer: "continue-on-error" };
        const answer = await door.to(service)("/$batch", continued, "POST", JSON.stringify({ requests }));
        expect(answer.json.responses).toMatchObject([{ status: ofLists }, { status: ofLists }]);
        const record = [message("Teams", "Players"), expect.objectContaining({ path: "/Teams(1)" })];
        expect(records).toEqual(ofLists === 501 ? [] : [record]);
      });
    },
  );
});
