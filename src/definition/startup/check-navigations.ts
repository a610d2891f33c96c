import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredNavigation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  namesOf,
  propertyIn,
  navigationPlace,
} from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { adviseName, describe } from "../option-table.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";
import { everyNavigation } from "./check-authorization.ts";
import { checkHierarchies } from "./check-hierarchy.ts";

/** The rules for the targets of navigations. They are listed in the order of their faults. */
export const TARGET_RULES: readonly StartupRule[] = Object.freeze([checkTargets, checkConditions]);

/** The rules for navigations of one relation. They are listed in the order of their faults. */
export const PARTNER_RULES: readonly StartupRule[] = Object.freeze([checkPartners, checkAgreement, checkHierarchies]);

/** Checks that `target` names a set of the related type in the same registration. */
function* checkTargets({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const { from: set, navigation } of everyNavigation(sets)) {
    const { target: name } = navigation.options;
    if (typeof name !== "string") continue;
    const place = navigationPlace(set, navigation);
    const targetSet = sets.find((each) => each.name === name);
    if (targetSet === undefined) {
      const message = `The target of \`${navigation.field}\`, "${name}", is not an entity set of this service.`;
      const fix = adviseName(
        name,
        sets.map((each) => each.name),
      );
      yield { ...place, message, fix };
    } else if (navigation.target !== undefined && targetSet.entityType !== navigation.target) {
      const holds = `"${name}" contains ${targetSet.entityType.name}`;
      const message = `\`${navigation.field}\` leads to ${navigation.target.name}, but its target ${holds}.`;
      yield {
        ...place,
        message,
        fix: "Name a set of the related type, or declare the navigation to the type of that set.",
      };
    }
  }
}

/** Checks that `on` pairs comparable properties of both types. */
function* checkConditions({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const { from: set, navigation } of everyNavigation(sets)) {
    const { target, options, field } = navigation;
    const place = navigationPlace(set, navigation);
    const pairs = entriesOf(options["on"]);
    if (options["on"] !== undefined && pairs.length === 0) {
      const fix = "Pair a property of this type with one of the related type, or leave `on` out.";
      yield { ...place, message: `\`on\` of \`${field}\` pairs no properties.`, fix };
    }
    for (const [from, to] of pairs) {
      if (target === undefined) continue;
      const source = propertyIn(set.entityType, from);
      const related = typeof to === "string" ? propertyIn(target, to) : undefined;
      if (source === undefined) {
        const message = `\`on\` of \`${field}\` names \`${from}\`, which ${set.entityType.name} does not have.`;
        yield { ...place, message, fix: adviseName(from, namesOf(set.entityType.properties)) };
      }
      if (related === undefined) {
        const shown = typeof to === "string" ? `\`${to}\`` : describe(to);
        const message = `\`on\` of \`${field}\` names ${shown}, which ${target.name} does not have.`;
        yield { ...place, message, fix: adviseName(String(to), namesOf(target.properties)) };
      }
      if (source === undefined || related === undefined || areComparable(source, related)) continue;
      const message = `\`on\` of \`${field}\` pairs \`${from}\` with \`${String(to)}\`, which has a different type.`;
      yield { ...place, message, fix: "Pair single values of one type." };
    }
  }
}

/** Checks that `partner` names a navigation of the related type that leads back. @see OData CSDL 4.0, section 7.1.4 */
function* checkPartners({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const { from: set, navigation } of everyNavigation(sets)) {
    const { target, options, field } = navigation;
    const { partner } = options;
    if (typeof partner !== "string" || target === undefined) continue;
    const place = navigationPlace(set, navigation);
    const candidates = sets.filter((each) => each.entityType === target).flatMap((each) => each.navigations);
    const back = candidates.filter((each) => each.field === partner);
    if (back.length === 0) {
      const message = `The partner of \`${field}\`, \`${partner}\`, is not a navigation of a set of ${target.name}.`;
      const fix = adviseName(
        partner,
        candidates.map((each) => each.field),
      );
      yield { ...place, message, fix };
      continue;
    }
    const wrong = back.find((each) => each.target !== set.entityType);
    const other = back.find(({ options: { partner: own } }) => own !== undefined && own !== field);
    if (wrong !== undefined) {
      const message = `The partner of \`${field}\`, \`${partner}\`, does not lead back to ${set.entityType.name}.`;
      yield { ...place, message, fix: "Name the navigation that leads back, or leave `partner` out." };
    } else if (other !== undefined) {
      const message = `The partner of \`${field}\` is \`${partner}\`, whose partner is \`${String(other.options["partner"])}\`.`;
      yield { ...place, message, fix: "Let each partner name the other." };
    }
  }
}

/** Checks that sets of one type declare a shared navigation alike. */
function* checkAgreement({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const first = new Map<
    EntityTypeDeclaration,
    Map<string, { readonly set: DeclaredSet; readonly navigation: DeclaredNavigation }>
  >();
  for (const { from: set, navigation } of everyNavigation(sets)) {
    const known = first.get(set.entityType) ?? new Map<string, { set: DeclaredSet; navigation: DeclaredNavigation }>();
    first.set(set.entityType, known);
    const other = known.get(navigation.field);
    if (other === undefined) {
      known.set(navigation.field, { set, navigation });
      continue;
    }
    const difference = differenceOf(navigation, other.navigation);
    if (difference === null) continue;
    const message = `\`${navigation.field}\` has a different ${difference} here than in the set ${other.set.name} of the same type.`;
    yield {
      ...navigationPlace(set, navigation),
      message,
      fix: "Declare it identically in both sets, or only in one.",
    };
  }
}

/** Returns the first difference of two declarations, or null. Options of only one declaration do not conflict. */
function differenceOf(left: DeclaredNavigation, right: DeclaredNavigation): string | null {
  if (left.target !== right.target) return "type";
  if (left.declaration.cardinality !== right.declaration.cardinality) return "cardinality";
  for (const option of ["partner", "on"]) {
    const [one, other] = [left.options[option], right.options[option]];
    if (one !== undefined && other !== undefined && comparable(one) !== comparable(other)) return `\`${option}\``;
  }
  return null;
}

function comparable(value: unknown): string {
  if (typeof value === "string") return value;
  return entriesOf(value)
    .map(([from, to]) => JSON.stringify([from, to]))
    .toSorted()
    .join();
}

function areComparable(left: PropertyDeclaration, right: PropertyDeclaration): boolean {
  const areSingle = left.item === undefined && right.item === undefined;
  return areSingle && left.type === right.type && !isDeclaration(left.type, "ComplexTypeDeclaration");
}
