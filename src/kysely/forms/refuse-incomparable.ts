import type { StructuralProperty } from "../../edm/model.ts";
import { protocolError } from "../../errors/odata-error.ts";

/**
 * Refuses the types whose values within JSON cannot be compared: flags and Binary, which are texts of several forms there.
 * @param owner the property that is stored as JSON
 * @throws ODataError `UnsupportedQueryOption`
 */
export function refuseIncomparable(type: StructuralProperty["type"], owner: string): void {
  const isFlags = type.kind === "EnumType" && type.isFlags;
  if (!isFlags && type.name !== "Edm.Binary") return;
  throw protocolError(
    "UnsupportedQueryOption",
    `'${owner}' is stored as JSON, where values of ${type.name} cannot be compared.`,
  );
}
