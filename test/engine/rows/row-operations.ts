import { action, authenticated, edm, fn } from "odatakit";
import { Author, Book, Chapter, Note, Tag, type Relations } from "../executors/relations-model.ts";

/**
 * Operations whose handlers read all rows, and return some of them: the service must leave out the rows that the caller may
 * not see. They choose by parameters alone, so that hidden rows do not affect visible ones.
 */

/** Returns an entity as the application does: with the values that a rule needs to follow its navigations. */
export type HandOut = <T extends object>(set: "authors" | "books" | "chapters" | "notes", entity: T) => T;

const AS_IT_IS: HandOut = (_set, entity) => entity;

/** The operations of books. */
export function bookOperations(data: Relations, handOut: HandOut = AS_IT_IS) {
  const bookOf = (id: string): Book | null => {
    const found = data.books.find((book) => book.id === id);
    return found === undefined ? null : handOut("books", found);
  };
  return {
    functions: {
      priced: fn({
        bound: "collection",
        composable: true,
        returns: edm.collection(Book),
        handler: () => data.books.filter(({ price }) => price !== null).map((book) => handOut("books", book)),
      }),
      other: fn(Book, {
        bound: "entity",
        params: { id: edm.guid() },
        returns: Book,
        handler: (_key, { id }) => bookOf(id),
      }),
      chaptersOf: fn(Book, {
        bound: "entity",
        returns: edm.collection(Chapter),
        handler: (key) => {
          const found = data.chapters.filter(({ bookId }) => bookId === key);
          return Promise.resolve(found.map((chapter) => handOut("chapters", chapter)));
        },
      }),
    },
    actions: {
      pick: action({
        bound: "collection",
        params: { id: edm.guid() },
        returns: Book,
        handler: ({ id }) => bookOf(id),
      }),
      show: action(Book, { bound: "entity", returns: edm.string(), handler: (key) => key }),
      nothing: action(Book, { bound: "entity", handler: (_key) => undefined }),
    },
  };
}

/** The operations of authors. */
export function authorOperations(data: Relations, handOut: HandOut = AS_IT_IS) {
  return {
    functions: {
      oldest: fn({
        bound: "collection",
        composable: true,
        returns: edm.collection(Author),
        handler: () => data.authors.map((author) => handOut("authors", author)),
      }),
    },
    actions: {
      notes: action(Author, {
        bound: "entity",
        returns: edm.collection(Note),
        handler: (_key) => data.notes.map((note) => handOut("notes", note)),
      }),
    },
  };
}

/** The unbound operations. */
export function unboundOperations(data: Relations, handOut: HandOut = AS_IT_IS) {
  const authorization = authenticated();
  const bookOf = (wanted: string): Book | null => {
    const found = data.books.find(({ id }) => id === wanted);
    return found === undefined ? null : handOut("books", found);
  };
  return {
    functions: {
      everyChapter: fn({
        composable: true,
        returns: edm.collection(Chapter),
        authorization,
        // With their related entities, visible or not.
        handler: () =>
          data.chapters.map((chapter) => ({
            ...handOut("chapters", chapter),
            book: bookOf(chapter.bookId),
            notes: data.notes.filter(
              ({ bookId, chapterNumber }) => bookId === chapter.bookId && chapterNumber === chapter.number,
            ),
          })),
      }),
      author: fn({
        params: { id: edm.int32() },
        returns: Author,
        authorization,
        handler: ({ id }) => {
          const found = data.authors.find((each) => each.id === id);
          return found === undefined ? null : handOut("authors", found);
        },
      }),
      everyTag: fn({ returns: edm.collection(Tag), authorization, handler: () => data.tags }),
    },
    actions: {
      everyNote: action({
        returns: edm.collection(Note),
        authorization,
        handler: () => data.notes.map((note) => handOut("notes", note)),
      }),
    },
  };
}
