import { action, authenticated, edm, fn } from "odatakit";
import { Author, Book, Chapter, Note, Tag, type Relations } from "../executors/relations-model.ts";

/**
 * Operations whose handlers look at all rows, and answer some of them: what the caller may not see is for the framework
 * to leave out. They choose by parameters alone, so that nothing hidden decides about what is visible.
 */

/** The operations of books. */
export function bookOperations(data: Relations) {
  const bookOf = (id: string): Book | null => data.books.find((book) => book.id === id) ?? null;
  return {
    functions: {
      priced: fn({
        bound: "collection",
        composable: true,
        returns: edm.collection(Book),
        handler: () => data.books.filter(({ price }) => price !== null),
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
        handler: (key) => Promise.resolve(data.chapters.filter(({ bookId }) => bookId === key)),
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
export function authorOperations(data: Relations) {
  return {
    functions: {
      oldest: fn({
        bound: "collection",
        composable: true,
        returns: edm.collection(Author),
        handler: () => data.authors,
      }),
    },
    actions: {
      notes: action(Author, {
        bound: "entity",
        returns: edm.collection(Note),
        handler: (_key) => data.notes,
      }),
    },
  };
}

/** Those that are bound to nothing. */
export function unboundOperations(data: Relations) {
  const authorization = authenticated();
  return {
    functions: {
      everyChapter: fn({
        composable: true,
        returns: edm.collection(Chapter),
        authorization,
        // With what they lead to, whoever may see it.
        handler: () =>
          data.chapters.map((chapter) => ({
            ...chapter,
            book: data.books.find(({ id }) => id === chapter.bookId) ?? null,
            notes: data.notes.filter(
              ({ bookId, chapterNumber }) => bookId === chapter.bookId && chapterNumber === chapter.number,
            ),
          })),
      }),
      author: fn({
        params: { id: edm.int32() },
        returns: Author,
        authorization,
        handler: ({ id }) => data.authors.find((each) => each.id === id) ?? null,
      }),
      everyTag: fn({ returns: edm.collection(Tag), authorization, handler: () => data.tags }),
    },
    actions: {
      everyNote: action({ returns: edm.collection(Note), authorization, handler: () => data.notes }),
    },
  };
}
