import type { DeltaOf, EntityOf } from "./infer.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

/**
 * Makes the entity that a PATCH asks for: a copy of the old one with the members of the delta. Only declared members
 * are written, and never a key, computed or ignored one.
 * @param entity the entity as it is; null or undefined gives null, for a handler that found none
 * @see specification, Read by key, create, replace, patch, delete
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
  const written = Object.entries(type.properties)
    .filter(([field, { declared }]) => Object.hasOwn(delta, field) && isWritable(declared))
    .map(([field]) => [field, delta[field]] as const);
  // Spread and fromEntries define members: a property named __proto__ is one like any other.
  return { ...entity, ...Object.fromEntries(written) };
}

function isWritable(declared: {
  readonly key: boolean;
  readonly computed: boolean;
  readonly ignored: boolean;
}): boolean {
  return !declared.key && !declared.computed && !declared.ignored;
}
