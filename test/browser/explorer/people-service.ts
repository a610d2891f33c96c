import {
  arraySource,
  edm,
  entitySet,
  entityType,
  hasOptional,
  odataService,
  role,
  type ODataService,
  type ServiceOptions,
} from "odatakit";

const Person = entityType("Person", {
  id: edm.int32().key(),
  name: edm.string(),
  salary: edm.int32().nullable(),
  grade: edm.int32().nullable(),
  pin: edm.string().nullable(),
  bossId: edm.int32().nullable(),
});
const Boss = entityType("Boss", { id: edm.int32().key(), name: edm.string() });

const SALARY = 123_456;

/** People, of whom users without a role may read and write some properties only. Users sign in by a key: `hr` or another. */
export function peopleService(routes: ServiceOptions["routes"]): ODataService {
  const people = new Map(
    [1, 2].map((id) => [id, { id, name: `p${String(id)}`, salary: SALARY, grade: null, pin: "0", bossId: 1 }]),
  );
  return odataService({
    name: "people",
    profile: "standard",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    authenticate: ({ headers }) => {
      const id = headers.get("x-api-key") ?? "guest";
      return { id, roles: [id] };
    },
    routes,
    entitySets: [
      entitySet(Person, {
        name: "People",
        queryable: () => arraySource(Person, [...people.values()]),
        getByKey: (id) => people.get(id) ?? null,
        create: ({ id, name }) => ({ id, name, salary: null, grade: null, pin: null, bossId: null }),
        patch: (id) => people.get(id) ?? null,
        delete: () => true,
        navigation: { boss: hasOptional(Boss, { on: { bossId: "id" }, target: "Bosses" }) },
        authorization: {
          delete: role("hr"),
          properties: {
            salary: { read: role("hr") },
            pin: { read: role("hr"), create: [] },
            grade: { create: role("hr"), update: role("hr") },
          },
        },
      }),
      entitySet(Boss, {
        name: "Bosses",
        queryable: () => arraySource(Boss, [{ id: 1, name: "b" }]),
        getByKey: () => ({ id: 1, name: "b" }),
        create: (boss) => boss,
        authorization: { read: role("hr"), create: role("hr") },
      }),
    ],
  });
}
