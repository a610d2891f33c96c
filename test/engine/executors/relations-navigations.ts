import { hasMany, hasOptional, hasRequired } from "odatakit";
import type { Layout } from "./relations-distributions.ts";
import { Author, Book, Chapter, Note, Publisher, Tag, type Relations } from "./relations-model.ts";

/**
 * How the related entities are found: by the declarations of the sets, over arrays or in a database; by handlers for the
 * keys of a page; by handlers for one key.
 */
export type Wiring = "joins" | "tables" | "batches" | "handlers";

/** The entities on both sides of a navigation, and their relation. */
interface Relation<P, T> {
  readonly parents: readonly P[];
  readonly keyOf: (parent: P) => unknown;
  /** In the order of their key. */
  readonly targets: readonly T[];
  readonly isRelated: (parent: P, target: T) => boolean;
}

function textOf(key: unknown): string {
  return JSON.stringify(key, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

/** The related entities of a parent; null: the parent is missing. */
function relatedTo<P, T>({ parents, keyOf, targets, isRelated }: Relation<P, T>, key: unknown): readonly T[] | null {
  const parent = parents.find((each) => textOf(keyOf(each)) === textOf(key));
  return parent === undefined ? null : targets.filter((target) => isRelated(parent, target));
}

/** Handlers of a navigation to many: one form returns promises, the other returns values. */
function many<P, T>(wiring: Wiring, relation: Relation<P, T>) {
  if (wiring === "handlers") return { get: (key: unknown) => Promise.resolve(relatedTo(relation, key)) };
  return {
    getBatch: <K>(keys: readonly K[]): ReadonlyMap<K, readonly T[]> => {
      const pairs = keys.map((key) => [key, relatedTo(relation, key) ?? []] as const);
      return new Map(pairs.filter(([, related]) => related.length > 0));
    },
  };
}

/** Handlers of a navigation to one. */
function one<P, T>(wiring: Wiring, relation: Relation<P, T>) {
  if (wiring === "handlers") return { get: (key: unknown): T | null => relatedTo(relation, key)?.[0] ?? null };
  return {
    getBatch: <K>(keys: readonly K[]): Promise<ReadonlyMap<K, T>> => {
      const pairs = keys.flatMap((key) => (relatedTo(relation, key) ?? []).map((found) => [key, found] as const));
      return Promise.resolve(new Map(pairs));
    },
  };
}

const byKey = <T>(rows: readonly T[], keyOf: (row: T) => ReadonlyArray<string | number | bigint>): readonly T[] =>
  rows.toSorted((left, right) => {
    const others = keyOf(right);
    for (const [index, value] of keyOf(left).entries()) {
      const other = others[index];
      if (other === undefined || value === other) continue;
      return value < other ? -1 : 1;
    }
    return 0;
  });

const isPair = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.every((value, index) => value !== null && value === right[index]);

/** Returns the name of a column in the database. */
export type NameColumn = (table: string, column: string) => string;

/** The options of a navigation along links. */
interface Through {
  readonly table: string;
  readonly from: Readonly<Record<string, string>>;
  readonly to: Readonly<Record<string, string>>;
}

/** Names the columns of a table of links. */
function renamed<Given extends Through>(through: Given, nameColumn: NameColumn): Given {
  const { table, from, to } = through;
  const names = (name: string): string => nameColumn(table, name);
  return {
    ...through,
    from: Object.fromEntries(Object.entries(from).map(([field, column]) => [field, names(column)])),
    to: Object.fromEntries(Object.entries(to).map(([column, field]) => [names(column), field])),
  };
}

/** The navigations of all sets. */
export function navigationsOf(
  wiring: Wiring,
  data: Relations,
  nameColumn?: NameColumn,
  /** How the tables of links are distributed. */
  links: Layout["links"] = {},
) {
  const publishers = byKey(data.publishers, ({ country, number }) => [country, number]);
  const authors = byKey(data.authors, ({ id }) => [id]);
  const books = byKey(data.books, ({ id }) => [id]);
  const chapters = byKey(data.chapters, ({ bookId, number }) => [bookId, number]);
  const notes = byKey(data.notes, ({ id }) => [id]);
  const tags = byKey(data.tags, ({ code }) => [code]);
  const ofPublisher = {
    parents: publishers,
    keyOf: ({ country, number }: Publisher) => ({ country, number }),
  };
  const ofAuthor = { parents: authors, keyOf: ({ id }: Author) => id };
  const ofBook = { parents: books, keyOf: ({ id }: Book) => id };
  const ofChapter = { parents: chapters, keyOf: ({ bookId, number }: Chapter) => ({ bookId, number }) };
  const ofNote = { parents: notes, keyOf: ({ id }: Note) => id };
  const ofTag = { parents: tags, keyOf: ({ code }: Tag) => code };

  const isDeclared = wiring === "joins" || wiring === "tables";
  /** A navigation to many, by equal values. */
  const manyOn = <P, T, On extends object>(on: On, relation: Relation<P, T>) =>
    isDeclared ? { on } : many(wiring, relation);
  const oneOn = <P, T, On extends object>(on: On, relation: Relation<P, T>) =>
    isDeclared ? { on } : one(wiring, relation);
  /** A navigation to many by links, which only a database can follow without handlers. */
  const manyThrough = <P, T, Given extends Through>(given: Given, relation: Relation<P, T>) =>
    wiring === "tables"
      ? {
          through: {
            ...(nameColumn === undefined ? given : renamed(given, nameColumn)),
            distributed: links[given.table],
          },
        }
      : many(wiring, relation);

  return {
    publishers: {
      authors: hasMany<typeof Publisher, typeof Author>(Author, {
        target: "Authors",
        partner: "publisher",
        ...manyOn({ country: "publisherCountry", number: "publisherNumber" } as const, {
          ...ofPublisher,
          targets: authors,
          isRelated: (p, a) => isPair([p.country, p.number], [a.publisherCountry, a.publisherNumber]),
        }),
      }),
      books: hasMany<typeof Publisher, typeof Book>(Book, {
        target: "Books",
        ...manyOn({ country: "publisherCountry", number: "publisherNumber" } as const, {
          ...ofPublisher,
          targets: books,
          isRelated: (p, b) => isPair([p.country, p.number], [b.publisherCountry, b.publisherNumber]),
        }),
      }),
      tags: hasMany<typeof Publisher, typeof Tag>(Tag, {
        target: "Tags",
        ...manyThrough(
          { table: "publisher_tags", from: { country: "p_country", number: "p_number" }, to: { tag: "code" } } as const,
          {
            ...ofPublisher,
            targets: tags,
            isRelated: (p, t) =>
              data.publisherTags.some((l) => l.country === p.country && l.number === p.number && l.tag === t.code),
          },
        ),
      }),
    },
    authors: {
      mentor: hasOptional<typeof Author, typeof Author>(Author, {
        target: "Authors",
        partner: "pupils",
        ...oneOn({ mentorId: "id" } as const, {
          ...ofAuthor,
          targets: authors,
          isRelated: (a, m) => a.mentorId === m.id,
        }),
      }),
      pupils: hasMany<typeof Author, typeof Author>(Author, {
        target: "Authors",
        ...manyOn({ id: "mentorId" } as const, {
          ...ofAuthor,
          targets: authors,
          isRelated: (a, p) => p.mentorId === a.id,
        }),
      }),
      publisher: hasOptional<typeof Author, typeof Publisher>(Publisher, {
        target: "Publishers",
        ...oneOn({ publisherCountry: "country", publisherNumber: "number" } as const, {
          ...ofAuthor,
          targets: publishers,
          isRelated: (a, p) => isPair([a.publisherCountry, a.publisherNumber], [p.country, p.number]),
        }),
      }),
      books: hasMany<typeof Author, typeof Book>(Book, {
        target: "Books",
        ...manyOn({ id: "authorId" } as const, {
          ...ofAuthor,
          targets: books,
          isRelated: (a, b) => b.authorId === a.id,
        }),
      }),
      tags: hasMany<typeof Author, typeof Tag>(Tag, {
        target: "Tags",
        ...manyThrough({ table: "author_tags", from: { id: "author" }, to: { tag: "code" } } as const, {
          ...ofAuthor,
          targets: tags,
          isRelated: (a, t) => data.authorTags.some((link) => link.author === a.id && link.tag === t.code),
        }),
      }),
      friends: hasMany<typeof Author, typeof Author>(Author, {
        target: "Authors",
        ...manyThrough({ table: "friends", from: { id: "author" }, to: { friend: "id" } } as const, {
          ...ofAuthor,
          targets: authors,
          isRelated: (a, f) => data.friends.some((link) => link.author === a.id && link.friend === f.id),
        }),
      }),
    },
    books: {
      author: hasOptional<typeof Book, typeof Author>(Author, {
        target: "Authors",
        partner: "books",
        ...oneOn({ authorId: "id" } as const, {
          ...ofBook,
          targets: authors,
          isRelated: (b, a) => b.authorId === a.id,
        }),
      }),
      publisher: hasOptional<typeof Book, typeof Publisher>(Publisher, {
        target: "Publishers",
        ...oneOn({ publisherNumber: "number", publisherCountry: "country" } as const, {
          ...ofBook,
          targets: publishers,
          isRelated: (b, p) => isPair([b.publisherCountry, b.publisherNumber], [p.country, p.number]),
        }),
      }),
      chapters: hasMany<typeof Book, typeof Chapter>(Chapter, {
        target: "Chapters",
        ...manyOn({ id: "bookId" } as const, {
          ...ofBook,
          targets: chapters,
          isRelated: (b, c) => c.bookId === b.id,
        }),
      }),
      tags: hasMany<typeof Book, typeof Tag>(Tag, {
        target: "Tags",
        ...manyThrough({ table: "book_tags", from: { id: "book" }, to: { tag: "code" } } as const, {
          ...ofBook,
          targets: tags,
          isRelated: (b, t) => data.bookTags.some((link) => link.book === b.id && link.tag === t.code),
        }),
      }),
    },
    chapters: {
      book: hasRequired<typeof Chapter, typeof Book>(Book, {
        target: "Books",
        ...oneOn({ bookId: "id" } as const, {
          ...ofChapter,
          targets: books,
          isRelated: (c, b) => c.bookId === b.id,
        }),
      }),
      notes: hasMany<typeof Chapter, typeof Note>(Note, {
        target: "Notes",
        ...manyOn({ bookId: "bookId", number: "chapterNumber" } as const, {
          ...ofChapter,
          targets: notes,
          isRelated: (c, n) => isPair([c.bookId, c.number], [n.bookId, n.chapterNumber]),
        }),
      }),
    },
    notes: {
      chapter: hasOptional<typeof Note, typeof Chapter>(Chapter, {
        target: "Chapters",
        ...oneOn({ bookId: "bookId", chapterNumber: "number" } as const, {
          ...ofNote,
          targets: chapters,
          isRelated: (n, c) => isPair([n.bookId, n.chapterNumber], [c.bookId, c.number]),
        }),
      }),
      tag: hasOptional<typeof Note, typeof Tag>(Tag, {
        target: "Tags",
        ...oneOn({ tagCode: "code" } as const, {
          ...ofNote,
          targets: tags,
          isRelated: (n, t) => n.tagCode === t.code,
        }),
      }),
    },
    tags: {
      parent: hasOptional<typeof Tag, typeof Tag>(Tag, {
        target: "Tags",
        partner: "children",
        ...oneOn({ parentCode: "code" } as const, {
          ...ofTag,
          targets: tags,
          isRelated: (t, p) => t.parentCode === p.code,
        }),
      }),
      children: hasMany<typeof Tag, typeof Tag>(Tag, {
        target: "Tags",
        ...manyOn({ code: "parentCode" } as const, {
          ...ofTag,
          targets: tags,
          isRelated: (t, c) => c.parentCode === t.code,
        }),
      }),
      notes: hasMany<typeof Tag, typeof Note>(Note, {
        target: "Notes",
        ...manyOn({ code: "tagCode" } as const, {
          ...ofTag,
          targets: notes,
          isRelated: (t, n) => n.tagCode === t.code,
        }),
      }),
      authors: hasMany<typeof Tag, typeof Author>(Author, {
        target: "Authors",
        ...manyThrough({ table: "author_tags", from: { code: "tag" }, to: { author: "id" } } as const, {
          ...ofTag,
          targets: authors,
          isRelated: (t, a) => data.authorTags.some((link) => link.author === a.id && link.tag === t.code),
        }),
      }),
      publishers: hasMany<typeof Tag, typeof Publisher>(Publisher, {
        target: "Publishers",
        ...manyThrough(
          { table: "publisher_tags", from: { code: "tag" }, to: { p_country: "country", p_number: "number" } } as const,
          {
            ...ofTag,
            targets: publishers,
            isRelated: (t, p) =>
              data.publisherTags.some((l) => l.country === p.country && l.number === p.number && l.tag === t.code),
          },
        ),
      }),
    },
  };
}
