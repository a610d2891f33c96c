import { mergeDelta } from "../sets/merge-delta.ts";
import type { DeltaOf, EntityOf } from "../types/entity-values.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import { declaredEntityType } from "./declared-entity-type.ts";

/**
 * Returns a copy of an entity with the changes of a PATCH. Complex values are merged at every depth. Only declared
 * members change, and never keys, computed or ignored members.
 * @param entity the current entity; null or undefined returns null
 * @throws ODataError `InvalidBody` if a complex value is null and the delta lacks one of its required members
 * @see OData Protocol 4.0, section 11.4.3
 */
export function applyDelta<E extends EntityTypeDeclaration>(
  type: E,
  entity: EntityOf<E>,
  delta: DeltaOf<E>,
): EntityOf<E>;
export function applyDelta<E extends EntityTypeDeclaration>(
  type: E,
  entity: EntityOf<E> | null | undefined,
  delta: DeltaOf<E>,
): EntityOf<E> | null;
export function applyDelta(
  type: EntityTypeDeclaration,
  entity: Readonly<Record<string, unknown>> | null | undefined,
  delta: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | null {
  if (entity === null || entity === undefined) return null;
  return mergeDelta(declaredEntityType(type), entity, delta);
}
