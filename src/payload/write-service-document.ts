import { listedImports, type Model } from "../edm/model.ts";
import { metadataUrl } from "./context-url.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { encodeSegment } from "./percent-encoding.ts";

/**
 * Writes the service document: the entity sets, then the unbound functions, then the unbound actions.
 * @param serviceRoot absolute, without a trailing slash
 * @param listsEveryImport whether actions and functions with parameters are listed
 * @see OData JSON Format 4.0, section 5; docs/reference/formats.md
 */
export function writeServiceDocument(
  model: Model,
  serviceRoot: string,
  format: PayloadFormat,
  listsEveryImport = true,
): string {
  const { entityContainer } = model;
  const imports = listedImports(entityContainer, listsEveryImport);
  const value = [...entityContainer.entitySets.values(), ...imports].map(({ kind, name }) => ({
    name,
    kind,
    url: encodeSegment(name),
  }));
  if (format.metadata === "none") return JSON.stringify({ value });
  return JSON.stringify({ "@odata.context": metadataUrl(serviceRoot), value });
}
