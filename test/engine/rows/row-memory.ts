import {
  arraySource,
  entitySet,
  hasMany,
  hasOptional,
  hasRequired,
  isODataError,
  odataService,
  role,
  type EntitySet,
  type EntityType,
  type ODataError,
} from "odatakit";
import { arraySets, COMMON, type Service, type Shared } from "../executors/relations-memory.ts";
import type { Relations } from "../executors/relations-model.ts";
import { categoriesOf, exceptionOf, type CategoryRules } from "./row-categories.ts";
import { hooksOf } from "./row-hooks.ts";
import { authorOperations, bookOperations, unboundOperations, type HandOut } from "./row-operations.ts";
import type { PrivateProperty } from "./row-pairs.ts";
import { applyTo } from "./row-query.ts";
import { ROW_RULES, SETS, userNamed, type Row, type SetName } from "./row-rules.ts";
import { RowStore, TYPES, type Navigation, type StoredRows } from "./row-store.ts";

/**
 * How the sets over arrays are read: by sources, by handlers for one key, by `applyQuery` and batches, or with entities
 * that contain their related entities.
 */
export const STYLES = ["sources", "handlers", "batches", "loaded"] as const;
export type Style = (typeof STYLES)[number];

/** Whether entities contain their related entities. */
const isPopulated = (style: Style): boolean => style === "sources" || style === "loaded";

/** Sets whose handlers are made from data, so the compiler does not know their types. */
type Untyped = (type: EntityType, options: object) => EntitySet;

/** The options of each set, for arrays and tables. */
export const SETTINGS: Readonly<Record<SetName, object>> = {
  publishers: { idempotentDelete: false },
  authors: { etag: ["name"], allowDeepInsert: true },
  books: { etag: ["title", "price"], allowUpsert: true, allowDeepInsert: true },
  chapters: {},
  notes: { etag: ["text"] },
  tags: { allowUpsert: true },
};

/** The parameters of a service. */
export interface ServiceData {
  readonly data: Relations;
  /** Whether row rules hide rows. */
  readonly isGuarded: boolean;
  readonly shared: Shared;
  /** The rules of the categories, if any. */
  readonly categories?: CategoryRules | undefined;
  /** The property that no user may read, if any. */
  readonly hidden?: PrivateProperty | undefined;
  /** Whether writes pass hooks, and the server sets values. */
  readonly isHooked?: boolean;
}

/** The rules of a set, and its masked property. */
export function authorizationOf(set: SetName, { isGuarded, categories, hidden }: ServiceData): object {
  const rows = isGuarded && set !== "tags" ? { rows: ROW_RULES[set] } : {};
  const own = hidden?.set === set ? hidden : undefined;
  const isRuled = own !== undefined && own.isMasked !== true;
  const properties = isRuled ? { properties: { [own.field]: { read: role("nobody's") } } } : {};
  const rules = { ...categoriesOf(set, categories), ...rows, ...properties };
  const virtual = own?.isMasked === true ? { virtual: { [own.field]: maskOf(own) } } : {};
  return Object.keys(rules).length === 0 ? virtual : { authorization: rules, ...virtual };
}

function maskOf({ field }: PrivateProperty): object {
  const shown = field === "words" ? ["masked"] : null;
  return { needs: [field], read: (rows: readonly object[]) => rows.map(() => shown) };
}

/** The operations of a set. */
export function operationsOf(set: SetName, data: Relations, handOut?: HandOut): object {
  if (set === "books") return bookOperations(data, handOut);
  return set === "authors" ? authorOperations(data, handOut) : {};
}

/** The options that all services here share. */
export function serviceOptions({ data, shared, categories }: ServiceData, handOut?: HandOut) {
  const { functions, actions } = unboundOperations(data, handOut);
  return {
    ...COMMON,
    ...shared,
    functions,
    actions: { ...actions, ...shared.actions },
    authenticate: ({ headers }: { readonly headers: Headers }) => userNamed(headers.get("x-user"), categories?.roles),
  };
}

/** Makes a service over arrays whose rows can be written, and returns its current rows. */
export function memoryRows(given: ServiceData, style: Style) {
  const { data, categories } = given;
  const store = new RowStore(data);
  const make = entitySet as unknown as Untyped;
  const handOut: HandOut | undefined = isPopulated(style)
    ? (set, entity) => populated(store, set, entity as unknown as Row) as unknown as typeof entity
    : undefined;
  const service: Service = odataService({
    ...serviceOptions(given, handOut),
    entitySets: SETS.map((set) =>
      make(TYPES[set], {
        ...SETTINGS[set],
        ...authorizationOf(set, given),
        ...operationsOf(set, data, handOut),
        ...readHandlers(store, set, style),
        ...writeHandlers(store, set, style),
        ...hooksOf(set, given.isHooked),
        navigation: Object.fromEntries(
          store.navigations[set].map((navigation) => {
            const exception = exceptionOf(set, navigation.name, categories);
            return [navigation.name, declare(store, set, navigation, style, exception)] as const;
          }),
        ),
      }),
    ),
  });
  return { service, stored: (): Promise<StoredRows> => Promise.resolve(store.stored()) };
}

/** Rows with their related entities, visible or not, as an application may return them. */
function populated(store: RowStore, set: SetName, row: Row, depth = Infinity): Row {
  const entity = { ...row };
  if (depth === 0) return entity;
  for (const navigation of store.navigations[set]) {
    Object.defineProperty(entity, navigation.name, {
      enumerable: true,
      get: () => {
        const related = store.related(set, navigation, row) ?? [];
        const rows = related.map((each) => populated(store, navigation.target, each, depth - 1));
        return navigation.isMany ? rows : (rows[0] ?? null);
      },
    });
  }
  return entity;
}

function readHandlers(store: RowStore, set: SetName, style: Style): object {
  const type = TYPES[set];
  const isSearched = set === "authors" || set === "books" || set === "tags";
  const handOut = (row: Row): Row => (isPopulated(style) ? populated(store, set, row) : row);
  const all = (): readonly Row[] => store.all(set).map(handOut);
  const source = () => arraySource(type, all() as never);
  const applied = {
    applyQuery: (query: never) => applyTo(all(), query),
    applyQueryOptions: ["apply", "compute"],
  };
  // Each form is used by some sets.
  const forms: Readonly<Record<Style, object>> = {
    sources: { queryable: source },
    handlers: set === "publishers" || set === "chapters" ? { queryable: source } : { getAll: asPromise(all) },
    batches: set === "authors" ? applied : { queryable: source },
    loaded: set === "notes" || set === "books" ? applied : { getAll: all },
  };
  return {
    ...forms[style],
    getByKey: (key: unknown) => {
      const found = store.find(set, key);
      return found === null ? null : handOut(found);
    },
    ...(isSearched ? { search: (search: never) => arraySets(store.data)[set].search(search) } : {}),
  };
}

function asPromise<T>(read: () => T): () => Promise<T> {
  return () => Promise.resolve(read());
}

function writeHandlers(store: RowStore, set: SetName, style: Style): object {
  /** Returns the saved row, with its related entities where entities contain them. */
  const saved = <T extends Row | ODataError | null>(row: T): T | Row =>
    isPopulated(style) && row !== null && !isODataError(row) ? populated(store, set, row, 3) : row;
  return {
    create: (body: Row) => saved(store.create(set, body)),
    replace: (key: unknown, body: Row) => saved(store.replace(set, key, body)),
    patch: (key: unknown, delta: Row) => saved(store.patch(set, key, delta)),
    delete: (key: unknown) => store.delete(set, key),
  };
}

/** A navigation with handlers, or with a join for expressions over the related entities in the rows. */
function declare(store: RowStore, set: SetName, navigation: Navigation, style: Style, exception: object): object {
  const { target, isMany, on } = navigation;
  const links = isMany
    ? {
        addRef: (key: unknown, id: string) => store.link(set, navigation, key, id),
        removeRef: (key: unknown, id: string) => store.unlink(set, navigation, key, id),
        create: (key: unknown, body: Row) => store.createRelated(set, navigation, key, body),
      }
    : {
        setRef: (key: unknown, id: string) => store.link(set, navigation, key, id),
        removeRef: (key: unknown) => store.unlink(set, navigation, key, null),
      };
  const options = {
    target: SET_TITLES[target],
    ...links,
    ...loading(store, set, navigation, style),
    ...joined(style, on),
    ...exception,
  };
  const to = TYPES[target];
  if (isMany) return hasMany(to, options as object);
  // The book of a chapter is part of its key.
  return set === "chapters" ? hasRequired(to, options as object) : hasOptional(to, options as object);
}

const SET_TITLES: Readonly<Record<SetName, string>> = {
  publishers: "Publishers",
  authors: "Authors",
  books: "Books",
  chapters: "Chapters",
  notes: "Notes",
  tags: "Tags",
};

function joined(style: Style, on: Navigation["on"]): object {
  return style === "sources" && on !== null ? { on: Object.fromEntries(on) } : {};
}

function loading(store: RowStore, set: SetName, navigation: Navigation, style: Style): object {
  const load = (key: unknown): unknown => {
    const related = store.related(set, navigation, key);
    return navigation.isMany || related === null ? related : (related[0] ?? null);
  };
  if (isPopulated(style)) return {};
  if (style === "handlers") return { get: (key: unknown) => Promise.resolve(load(key)) };
  return {
    getBatch: (keys: readonly unknown[]) => {
      const pairs = keys.map((key) => [key, load(key)] as const);
      return new Map(pairs.filter(([, found]) => found !== null));
    },
  };
}
