import { attempt } from "../../base/maybe.ts";
import { absentValue } from "../../edm/absent-value.ts";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import { withScriptDates } from "../../edm/script-dates.ts";
import { InvalidValueError, type ValueCodec } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { EntityOwner } from "../../language/query/capabilities.ts";
import { isSame } from "./judge-properties.ts";
import { hasPropertyRules, refusedProperties, type RuledUser } from "./property-access.ts";

/** How a body is read. */
interface Reading {
  readonly act: "create" | "update";
  readonly ieee754Compatible: boolean;
  /** Whether nested entities are created; absent: false. */
  readonly nests?: boolean;
}

/**
 * Returns a body without the values that count as absent, because the user may not write their properties: null and literal
 * defaults, which clients send in whole rows. With the default profile it returns the body itself.
 * @param owner the set of the entity; its type if no set is declared
 * @param body parsed JSON, which need not match the model
 * @see docs/guides/authorization.md, Properties
 */
export function withoutUnwritten<Body>(ruled: RuledUser, owner: EntityOwner, body: Body, reading: Reading): Body {
  const { definition } = ruled;
  if (!definition.profile.takesWholeRows || !hasPropertyRules(definition) || !isObject(body)) return body;
  const refused = [...refusedProperties(ruled, owner, reading.act)];
  const unwritten = refused.filter((property) => countsAsAbsent(property, body[property.name], reading));
  const dropped = new Set(unwritten.map(({ name }) => name));
  const navigations = reading.nests === true && owner.kind === "EntitySet" ? owner.navigationProperties : NONE;
  const entries = Object.entries(body).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (dropped.has(name)) return [];
    const navigation = navigations.get(name);
    if (navigation === undefined || owner.kind !== "EntitySet") return [[name, value]];
    const target = targetOf(ruled, owner, navigation);
    const strip = (item: unknown): unknown => withoutUnwritten(ruled, target, item, reading);
    return [[name, Array.isArray(value) ? value.map(strip) : strip(value)]];
  });
  const isChanged = dropped.size > 0 || entries.some(([name, value]) => value !== body[name]);
  return isChanged ? (Object.fromEntries(entries) as Body) : body;
}

const NONE: ReadonlyMap<string, NavigationProperty> = new Map();

/** Returns the target set of a navigation; its type if no set is declared. */
export function targetOf(
  { definition }: RuledUser,
  { navigationPropertyBindings }: EntitySet,
  { name, entityType }: NavigationProperty,
): EntityOwner {
  return definition.entitySets.get(navigationPropertyBindings.get(name) ?? "")?.entitySet ?? entityType;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is null, or equals the value of an absent property: in changes the literal default only. */
function countsAsAbsent(property: StructuralProperty, value: unknown, { act, ieee754Compatible }: Reading): boolean {
  if (value === undefined || value === null) return value === null;
  const absent = act === "create" ? absentValue(property) : property.defaultValue;
  if (absent === undefined || absent === null) return false;
  const given = attempt(() => readValue(property, value, ieee754Compatible), InvalidValueError);
  return !(given instanceof InvalidValueError) && isSame(property, given, absent);
}

/** Reads a value as its body is read. @throws InvalidValueError for a value that does not fit the type */
function readValue(property: StructuralProperty, value: unknown, ieee754Compatible: boolean): unknown {
  if (!property.isCollection) return readItem(property, value, ieee754Compatible);
  if (!Array.isArray(value)) throw new InvalidValueError(property.name);
  return value.map((item) => readItem(property, item, ieee754Compatible));
}

function readItem(property: StructuralProperty, value: unknown, ieee754Compatible: boolean): unknown {
  const { type } = property;
  if (value === null) return null;
  if (type.kind !== "ComplexType") {
    // A body contains nothing but JSON.
    return withScriptDates(codecOf(property)).fromJson(
      value as Parameters<ValueCodec["fromJson"]>[0],
      ieee754Compatible,
    );
  }
  if (!isObject(value) || Object.keys(value).some((name) => !type.members.has(name))) {
    throw new InvalidValueError(property.name);
  }
  const read = (member: StructuralProperty): unknown =>
    Object.hasOwn(value, member.name)
      ? readValue(member, value[member.name], ieee754Compatible)
      : (absentValue(member) ?? null);
  return Object.fromEntries(type.properties.map((member) => [member.field, read(member)]));
}
