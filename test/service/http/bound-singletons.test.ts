import { edm, entitySet, entityType, hasOptional, odataService, singleton } from "odatakit";
import { beforeEach, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { noFailures } from "./model.ts";

const Team = entityType("Team", { id: edm.int32().key() });
const Person = entityType("Person", { id: edm.int32().key(), teamId: edm.int32().nullable() });
const Setup = entityType("Setup", { id: edm.int32().key(), teamId: edm.int32().nullable() });

let people: Map<number, { id: number; teamId: number | null }>;
let setup: { id: number; teamId: number | null };
beforeEach(() => {
  people = new Map([[1, { id: 1, teamId: null }]]);
  setup = { id: 1, teamId: null };
});

const navigation = { team: hasOptional(Team, { on: { teamId: "id" }, target: "Teams" }) };
const persons = entitySet(Person, {
  getByKey: (id) => people.get(id) ?? null,
  patch: (id, delta) => {
    const stored = people.get(id);
    if (stored === undefined) return null;
    people.set(id, { ...stored, ...delta });
    return people.get(id) ?? null;
  },
  navigation,
});
const service = odataService({
  namespace: "Kit",
  profile: "standard",
  logger: noFailures,
  entitySets: [persons, entitySet(Team, { getByKey: (id) => (id < 3 ? { id } : null) })],
  singletons: [
    singleton(Person, { name: "Me", from: persons, key: () => 1 }),
    singleton(Setup, {
      name: "Setup",
      get: () => setup,
      patch: (delta) => (setup = { ...setup, ...delta }),
      navigation,
    }),
  ],
});

eachDoor((door) => {
  const send = door.to(service);
  const patch = (path: string, body: object) =>
    send(`/${path}`, { "Content-Type": "application/json" }, "PATCH", JSON.stringify(body));
  const BIND = "Team@odata.bind";

  test.each(["Me", "Setup"])("%s links to existing entities", async (path) => {
    expect((await patch(path, { [BIND]: "Teams(2)" })).json).toMatchObject({ TeamId: 2 });
    expectError(await patch(path, { [BIND]: "Teams(9)" }), {
      status: 400,
      code: "InvalidBody",
      target: BIND,
      message: /no entity/,
    });
    expect((await patch(path, { [BIND]: null })).json).toMatchObject({ TeamId: null });
  });

  test("no link names a singleton", async () => {
    expectError(await patch("Me", { [BIND]: "Me" }), {
      status: 400,
      code: "InvalidBody",
      target: BIND,
      message: /singleton/,
    });
  });
});
