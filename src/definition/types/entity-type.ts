import { frozenCopy, hasKind, isObject } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration, EnumTypeDeclaration, Shape } from "./value-type.ts";

/** The options of `enumType`. */
export interface EnumTypeOptions<Member extends string, IsFlags extends boolean> extends TypeOptions {
  /** Whether a value may be several members. */
  readonly isFlags?: IsFlags;
  /** Annotations of members by name. */
  readonly memberAnnotations?: { readonly [M in Member]?: Annotations } | undefined;
}

/**
 * Declares an entity type. At least one property must be a `.key()`. `odataService` checks the declaration.
 * @param name the name in `$metadata`, an identifier
 * @param properties the properties by their keys in the objects of the application
 * @see OData CSDL 4.0, section 8.1
 */
export function entityType<
  const Name extends string,
  const Properties extends Shape,
  const Base extends EntityTypeDeclaration = never,
>(
  name: Name,
  properties: Properties,
  options?: EntityTypeOptions<Base>,
): EntityTypeDeclaration<Name, Inherited<Base, Properties>> {
  // JavaScript callers may give anything; the startup check reports it.
  const base: EntityTypeDeclaration | undefined = hasKind(options?.base, "EntityTypeDeclaration")
    ? options?.base
    : undefined;
  const all = base !== undefined && isObject(properties) ? { ...base.properties, ...properties } : properties;
  const declared = { kind: "EntityTypeDeclaration" as const, name, properties: frozenCopy(all), describe };
  const whole = base === undefined ? declared : { ...declared, base };
  return Object.freeze(options === undefined ? whole : { ...whole, options });
}

/** The properties of a base type and those that a type adds. */
type Inherited<Base extends EntityTypeDeclaration, Properties extends Shape> = [Base] extends [never]
  ? Properties
  : Omit<Base["properties"], keyof Properties> & Properties;

/**
 * Declares a complex type, a structured value without a key, for `edm.complex`.
 * @param name the name in `$metadata`, an identifier
 * @see OData CSDL 4.0, section 9.1
 */
export function complexType<const Name extends string, const Properties extends Shape>(
  name: Name,
  properties: Properties,
  options?: TypeOptions,
): ComplexTypeDeclaration<Name, Properties> {
  const declared = { kind: "ComplexTypeDeclaration" as const, name, properties: frozenCopy(properties), describe };
  return Object.freeze(options === undefined ? declared : { ...declared, options });
}

/**
 * Declares an enumeration type, for `edm.enum`. Values are member names, separated by commas with `isFlags`.
 * @param name the name in `$metadata`, an identifier
 * @param members the numbers of the members by name; with `isFlags`, a bit or a set of bits for each member
 * @see OData CSDL 4.0, section 10.1
 */
export function enumType<const Name extends string, const Member extends string, const IsFlags extends boolean = false>(
  name: Name,
  members: { readonly [member in Member]: number },
  options?: EnumTypeOptions<Member, IsFlags>,
): EnumTypeDeclaration<Name, Member, IsFlags> {
  // Without `isFlags`, the type parameter is inferred as its default, false.
  const isFlags = (options?.isFlags === true) as IsFlags;
  const declared = { kind: "EnumTypeDeclaration" as const, name, members: frozenCopy(members), isFlags, options };
  return Object.freeze({ ...declared, describe: describeEnum });
}

/** Describes an enumeration and its members. */
function describeEnum<Declared extends object>(
  this: Declared,
  description: string,
  memberDescriptions?: object,
): Declared {
  return Object.freeze({ ...this, description, ...(memberDescriptions === undefined ? {} : { memberDescriptions }) });
}

/**
 * Annotations in the form of CSDL JSON: terms with the alias of their vocabulary and, after `#`, their qualifier, such as
 * `"UI.LineItem"` or `"UI.FieldGroup#Address"`. A term `"Common.Text@UI.TextArrangement"` annotates the first one.
 * @see docs/reference/annotations.md
 */
export interface Annotations {
  readonly [term: `${string}.${string}`]: AnnotationValue | undefined;
}

/**
 * The value of an annotation: a constant, an array for a collection, an object for a record or an expression such as
 * `{ $Path: "name" }`. The startup checks the parts of arrays and objects, also those of an interface.
 */
export type AnnotationValue = string | number | bigint | boolean | null | object;

/** A vocabulary that the service does not know, or knows in an older version. */
export interface VocabularyOptions {
  /** Its namespace, such as `com.example.vocabularies.Maps.v1`. */
  readonly namespace: string;
  /** The URL of its document, for the reference in `$metadata`. */
  readonly uri: string;
}

/** The options of a type. */
export interface TypeOptions {
  /** Annotations of the type in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
}

/** The options of an entity type. */
export interface EntityTypeOptions<Base extends EntityTypeDeclaration = EntityTypeDeclaration> extends TypeOptions {
  /** The type whose properties it inherits. Sets list their derived types. @see docs/guides/derived-types.md */
  readonly base?: Base | undefined;
  /** Whether no entity has this type itself, only types derived from it; false if absent. */
  readonly abstract?: boolean | undefined;
}

/**
 * The method `describe` of every declaration: returns a copy of the declaration with a description. Copies with further
 * members keep the method.
 * @see docs/reference/annotations.md
 */
export const describe: <Declared extends object>(this: Declared, description: string) => Declared = describedCopy;

function describedCopy<Declared extends object>(this: Declared, description: string): Declared {
  return Object.freeze({ ...this, description });
}
