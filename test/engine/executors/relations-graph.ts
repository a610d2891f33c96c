import {
  CODES,
  COUNTRIES,
  DATES,
  IDS,
  INSTANTS,
  NAMES,
  NOTE_IDS,
  PRICES,
  RATINGS,
  RATIOS,
  WEIGHTS,
} from "./relations-rows.ts";

/** The kinds of values; values of one kind can be compared. */
export type Kind = "text" | "integer" | "decimal" | "double" | "boolean" | "guid" | "date" | "instant" | "size";

/** A set as a client sees it. */
export interface SetGraph {
  readonly key: readonly string[];
  readonly properties: Readonly<Record<string, Kind>>;
  /** Properties that are not single values, which only `$select` names. */
  readonly others: readonly string[];
  readonly toOne: Readonly<Record<string, string>>;
  readonly toMany: Readonly<Record<string, string>>;
  readonly isSearched: boolean;
}

export const GRAPH: Readonly<Record<string, SetGraph>> = {
  Publishers: {
    key: ["Country", "Number"],
    properties: { Country: "text", Number: "integer", Name: "text", Founded: "date", Size: "size" },
    others: [],
    toOne: {},
    toMany: { Authors: "Authors", Books: "Books", Tags: "Tags" },
    isSearched: false,
  },
  Authors: {
    key: ["Id"],
    properties: {
      Id: "integer",
      Name: "text",
      Rating: "decimal",
      Born: "instant",
      MentorId: "integer",
      "Home/City": "text",
      "Home/Zip": "integer",
    },
    others: ["Home"],
    toOne: { Mentor: "Authors", Publisher: "Publishers" },
    toMany: { Pupils: "Authors", Books: "Books", Tags: "Tags", Friends: "Authors" },
    isSearched: true,
  },
  Books: {
    key: ["Id"],
    properties: {
      Id: "guid",
      Heading: "text",
      Pages: "integer",
      Price: "decimal",
      Active: "boolean",
      AuthorId: "integer",
      PublisherCountry: "text",
      PublisherNumber: "integer",
      "Words/$count": "integer",
    },
    others: ["Words"],
    toOne: { Author: "Authors", Publisher: "Publishers" },
    toMany: { Chapters: "Chapters", Tags: "Tags" },
    isSearched: true,
  },
  Chapters: {
    key: ["BookId", "Number"],
    properties: { BookId: "guid", Number: "integer", Title: "text", Ratio: "double" },
    others: [],
    toOne: { Book: "Books" },
    toMany: { Notes: "Notes" },
    isSearched: false,
  },
  Notes: {
    key: ["Id"],
    properties: { Id: "integer", Text: "text", At: "instant", BookId: "guid", ChapterNumber: "integer" },
    others: [],
    toOne: { Chapter: "Chapters", Tag: "Tags" },
    toMany: {},
    isSearched: false,
  },
  Tags: {
    key: ["Code"],
    properties: { Code: "text", Label: "text", Weight: "integer", ParentCode: "text" },
    others: [],
    toOne: { Parent: "Tags" },
    toMany: { Children: "Tags", Notes: "Notes", Authors: "Authors", Publishers: "Publishers" },
    isSearched: true,
  },
};

/** Returns a string as a literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Literals of each kind: stored values, and a few others. */
export const LITERALS: Readonly<Record<Kind, readonly string[]>> = {
  text: [...NAMES, ...CODES, ...COUNTRIES].map(quoted),
  integer: ["0", "1", "2", "3", "5", "7", "-1", "300", ...[...NOTE_IDS, ...WEIGHTS].map(String)],
  decimal: [...RATINGS.map((text) => (text.includes(".") ? text : `${text}.0`)), ...PRICES, "1.10", "1.105"],
  double: RATIOS.map((ratio) => `${String(ratio)}e0`),
  boolean: ["true", "false"],
  guid: IDS,
  date: [...DATES, "2000-01-02"],
  instant: [...INSTANTS, "2024-02-29T14:00:00+02:00"],
  size: ["'Small'", "Rel.Size'Large'"],
};

/** The keys that may exist, as written between parentheses. */
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  Publishers: COUNTRIES.flatMap((country) => [1, 2].map((n) => `Country=${quoted(country)},Number=${String(n)}`)),
  Authors: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
  Books: IDS,
  Chapters: IDS.flatMap((id) => [0, 1, 2, 3].map((number) => `BookId=${id},Number=${String(number)}`)),
  Notes: NOTE_IDS.map(String),
  Tags: CODES.map(quoted),
};
