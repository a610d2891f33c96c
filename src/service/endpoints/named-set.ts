import type { JsonValue } from "../../base/json/write-json.ts";
import { required } from "../../base/required.ts";
import { castOf } from "../../edm/hierarchy.ts";
import type { EntitySet } from "../../edm/model.ts";
import { namedType } from "../../payload/named-type.ts";
import type { ServiceRuntime } from "./service-runtime.ts";

/**
 * Returns the set that a body changes: that of the URL, seen as the type that the body names. So a change of an entity of
 * another type finds none.
 * @throws ODataError `InvalidBody` for another type
 * @see docs/guides/derived-types.md
 */
export function namedSet({ definition }: ServiceRuntime, entitySet: EntitySet, body: JsonValue): EntitySet {
  const { qualifiedName } = namedType(entitySet.entityType, body);
  if (qualifiedName === entitySet.entityType.qualifiedName) return entitySet;
  return required(
    castOf(definition.model.entityContainer, entitySet, qualifiedName),
    `${entitySet.name} has no cast to ${qualifiedName}.`,
  );
}
