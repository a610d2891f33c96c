import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { expect, test } from "vitest";

const Person = entityType("Person", { id: edm.int32().key(), name: edm.string() });

/** People who all know each other: of as few as these there are millions of ways from one to the next. */
function everybody(): readonly object[] {
  const people = Array.from({ length: 12 }, (_none, id) => ({ id, name: `p${String(id)}`, friends: [] as object[] }));
  for (const person of people) person.friends = people.filter((other) => other !== person);
  return people;
}

test("a deep insert ends, and returns all direct friends, if its handler returns a cyclic graph", async () => {
  const service = odataService({
    defaults: { maxResponseEntities: 10 },
    entitySets: [
      entitySet(Person, {
        name: "People",
        allowDeepInsert: true,
        create: () => everybody()[0] as { id: number; name: string },
        navigation: { friends: hasMany(Person, { target: "People" }) },
      }),
    ],
  });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"Id":0,"Name":"p0"}' };
  const response = await service.fetch(new Request("http://service.example/People", init));
  expect(response.status).toBe(201);
  const { Friends } = (await response.json()) as { readonly Friends: readonly object[] };
  expect(Friends).toHaveLength(11);
});

test("an entity on which a row rule cannot be evaluated is hidden, with one warning in the log", async () => {
  const warnings: string[] = [];
  const rows: { id: number; name: string; boss?: object | null }[] = [
    { id: 1, name: "a" },
    { id: 2, name: "b", boss: { id: 9, name: "z" } },
    { id: 3, name: "c", boss: null },
  ];
  const service = odataService({
    logger: { error: () => {}, warn: (message) => warnings.push(message), info: () => {} },
    authenticate: () => ({ id: "ann" }),
    entitySets: [
      entitySet(Person, {
        name: "People",
        queryable: () => arraySource(Person, rows),
        getByKey: (key) => rows.find(({ id }) => id === key) ?? null,
        navigation: { boss: hasOptional(Person, { target: "People" }) },
        authorization: { rows: (_user, person) => person.boss.name.eq("y").not() },
      }),
    ],
  });
  const ask = async (path: string) => {
    const response = await service.fetch(new Request(`http://service.example/${path}`));
    return [response.status, await response.text()];
  };
  expect(await ask("People/$count")).toEqual([200, "2"]);
  expect((await ask("People(1)"))[0]).toBe(404);
  expect((await ask("People(2)"))[0]).toBe(200);
  expect((await ask("People(3)"))[0]).toBe(200);
  expect(warnings).toEqual([
    "The row rule of People follows 'People/Boss', but for some entities no handler, join or loaded value provides the related entities. These entities are hidden.",
  ]);
});

test("an entity without the join property of a rule is hidden, and does not hide the others", async () => {
  const Team = entityType("Team", { id: edm.int32().key(), name: edm.string() });
  const Player = entityType("Player", { id: edm.int32().key(), teamId: edm.int32().nullable().ignored() });
  const players: { id: number; teamId?: number | null }[] = [{ id: 1, teamId: 7 }, { id: 2 }, { id: 3, teamId: null }];
  const service = odataService({
    logger: { error: () => {}, warn: () => {}, info: () => {} },
    authenticate: () => ({ id: "ann" }),
    entitySets: [
      entitySet(Team, { queryable: () => arraySource(Team, [{ id: 7, name: "red" }]) }),
      entitySet(Player, {
        getAll: () => players as { id: number; teamId: number | null }[],
        getByKey: (key) => (players.find(({ id }) => id === key) ?? null) as { id: number; teamId: number } | null,
        navigation: { team: hasOptional(Team, { on: { teamId: "id" }, target: "Teams" }) },
        authorization: { rows: (_user, player) => player.team.name.eq("red") },
      }),
    ],
  });
  const ask = async (path: string) => (await service.fetch(new Request(`http://service.example/${path}`))).text();
  expect(await ask("Players/$count")).toBe("1");
  expect(await ask("Players?$filter=Team/Name eq 'red'&$select=Id")).toContain('"value":[{"Id":1}]');
  expect(await ask("Players(1)/Id/$value")).toBe("1");
  expect(await ask("Players(2)")).toContain("NotFound");
});
