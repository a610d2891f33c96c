import {
  allRows,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  type CollectionQuery,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { bindAnnotations } from "../../../src/definition/annotations/bind-annotations.ts";
import { buildServiceDefinition } from "../../../src/definition/startup/build-service-definition.ts";
import { applyQuery as applyInMemory } from "../../../src/engine/memory/apply-query.ts";
import { ROW_RULES } from "../../../src/engine/reads/gate.ts";

/** Sets that apply queries themselves: row rules reach them as parts of the query. */

const Team = entityType("Team", { id: edm.int32().key(), name: edm.string() });
const Player = entityType("Player", {
  id: edm.int32().key(),
  name: edm.string(),
  teamId: edm.int32(),
  isSecret: edm.boolean(),
});

const TEAMS = [
  { id: 1, name: "red" },
  { id: 2, name: "blue" },
];
const PLAYERS = [
  { id: 10, name: "Ann", teamId: 1, isSecret: false },
  { id: 11, name: "Bob", teamId: 1, isSecret: true },
  { id: 12, name: "Cid", teamId: 2, isSecret: false },
  { id: 13, name: "Dan", teamId: 1, isSecret: false },
];

const silent = (): void => undefined;
const logger = { error: silent, warn: silent, info: silent };

interface Given {
  /** Whether teams are loaded with their players. */
  readonly isPopulated?: boolean;
  readonly isAdmin?: boolean;
}

function start({ isPopulated = false, isAdmin = false }: Given = {}) {
  const queries: CollectionQuery[] = [];
  const { model } = buildServiceDefinition(
    { entitySets: [entitySet(Team, { getAll: () => [] }), entitySet(Player, { getAll: () => [] })] },
    logger,
    ROW_RULES,
    bindAnnotations,
  );
  const apply = (type: string, rows: readonly object[]) => (query: CollectionQuery) => {
    queries.push(query);
    const entityType = model.entityTypes.get(type);
    if (entityType === undefined) throw new Error(`There is no type ${type}.`);
    const shape = { entityType, roundingMode: "spec-compliant" } as const;
    const { entities, count } = applyInMemory(rows, { ...query, shape, values: [] });
    return { items: entities as never, ...(count === undefined ? {} : { count }) };
  };
  const players = (id: number) => PLAYERS.filter(({ teamId }) => teamId === id);
  const teams = TEAMS.map((team) => (isPopulated ? { ...team, players: players(team.id) } : team));
  const service = odataService({
    prefix: "",
    logger,
    authenticate: ({ headers }) => (headers.has("x-user") ? { id: "u" } : null),
    entitySets: [
      entitySet(Team, {
        applyQuery: apply("Team", teams),
        navigation: { players: hasMany(Player, { target: "Players" }) },
      }),
      entitySet(Player, {
        applyQuery: apply("Player", PLAYERS),
        navigation: { team: hasOptional(Team, { target: "Teams" }) },
        authorization: { rows: (_user, { isSecret }) => (isAdmin ? allRows : isSecret.eq(false)) },
      }),
    ],
  });
  const ask = async (target: string, headers: Record<string, string> = { "x-user": "u" }) => {
    const response = await service.fetch(new Request(`http://service.example${target}`, { headers }));
    const text = await response.text();
    return { status: response.status, text };
  };
  const names = async (target: string, headers?: Record<string, string>) => {
    const { text } = await ask(target, headers);
    return (JSON.parse(text) as { readonly value: readonly { readonly Name: string }[] }).value.map(({ Name }) => Name);
  };
  return { ask, names, queries };
}

describe("a set that applies queries by itself", () => {
  test("shows the visible rows, also in pages and counts", async () => {
    const { ask, names, queries } = start();
    expect(await names("/Players")).toEqual(["Ann", "Cid", "Dan"]);
    expect(await names("/Players?$filter=TeamId eq 1")).toEqual(["Ann", "Dan"]);
    expect(await names("/Players?$orderby=Name desc&$top=2")).toEqual(["Dan", "Cid"]);
    expect((await ask("/Players/$count")).text).toBe("3");
    expect(queries.every(({ filter }) => filter !== null)).toBe(true);
  });

  test("is not asked for somebody unknown", async () => {
    const { ask, names, queries } = start();
    expect(await names("/Players", {})).toEqual([]);
    expect((await ask("/Players/$count", {})).text).toBe("0");
    expect(queries).toEqual([]);
  });

  test.each([
    ["/Teams?$filter=Players/any()", "$filter"],
    ["/Teams?$filter=Players/$count eq 1", "$filter"],
    ["/Teams?$orderby=Players/$count", "$orderby"],
    ["/Players?$filter=Team/Players/any(p:p/IsSecret)", "$filter"],
    ["/Teams?$expand=Players($filter=Team/Players/any())", "$expand"],
  ])("cannot query rows that a rule hides: %s", async (target, option) => {
    const { ask, queries } = start();
    const { status, text } = await ask(target);
    expect(status, text).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { code: "UnsupportedQueryOption", target: option } });
    expect(queries).toEqual([]);
  });

  test("gets such a query where the user sees all", async () => {
    const { ask, queries } = start({ isAdmin: true });
    await ask("/Teams?$filter=Players/any()");
    expect(queries).toHaveLength(1);
    expect(queries[0]?.filter?.expression.kind).toBe("lambda");
  });

  test("receives the rule as a filter of the expansion, and its expanded entities are checked", async () => {
    const { ask, queries } = start({ isPopulated: true });
    const { status, text } = await ask("/Teams?$expand=Players($select=Name;$filter=Id ge 10)");
    expect(status, text).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      value: [{ Players: [{ Name: "Ann" }, { Name: "Dan" }] }, { Players: [{ Name: "Cid" }] }],
    });
    expect(text).not.toContain("Bob");
    expect(queries[0]?.expand?.[0]?.filter?.expression).toMatchObject({ kind: "logical", operator: "and" });
  });

  test("expands no rows for an anonymous user", async () => {
    const { ask, queries } = start({ isPopulated: true });
    const { status, text } = await ask("/Teams?$expand=Players", {});
    expect(status, text).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ value: [{ Players: [] }, { Players: [] }] });
    expect(queries[0]?.expand?.[0]?.filter?.expression).toMatchObject({ kind: "comparison", operator: "eq" });
  });
});
