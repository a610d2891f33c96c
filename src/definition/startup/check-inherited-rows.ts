import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { type DeclaredService, type DeclaredSet, navigationPlace } from "../model/declared-service.ts";
import { adviseName } from "../option-table.ts";
import { isInherited } from "../sets/inherited-rows.ts";
import { declaredRows, parentOf } from "./row-function.ts";

/**
 * Checks that the navigation of an inherited row rule leads each entity to one entity of a set with a rule.
 * @see docs/guides/authorization.md
 */
export function* checkInheritedRows({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const rows = declaredRows(set);
    if (isInherited(rows)) yield* checkInherited(set, rows.navigation, sets);
  }
}

function* checkInherited(set: DeclaredSet, field: string, sets: readonly DeclaredSet[]): Iterable<ConfigurationFault> {
  const { name, navigations } = set;
  const from = `\`authorization.rows\` inherits along \`${field}\``;
  const navigation = navigations.find((each) => each.field === field);
  if (navigation === undefined) {
    const known = navigations.flatMap((each) => (each.declaration.cardinality === "required" ? [each.field] : []));
    yield { set: name, message: `${from}, which is no navigation of ${name}.`, fix: adviseName(field, known) };
    return;
  }
  const place = navigationPlace(set, navigation);
  const { cardinality } = navigation.declaration;
  if (cardinality !== "required") {
    const leads = cardinality === "many" ? "several entities" : "no entity where its foreign key is null";
    const fix = "Name a navigation of `hasRequired`, or give a function that returns a condition.";
    yield { ...place, message: `${from}, which leads to ${leads}.`, fix };
    return;
  }
  const { target } = navigation.options;
  if (target === undefined) {
    yield { ...place, message: `${from}, which names no \`target\`.`, fix: "Give `target`: the set with the rule." };
    return;
  }
  const parent = parentOf(set, sets);
  // `TARGET_RULES` report a target that is not a set of the service.
  if (parent === undefined) return;
  if (declaredRows(parent) === undefined) {
    const fix = `Give \`authorization.rows\` of ${parent.name}, or remove \`inherit\`.`;
    yield { ...place, message: `${from}, but ${parent.name} has no \`rows\`.`, fix };
  }
  const cycle = cycleOf(set, sets);
  if (cycle === null) return;
  const message = `${from}, and so from itself: ${cycle.join(", ")}.`;
  yield { ...place, message, fix: "Give one of them a function that returns a condition." };
}

/** Returns the names of the sets from which a set inherits its rule, up to itself; null if it does not inherit from itself. */
function cycleOf(set: DeclaredSet, sets: readonly DeclaredSet[]): readonly string[] | null {
  const names = [set.name];
  let parent = parentOf(set, sets);
  while (parent !== undefined && parent !== set && !names.includes(parent.name)) {
    names.push(parent.name);
    parent = parentOf(parent, sets);
  }
  return parent === set ? [...names, set.name] : null;
}
