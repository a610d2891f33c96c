import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import {
  type DeclaredNavigation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  propertyIn,
  navigationPlace,
} from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";

/** The rules for foreign keys. They are listed in the order of their faults. */
export const FOREIGN_KEY_RULES: readonly StartupRule[] = Object.freeze([checkForeignKeys, checkStoredGuids]);

interface ForeignKeyProperty {
  readonly field: string;
  readonly declared: PropertyDeclaration;
}

/**
 * Checks that a navigation along a foreign key is nullable if the foreign key is: `hasOptional` for a nullable foreign key,
 * otherwise `hasRequired`.
 * @see OData CSDL 4.0, section 7.2
 */
function* checkForeignKeys({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const properties = foreignKeyOf(set, navigation);
      const { cardinality } = navigation.declaration;
      if (properties.length === 0 || cardinality === "many") continue;
      if (cardinality === "optional" && isRequiredBack(sets, navigation)) continue;
      const nullable = properties.filter(({ declared }) => declared.nullable && !declared.key);
      const problem = cardinality === "required" ? ofRequired(nullable) : ofOptional(properties, nullable);
      if (problem === null) continue;
      const message = `\`${navigation.field}\` is declared with ${problem.declaredWith}, but its foreign key ${problem.found}.`;
      yield { ...navigationPlace(set, navigation), message, fix: problem.fix };
    }
  }
}

/**
 * Returns whether the partner of a navigation leads back to exactly one entity. Then the foreign key may be in the related
 * type, although its properties are the key of that type: a badge whose key is a unique number of its employee.
 */
function isRequiredBack(sets: readonly DeclaredSet[], { target, options }: DeclaredNavigation): boolean {
  return sets.some(
    ({ entityType, navigations }) =>
      entityType === target &&
      navigations.some(
        ({ field, declaration }) => field === options["partner"] && declaration.cardinality === "required",
      ),
  );
}

interface Problem {
  readonly declaredWith: string;
  readonly found: string;
  readonly fix: string;
}

function ofRequired(nullable: readonly ForeignKeyProperty[]): Problem | null {
  if (nullable.length === 0) return null;
  const names = namesOf(nullable);
  const found = `${names} may be null`;
  return {
    declaredWith: "hasRequired",
    found,
    fix: `Declare the navigation with hasOptional, or remove .nullable() from ${names}.`,
  };
}

/** One nullable property is enough: a tenant that is part of every foreign key is never null. */
function ofOptional(
  properties: readonly ForeignKeyProperty[],
  nullable: readonly ForeignKeyProperty[],
): Problem | null {
  if (nullable.length > 0) return null;
  const names = namesOf(properties);
  const changeable = properties.filter(({ declared }) => !declared.key);
  const other = changeable.length === 0 ? "" : `, or add .nullable() to ${namesOf(changeable)}`;
  return {
    declaredWith: "hasOptional",
    found: `${names} is never null`,
    fix: `Declare the navigation with hasRequired${other}.`,
  };
}

/**
 * Returns the properties of the set that repeat the whole key of the related type. Returns none if the related entity
 * refers to this one, or if both share their key.
 */
function foreignKeyOf(
  { entityType }: DeclaredSet,
  { target, options }: DeclaredNavigation,
): readonly ForeignKeyProperty[] {
  const pairs = entriesOf(options["on"]);
  const own = pairs.map(([from]) => from);
  const related = pairs.map(([, to]) => String(to));
  if (target === undefined || !isWholeKey(target, related) || isWholeKey(entityType, own)) return [];
  return own.flatMap((field) => {
    const declared = propertyIn(entityType, field);
    return declared === undefined ? [] : [{ field, declared }];
  });
}

function isWholeKey(type: EntityTypeDeclaration, fields: readonly string[]): boolean {
  const isKey = (field: string): boolean => propertyIn(type, field)?.key === true;
  // Most foreign keys are not part of a key, so their check does not read all properties.
  if (fields.length === 0 || !fields.every(isKey)) return false;
  const key = entriesOf(type.properties).filter(([field]) => isKey(field));
  return key.length === fields.length && key.every(([field]) => fields.includes(field));
}

function namesOf(properties: readonly ForeignKeyProperty[]): string {
  return properties.map(({ field }) => `\`${field}\``).join(", ");
}

/** Handlers that write a foreign key. */
const WRITES = ["create", "replace", "patch"] as const;

/**
 * Checks that both sides of a writable foreign key store Guids in the same way. A constraint of the database compares text
 * with its letter case, so it would reject every write if only one side has `storage: "text"`.
 * @see docs/reference/storage.md, Guids in any letter case
 */
function* checkStoredGuids({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const related = sets.find(({ name }) => name === navigation.options["target"]);
      if (related === undefined || !isWritten(set, navigation, related)) continue;
      for (const [field, other] of entriesOf(navigation.options["on"])) {
        const sides = [sideOf(set, field), sideOf(related, String(other))] as const;
        const [text, plain] = sides[0].isText ? sides : [sides[1], sides[0]];
        if (!text.isText || plain.isText) continue;
        const message = `\`${navigation.field}\` is joined by ${text.place}, which has \`storage: "text"\`, and ${plain.place}, which does not. Constraints of the database compare their letter case.`;
        yield { ...navigationPlace(set, navigation), message, fix: `Give ${plain.place} \`storage: "text"\`, too.` };
      }
    }
  }
}

/** Returns whether both sets are in one database that stores Guids as text, and clients can write the foreign key. */
function isWritten(set: DeclaredSet, navigation: DeclaredNavigation, related: DeclaredSet): boolean {
  const [own, other] = [set.declaration, related.declaration];
  if (own.anyCaseGuids === undefined || other.anyCaseGuids === undefined) return false;
  if (own.database?.instance !== other.database?.instance) return false;
  const holder = holderOf(set, navigation, related);
  return holder !== null && WRITES.some((name) => holder.options[name] !== undefined);
}

/** Returns the set with the foreign key; null if neither set refers to the key of the other. */
function holderOf(set: DeclaredSet, navigation: DeclaredNavigation, related: DeclaredSet): DeclaredSet | null {
  const pairs = entriesOf(navigation.options["on"]);
  const [own, other] = [pairs.map(([field]) => field), pairs.map(([, field]) => String(field))];
  if (navigation.declaration.cardinality !== "many" && isWholeKey(related.entityType, other)) return set;
  return isWholeKey(set.entityType, own) ? related : null;
}

function sideOf(
  { name, declaration }: DeclaredSet,
  field: string,
): { readonly place: string; readonly isText: boolean } {
  return { place: `${name}/${field}`, isText: declaration.anyCaseGuids?.includes(field) === true };
}
