import { keeper } from "../../base/memo.ts";
import { frozenCopy } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration, EnumTypeDeclaration, Shape } from "./value-type.ts";

/**
 * Declares an entity type. At least one property must be a `.key()`. `odataService` checks the declaration.
 * @param name the name in `$metadata`, an identifier
 * @param properties the properties by their keys in the objects of the application
 * @see OData CSDL 4.0, section 8.1
 */
export function entityType<const Name extends string, const Properties extends Shape>(
  name: Name,
  properties: Properties,
): EntityTypeDeclaration<Name, Properties> {
  return Object.freeze(keeper({ kind: "EntityTypeDeclaration" as const, name, properties: frozenCopy(properties) }));
}

/**
 * Declares a complex type, a structured value without a key, for `edm.complex`.
 * @param name the name in `$metadata`, an identifier
 * @see OData CSDL 4.0, section 9.1
 */
export function complexType<const Name extends string, const Properties extends Shape>(
  name: Name,
  properties: Properties,
): ComplexTypeDeclaration<Name, Properties> {
  return Object.freeze({ kind: "ComplexTypeDeclaration", name, properties: frozenCopy(properties) });
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
  options?: { readonly isFlags?: IsFlags },
): EnumTypeDeclaration<Name, Member, IsFlags> {
  // Without `isFlags`, the type parameter is inferred as its default, false.
  const isFlags = (options?.isFlags === true) as IsFlags;
  return Object.freeze({ kind: "EnumTypeDeclaration", name, members: frozenCopy(members), isFlags, options });
}
