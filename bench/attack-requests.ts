import { BATCH_ATTACKS } from "./attack-batches.ts";
import { BODY_ATTACKS } from "./attack-bodies.ts";
import { GROWTH_ATTACKS } from "./attack-growth.ts";
import { READ_ATTACKS } from "./attack-reads.ts";
import { STATEMENT_ATTACKS } from "./attack-statements.ts";
import { LIST_ATTACKS, LONG_ATTACKS } from "./attack-urls.ts";
import { many, type Attack } from "./attack.ts";

/** The attacks, by their means. */
export const ATTACKS: readonly Attack[] = [
  ...STATEMENT_ATTACKS,
  ...LONG_ATTACKS,
  ...LIST_ATTACKS,
  ...BODY_ATTACKS,
  ...BATCH_ATTACKS,
  ...READ_ATTACKS,
  ...GROWTH_ATTACKS,
  { name: "many headers", target: "/Cities?$top=1", headers: manyHeaders() },
  {
    name: "a long Prefer",
    target: "/Cities?$top=1",
    headers: { Prefer: many(3000, (index) => `p${String(index)}=1`, ",") },
  },
  {
    name: "a long Accept",
    refusal: "406 NotAcceptable",
    target: "/Cities?$top=1",
    headers: { Accept: many(2000, (index) => `a/b${String(index)};q=0.1`, ",") },
  },
  {
    name: "a long If-None-Match",
    target: "/Cities(1)",
    headers: { "If-None-Match": many(4000, (index) => `W/"${String(index)}"`, ",") },
  },
  { name: "$metadata", target: "/$metadata" },
  { name: "the service document", target: "/" },
];

function manyHeaders(): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: 1500 }, (_none, index) => [`x-${String(index)}`, "1"]));
}
