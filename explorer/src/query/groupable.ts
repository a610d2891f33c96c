import { isNumeric } from "../format/show-value.ts";
import { isInTime } from "../format/zone.ts";
import { identityOf, isSummable } from "../model/identifier.ts";
import { labelProperties } from "../model/label-properties.ts";
import type { Navigation, SetAbilities, StructuredType } from "../model/model.ts";
import type { TotalMethod } from "./apply-text.ts";
import type { PathProperty } from "./operators.ts";

/** Returns the paths by which a service groups related entities: their keys, since two of them may have one label, and labels. */
export function entityGroups({ name, target, constraints }: Navigation) {
  const pathsOf = (all: StructuredType["key"]): readonly string[] => all.map((each) => `${name}/${each.name}`);
  const keys = constraints.size > 0 ? [...constraints.keys()] : pathsOf(target.key);
  return { keys, labels: pathsOf(labelProperties(target)) };
}

/** Returns the methods whose totals say something, as far as a set permits them. A sum of ids does not; one of codes may. */
export function totalMethods(
  owner: StructuredType,
  { path, property: { type } }: PathProperty,
  abilities: SetAbilities | undefined,
): readonly TotalMethod[] {
  const identity = identityOf(owner, path);
  const ofValues = isInTime(type) ? (["min", "max"] as const) : [];
  const ofNumbers = identity !== "id" && isNumeric(type) ? (["sum", "average", "min", "max"] as const) : ofValues;
  const isName = identity !== null || ofNumbers.length === 0;
  return [...ofNumbers, ...(isName ? (["countdistinct"] as const) : [])].filter(
    (each) => (each !== "sum" || isSummable(path)) && abilities?.methodsOf(path).includes(each) !== false,
  );
}
