import { frozenMap } from "../../edm/frozen-map.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { everyOption, isObject } from "../option-table.ts";
import { type AuthorizationRequirement, requirementsOf } from "./authorization.ts";

/** The requests that the rules of a property distinguish. */
export const PROPERTY_ACTS = ["read", "create", "update"] as const;

/** A request that the rules of a property distinguish. */
export type PropertyAct = (typeof PROPERTY_ACTS)[number];

/** The resolved rules of one property. All rules of a list must pass. */
export type PropertyRequirements = Readonly<Record<PropertyAct, readonly AuthorizationRequirement[]>>;

/** The rules of the properties of a set; empty without rules. */
export type PropertyRules = ReadonlyMap<StructuralProperty, PropertyRequirements>;

/**
 * Resolves the rules of the properties of a set. Who may not read a property may not write it either, unless it has rules
 * for that.
 * @param declared the checked `authorization` of the set
 * @see docs/guides/authorization.md
 */
export function resolvePropertyRules(declared: unknown, properties: readonly StructuralProperty[]): PropertyRules {
  const byField = declaredPropertyRules(declared);
  const resolved = properties.flatMap((property) => {
    const rules: unknown = Object.hasOwn(byField, property.field) ? byField[property.field] : undefined;
    return isObject(rules) ? [[property, requirementsOfProperty(rules)] as const] : [];
  });
  return frozenMap(resolved);
}

/**
 * Returns the rules of properties as they are declared, by field, including rules that a class defines.
 * @param authorization the `authorization` of a set
 */
export function declaredPropertyRules(authorization: unknown): Readonly<Record<string, unknown>> {
  const given: unknown = isObject(authorization) ? authorization["properties"] : undefined;
  return isObject(given) ? everyOption(given) : {};
}

function requirementsOfProperty(rules: Readonly<Record<string, unknown>>): PropertyRequirements {
  const { read, create = read, update = read } = rules;
  return Object.freeze({
    read: requirementsOf(read),
    create: requirementsOf(create),
    update: requirementsOf(update),
  });
}
