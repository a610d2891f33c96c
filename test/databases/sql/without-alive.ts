/** The conditions that `src/databases/sqlite/dialect/database` makes. */
const ALIVE =
  /likelihood\((?:iif\("\w+"\._rowid_ % 1021, 1, odata_alive\(\)\)|iif\(\("\w+"\."key" \+ 1\) % 1021, 1, odata_alive\(\)\)|odata_alive\(\) or \+[^()]*? = 0), 1\.0\)/
    .source;
const BEFORE_OTHERS = new RegExp(`${ALIVE} and `, "g");
const ALONE = new RegExp(` where ${ALIVE}`, "g");

/** Returns a statement without the conditions that end it after its time, which alive.test.ts tests. */
export function withoutAlive(text: string): string {
  return text.replaceAll(BEFORE_OTHERS, "").replaceAll(ALONE, "");
}
