import { edm, entitySet, entityType, hasOptional, odataService, singleton } from "odatakit";
import { beforeEach, expect, test } from "vitest";
import { eachDoor, expectError, ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";

const Team = entityType("Team", { id: edm.int32().key() });
const Person = entityType("Person", {
  id: edm.int32().key(),
  teamId: edm.int32().nullable(),
  bossId: edm.int32().nullable(),
});
const Setup = entityType("Setup", { id: edm.int32().key(), teamId: edm.int32().nullable() });

interface Row {
  readonly id: number;
  readonly teamId: number | null;
  readonly bossId: number | null;
}

let people: Map<number, Row>;
let setup: { id: number; teamId: number | null };
let me: number | null;
let assistants: string[];
beforeEach(() => {
  people = new Map([1, 2].map((id) => [id, { id, teamId: null, bossId: null }]));
  me = 1;
  assistants = [];
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
  navigation: {
    ...navigation,
    boss: hasOptional(Person, { on: { bossId: "id" }, target: "Persons" }),
    assistant: hasOptional(Person, { target: "Persons", setRef: (_key, id) => void assistants.push(id) }),
  },
});
const service = odataService({
  namespace: "Kit",
  profile: "standard",
  logger: noFailures,
  entitySets: [persons, entitySet(Team, { getByKey: (id) => (id < 3 ? { id } : null) })],
  singletons: [
    singleton(Person, { name: "Me", from: persons, key: () => me }),
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

  test("a link names the entity of a singleton", async () => {
    expect((await patch("Persons(2)", { "Boss@odata.bind": "Me" })).json).toMatchObject({ BossId: 1 });
    me = 2;
    expect((await patch("Persons(1)", { "Boss@odata.bind": "/Me" })).json).toMatchObject({ BossId: 2 });
    const set = (id: string) =>
      send(
        "/Persons(2)/Assistant/$ref",
        { "Content-Type": "application/json" },
        "PUT",
        JSON.stringify({ "@odata.id": id }),
      );
    expect((await set("Me")).status).toBe(204);
    expect(assistants).toEqual([`${ORIGIN}/Persons(2)`]);
  });

  test.each([null, 9])("a singleton without an entity is missing: %s", async (key) => {
    me = key;
    const fault = { status: 400, code: "InvalidBody", target: "Boss@odata.bind", message: /no entity/ };
    expectError(await patch("Persons(1)", { "Boss@odata.bind": "Me" }), fault);
  });

  test("a singleton of another set is no target", async () => {
    const fault = { status: 400, code: "InvalidBody", target: BIND, message: /leads to Teams/ };
    expectError(await patch("Me", { [BIND]: "Me" }), fault);
    expectError(await patch("Me", { [BIND]: "Setup" }), { ...fault, message: /./ });
  });
});
