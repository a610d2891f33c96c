import { sql } from "kysely";
import { entitySet, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase, DatabaseName } from "./engines.ts";
import type { Layout } from "./relations-distributions.ts";
import { arraySets, COMMON, type Service, type Shared } from "./relations-memory.ts";
import { Author, Book, Chapter, Note, Publisher, SEARCHED, Tag, type Relations } from "./relations-model.ts";
import { navigationsOf, type NameColumn } from "./relations-navigations.ts";

/** The content of a column. */
type Content =
  | "text"
  | "key"
  | "int"
  | "long"
  | "decimal"
  | "price"
  | "double"
  | "boolean"
  | "guid"
  | "date"
  | "time"
  | "list";

const TYPES: Readonly<Record<DatabaseName, Readonly<Record<Content, string>>>> = {
  sqlite: {
    text: "text",
    key: "text",
    int: "integer",
    long: "integer",
    decimal: "text",
    price: "integer",
    double: "real",
    boolean: "integer",
    guid: "text",
    date: "text",
    time: "text",
    list: "text",
  },
  postgres: {
    text: "text",
    key: "text",
    int: "int4",
    long: "int8",
    decimal: "numeric",
    price: "numeric(12,2)",
    double: "float8",
    boolean: "boolean",
    guid: "uuid",
    date: "date",
    time: "timestamptz(3)",
    list: "jsonb",
  },
  mariadb: {
    text: "longtext",
    key: "varchar(20)",
    int: "int",
    long: "bigint",
    decimal: "varchar(60)",
    price: "decimal(12,2)",
    double: "double",
    boolean: "boolean",
    guid: "char(36)",
    date: "date",
    time: "datetime(3)",
    list: "json",
  },
};

type Columns = Readonly<Record<string, Content>>;

/** The columns of each table, and those of its key. */
const TABLES: Readonly<Record<string, { readonly columns: Columns; readonly key: readonly string[] }>> = {
  publishers: {
    columns: { country: "key", number: "int", name: "text", founded: "date", size: "text" },
    key: ["country", "number"],
  },
  authors: {
    columns: {
      id: "int",
      name: "text",
      rating: "decimal",
      born: "time",
      mentor: "int",
      publisherCountry: "key",
      publisherNumber: "int",
      home_city: "text",
      home_zip: "int",
    },
    key: ["id"],
  },
  books: {
    columns: {
      id: "guid",
      "the title": "text",
      pages: "int",
      price: "price",
      active: "boolean",
      authorId: "int",
      publisherCountry: "key",
      publisherNumber: "int",
      words: "list",
    },
    key: ["id"],
  },
  chapters: {
    columns: { bookId: "guid", number: "int", title: "text", ratio: "double" },
    key: ["bookId", "number"],
  },
  notes: {
    columns: { id: "long", text: "text", at: "time", bookId: "guid", chapterNumber: "int", tagCode: "key" },
    key: ["id"],
  },
  tags: { columns: { code: "key", label: "text", weight: "long", parentCode: "key" }, key: ["code"] },
  author_tags: { columns: { author: "int", tag: "key" }, key: ["author", "tag"] },
  book_tags: { columns: { book: "guid", tag: "key" }, key: ["book", "tag"] },
  friends: { columns: { author: "int", friend: "int" }, key: ["author", "friend"] },
  publisher_tags: { columns: { p_country: "key", p_number: "int", tag: "key" }, key: ["p_country", "p_number", "tag"] },
};

type Row = Readonly<Record<string, unknown>>;

/** The rows of each table by the names of its columns. */
function rowsOf(data: Relations): Readonly<Record<string, readonly Row[]>> {
  return {
    publishers: data.publishers,
    authors: data.authors.map(({ mentorId, home, ...others }) => ({
      ...others,
      mentor: mentorId,
      home_city: home?.city ?? null,
      home_zip: home?.zip ?? null,
    })),
    books: data.books.map(({ title, ...others }) => ({ ...others, "the title": title })),
    chapters: data.chapters,
    notes: data.notes,
    tags: data.tags,
    author_tags: data.authorTags,
    book_tags: data.bookTags,
    friends: data.friends,
    publisher_tags: data.publisherTags.map(({ country, number, tag }) => ({
      p_country: country,
      p_number: number,
      tag,
    })),
  };
}

/** Converts a value to the content of a column. */
function toCell(database: DatabaseName, content: Content | undefined, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (content === "list") return JSON.stringify(value);
  if (database === "sqlite") {
    if (content === "price" && typeof value === "string") return BigInt(value.replace(".", ""));
    return content === "boolean" ? Number(value) : value;
  }
  // MariaDB's form has a blank in place of the T, and no zone.
  if (database === "mariadb" && content === "time" && typeof value === "string") {
    return value.replace("T", " ").replace("Z", "");
  }
  return typeof value === "bigint" ? String(value) : value;
}

/** Names columns as in `TABLES`. */
const OWN_NAME: NameColumn = (_table, column) => column;

/** Returns other names for the columns: the given ones, in each table from another one on. */
export function namesFrom(names: readonly string[]): NameColumn {
  return (table, column) => {
    const columns = Object.keys(TABLES[table]?.columns ?? {});
    const start = Object.keys(TABLES).indexOf(table);
    // Backwards, so that a column never has the name of its cell in a statement.
    const at = names.length - 1 - ((columns.indexOf(column) + start) % names.length);
    return names[at] ?? column;
  };
}

/** Makes the tables in an empty database, and fills them. */
export async function makeTables(
  db: AnyDatabase,
  database: DatabaseName,
  data: Relations,
  nameColumn: NameColumn = OWN_NAME,
): Promise<void> {
  const rows = rowsOf(data);
  for (const [table, { columns, key }] of Object.entries(TABLES)) {
    const collation = database === "mariadb" ? " default charset utf8mb4 collate utf8mb4_nopad_bin" : "";
    const types = TYPES[database];
    const definitions = Object.entries(columns).map(
      ([name, content]) => sql`${sql.id(nameColumn(table, name))} ${sql.raw(types[content])}`,
    );
    const keys = sql.join(key.map((name) => sql.id(nameColumn(table, name))));
    await sql`create table ${sql.id(table)} (${sql.join(definitions)}, primary key (${keys}))${sql.raw(collation)}`.execute(
      db,
    );
    const lines = (rows[table] ?? []).map((row) => {
      const cells = Object.entries(columns).map(([name, content]) => sql.val(toCell(database, content, row[name])));
      return sql`(${sql.join(cells)})`;
    });
    if (lines.length > 0) await sql`insert into ${sql.id(table)} values ${sql.join(lines)}`.execute(db);
  }
}

/** The database of the tables, and whether and how it is treated as distributed. */
export interface TablesPlace {
  readonly db: AnyDatabase;
  readonly database: DatabaseName;
  readonly distributed?: boolean | Layout;
  /** The names of columns, if they are not those of `TABLES`. */
  readonly nameColumn?: NameColumn;
}

/** The options of the sets over tables. */
export function tableOptions({ db, database, distributed = false, nameColumn = OWN_NAME }: TablesPlace) {
  const shared = { db, operations: ["read"] } as const;
  const layout = typeof distributed === "object" ? distributed : null;
  const unknown = distributed !== false;
  const price = database === "sqlite" ? ({ storage: "scaled" } as const) : {};
  // A column of decimals has a fixed number of digits there.
  const rating = database === "mariadb" ? ({ storage: "text" } as const) : {};
  const author = (column: string): string => nameColumn("authors", column);
  const book = (column: string): string => nameColumn("books", column);
  const own = (table: string): Readonly<Record<string, string>> => {
    const names = Object.keys(TABLES[table]?.columns ?? {});
    return Object.fromEntries(names.map((name) => [name, nameColumn(table, name)]));
  };
  const { mentor: mentorId, home_city: _city, home_zip: _zip, ...authors } = own("authors");
  const { "the title": title, ...books } = own("books");
  const home =
    nameColumn === OWN_NAME ? undefined : { columns: { city: author("home_city"), zip: author("home_zip") } };
  return {
    publishers: {
      ...shared,
      distributed: layout?.publishers ?? unknown,
      table: "publishers",
      columns: own("publishers"),
    },
    authors: {
      ...shared,
      distributed: layout?.authors ?? unknown,
      table: "authors",
      columns: { ...authors, mentorId, rating: { name: author("rating"), ...rating }, home },
      search: SEARCHED.authors,
    },
    books: {
      ...shared,
      distributed: layout?.books ?? unknown,
      table: "books",
      columns: { ...books, title, price: { name: book("price"), ...price } },
      search: SEARCHED.books,
    },
    chapters: { ...shared, distributed: layout?.chapters ?? unknown, table: "chapters", columns: own("chapters") },
    notes: { ...shared, distributed: layout?.notes ?? unknown, table: "notes", columns: own("notes") },
    tags: {
      ...shared,
      distributed: layout?.tags ?? unknown,
      table: "tags",
      columns: own("tags"),
      search: SEARCHED.tags,
    },
  } as const;
}

/** A service over the tables. */
export function tablesService(place: TablesPlace, data: Relations, shared: Shared = {}): Service {
  const { distributed } = place;
  const links = typeof distributed === "object" ? distributed.links : {};
  const navigation = navigationsOf("tables", data, place.nameColumn, links);
  const options = tableOptions(place);
  return odataService({
    ...COMMON,
    // The tables are made without `not null`.
    schemaCheck: false,
    ...shared,
    entitySets: [
      sqlEntitySet(Publisher, { ...options.publishers, navigation: navigation.publishers }),
      sqlEntitySet(Author, { ...options.authors, navigation: navigation.authors }),
      sqlEntitySet(Book, { ...options.books, navigation: navigation.books }),
      sqlEntitySet(Chapter, { ...options.chapters, navigation: navigation.chapters }),
      sqlEntitySet(Note, { ...options.notes, navigation: navigation.notes }),
      sqlEntitySet(Tag, { ...options.tags, navigation: navigation.tags }),
    ],
  });
}

/**
 * A service over tables and arrays: publishers, books and chapters in tables, authors, notes and tags in arrays.
 * Navigations to a table are declared; navigations to an array, or from one by links, have handlers.
 */
export function mixedService(place: TablesPlace, data: Relations, shared: Shared = {}): Service {
  const toTables = navigationsOf("tables", data);
  const toArrays = navigationsOf("batches", data);
  const options = tableOptions(place);
  const arrays = arraySets(data);
  return odataService({
    ...COMMON,
    // The tables are made without `not null`.
    schemaCheck: false,
    ...shared,
    entitySets: [
      sqlEntitySet(Publisher, {
        ...options.publishers,
        navigation: { ...toArrays.publishers, books: toTables.publishers.books },
      }),
      entitySet(Author, {
        ...arrays.authors,
        navigation: { ...toArrays.authors, publisher: toTables.authors.publisher, books: toTables.authors.books },
      }),
      sqlEntitySet(Book, {
        ...options.books,
        navigation: { ...toArrays.books, publisher: toTables.books.publisher, chapters: toTables.books.chapters },
      }),
      sqlEntitySet(Chapter, {
        ...options.chapters,
        navigation: { ...toArrays.chapters, book: toTables.chapters.book },
      }),
      entitySet(Note, { ...arrays.notes, navigation: { ...toArrays.notes, chapter: toTables.notes.chapter } }),
      entitySet(Tag, { ...arrays.tags, navigation: toArrays.tags }),
    ],
  });
}
