import { Kysely } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  type RowPredicate,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTable, ENGINES, insertRow, type AnyDatabase, type OpenDatabase } from "./engines.ts";

/** An expansion by `on` reads the target set wherever its entities are, and wherever those of the parents are. */

const Team = entityType("Team", { id: edm.int32().key(), name: edm.string(), leadId: edm.int32().nullable() });
const Person = entityType("Person", {
  id: edm.int32().key(),
  name: edm.string(),
  teamId: edm.int32().nullable(),
  rank: edm.int32(),
});
const TEAMS = [
  { id: 1, name: "red", leadId: 12 },
  { id: 2, name: "blue", leadId: null },
  { id: 3, name: "green", leadId: 99 },
];
// Not in the order of the key.
const PEOPLE = [
  { id: 12, name: "Cai", teamId: 1, rank: 2 },
  { id: 10, name: "Ada", teamId: 1, rank: 1 },
  { id: 11, name: "Ben", teamId: 2, rank: 5 },
  { id: 13, name: "Dee", teamId: null, rank: 3 },
];

const ON = {
  people: hasMany(Person, { on: { id: "teamId" }, target: "Persons", partner: "team" }),
  lead: hasOptional(Person, { on: { leadId: "id" }, target: "Persons" }),
  /** Several people match, so it leads to the one with the lowest key. */
  first: hasOptional(Person, { on: { id: "teamId" }, target: "Persons" }),
};
const BACK = { team: hasOptional(Team, { on: { teamId: "id" }, target: "Teams", partner: "people" }) };

type Place = "table" | "other table" | "array" | "handler";
const PLACES: readonly Place[] = ["table", "other table", "array", "handler"];
const PAIRS = PLACES.flatMap((teams) => PLACES.map((people) => ({ teams, people })));

const TABLES = { teams: "table", people: "table" } as const;
const PROFILES = ["specification", "standard"] as const;

interface Databases {
  readonly table: AnyDatabase;
  readonly "other table": AnyDatabase;
}

const isAnn = (name: { ne(value: string): RowPredicate }) => name.ne("Ada");

function setsOf(databases: Databases, { teams, people }: (typeof PAIRS)[number], isGuarded: boolean) {
  const operations = ["read"] as const;
  const authorization = isGuarded
    ? { rows: (_user: unknown, row: { name: Parameters<typeof isAnn>[0] }) => isAnn(row.name) }
    : {};
  const ofTeams =
    teams === "table" || teams === "other table"
      ? sqlEntitySet(Team, { db: databases[teams], table: "teams", operations, navigation: ON })
      : entitySet(Team, {
          ...(teams === "array" ? { queryable: () => arraySource(Team, TEAMS) } : { getAll: () => TEAMS }),
          getByKey: (id) => TEAMS.find((team) => team.id === id) ?? null,
          navigation: ON,
        });
  const ofPeople =
    people === "table" || people === "other table"
      ? sqlEntitySet(Person, { db: databases[people], table: "people", operations, navigation: BACK, authorization })
      : entitySet(Person, {
          ...(people === "array" ? { queryable: () => arraySource(Person, PEOPLE) } : { getAll: () => PEOPLE }),
          getByKey: (id) => PEOPLE.find((person) => person.id === id) ?? null,
          navigation: BACK,
          authorization,
        });
  return [ofTeams, ofPeople];
}

const PATHS = [
  "Teams?$expand=people&$orderby=id",
  "Teams?$expand=lead&$orderby=id",
  "Teams?$expand=first($select=name)&$select=name&$orderby=id",
  "Teams?$expand=people($filter=rank gt 1;$orderby=rank desc;$select=name;$count=true;$top=1)&$orderby=id",
  "Teams?$expand=people($skip=1;$orderby=name desc),lead($select=id)&$select=id&$orderby=id",
  "Teams?$expand=people/$count,lead/$ref&$orderby=id",
  "Teams?$expand=people($expand=team($select=name;$expand=lead);$orderby=id)&$select=id&$orderby=id",
  "Teams?$expand=lead($filter=rank lt 2)&$select=id&$orderby=id",
  "Teams(1)?$expand=people($orderby=id),lead",
  "Persons?$expand=team($expand=people($levels=1;$orderby=id))&$orderby=id desc&$top=2",
  "Persons(13)?$expand=team",
];

/** Paths in expressions, which a database follows only to its own tables. @param at the set that evaluates them */
const EXPRESSIONS = [
  { at: "people", path: "Teams?$expand=people($filter=team/name eq 'red';$orderby=id)&$select=id&$orderby=id" },
  { at: "teams", path: "Teams?$expand=*&$filter=people/any(p:p/rank gt 1)&$orderby=id" },
] as const;
const isTable = (place: Place): boolean => place.endsWith("table");

function pathsFor(pair: (typeof PAIRS)[number]): readonly string[] {
  const followed = EXPRESSIONS.filter(({ at }) => pair.teams === pair.people || !isTable(pair[at]));
  return [...PATHS, ...followed.map(({ path }) => path), "Teams?$expand=*&$orderby=id"];
}

describe.each(ENGINES)("expansions by `on` over $title", (engine) => {
  let open: OpenDatabase;
  let databases: Databases;
  const other = new Kysely({ dialect: sqliteDialect(":memory:") }) as AnyDatabase;

  beforeAll(async () => {
    open = await engine.open();
    databases = { table: open.db, "other table": other };
    for (const db of [open, { db: other, close: () => Promise.resolve() }]) {
      await createTable(db, "teams", { id: "int primary key", name: "varchar(20) not null", leadId: "int null" });
      const columns = { id: "int primary key", name: "varchar(20) not null", teamId: "int null", rank: "int not null" };
      await createTable(db, "people", columns);
      for (const row of TEAMS) await insertRow(db, "teams", Object.values(row));
      for (const row of PEOPLE) await insertRow(db, "people", Object.values(row));
    }
  });
  afterAll(async () => {
    await open.close();
    await other.destroy();
  });

  const serve = (pair: (typeof PAIRS)[number], isGuarded: boolean, profile: "specification" | "standard") => {
    const service = odataService({
      propertyNaming: "camelCase",
      profile,
      entitySets: setsOf(databases, pair, isGuarded),
      authenticate: () => ({ id: "ann" }),
    });
    return async (path: string): Promise<readonly [number, unknown]> => {
      const response = await service.fetch(new Request(`http://service.example/${path}`));
      return [response.status, JSON.parse(await response.text())];
    };
  };

  describe.each([false, true])("with a row rule of the target: %s", (isGuarded) => {
    /** The bodies of tables of one database, by profile and path. */
    const ofTables = new Map<string, unknown>();
    beforeAll(async () => {
      for (const profile of PROFILES) {
        const ask = serve(TABLES, isGuarded, profile);
        for (const path of pathsFor(TABLES)) ofTables.set(`${profile} ${path}`, (await ask(path))[1]);
      }
    });

    test.each(PAIRS)("from $teams to $people", async (pair) => {
      for (const profile of PROFILES) {
        const ask = serve(pair, isGuarded, profile);
        for (const path of pathsFor(pair)) {
          const expected = ofTables.get(`${profile} ${path}`);
          const [status, found] = await ask(path);
          // A handler without a source decides its order.
          const isOrdered = pair.people !== "handler" || /orderby=(rank|id\))/u.test(path);
          const compared = isOrdered ? [found, expected] : [sorted(found), sorted(expected)];
          expect([path, status, compared[0]]).toEqual([path, 200, compared[1]]);
        }
      }
    });
  });
});

/** Sorts the lists of a response by key, at every depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sorted(each)]));
}
