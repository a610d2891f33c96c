import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, hasRequired, odataService } from "odatakit";

export const Author = entityType("Author", {
  id: edm.int32().key(),
  name: edm.string(),
  mentorId: edm.int32().nullable(),
});
export const Book = entityType("Book", {
  id: edm.int32().key(),
  title: edm.string(),
  pages: edm.int32(),
  authorId: edm.int32().nullable(),
  secret: edm.string().ignored(),
});
export const Note = entityType("Note", {
  bookId: edm.int32().key(),
  number: edm.int32().key(),
  text: edm.string(),
});

export const AUTHORS = [
  { id: 1, name: "Ada", mentorId: null },
  { id: 2, name: "Ben", mentorId: 1 },
  { id: 3, name: "Cai", mentorId: 2 },
  { id: 4, name: "Dee", mentorId: 9 },
] as const;
export const BOOKS = [
  { id: 10, title: "Alpha", pages: 300, authorId: 1, secret: "x" },
  { id: 11, title: "Beta", pages: 100, authorId: 1, secret: "x" },
  { id: 12, title: "Gamma", pages: 200, authorId: 1, secret: "x" },
  { id: 20, title: "Delta", pages: 50, authorId: 2, secret: "x" },
  { id: 30, title: "Omega", pages: 70, authorId: null, secret: "x" },
] as const;
export const NOTES = [
  { bookId: 10, number: 1, text: "first" },
  { bookId: 10, number: 2, text: "second" },
  { bookId: 20, number: 1, text: "other" },
] as const;

/** How the handlers of a service were called. */
export class Calls {
  readonly counts = new Map<string, number>();
  readonly batches: (readonly unknown[])[] = [];
  note(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
  take(): Readonly<Record<string, number>> {
    const taken = Object.fromEntries([...this.counts].toSorted(([left], [right]) => (left < right ? -1 : 1)));
    this.counts.clear();
    return taken;
  }
}

/** How navigation handlers are declared: one per parent or in batches, at once or by promises. */
export type Style = "get" | "getLater" | "getBatch" | "getBatchLater";
export const STYLES: readonly Style[] = ["get", "getLater", "getBatch", "getBatchLater"];

type Form = "queryable" | "getAll" | "applyQuery";
export const FORMS: readonly Form[] = ["queryable", "getAll", "applyQuery"];

/** The handlers of a navigation in one style, over one function of the key. */
function handlers<K, R>(style: Style, name: string, calls: Calls, find: (key: K) => R) {
  const one = (key: K): R => {
    calls.note(name);
    return find(key);
  };
  const all = (keys: readonly K[]): ReadonlyMap<K, NonNullable<R>> => {
    calls.note(name);
    calls.batches.push(keys);
    const found = new Map<K, NonNullable<R>>();
    for (const key of keys) {
      const value = find(key);
      if (value !== null && value !== undefined) found.set(key, value);
    }
    return found;
  };
  switch (style) {
    case "get":
      return { get: one };
    case "getLater":
      return { get: async (key: K) => one(key) };
    case "getBatch":
      return { getBatch: all };
    case "getBatchLater":
      return { getBatch: async (keys: readonly K[]) => all(keys) };
  }
}

export interface LibraryOptions {
  readonly style?: Style;
  readonly form?: Form;
  readonly defaults?: Parameters<typeof odataService>[0]["defaults"];
  readonly authors?: object;
  readonly books?: object;
}

/** Authors with books, books with notes and an author, authors with mentor and pupils. */
export function library({
  style = "get",
  form = "queryable",
  defaults = {},
  authors = {},
  books = {},
}: LibraryOptions) {
  const calls = new Calls();
  const read = <const R extends readonly object[]>(rows: R) => {
    if (form === "getAll") return { getAll: () => rows };
    return form === "applyQuery" ? { applyQuery: () => ({ items: rows }) } : {};
  };
  const bookList = (key: number) => BOOKS.filter(({ authorId }) => authorId === key);
  const Authors = entitySet(Author, {
    ...(form === "queryable" ? { queryable: () => arraySource(Author, AUTHORS) } : (read(AUTHORS) as object)),
    getByKey: (key) => AUTHORS.find(({ id }) => id === key) ?? null,
    etag: ["name"],
    ...authors,
    navigation: {
      books: hasMany(Book, { target: "Books", ...handlers(style, "books", calls, bookList) }),
      mentor: hasOptional(Author, {
        target: "Authors",
        ...handlers(style, "mentor", calls, (key: number) => {
          const mentorId = AUTHORS.find(({ id }) => id === key)?.mentorId;
          return AUTHORS.find(({ id }) => id === mentorId) ?? null;
        }),
      }),
      pupils: hasMany(Author, {
        target: "Authors",
        ...handlers(style, "pupils", calls, (key: number) => AUTHORS.filter(({ mentorId }) => mentorId === key)),
      }),
      drafts: hasMany(Book, handlers(style, "drafts", calls, bookList)),
    },
  });
  const Books = entitySet(Book, {
    queryable: () => arraySource(Book, BOOKS),
    getByKey: (key) => BOOKS.find(({ id }) => id === key) ?? null,
    ...books,
    navigation: {
      author: hasRequired(Author, {
        target: "Authors",
        ...handlers(style, "author", calls, (key: number) => {
          const authorId = BOOKS.find(({ id }) => id === key)?.authorId;
          return AUTHORS.find(({ id }) => id === authorId) ?? null;
        }),
      }),
      notes: hasMany(Note, {
        target: "Notes",
        ...handlers(style, "notes", calls, (key: number) => NOTES.filter(({ bookId }) => bookId === key)),
      }),
    },
  });
  const Notes = entitySet(Note, {
    queryable: () => arraySource(Note, NOTES),
    navigation: {
      book: hasRequired(Book, {
        target: "Books",
        ...handlers(
          style,
          "book",
          calls,
          (key: { readonly bookId: number; readonly number: number }) =>
            BOOKS.find(({ id }) => id === key.bookId) ?? null,
        ),
      }),
    },
  });
  const logged: unknown[] = [];
  const service = odataService({
    prefix: "/l",
    entitySets: [Authors, Books, Notes],
    defaults,
    logger: { error: (_message, fields) => void logged.push(fields), warn: () => {}, info: () => {} },
  });
  return { service, calls, logged };
}
