import { sql } from "kysely";
import { entitySet, hasOptional, odataService, type EntitySet, type EntityType } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import type { AnyDatabase } from "../executors/engines.ts";
import { BY_BOOK } from "../executors/relations-distributions.ts";
import { arraySets, type Service } from "../executors/relations-memory.ts";
import { type Author, Book } from "../executors/relations-model.ts";
import { navigationsOf } from "../executors/relations-navigations.ts";
import { tableOptions, type TablesPlace } from "../executors/relations-tables.ts";
import { exceptionOf } from "./row-categories.ts";
import { hooksOf } from "./row-hooks.ts";
import { authorizationOf, operationsOf, serviceOptions, SETTINGS, type ServiceData } from "./row-memory.ts";
import { LINK_NAMES, textOf, type LinkName } from "./row-pairs.ts";
import { KEY_FIELDS, SETS, type SetName } from "./row-rules.ts";
import { TYPES, type StoredRows } from "./row-store.ts";

/**
 * How the sets over tables are read: whole tables; tables as on a distributed database, whose distribution is unknown or
 * declared; some by sources of the application; some as arrays.
 */
export const FORMS = ["tables", "distributed", "declared", "sources", "mixed"] as const;
export type Form = (typeof FORMS)[number];

/** Sets whose options are made from data, so the compiler does not know their types. */
type Untyped = (type: EntityType, options: object) => EntitySet;

const OPERATIONS = ["read", "create", "replace", "patch", "delete"] as const;
/** The sets over arrays, where some are. */
const IN_ARRAYS: ReadonlySet<SetName> = new Set(["publishers", "notes"]);

/** A service over the tables of the model, which can be written. */
export function tableRows(given: ServiceData, place: TablesPlace, form: Form): Service {
  const { data, categories } = given;
  const make = sqlEntitySet as unknown as Untyped;
  const makeOverArrays = entitySet as unknown as Untyped;
  const layout = form === "declared" ? BY_BOOK : null;
  const options = tableOptions({ ...place, distributed: layout ?? form === "distributed" });
  const toTables = navigationsOf("tables", data, undefined, layout?.links);
  const toArrays = navigationsOf("batches", data);
  return odataService({
    ...serviceOptions(given),
    // The tables are made without `not null`.
    schemaCheck: false,
    entitySets: SETS.map((set) => {
      const common = { ...SETTINGS[set], ...authorizationOf(set, given), ...operationsOf(set, data) };
      if (form === "mixed" && IN_ARRAYS.has(set)) {
        const navigation = withExceptions(set, toArrays[set], categories);
        return makeOverArrays(TYPES[set], { ...common, ...arraySets(data)[set], navigation });
      }
      const navigation = { ...navigationOf(form, toTables[set], toArrays[set]), ...(set === "authors" ? LATEST : {}) };
      return make(TYPES[set], {
        ...options[set],
        ...common,
        operations: OPERATIONS,
        ...hooksOf(set, given.isHooked),
        ...(form === "sources" ? narrowed(place.db, set, options[set]) : {}),
        navigation: withExceptions(set, navigation, categories),
      });
    }),
  });
}

/** A navigation to a row that refers to the parent: writing the link changes that row, which may be hidden. */
const LATEST = { latest: hasOptional<typeof Author, typeof Book>(Book, { target: "Books", on: { id: "authorId" } }) };

interface Declared {
  readonly options: object;
}

/** The same navigations; some of them skip the rules of their target sets. */
function withExceptions(
  set: SetName,
  navigations: Readonly<Record<string, Declared>>,
  categories: ServiceData["categories"],
): object {
  const pairs = Object.entries(navigations).map(([name, declared]) => {
    return [name, { ...declared, options: { ...declared.options, ...exceptionOf(set, name, categories) } }] as const;
  });
  return Object.fromEntries(pairs);
}

/** Handlers of navigations to an array, or by links from a source of the application; joins for all others. */
function navigationOf(
  form: Form,
  toTables: Readonly<Record<string, Declared>>,
  toArrays: Readonly<Record<string, Declared>>,
): Readonly<Record<string, Declared>> {
  const isHandled = (options: object): boolean => {
    const target: unknown = Reflect.get(options, "target");
    if (form === "mixed") return target === "Publishers" || target === "Notes";
    return form === "sources" && Reflect.get(Reflect.get(options, "through") ?? {}, "table") === "book_tags";
  };
  const pairs = Object.entries(toTables).map(([name, declared]) => {
    return [name, isHandled(declared.options) ? (toArrays[name] ?? declared) : declared] as const;
  });
  return Object.fromEntries(pairs);
}

/** A source of the application in each possible form. */
function narrowed(db: AnyDatabase, set: SetName, options: object): object {
  const source = sqlSource as unknown as (type: EntityType, options: object) => unknown;
  const from: Readonly<Partial<Record<SetName, () => unknown>>> = {
    books: () => db.selectFrom("books").selectAll(),
    chapters: () => ({ sql: "select * from chapters", parameters: [] }),
    notes: () =>
      db
        .selectFrom("notes")
        .selectAll()
        .where(sql<boolean>`1 = 1`),
  };
  const rows = from[set];
  if (rows === undefined) return {};
  const search = set === "books" ? { search: undefined } : {};
  const columns: unknown = Reflect.get(options, "columns") ?? {};
  return { queryable: () => source(TYPES[set], { db, from: rows(), columns }), ...search };
}

const LINK_TABLES: Readonly<Record<LinkName, readonly [table: string, columns: readonly string[]]>> = {
  authorTags: ["author_tags", ["author", "tag"]],
  bookTags: ["book_tags", ["book", "tag"]],
  friends: ["friends", ["author", "friend"]],
  publisherTags: ["publisher_tags", ["p_country", "p_number", "tag"]],
};

/** Reads all tables without the service. */
export async function storedRows(db: AnyDatabase): Promise<StoredRows> {
  const read = async (table: string, key: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    // As strings: not every driver returns all digits of a number.
    const keys = key.map((column) => sql`concat(${sql.id(column)}, '') as ${sql.id(`key_${column}`)}`);
    const selected = sql`select t.*, ${sql.join(keys)} from ${sql.id(table)} as t`;
    const { rows } = await sql<Readonly<Record<string, unknown>>>`${selected}`.execute(db);
    return new Map(
      rows.map((row) => [JSON.stringify(key.map((column) => String(row[`key_${column}`]))), textOf(row)] as const),
    );
  };
  const found: Record<string, ReadonlyMap<string, string>> = {};
  for (const set of SETS) found[set] = await read(set, KEY_FIELDS[set]);
  for (const links of LINK_NAMES) found[links] = await read(...LINK_TABLES[links]);
  return found as StoredRows;
}
