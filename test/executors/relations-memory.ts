import { arraySource, entitySet, odataService, type SearchExpression, type ServiceOptions } from "odatakit";
import { Author, Book, Chapter, Note, Publisher, SEARCHED, Tag, type Relations } from "./relations-model.ts";
import { navigationsOf, type Wiring } from "./relations-navigations.ts";

export type Service = ReturnType<typeof odataService>;
/** Settings that all services of a comparison share. */
export type Shared = Pick<ServiceOptions, "defaults" | "secret">;

const silent = (): void => undefined;

/** What all services of the suite have in common, whatever is behind their sets. */
export const COMMON = {
  propertyNaming: "PascalCase",
  namespace: "Rel",
  prefix: "",
  logger: { error: silent, warn: silent, info: silent },
} as const;

/** Whether a text matches a search: words and phrases are parts of it, in any letter case. */
function matches(search: SearchExpression, texts: readonly string[]): boolean {
  switch (search.kind) {
    case "word":
    case "phrase":
      return texts.some((text) => text.includes(search.text.toLowerCase()));
    case "not":
      return !matches(search.operand, texts);
    case "and":
      return search.operands.every((operand) => matches(operand, texts));
    case "or":
      return search.operands.some((operand) => matches(operand, texts));
  }
}

/** A search handler over some properties of rows. */
function searchOf<T extends object>(
  rows: readonly T[],
  fields: ReadonlyArray<keyof T>,
): (search: { readonly expression: SearchExpression }) => readonly T[] {
  return ({ expression }) =>
    rows.filter((row) => {
      const texts = fields.map((field) => row[field]).filter((text) => typeof text === "string");
      return matches(
        expression,
        texts.map((text) => text.toLowerCase()),
      );
    });
}

/** A service over arrays. */
export function memoryService(data: Relations, wiring: Exclude<Wiring, "tables">, shared: Shared = {}): Service {
  const navigation = navigationsOf(wiring, data);
  return odataService({
    ...COMMON,
    ...shared,
    entitySets: [
      entitySet(Publisher, {
        queryable: () => arraySource(Publisher, data.publishers),
        getByKey: (key) => data.publishers.find((p) => p.country === key.country && p.number === key.number) ?? null,
        navigation: navigation.publishers,
      }),
      entitySet(Author, {
        queryable: () => arraySource(Author, data.authors),
        getByKey: (id) => data.authors.find((author) => author.id === id) ?? null,
        search: searchOf(data.authors, SEARCHED.authors),
        navigation: navigation.authors,
      }),
      entitySet(Book, {
        queryable: () => arraySource(Book, data.books),
        getByKey: (id) => data.books.find((book) => book.id === id) ?? null,
        search: searchOf(data.books, SEARCHED.books),
        navigation: navigation.books,
      }),
      entitySet(Chapter, {
        queryable: () => arraySource(Chapter, data.chapters),
        getByKey: (key) => data.chapters.find((c) => c.bookId === key.bookId && c.number === key.number) ?? null,
        navigation: navigation.chapters,
      }),
      entitySet(Note, {
        queryable: () => arraySource(Note, data.notes),
        getByKey: (id) => data.notes.find((note) => note.id === id) ?? null,
        navigation: navigation.notes,
      }),
      entitySet(Tag, {
        queryable: () => arraySource(Tag, data.tags),
        getByKey: (code) => data.tags.find((tag) => tag.code === code) ?? null,
        search: searchOf(data.tags, SEARCHED.tags),
        navigation: navigation.tags,
      }),
    ],
  });
}
