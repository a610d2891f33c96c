import { sql } from "kysely";
import {
  action,
  applyDelta,
  complexType,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { ORIGIN, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Home = complexType("Home", { street: edm.string(), city: edm.string().nullable(), zip: edm.int32().nullable() });
const Pet = entityType("Pet", { id: edm.int32().key(), name: edm.string() });
const Person = entityType("Person", {
  id: edm.int32().key(),
  name: edm.string(),
  nick: edm.string().nullable(),
  home: edm.complex(Home).nullable(),
  tags: edm.collection(edm.string()),
  bestId: edm.int32().nullable(),
});
type PersonRow = EntityOf<typeof Person>;

const people = (): PersonRow[] => [
  { id: 1, name: "Ann", nick: null, home: { street: "Via 1", city: "Rome", zip: 7 }, tags: ["a"], bestId: 2 },
  { id: 2, name: "Ben", nick: "B", home: null, tags: [], bestId: null },
];

export const PROFILES = ["standard", "specification"] as const;
export type Profile = (typeof PROFILES)[number];

const operations = {
  functions: {
    version: fn({ returns: edm.string(), handler: () => "1" }),
    greet: fn({ params: { who: edm.string() }, returns: edm.string(), handler: ({ who }) => who }),
    maybe: fn({ params: { who: edm.string().default("x") }, returns: edm.string(), handler: ({ who }) => who }),
    everyone: fn({ returns: edm.collection(Person), handler: () => people() }),
    listed: fn({ returns: edm.collection(Person), composable: true, handler: () => people() }),
    first: fn({ returns: Person, handler: () => people()[0]! }),
  },
  actions: { ping: action({ handler: () => undefined }) },
} as const;

const common = (profile: Profile) => ({ prefix: "/p", namespace: "Net", profile, logger: noFailures, ...operations });

/** People over handlers: a new list for each service. */
export function peopleByHandlers(profile: Profile): Service {
  const rows = people();
  const find = (id: number) => rows.find((each) => each.id === id);
  const save = (saved: PersonRow): PersonRow => {
    rows.splice(0, rows.length, ...rows.filter(({ id }) => id !== saved.id), saved);
    return saved;
  };
  return odataService({
    ...common(profile),
    entitySets: [
      entitySet(Person, {
        name: "People",
        getAll: () => rows,
        getByKey: (id) => find(id) ?? null,
        create: (person) => save({ ...person, home: person.home, tags: [...person.tags] }),
        replace: (id, person) => (find(id) === undefined ? null : save({ ...person, tags: [...person.tags] })),
        patch: (id, delta) => {
          const old = find(id);
          return old === undefined ? null : save(applyDelta(Person, old, delta));
        },
        navigation: {
          best: hasOptional(Person, { target: "People", get: (id) => find(find(id)?.bestId ?? 0) ?? null }),
          fans: hasMany(Person, { target: "People", get: (id) => rows.filter(({ bestId }) => bestId === id) }),
          pets: hasMany(Pet, { get: () => [{ id: 1, name: "Rex" }], create: (_id, pet) => pet }),
          pet: hasOptional(Pet, { get: () => ({ id: 1, name: "Rex" }) }),
        },
        functions: {
          nearby: fn(Person, { bound: "entity", returns: edm.collection(edm.string()), handler: (_id) => ["x"] }),
        },
      }),
      entitySet(Person, {
        name: "Locked",
        getAll: () => rows,
        getByKey: (id) => rows.find((row) => row.id === id) ?? null,
        filterEnabled: false,
        applyEnabled: false,
        computeEnabled: false,
      }),
    ],
  });
}

/** The same people in a table. */
export async function peopleByTable(profile: Profile): Promise<Service & { readonly close: () => Promise<void> }> {
  const { db, close } = await openSql();
  await sql`create table people (id integer primary key, name text not null, nick text, home_street text,
    home_city text, home_zip integer, tags text not null, "bestId" integer)`.execute(db);
  const rows = people().map(({ home, tags, ...person }) => ({
    ...person,
    tags: JSON.stringify(tags),
    home_street: home?.street ?? null,
    home_city: home?.city ?? null,
    home_zip: home?.zip ?? null,
  }));
  await db.insertInto("people").values(rows).execute();
  const service = odataService({
    ...common(profile),
    entitySets: [
      sqlEntitySet(Person, {
        name: "People",
        db,
        table: "people",
        operations: ["read", "create", "replace", "patch"],
        navigation: {
          best: hasOptional(Person, { target: "People", on: { bestId: "id" } }),
          fans: hasMany(Person, { target: "People", on: { id: "bestId" } }),
        },
      }),
    ],
  });
  return { ...service, close };
}

/** A context URL of these services. */
export const context = (fragment: string) => ({ "@odata.context": `${ORIGIN}/p/$metadata${fragment}` });
