import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import {
  type DeclaredService,
  type DeclaredSet,
  namesOf,
  propertiesOf,
  propertyIn,
} from "../model/declared-service.ts";
import { HIERARCHY_FIELDS, parentNavigation, qualifierOf } from "../model/hierarchy.ts";
import { isSimpleIdentifier } from "../names.ts";
import { adviseName, describe, isObject } from "../option-table.ts";

const PARTS: readonly string[] = ["parent", "qualifier"];

/** Checks the hierarchies of sets: a property of each node contains the key of its parent. @see docs/guides/trees.md */
export function* checkHierarchies(service: DeclaredService): Iterable<ConfigurationFault> {
  const first = new Map<string, DeclaredSet>();
  for (const set of service.sets) {
    const { hierarchy } = set.options;
    if (!isObject(hierarchy)) continue;
    yield* checkHierarchy(set, hierarchy);
    const name = `${set.entityType.name} ${qualifierOf(hierarchy, set.name)}`;
    const other = first.get(name);
    if (other !== undefined) {
      const message = `\`hierarchy\` has the qualifier of that of ${other.name}, and both sets contain ${set.entityType.name}.`;
      yield { set: set.name, message, fix: "Give another `qualifier`." };
    }
    first.set(name, set);
  }
}

function* checkHierarchy(set: DeclaredSet, hierarchy: Readonly<Record<string, unknown>>): Iterable<ConfigurationFault> {
  const place = { set: set.name };
  const { entityType } = set;
  for (const part of Object.keys(hierarchy).filter((name) => !PARTS.includes(name))) {
    yield { ...place, message: `\`hierarchy\` has no option \`${part}\`.`, fix: adviseName(part, PARTS) };
  }
  const { parent, qualifier } = hierarchy;
  if (qualifier !== undefined && (typeof qualifier !== "string" || !isSimpleIdentifier(qualifier))) {
    const message = `\`hierarchy.qualifier\` cannot be ${describe(qualifier)}.`;
    yield { ...place, message, fix: "Give a letter or underscore, then letters, digits and underscores." };
  }
  for (const field of HIERARCHY_FIELDS.filter((each) => propertyIn(entityType, each) !== undefined)) {
    const message = `\`hierarchy\` adds \`${field}\` to ${entityType.name}, which already has that property.`;
    yield { ...place, message, fix: "Give the property of the type another key." };
  }
  const keys = propertiesOf(entityType, "asDeclared").filter(({ declared }) => declared.key);
  const [key] = keys;
  if (keys.length !== 1 || key === undefined) {
    const message = `\`hierarchy\` needs a key of one property, and ${entityType.name} has ${String(keys.length)}.`;
    yield { ...place, message, fix: "Give the type one key property, or remove `hierarchy`." };
    return;
  }
  if (typeof parent !== "string" || propertyIn(entityType, parent) === undefined) {
    const message = `\`hierarchy.parent\` is ${describe(parent)}, which is no property of ${entityType.name}.`;
    yield { ...place, message, fix: adviseName(String(parent), namesOf(entityType.properties)) };
    return;
  }
  if (parentNavigation(set, hierarchy) !== undefined) return;
  const message = `\`hierarchy.parent\` is \`${parent}\`, but no navigation to one entity of ${set.name} has \`on: { ${parent}: "${key.field}" }\`.`;
  const fix = `Declare it: navigation: { parent: hasOptional(${entityType.name}, { on: { ${parent}: "${key.field}" }, target: "${set.name}" }) }.`;
  yield { ...place, message, fix };
}
