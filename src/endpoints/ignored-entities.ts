import { logInfo } from "../definition/request-fields.ts";
import type { EntitySet } from "../edm/model.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Logs that PATCH or PUT ignores the related entities of a body, once for each navigation of a set.
 * @param names the wire names of the navigation properties
 * @see OData Protocol 4.0, sections 11.4.3 and 11.4.4; docs/reference/writing.md
 */
export function logIgnoredEntities(exchange: Exchange, { name: set }: EntitySet, names: readonly string[]): void {
  const { definition, warned } = exchange.service;
  for (const navigation of names) {
    const record = `ignored entities ${set}/${navigation}`;
    if (warned.has(record)) continue;
    warned.add(record);
    const message = `PATCH and PUT of '${set}' ignore the related entities of '${navigation}' in their bodies. Write them with requests of their own.`;
    logInfo(definition, exchange.context, message, { set, navigation });
  }
}
