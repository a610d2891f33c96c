import type { DeclaredNavigation, DeclaredOperation, DeclaredSet } from "./declared-service.ts";
import type { FaultPlace } from "./option-table.ts";

/** Where the faults of a navigation property stand: its set and its read route. */
export function navigationPlace(set: DeclaredSet, { name }: DeclaredNavigation): FaultPlace {
  return { set: set.name, route: `/${set.name}({key})/${name}`, method: "GET" };
}

/** Where the faults of an operation stand: its set, if it is bound, and its route. */
export function operationPlace(set: DeclaredSet | undefined, { name, kind, bound }: DeclaredOperation): FaultPlace {
  const method = kind === "Function" ? "GET" : "POST";
  if (set === undefined) return { route: `/${name}`, method };
  return { set: set.name, route: `/${set.name}${bound === "entity" ? "({key})" : ""}/${name}`, method };
}
