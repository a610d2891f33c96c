/** What helps a condition that no index serves, by the operation that reads each row. */
const REMEDIES: Readonly<Record<string, string>> = {
  contains:
    "Ask for the beginning of the text with startswith, which an index serves, or for words with $search over a full-text index.",
  endswith: "Store the text in reverse in a column with an index, and ask for its beginning with startswith.",
  tolower: "Store the text in lower case in a column with an index, and compare that column.",
  toupper: "Store the text in upper case in a column with an index, and compare that column.",
  ne: "Ask for the wanted values with eq or in, or with lt and gt: an index finds few rows among many.",
  not: "Ask for the wanted values with eq or in, or with lt and gt: an index finds few rows among many.",
  or: "An index serves `or` only if it serves each of the conditions: ask for them in two requests.",
};
const RANGE = "Compare the column itself with both ends of a range, with ge and lt.";
const STORED = "Store the computed value in a column with an index, and compare that column.";
const PARTS_OF_TIME = /^(?:year|month|day|hour|minute|second|fractionalseconds|date|time)$/u;

/** Returns what would help a condition on a column that no index serves. */
export function adviceForScan([table, column, operation]: readonly [
  table: string,
  column: string,
  operation: string,
]): {
  readonly message: string;
  readonly fix: string;
} {
  const what = operation === "computed" ? "a value computed from" : `\`${operation}\` of`;
  const [owner, name] = [table, column].map((each) => each.replaceAll(/["`]/gu, ""));
  return {
    message: `No index can serve ${what} \`${name ?? ""}\`: the database reads all rows of \`${owner ?? ""}\`.`,
    fix: REMEDIES[operation] ?? (PARTS_OF_TIME.test(operation) ? RANGE : STORED),
  };
}
