import { arraySource, entitySet, odataService, type KeyOf, type SearchExpression, type ServiceOptions } from "odatakit";
import { Author, Book, Chapter, Note, Publisher, SEARCHED, Tag, type Relations } from "./relations-model.ts";
import { navigationsOf, type Wiring } from "./relations-navigations.ts";

export type Service = ReturnType<typeof odataService>;
/** Settings that all services of a comparison share. */
export type Shared = Pick<ServiceOptions, "actions" | "defaults" | "profile" | "secret">;

const silent = (): void => undefined;

/** The options that all services of the suite share. */
export const COMMON = {
  propertyNaming: "PascalCase",
  namespace: "Rel",
  prefix: "",
  logger: { error: silent, warn: silent, info: silent },
} as const;

/** Whether a string matches a search: words and phrases are parts of it, in any letter case. */
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

/** The options of the sets over arrays. */
export function arraySets(data: Relations) {
  return {
    publishers: {
      queryable: () => arraySource(Publisher, data.publishers),
      getByKey: (key: KeyOf<typeof Publisher>) =>
        data.publishers.find(({ country, number }) => country === key.country && number === key.number) ?? null,
    },
    authors: {
      queryable: () => arraySource(Author, data.authors),
      getByKey: (key: number) => data.authors.find(({ id }) => id === key) ?? null,
      search: searchOf(data.authors, SEARCHED.authors),
    },
    books: {
      queryable: () => arraySource(Book, data.books),
      getByKey: (key: string) => data.books.find(({ id }) => id === key) ?? null,
      search: searchOf(data.books, SEARCHED.books),
    },
    chapters: {
      queryable: () => arraySource(Chapter, data.chapters),
      getByKey: (key: KeyOf<typeof Chapter>) =>
        data.chapters.find(({ bookId, number }) => bookId === key.bookId && number === key.number) ?? null,
    },
    notes: {
      queryable: () => arraySource(Note, data.notes),
      getByKey: (key: bigint) => data.notes.find(({ id }) => id === key) ?? null,
    },
    tags: {
      queryable: () => arraySource(Tag, data.tags),
      getByKey: (key: string) => data.tags.find(({ code }) => code === key) ?? null,
      search: searchOf(data.tags, SEARCHED.tags),
    },
  };
}

/** A service over arrays. */
export function memoryService(data: Relations, wiring: Exclude<Wiring, "tables">, shared: Shared = {}): Service {
  const navigation = navigationsOf(wiring, data);
  const sets = arraySets(data);
  return odataService({
    ...COMMON,
    ...shared,
    entitySets: [
      entitySet(Publisher, { ...sets.publishers, navigation: navigation.publishers }),
      entitySet(Author, { ...sets.authors, navigation: navigation.authors }),
      entitySet(Book, { ...sets.books, navigation: navigation.books }),
      entitySet(Chapter, { ...sets.chapters, navigation: navigation.chapters }),
      entitySet(Note, { ...sets.notes, navigation: navigation.notes }),
      entitySet(Tag, { ...sets.tags, navigation: navigation.tags }),
    ],
  });
}
