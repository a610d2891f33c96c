import type { EntitySet, Model, Operation } from "../edm/model.ts";

/** What an operation is bound to: one entity of a set, or the collection of them. */
export type BindingKind = "entity" | "collection";

type OperationsByName = ReadonlyMap<string, readonly Operation[]>;

const NONE: OperationsByName = new Map();

/** Made once per model, which is frozen. */
const indexes = new WeakMap<Model, ReadonlyMap<string, OperationsByName>>();

/**
 * The operations bound to a set, by name and by qualified name.
 * @see OData URL Conventions 4.0, section 4.5; decisions, Keys and URLs
 */
export function boundOperations(model: Model, entitySet: EntitySet, binding: BindingKind): OperationsByName {
  let index = indexes.get(model);
  if (index === undefined) {
    index = indexOf(model);
    indexes.set(model, index);
  }
  return index.get(slot(entitySet.name, binding)) ?? NONE;
}

function indexOf(model: Model): ReadonlyMap<string, OperationsByName> {
  const index = new Map<string, Map<string, readonly Operation[]>>();
  for (const operation of model.operations) {
    const { binding } = operation;
    if (binding === undefined) continue;
    const key = slot(binding.entitySet, binding.isCollection ? "collection" : "entity");
    const byName = index.get(key) ?? new Map<string, readonly Operation[]>();
    for (const name of [operation.name, operation.qualifiedName]) {
      byName.set(name, [...(byName.get(name) ?? []), operation]);
    }
    index.set(key, byName);
  }
  return index;
}

/** A blank cannot stand in a name. */
function slot(entitySet: string, binding: BindingKind): string {
  return `${binding} ${entitySet}`;
}
