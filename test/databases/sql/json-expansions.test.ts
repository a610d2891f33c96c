import fc from "fast-check";
import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { RefusingDatabase } from "./refusing-database.ts";

const Author = entityType("Author", {
  id: edm.int32().key(),
  name: edm.string(),
  mentorId: edm.int32().nullable(),
  born: edm.date().nullable(),
});
const Book = entityType("Book", {
  id: edm.int32().key(),
  authorId: edm.int32().nullable(),
  title: edm.string(),
  price: edm.double(),
  isSold: edm.boolean().nullable(),
  shelfCode: edm.string().nullable(),
});
const Tag = entityType("Tag", { code: edm.string().key(), label: edm.string().nullable() });
/** Several shelves may have one code, so that a book leads to the first. */
const Shelf = entityType("Shelf", { area: edm.int32().key(), row: edm.string().key(), code: edm.string().nullable() });

/** The tables accept anything in every column. Without an index, related rows would not be read per parent. */
const TABLES = {
  authors: ["id", "name", "mentorId", "born"],
  books: ["id", "authorId", "title", "price", "isSold", "shelfCode"],
  tags: ["code", "label"],
  book_tags: ["book", "tag"],
  shelves: ["area", "row", "code"],
} as const;
type Table = keyof typeof TABLES;
type Rows = Readonly<Record<Table, readonly (readonly unknown[])[]>>;

class Library {
  readonly database = new RefusingDatabase(":memory:");
  readonly service: ReturnType<typeof odataService>;

  constructor() {
    const { db, logger } = this.database;
    const operations = ["read"] as const;
    this.service = odataService({
      propertyNaming: "camelCase",
      logger,
      schemaCheck: false,
      defaults: { maxExpandTop: 3, maxResponseEntities: 40, maxExpandDepth: 5 },
      entitySets: [
        sqlEntitySet(Author, {
          db,
          table: "authors",
          operations,
          navigation: {
            books: hasMany(Book, { target: "Books", on: { id: "authorId" } }),
            mentor: hasOptional(Author, { target: "Authors", on: { mentorId: "id" } }),
            pupils: hasMany(Author, { target: "Authors", on: { id: "mentorId" } }),
          },
        }),
        sqlEntitySet(Book, {
          db,
          table: "books",
          operations,
          navigation: {
            author: hasOptional(Author, { target: "Authors", on: { authorId: "id" } }),
            shelf: hasOptional(Shelf, { target: "Shelves", on: { shelfCode: "code" } }),
            tags: hasMany(Tag, {
              target: "Tags",
              through: { table: "book_tags", from: { id: "book" }, to: { tag: "code" } },
            }),
          },
        }),
        sqlEntitySet(Tag, {
          db,
          table: "tags",
          operations,
          navigation: {
            books: hasMany(Book, {
              target: "Books",
              through: { table: "book_tags", from: { code: "tag" }, to: { book: "id" } },
            }),
          },
        }),
        sqlEntitySet(Shelf, { name: "Shelves", db, table: "shelves", operations }),
      ],
    });
  }

  async create(): Promise<void> {
    for (const [table, columns] of Object.entries(TABLES)) {
      const first = sql.id(columns[0]);
      await sql`create table ${sql.table(table)} (${sql.join(columns.map((column) => sql.id(column)))})`.execute(
        this.database.db,
      );
      for (const column of columns) {
        const key = column === columns[0] ? first : sql`${sql.id(column)}, ${first}`;
        await sql`create index ${sql.id(`${table}_${column}`)} on ${sql.table(table)} (${key})`.execute(
          this.database.db,
        );
      }
    }
  }

  async store(rows: Rows): Promise<void> {
    for (const [table, lines] of Object.entries(rows)) {
      await sql`delete from ${sql.table(table)}`.execute(this.database.db);
      if (lines.length === 0) continue;
      const values = sql.join(lines.map((line) => sql`(${sql.join(line)})`));
      await sql`insert into ${sql.table(table)} values ${values}`.execute(this.database.db);
    }
  }
}

const id = fc.nat(6);
const name = fc.oneof(
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.constantFrom("", "Zoë", '"\\', "\u2028", "b1", "b2"),
);
const code = fc.constantFrom("a", "b", "B", "ä", "");
const price = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, 1.5, 1e21, 50, 0.1, -7, Infinity));
const day = fc.constantFrom("2024-02-29", "0001-01-01", "9999-12-31");
const flag = fc.constantFrom(0, 1);
const orNull = (cell: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(cell, { freq: 5 });
const distinctBy = (cells: readonly fc.Arbitrary<unknown>[], keys: number, most: number) =>
  fc.uniqueArray(fc.tuple(...cells), { maxLength: most, selector: (row) => JSON.stringify(row.slice(0, keys)) });
const canonical: fc.Arbitrary<Rows> = fc.record({
  authors: distinctBy([id, name, orNull(id), orNull(day)], 1, 4),
  books: distinctBy([id, orNull(id), name, price, orNull(flag), orNull(code)], 1, 7),
  tags: distinctBy([code, orNull(name)], 1, 4),
  book_tags: distinctBy([id, code], 2, 8),
  shelves: distinctBy([fc.nat(2), code, orNull(code)], 2, 5),
});
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, -0, 1.5, "1", "x", "2023-02-29", 2 ** 31, 2, "a", 1e300, "NaN"),
  fc.constantFrom([], [0x17, 0x61], [0x13, 0x31], [0xff]).map((bytes) => new Uint8Array(bytes)),
);
/** Keys stay distinct, as the schema check demands: SQLite takes 0 and -0 for one key, and so does a set. */
const hasDistinctKeys = (rows: Rows): boolean =>
  [rows.authors, rows.books, rows.tags].every((lines) => new Set(lines.map(([key]) => key)).size === lines.length);
/**
 * A database in which one cell contains anything, and perhaps a link twice. Keys of two columns stay: the read of the first row per parent writes them
 * as JSON itself, and fails for some that the response does not contain.
 */
const damaged = fc
  .tuple(canonical, fc.constantFrom(...Object.keys(TABLES)), fc.nat(), fc.nat(), odd, fc.nat(2))
  .map(([{ book_tags, ...others }, table, line, cell, value, doubled]): Rows => {
    const rows: Rows = { ...others, book_tags: [...book_tags, ...book_tags.slice(0, doubled)] };
    const lines = rows[table as Table];
    const width = TABLES[table as Table].length;
    const position = table === "shelves" ? 2 : cell % width;
    return {
      ...rows,
      [table]: lines.map((row, index) =>
        index === line % Math.max(lines.length, 1) ? row.with(position, value) : row,
      ),
    };
  })
  .filter(hasDistinctKeys);

const NAVIGATIONS = {
  Authors: { books: "Books", mentor: "Authors", pupils: "Authors" },
  Books: { author: "Authors", shelf: "Shelves", tags: "Tags" },
  Tags: { books: "Books" },
  Shelves: {},
} as const;
type SetName = keyof typeof NAVIGATIONS;
const MANY: ReadonlySet<string> = new Set(["books", "pupils", "tags"]);
const SELECTS = {
  Authors: ["id,name", "id,name,born", "id", "born"],
  Books: ["id,title", "id,price,isSold", "id,authorId", "id,shelfCode", "title"],
  Tags: ["code,label", "code", "code", "label"],
  Shelves: ["area,code", "code", "code", "area"],
} as const;
const FILTERS = {
  Authors: ["name eq 'b1'", "books/any(b:b/price gt 1)", "mentor/id gt 1", "books/$count gt 1", "born ne null"],
  Books: ["price gt 1", "author/name ne 'b1'", "tags/any(t:t/code eq 'a')", "contains(title,'b')", "isSold"],
  Tags: ["label ne null", "code eq 'a' or code eq 'b'"],
  Shelves: ["area gt 0", "row eq 'a'"],
} as const;
const ORDERS = {
  Authors: ["name desc", "mentor/name", "books/$count desc"],
  Books: ["price desc", "author/name desc,title", "isSold"],
  Tags: ["label", "code desc"],
  Shelves: ["code"],
} as const;

const optional = (values: readonly string[], head: string): fc.Arbitrary<string[]> =>
  fc.option(fc.constantFrom(...values)).map((value) => (value === null ? [] : [head + value]));
const joined = (parts: readonly fc.Arbitrary<string[]>[], separator: string): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((lists) => lists.flat().join(separator));

function expand(set: SetName, depth: number, least: number): fc.Arbitrary<string[]> {
  const items = Object.entries(NAVIGATIONS[set]).map(([navigation, target]) =>
    fc.oneof(
      fc.constant(navigation),
      fc.constant(MANY.has(navigation) ? `${navigation}/$count` : navigation),
      ...(navigation === "mentor" || navigation === "pupils" ? [fc.constant(`${navigation}($levels=2)`)] : []),
      nested(navigation, target, depth),
      nested(navigation, target, depth),
    ),
  );
  if (items.length === 0) return fc.constant([]);
  const chosen = fc.subarray(items, { minLength: least });
  return chosen
    .chain((each) => fc.tuple(...each))
    .map((each) => (each.length === 0 ? [] : [`$expand=${each.join(",")}`]));
}

function nested(navigation: string, target: SetName, depth: number): fc.Arbitrary<string> {
  const many = MANY.has(navigation)
    ? [
        optional(["0", "1", "2", "3"], "$top="),
        optional(["0", "1", "2"], "$skip="),
        optional(["true", "false"], "$count="),
        optional(ORDERS[target], "$orderby="),
      ]
    : [];
  const options = joined(
    [
      optional(SELECTS[target], "$select="),
      optional(FILTERS[target], "$filter="),
      ...many,
      depth === 0 ? fc.constant([]) : expand(target, depth - 1, 0),
    ],
    ";",
  );
  return options.map((text) => (text === "" ? navigation : `${navigation}(${text})`));
}

const path = fc
  .constantFrom<SetName>("Authors", "Books", "Tags")
  .chain((set) =>
    joined(
      [
        expand(set, 2, 1),
        optional(SELECTS[set], "$select="),
        optional(FILTERS[set], "$filter="),
        optional(ORDERS[set], "$orderby="),
        optional(["1", "2", "5"], "$top="),
        optional(["1", "2"], "$skip="),
        optional(["true"], "$count="),
      ],
      "&",
    ).map((options) => `${set}?${options}`),
  );

const WITHOUT_METADATA = "application/json;odata.metadata=none";

describe("expansions that SQLite writes as JSON", () => {
  const library = new Library();
  beforeAll(() => library.create());
  afterAll(() => library.database.db.destroy());

  test("have the bytes of expanded rows", async () => {
    library.database.written = 0;
    let requests = 0;
    await fc.assert(
      fc.asyncProperty(canonical, fc.array(path, { minLength: 4, maxLength: 4 }), async (rows, paths) => {
        await library.store(rows);
        for (const each of paths) {
          requests += 1;
          // Without metadata, entities without their key are JSON of the database, too.
          const accept = requests % 2 === 0 ? WITHOUT_METADATA : undefined;
          const { written, read } = await library.database.both(library.service, each, accept);
          expect(written, each).toEqual(read);
        }
      }),
      { numRuns: caseCount(1000) },
    );
    expect(library.database.written).toBeGreaterThan(requests / 2);
  });

  test("have the bytes or the error of expanded rows if a cell is not as odatakit writes it", async () => {
    await fc.assert(
      fc.asyncProperty(damaged, fc.array(path, { minLength: 4, maxLength: 4 }), async (rows, paths) => {
        await library.store(rows);
        for (const each of paths) {
          const { written, read } = await library.database.both(library.service, each);
          expect(written, each).toEqual(read);
        }
      }),
      { numRuns: caseCount(1500) },
    );
  });

  test.each<readonly [string, Partial<Rows>]>([
    ["a text where a double is expected", { books: [[6, null, "", "1", null, null]], book_tags: [[6, "a"]] }],
    ["a text where a boolean is expected", { books: [[6, null, "", 1, "1", null]], book_tags: [[6, "a"]] }],
  ])("have the error of expanded rows for %s", async (_title, rows) => {
    await library.store({ authors: [], books: [], tags: [["a", null]], book_tags: [], shelves: [], ...rows });
    for (const path of ["Tags?$expand=books", "Books?$expand=tags", "Books"]) {
      const { written, read } = await library.database.both(library.service, path);
      expect(written, path).toEqual(read);
      expect(read.status, path).toBe(500);
    }
  });

  test.each([
    "Tags?$expand=books",
    "Tags?$expand=books($count=true;$top=2)",
    "Tags?$expand=books($select=title)",
    "Tags?$expand=books($orderby=title;$select=title;$skip=1)",
    "Tags?$expand=books/$count",
    "Authors?$expand=books($expand=tags($select=label;$count=true))",
  ])("are those of rows if a link is stored twice: %s", async (path) => {
    const book = (key: number, title: string): readonly unknown[] => [key, 0, title, 1, null, null];
    await library.store({
      authors: [[0, "A", null, null]],
      books: [book(1, "same"), book(2, "same"), book(3, "other")],
      tags: ["a", "b", "c"].map((each) => [each, null]),
      book_tags: [
        [1, "a"],
        [1, "a"],
        [2, "b"],
        [3, "b"],
        [3, "b"],
        [1, "c"],
        [2, "c"],
      ],
      shelves: [],
    });
    const { written, read } = await library.database.both(library.service, path);
    expect(written).toEqual(read);
    expect(read.status).toBe(200);
  });

  test("stay JSON if entities behind links differ only in a key that is not selected", async () => {
    const books = [1, 2].map((key) => [key, null, "same", 1, null, null]);
    await library.store({
      authors: [],
      books,
      tags: [["a", null]],
      book_tags: [
        [1, "a"],
        [2, "a"],
      ],
      shelves: [],
    });
    library.database.written = 0;
    const { written, read } = await library.database.both(
      library.service,
      "Tags?$expand=books($select=title)",
      WITHOUT_METADATA,
    );
    expect(written).toEqual(read);
    expect(library.database.written).toBe(1);
    expect(JSON.parse(read.body)).toMatchObject({ value: [{ books: [{ title: "same" }, { title: "same" }] }] });
  });

  test("are JSON with the ids of entities without their key, at each level", async () => {
    await library.store({
      authors: [
        [3, "A", null, null],
        [4, "B", 3, null],
      ],
      books: [[7, 4, "same", 1, null, null]],
      tags: [],
      book_tags: [],
      shelves: [],
    });
    library.database.written = 0;
    const path =
      "Authors?$filter=id eq 4&$expand=mentor($select=name),books($select=title;$expand=author($select=name))";
    const { written, read } = await library.database.both(library.service, path);
    expect(written).toEqual(read);
    expect(library.database.written).toBe(1);
    const root = "http://service.example";
    expect(JSON.parse(read.body)).toMatchObject({
      value: [
        {
          mentor: { "@odata.id": `${root}/Authors(3)`, name: "A" },
          books: [
            {
              "@odata.id": `${root}/Books(7)`,
              title: "same",
              author: { "@odata.id": `${root}/Authors(4)`, name: "B" },
            },
          ],
        },
      ],
    });
  });

  test("are refused as those of rows beyond the limits", async () => {
    const ids = [0, 1, 2];
    const rows: Rows = {
      authors: [[0, "A", null, null]],
      books: ids.map((each) => [each, 0, "B", 1, null, null]),
      tags: ids.map((each) => [String(each), null]),
      book_tags: ids.flatMap((book) => ids.map((tag) => [book, String(tag)])),
      shelves: [],
    };
    await library.store(rows);
    const within = await library.database.both(library.service, "Books?$expand=tags($expand=books($select=id))");
    expect(within.written).toEqual(within.read);
    expect(within.written.status).toBe(200);
    const beyond = await library.database.both(library.service, "Books?$expand=tags($expand=books($expand=tags))");
    expect(beyond.written).toEqual(beyond.read);
    expect(beyond.written.body).toContain("Books/tags' the response would contain more than 40 entities");
  });
});
