/** Tests of a capability that a Node.js lacks. */
interface Lack {
  /** Why; `docs/reference/limitations.md` states the consequences for users. */
  readonly why: string;
  /** The end of their full names. */
  readonly tests: RegExp;
}

/** A Node.js that the tests run under. */
export interface TestedNode {
  readonly version: string;
  readonly lacks: readonly Lack[];
}

/** The oldest Node.js of `engines` in the manifest, and the newest one. `npm test` uses the one in between. */
export const NODES: readonly TestedNode[] = [
  {
    version: "22.18.0",
    lacks: [
      {
        why: "`node:sqlite` ends a text at U+0000",
        tests:
          /binds and returns a text with a NUL$|odata_lower\('A' \|\| char\(0\) \|\| 'B'\)$|texts with U\+0000 over SQLite > |the letter case of texts in UTF-(?:8|16le) is that of JavaScript > (?:concat\()?to(?:lower|upper)\(/,
      },
      {
        why: "`node:sqlite` counts the columns of a statement once",
        tests: /statements adapt to a schema change$/,
      },
      {
        why: "`node:sqlite` binds a numbered parameter once",
        tests: /converts any text to lower and upper case as in JavaScript$/,
      },
      {
        why: "its SQLite rounds floating-point numbers in JSON, so pages with one are read as rows",
        tests:
          /a page of SQLite as JSON > has the bytes of the same rows$|values that JavaScript writes into JSON of SQLite > (?:have the bytes of the same rows|.*, written into JSON)$|keyset pages that SQLite writes as JSON > have the bytes and the tokens of rows with expansions$|expansions that SQLite writes as JSON > have the bytes of expanded rows$/,
      },
      {
        why: "its SQLite prints other plans",
        tests:
          /an index serves > (?:a path|any|the key of what a path leads to)$|so that indexes serve them > \/Orders\(31\)\?\$select=id for region:r1$/,
      },
    ],
  },
  { version: "26", lacks: [] },
];
