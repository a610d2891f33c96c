/** The conditions that `src/kysely/dialects/sqlite/alive` makes. */
const ALIVE =
  /\((?:"\w+"\._rowid_ % 1021 or odata_alive\(\)|\("\w+"\."key" \+ 1\) % 1021 or odata_alive\(\)|odata_alive\(\) or \+[^()]*? = 0)\)/
    .source;
const BEFORE_OTHERS = new RegExp(`${ALIVE} and `, "g");
const ALONE = new RegExp(` where ${ALIVE}`, "g");

/** Returns a statement without the conditions that end it after its time, which alive.test.ts tests. */
export function withoutAlive(text: string): string {
  return text.replaceAll(BEFORE_OTHERS, "").replaceAll(ALONE, "");
}
