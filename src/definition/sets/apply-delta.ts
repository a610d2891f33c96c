import { declaredEntityType } from "../types/declared-entity-type.ts";
import type { DeltaOf, EntityOf } from "../types/infer.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import { mergeDelta } from "./merge-delta.ts";

/**
 * Returns the entity that a PATCH asks for: a copy of the old one with the members of the delta. Complex values are merged
 * at every depth. Only declared members are written, and never a key, computed or ignored one.
 * @param entity the entity as it is; null or undefined returns null, for a handler that found none
 * @throws ODataError `InvalidBody` when a complex value is null, and the delta lacks one of its required members
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
