import { sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  type ODataService,
  type ServiceOptions,
  withDerived,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { ENGINES, type DatabaseName, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../http/model.ts";

/** Animals of several types, in memory and in one table of each database. */

export const Animal = entityType(
  "Animal",
  {
    id: edm.int32().key(),
    name: edm.string({ maxLength: 40 }),
    keeperId: edm.int32().nullable(),
    version: edm.int32(),
  },
  { abstract: true },
);
export const Dog = entityType("Dog", { barks: edm.int32(), breed: edm.string().nullable() }, { base: Animal });
export const Puppy = entityType("Puppy", { born: edm.date() }, { base: Dog });
export const Cat = entityType("Cat", { lives: edm.int32().default(9) }, { base: Animal });
export const Keeper = entityType("Keeper", { id: edm.int32().key(), name: edm.string() });

const KINDS = { Animal: "a", Dog: "d", Puppy: "p", Cat: "c" };

interface Row {
  readonly "@odata.type": keyof typeof KINDS;
  readonly id: number;
  readonly name: string;
  readonly keeperId: number | null;
  readonly version: number;
  readonly barks?: number;
  readonly breed?: string | null;
  readonly born?: string;
  readonly lives?: number;
}

const ROWS: readonly Row[] = [
  { "@odata.type": "Dog", id: 1, name: "Rex", keeperId: 1, version: 1, barks: 5, breed: "Pug" },
  { "@odata.type": "Cat", id: 2, name: "Tom", keeperId: 1, version: 1, lives: 7 },
  { "@odata.type": "Puppy", id: 3, name: "Bit", keeperId: 2, version: 1, barks: 2, breed: null, born: "2026-01-02" },
  { "@odata.type": "Cat", id: 4, name: "Mia", keeperId: null, version: 1, lives: 9 },
];
const KEEPERS = [
  { id: 1, name: "Ann" },
  { id: 2, name: "Bob" },
];

/** A service with the animals, in one place. */
export interface Zoo {
  readonly service: ODataService;
  readonly failures: readonly unknown[];
  readonly close: () => Promise<void>;
}

export interface ZooPlace {
  readonly title: string;
  readonly open: (options?: object, service?: Partial<ServiceOptions>) => Promise<Zoo>;
}

const navigation = {
  keeper: hasOptional(() => Keeper, { on: { keeperId: "id" }, target: "Keepers", partner: "animals" }),
};
const animalsOf = {
  animals: hasMany(() => Animal, { on: { id: "keeperId" }, target: "Animals", partner: "keeper" }),
};

function serviceOf(
  entitySets: ServiceOptions["entitySets"],
  options: Partial<ServiceOptions>,
): { service: ODataService; failures: unknown[] } {
  const failures: unknown[] = [];
  const service = odataService({
    prefix: "/odata",
    namespace: "Zoo",
    profile: "standard",
    logger: { ...noFailures, error: (message, fields) => failures.push([message, fields?.["error"]]) },
    entitySets,
    ...options,
  });
  return { service, failures };
}

const MEMORY: ZooPlace = {
  title: "memory",
  open: (options = {}, settings = {}) => {
    const rows = new Map<number, object>(ROWS.map((row) => [row.id, row]));
    const save = (id: number, row: object): object => {
      rows.set(id, row);
      return row;
    };
    const animals = entitySet(Animal, {
      derived: [Dog, Puppy, Cat],
      navigation,
      queryable: () => arraySource(Animal, [...rows.values()] as never),
      getByKey: (id) => (rows.get(id) ?? null) as never,
      create: (animal) => save(animal.id, animal) as never,
      replace: (id, animal) => (rows.has(id) ? save(id, { ...animal, id }) : null) as never,
      patch: (id, delta) => (rows.has(id) ? save(id, { ...rows.get(id), ...delta }) : null) as never,
      delete: (id) => rows.delete(id),
      ...options,
    });
    const keepers = entitySet(Keeper, {
      queryable: () => arraySource(Keeper, KEEPERS),
      getByKey: (id) => KEEPERS.find((each) => each.id === id) ?? null,
      navigation: animalsOf,
    });
    return Promise.resolve({ ...serviceOf([animals, keepers], settings), close: () => Promise.resolve() });
  },
};

const TYPES: Readonly<Record<DatabaseName, readonly [text: string, date: string]>> = {
  sqlite: ["text", "text"],
  postgres: ["varchar(40)", "date"],
  mariadb: ["varchar(40)", "date"],
};

async function makeTables({ db }: OpenDatabase, name: DatabaseName): Promise<void> {
  const [text, date] = TYPES[name];
  const cell = (value: string | number | null | undefined): string => {
    if (value === undefined || value === null) return "null";
    return typeof value === "number" ? String(value) : `'${value}'`;
  };
  const kept = ROWS.map((row) => {
    const { id, name: called, keeperId, version, barks, breed, born, lives } = row;
    return [KINDS[row["@odata.type"]], id, called, keeperId, version, barks, breed, born, lives].map(cell).join();
  });
  const commands = [
    `create table keepers (id int primary key not null, name ${text} not null)`,
    `create table animals (kind ${text} not null, id int primary key not null, name ${text} not null,
      keeper_id int references keepers (id), version int not null, barks int, breed ${text}, born ${date}, lives int)`,
    ...KEEPERS.map((each) => `insert into keepers values (${String(each.id)}, '${each.name}')`),
    ...kept.map((row) => `insert into animals values (${row})`),
  ];
  for (const command of commands) await sql.raw(command).execute(db);
}

const TABLES: readonly ZooPlace[] = ENGINES.map(({ title, name, open }) => ({
  title,
  open: async (options = {}, settings = {}) => {
    const database = await open();
    await makeTables(database, name);
    const { db } = database;
    const animals = sqlEntitySet(withDerived(Animal, [Dog, Puppy, Cat]), {
      db,
      table: "animals",
      operations: ["read", "create", "replace", "patch", "delete"],
      columns: { "@odata.type": { name: "kind", storage: { values: KINDS } }, keeperId: "keeper_id" },
      navigation,
      ...options,
    });
    const keepers = sqlEntitySet(Keeper, { db, table: "keepers", operations: ["read"], navigation: animalsOf });
    return { ...serviceOf([animals, keepers], settings), close: () => database.close() };
  },
}));

export const PLACES: readonly ZooPlace[] = [MEMORY, ...TABLES];
