import type { EntitySet } from "../edm/model.ts";
import type { TokenScope } from "../plan/keyset-token.ts";
import { shapeKey } from "../query/query-shape.ts";
import type { Exchange } from "./exchange.ts";

/** The options that decide which rows there are and in what order; all others may change from page to page. */
const ROW_OPTIONS: readonly string[] = ["$filter", "$orderby", "$search"];

/** What the keyset tokens of a request are made with: they belong to this service, this set and these options. */
export function tokenScope(exchange: Exchange, entitySet: EntitySet): TokenScope {
  const { definition, seal } = exchange.service;
  if (seal === null) throw new Error(`${entitySet.name} has keyset paging, but its service no secret.`);
  const { system, aliases } = exchange.options.options;
  const context = shapeKey([
    definition.name,
    definition.prefix,
    entitySet.name,
    ...ROW_OPTIONS.map((name) => system.get(name)),
    ...[...aliases].toSorted(([left], [right]) => (left < right ? -1 : 1)).flat(),
  ]);
  return { seal, context };
}
