import { applyDelta, isODataError, odataError, type EntityType } from "odatakit";
import { Author, Book, Chapter, Note, Publisher, Tag, type Relations } from "../executors/relations-model.ts";
import { navigationsOf } from "../executors/relations-navigations.ts";
import { LINK_NAMES, linkTextOf, textOf, toMutable, toRelations, type LinkName } from "./row-pairs.ts";
import { KEY_FIELDS, keyTextOf, SETS, type Row, type SetName } from "./row-rules.ts";

export const TYPES: Readonly<Record<SetName, EntityType>> = {
  publishers: Publisher,
  authors: Author,
  books: Book,
  chapters: Chapter,
  notes: Note,
  tags: Tag,
};

/** A navigation of the model, as data. */
export interface Navigation {
  readonly name: string;
  readonly target: SetName;
  readonly isMany: boolean;
  /** Property of the parent to property of the related row. */
  readonly on: ReadonlyArray<readonly [from: string, to: string]> | null;
  readonly through: LinkPath | null;
}

interface LinkPath {
  readonly links: LinkName;
  /** Property of the parent to member of the link. */
  readonly from: ReadonlyArray<readonly [field: string, member: string]>;
  /** Member of the link to property of the related row. */
  readonly to: ReadonlyArray<readonly [member: string, field: string]>;
}

const LINK_TABLES: Readonly<Record<string, LinkName>> = {
  author_tags: "authorTags",
  book_tags: "bookTags",
  friends: "friends",
  publisher_tags: "publisherTags",
};
/** Columns with other names than the members. */
const memberOf = (column: string): string => column.replace(/^p_/, "");

/** A navigation as it is declared over tables. */
interface DeclaredOptions {
  readonly target: string;
  readonly on?: Readonly<Record<string, string>>;
  readonly through?: {
    readonly table: string;
    readonly from: Readonly<Record<string, string>>;
    readonly to: Readonly<Record<string, string>>;
  };
}

function navigationsFrom(set: SetName, data: Relations): readonly Navigation[] {
  return Object.entries(navigationsOf("tables", data)[set]).map(([name, { cardinality, options }]) => {
    const { target, on, through } = options as DeclaredOptions;
    return {
      name,
      target: SETS.find((each) => each === target.toLowerCase()) ?? set,
      isMany: cardinality === "many",
      on: on === undefined ? null : Object.entries(on),
      through: through === undefined ? null : linkPathOf(through),
    };
  });
}

function linkPathOf({ table, from, to }: NonNullable<DeclaredOptions["through"]>): LinkPath {
  const links = LINK_TABLES[table];
  if (links === undefined) throw new Error(`There are no links ${table}.`);
  return {
    links,
    from: Object.entries(from).map(([field, column]) => [field, memberOf(column)]),
    to: Object.entries(to).map(([column, field]) => [memberOf(column), field]),
  };
}

/** All rows, by their key, as strings. */
export type StoredRows = Readonly<Record<SetName | LinkName, ReadonlyMap<string, string>>>;

const compare = (left: unknown, right: unknown): number => {
  if (left === right) return 0;
  return (left as string) < (right as string) ? -1 : 1;
};

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/**
 * Rows in memory, written as by an application that trusts its framework: it ignores the user, and finds, changes and
 * links any row.
 */
export class RowStore {
  readonly #lists: ReturnType<typeof toMutable>;
  readonly navigations: Readonly<Record<SetName, readonly Navigation[]>>;

  constructor(data: Relations) {
    this.#lists = toMutable(data);
    this.navigations = {
      publishers: navigationsFrom("publishers", data),
      authors: navigationsFrom("authors", data),
      books: navigationsFrom("books", data),
      chapters: navigationsFrom("chapters", data),
      notes: navigationsFrom("notes", data),
      tags: navigationsFrom("tags", data),
    };
  }

  /** The current lists. */
  get data(): Relations {
    return toRelations(this.#lists);
  }

  /** All rows and links as strings. */
  stored(): StoredRows {
    const found: Record<string, ReadonlyMap<string, string>> = {};
    for (const set of SETS) found[set] = new Map(this.#lists[set].map((row) => [keyTextOf(set, row), textOf(row)]));
    for (const links of LINK_NAMES) {
      found[links] = new Map(this.#lists[links].map((link) => [linkTextOf(links, link), textOf(link)]));
    }
    return found as StoredRows;
  }

  /** The rows of a set in the order of their keys. */
  all(set: SetName): readonly Row[] {
    const fields = KEY_FIELDS[set];
    return this.#lists[set].toSorted((left, right) => {
      for (const field of fields) {
        const order = compare(left[field], right[field]);
        if (order !== 0) return order;
      }
      return 0;
    });
  }

  find(set: SetName, key: unknown): Row | null {
    const text = this.#keyText(set, key);
    return this.#lists[set].find((row) => keyTextOf(set, row) === text) ?? null;
  }

  /** @returns null without a parent */
  related(set: SetName, { target, on, through }: Navigation, key: unknown): readonly Row[] | null {
    const parent = this.find(set, key);
    if (parent === null) return null;
    if (on !== null) {
      return this.all(target).filter((row) =>
        on.every(([from, to]) => parent[from] !== null && parent[from] === row[to]),
      );
    }
    if (through === null) return [];
    const links = this.#lists[through.links].filter((link) => through.from.every(([f, m]) => link[m] === parent[f]));
    return this.all(target).filter((row) => links.some((link) => through.to.every(([m, f]) => link[m] === row[f])));
  }

  create(set: SetName, body: Row): Row | ReturnType<typeof odataError> {
    const names = new Set(this.navigations[set].map(({ name }) => name));
    const given = Object.entries(body).filter(([name]) => !names.has(name));
    const absent = Object.keys(TYPES[set].properties).map((field) => [field, null] as const);
    const row: Row = { ...Object.fromEntries(absent), ...Object.fromEntries(given) };
    if (this.#lists[set].some((each) => keyTextOf(set, each) === keyTextOf(set, row))) {
      return odataError(409, "Taken", "There is one with that key.");
    }
    this.#lists[set].push(row);
    const saved: Record<string, unknown> = { ...row };
    for (const navigation of this.navigations[set]) {
      const nested = body[navigation.name];
      if (nested === null || nested === undefined) continue;
      const items = (navigation.isMany ? nested : [nested]) as readonly Row[];
      const created = items.map((item) => this.createRelated(set, navigation, this.#keyOf(set, row), item));
      const failed = created.find(isODataError);
      if (failed !== undefined) {
        this.#lists[set] = this.#lists[set].filter((each) => each !== row);
        return failed;
      }
      saved[navigation.name] = navigation.isMany ? created : created[0];
    }
    return saved;
  }

  createRelated(set: SetName, navigation: Navigation, key: unknown, body: Row): ReturnType<RowStore["create"]> | null {
    const parent = this.find(set, key);
    if (parent === null) return null;
    const linked = (navigation.on ?? []).map(([from, to]) => [to, parent[from]] as const);
    const created = this.create(navigation.target, { ...body, ...Object.fromEntries(linked) });
    if (isODataError(created)) return created;
    this.#link(navigation, parent, created);
    return created;
  }

  replace(set: SetName, key: unknown, body: Row): Row | null {
    return this.#change(set, key, (row) => {
      const names = new Set(this.navigations[set].map(({ name }) => name));
      return { ...row, ...Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name))) };
    });
  }

  patch(set: SetName, key: unknown, delta: Row): Row | null {
    return this.#change(set, key, (row) => applyDelta(TYPES[set], row as never, delta as never));
  }

  delete(set: SetName, key: unknown): boolean {
    const found = this.find(set, key);
    this.#lists[set] = this.#lists[set].filter((row) => row !== found);
    return found !== null;
  }

  /** Adds or sets a link. */
  link(set: SetName, navigation: Navigation, key: unknown, id: string): void | ReturnType<typeof odataError> {
    const parent = this.find(set, key);
    const target = this.#named(navigation.target, id);
    if (parent === null || target === null) return odataError(404, "NotFound", "There is nothing to link.");
    this.#link(navigation, parent, target);
  }

  /** Removes the link to one entity; without an id, the link of a single-valued navigation. */
  unlink(set: SetName, navigation: Navigation, key: unknown, id: string | null): void | ReturnType<typeof odataError> {
    const parent = this.find(set, key);
    const target = id === null ? null : this.#named(navigation.target, id);
    if (parent === null || (id !== null && target === null)) return odataError(404, "NotFound", "There is no link.");
    const { on, through } = navigation;
    if (through !== null && target !== null) {
      const isLink = (link: Row): boolean =>
        through.from.every(([field, member]) => link[member] === parent[field]) &&
        through.to.every(([member, field]) => link[member] === target[field]);
      this.#lists[through.links] = this.#lists[through.links].filter((link) => !isLink(link));
    }
    for (const [from, to] of on ?? []) {
      if (navigation.isMany) this.#set(navigation.target, target, to, null);
      else this.#set(set, parent, from, null);
    }
  }

  #link({ target, isMany, on, through }: Navigation, parent: Row, row: Row): void {
    if (through !== null) {
      const members = [
        ...through.from.map(([field, member]) => [member, parent[field]] as const),
        ...through.to.map(([member, field]) => [member, row[field]] as const),
      ];
      this.#lists[through.links].push(Object.fromEntries(members));
    }
    const set = SETS.find((each) => this.#lists[each].includes(parent));
    for (const [from, to] of on ?? []) {
      if (isMany) this.#set(target, row, to, parent[from]);
      else if (set !== undefined) this.#set(set, parent, from, row[to]);
    }
  }

  /** Keys never change: a row whose link is part of its key cannot be moved. */
  #set(set: SetName, row: Row | null, field: string, value: unknown): void {
    if (row === null || KEY_FIELDS[set].includes(field)) return;
    this.#change(set, this.#keyOf(set, row), (found) => ({ ...found, [field]: value }));
  }

  #change(set: SetName, key: unknown, change: (row: Row) => Row): Row | null {
    const found = this.find(set, key);
    if (found === null) return null;
    const changed = change(found);
    this.#lists[set] = this.#lists[set].map((row) => (row === found ? changed : row));
    return changed;
  }

  #keyText(set: SetName, key: unknown): string {
    if (typeof key === "object" && key !== null) return keyTextOf(set, key);
    return JSON.stringify([String(key)]);
  }

  #keyOf(set: SetName, row: Row): unknown {
    const fields = KEY_FIELDS[set];
    const [single] = fields;
    if (single !== undefined && fields.length === 1) return row[single];
    return Object.fromEntries(fields.map((field) => [field, row[field]]));
  }

  /** Reads an `@odata.id` as an application would: by the content of its last parentheses. */
  #named(set: SetName, id: string): Row | null {
    const text = /\(([^()]*)\)[^()]*$/.exec(decoded(id))?.[1] ?? "";
    const parts = text.split(",").map((part) =>
      part
        .replace(/^\w+=/, "")
        .replace(/^'(.*)'$/, "$1")
        .replaceAll("''", "'"),
    );
    return this.#lists[set].find((row) => keyTextOf(set, row) === JSON.stringify(parts)) ?? null;
  }
}
