import { sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import type { TextMemory } from "../../statement/text-memory.ts";

/**
 * Makes statements fail in which `concat` would make a text of more than `max_allowed_packet` bytes: its result would be null,
 * with a warning only. The other functions make no text that is longer than theirs.
 */
export const MY_TEXT_MEMORY: TextMemory = Object.freeze<TextMemory>({
  most: Infinity,
  few: 0,
  unbound: new Set<FunctionName>(["tolower", "toupper", "trim", "substring"]),
  copiesOf: ({ name }) => (name === "concat" ? 1 : 0),
  countsAll: true,
  sortedCopies: 0,
  bytesOf: (text) => sql`octet_length(${text})`,
  within: (bytes, _most, value) => {
    // No function fails on demand: a value with two rows does. It names the row, so that it is not evaluated before.
    const failure = sql`(select '' from (select 1 as one union all select 2) as odata_two where ${bytes} > odata_two.one)`;
    return sql`if(${bytes} > @@max_allowed_packet, ${failure}, ${value})`;
  },
});
