import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import {
  type DeclaredNavigation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  propertyIn,
  navigationPlace,
} from "../declared-service.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";

/** One property of a foreign key, by the application's name. */
interface ForeignKeyProperty {
  readonly field: string;
  readonly declared: PropertyDeclaration;
}

/**
 * Checks that a navigation along a foreign key is nullable where the foreign key is: `hasOptional` where it may be null,
 * `hasRequired` where it may not.
 * @see OData CSDL 4.0, section 7.2
 */
export function* checkForeignKeys({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const navigation of set.navigations) {
      const properties = foreignKeyOf(set, navigation);
      const { cardinality } = navigation.declaration;
      if (properties.length === 0 || cardinality === "many") continue;
      const nullable = properties.filter(({ declared }) => declared.nullable && !declared.key);
      const problem = cardinality === "required" ? ofRequired(nullable) : ofOptional(properties, nullable);
      if (problem === null) continue;
      const message = `\`${navigation.field}\` is declared with ${problem.declaredWith}, but its foreign key ${problem.found}.`;
      yield { ...navigationPlace(set, navigation), message, fix: problem.fix };
    }
  }
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

/** One property that may be null is enough: a tenant that is part of every foreign key never is. */
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
 * The properties of the set's type that repeat the whole key of the related type. None where the related entity refers
 * to this one: along a part of its key, along another property, or where both share their key.
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

/** Whether fields are the whole key of a type. */
export function isWholeKey(type: EntityTypeDeclaration, fields: readonly string[]): boolean {
  const key = entriesOf(type.properties).flatMap(([field]) => (propertyIn(type, field)?.key === true ? [field] : []));
  return key.length > 0 && key.length === fields.length && key.every((field) => fields.includes(field));
}

function namesOf(properties: readonly ForeignKeyProperty[]): string {
  return properties.map(({ field }) => `\`${field}\``).join(", ");
}
