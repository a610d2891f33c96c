import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { expect, test } from "vitest";

const Person = entityType("Person", { id: edm.int32().key(), name: edm.string() });

/** People who all know each other: of as few as these there are millions of ways from one to the next. */
function everybody(): readonly object[] {
  const people = Array.from({ length: 12 }, (_none, id) => ({ id, name: `p${String(id)}`, friends: [] as object[] }));
  for (const person of people) person.friends = people.filter((other) => other !== person);
  return people;
}

test("a deep insert whose handler returns a tangle is answered, and nobody in it is entered without end", async () => {
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

test("a row rule along a navigation that nothing loads is a logged failure, and tells no client of rows", async () => {
  const errors: unknown[] = [];
  const rows = [{ id: 1, name: "a" }];
  const service = odataService({
    logger: { error: (_message, { error }) => errors.push(error), warn: () => {}, info: () => {} },
    authenticate: () => ({ id: "ann" }),
    entitySets: [
      entitySet(Person, {
        name: "People",
        queryable: () => arraySource(Person, rows),
        getByKey: (key) => rows.find(({ id }) => id === key) ?? null,
        navigation: { boss: hasOptional(Person, { target: "People" }) },
        authorization: { rows: (_user, person) => person.boss.name.eq("z") },
      }),
    ],
  });
  for (const path of ["/People", "/People(1)", "/People/$count"]) {
    const response = await service.fetch(new Request(`http://service.example${path}`));
    expect(response.status, path).toBe(500);
    expect(await response.text()).not.toMatch(/Boss|rule/i);
  }
  expect(errors.map(String)).toContain(
    "Error: Paths through 'Boss' are not offered in The row rule of People: no handler loads it, and neither does the data source.",
  );
});
