import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { type DeclaredService, type DeclaredSet, entriesOf, propertyIn } from "../model/declared-service.ts";
import { adviseName, describe, everyOption, isObject } from "../option-table.ts";
import { isAuthorizationRule, needsResource, requirementsOf } from "../sets/authorization.ts";
import { declaredPropertyRules, PROPERTY_ACTS } from "../sets/property-rules.ts";
import type { PropertyDeclaration } from "../types/value-type.ts";
import { checkRules } from "./check-authorization.ts";

const EXAMPLE = '{ salary: { read: role("hr"), update: role("hr") } }';

/** The rules of one property before they are resolved. */
type DeclaredRules = Readonly<Record<string, unknown>>;

/**
 * Checks that the rules of properties name properties that they can protect on every route, and depend on the user alone.
 * @see docs/guides/authorization.md
 */
export function* checkPropertyRules(service: DeclaredService): Iterable<ConfigurationFault> {
  if (service.options["metadataPerUser"] === true && !service.sets.some(rulesProperties)) {
    const message = "`metadataPerUser` of odataService has no effect: no set has `authorization.properties`.";
    yield { message, fix: `Give a set rules for properties, such as ${EXAMPLE}, or remove \`metadataPerUser\`.` };
  }
  for (const set of service.sets) {
    const { authorization } = set.options;
    // `checkAuthorization` reports other values.
    if (!isObject(authorization) || isAuthorizationRule(authorization)) continue;
    const { properties } = authorization;
    if (properties === undefined) continue;
    if (!isObject(properties)) {
      const message = `\`authorization.properties\` is ${describe(properties)}.`;
      yield { set: set.name, message, fix: `Give an object of properties: ${EXAMPLE}.` };
      continue;
    }
    const byField = declaredPropertyRules(authorization);
    for (const [field, rules] of Object.entries(byField)) yield* checkProperty(set, field, rules);
    yield* checkReplacing(set, service);
  }
}

/** Returns whether a set has rules for properties. */
export function rulesProperties({ options: { authorization } }: Pick<DeclaredSet, "options">): boolean {
  return Object.keys(declaredPropertyRules(authorization)).length > 0;
}

function* checkProperty(set: DeclaredSet, field: string, declaredRules: unknown): Iterable<ConfigurationFault> {
  const place = { set: set.name };
  const name = `\`authorization.properties.${field}\``;
  const virtual = set.virtual.find((each) => each.field === field && !each.isMask && each.isMedia !== true)?.declared;
  const stored = virtual?.stream === undefined ? propertyIn(set.entityType, field) : virtual;
  const declared = stored ?? (virtual && { ...virtual, computed: true });
  if (declared === undefined) {
    const fields = [
      ...entriesOf(set.entityType.properties).map(([each]) => each),
      ...set.virtual.map((each) => each.field),
    ];
    yield { ...place, message: `${name} names no property of ${set.entityType.name}.`, fix: adviseName(field, fields) };
    return;
  }
  if (!isObject(declaredRules) || isAuthorizationRule(declaredRules)) {
    const is = isAuthorizationRule(declaredRules) ? "a rule" : describe(declaredRules);
    yield { ...place, message: `${name} is ${is}.`, fix: `Give an object of rules: ${EXAMPLE}.` };
    return;
  }
  const rules: DeclaredRules = everyOption(declaredRules);
  const acts: readonly string[] = PROPERTY_ACTS;
  if (Object.keys(rules).length === 0) {
    yield { ...place, message: `${name} has no rule.`, fix: `Give at least one, such as ${EXAMPLE}, or remove it.` };
  }
  for (const act of Object.keys(rules).filter((each) => !acts.includes(each))) {
    yield { ...place, message: `${name} has no rule \`${act}\`.`, fix: adviseName(act, acts) };
  }
  for (const act of PROPERTY_ACTS) {
    const rule = `\`authorization.properties.${field}.${act}\``;
    // A rule that is missing by mistake would open the property.
    if (act in rules && rules[act] === undefined) {
      const fix = "Give a rule, or leave it out. An empty list lets every user through.";
      yield { ...place, message: `${rule} is undefined.`, fix };
    }
    yield* checkRules(rules[act], rule, place);
    if (!requirementsOf(rules[act]).some(needsResource)) continue;
    const message = `${rule} contains resource(…), but the rules of properties depend on the user alone.`;
    yield { ...place, message, fix: `Use role(…), or move it into \`authorization.${act}\` of the set.` };
  }
  yield* checkProtected(set, field, declared, rules);
}

/** Checks that no route shows or writes the property in spite of its rules. */
function* checkProtected(
  set: DeclaredSet,
  field: string,
  { key, ignored, computed, immutable, stream }: PropertyDeclaration,
  rules: DeclaredRules,
): Iterable<ConfigurationFault> {
  const place = { set: set.name };
  const name = `\`authorization.properties\` has rules for \`${field}\``;
  const fix = "Remove them.";
  if (key) {
    const message = `${name}, which is part of the key: URLs, links and references contain it.`;
    yield { ...place, message, fix: "Use a key that every user may know." };
    return;
  }
  if (ignored) {
    yield { ...place, message: `${name}, which is ignored: no client sees or writes it.`, fix };
    return;
  }
  const { etag } = set.options;
  if (rules["read"] !== undefined && Array.isArray(etag) && etag.includes(field)) {
    const message = `${name}, which is part of \`etag\`: clients could find the value that an ETag was made from.`;
    yield { ...place, message, fix: "Make the ETag of a property that every user may know, such as a `rowVersion`." };
  }
  const isSet = stream === undefined && isObject(set.options["set"]) && Object.hasOwn(set.options["set"], field);
  if ((computed || isSet) && (rules["create"] ?? rules["update"]) !== undefined) {
    const why = isSet ? "`set` makes its values" : "it is computed";
    yield { ...place, message: `${name} to write it, but ${why}: values of clients are ignored.`, fix };
  } else if (immutable && rules["update"] !== undefined) {
    yield { ...place, message: `${name} to update it, but it is immutable: updates ignore it.`, fix };
  }
}

/** Checks that the stored value of a property can be kept for a user who must not replace it. */
function* checkReplacing(set: DeclaredSet, service: DeclaredService): Iterable<ConfigurationFault> {
  const { replace, getByKey } = set.options;
  if (replace === undefined || getByKey !== undefined || service.handlersCheckingRows.has(replace)) return;
  if (!rulesProperties(set)) return;
  const message = "`replace` keeps the values of properties that the user may not write, but no `getByKey` loads them.";
  yield { set: set.name, route: `/${set.name}({key})`, method: "PUT", message, fix: "Declare getByKey." };
}
