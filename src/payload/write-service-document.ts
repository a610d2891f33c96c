import type { Model } from "../edm/model.ts";
import { metadataUrl } from "./context-url.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { encodeSegment } from "./percent-encoding.ts";

/**
 * The body of the service document: every entity set, then every unbound function, then every unbound action.
 * @param serviceRoot absolute, without a trailing slash
 * @see OData JSON Format 4.0, section 5; specification, Operations, rule 9
 */
export function writeServiceDocument(model: Model, serviceRoot: string, format: PayloadFormat): string {
  const { entitySets, functionImports, actionImports } = model.entityContainer;
  const value = [...entitySets.values(), ...functionImports.values(), ...actionImports.values()].map(
    ({ kind, name }) => ({ name, kind, url: encodeSegment(name) }),
  );
  if (format.metadata === "none") return JSON.stringify({ value });
  return JSON.stringify({ "@odata.context": metadataUrl(serviceRoot), value });
}
