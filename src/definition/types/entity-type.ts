import { keeper } from "../../base/memo.ts";
import { frozenCopy } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration, EnumTypeDeclaration, Shape } from "./value-type.ts";

/**
 * Declares an entity type. Keys of `properties` are the application's; at least one of them is a `.key()`.
 * Nothing is checked before `odataService`.
 * @param name the name in $metadata, an identifier
 * @see OData CSDL 4.0, section 8.1
 */
export function entityType<const Name extends string, const Properties extends Shape>(
  name: Name,
  properties: Properties,
): EntityTypeDeclaration<Name, Properties> {
  return Object.freeze(keeper({ kind: "EntityTypeDeclaration" as const, name, properties: frozenCopy(properties) }));
}

/**
 * Declares a complex type: a structured value without a key, used with `edm.complex`.
 * @param name the name in $metadata, an identifier
 * @see OData CSDL 4.0, section 9.1
 */
export function complexType<const Name extends string, const Properties extends Shape>(
  name: Name,
  properties: Properties,
): ComplexTypeDeclaration<Name, Properties> {
  return Object.freeze({ kind: "ComplexTypeDeclaration", name, properties: frozenCopy(properties) });
}

/**
 * Declares an enumeration type; its values are member names, comma-separated where `isFlags`.
 * @param name the name in $metadata, an identifier
 * @param members member name to number, 32 bits; with `isFlags` one bit (or a set of bits) each
 * @see OData CSDL 4.0, section 10.1
 */
export function enumType<const Name extends string, const Member extends string, const IsFlags extends boolean = false>(
  name: Name,
  members: { readonly [member in Member]: number },
  options?: { readonly isFlags?: IsFlags },
): EnumTypeDeclaration<Name, Member, IsFlags> {
  // Without `isFlags` its type parameter is inferred as its default, false.
  const isFlags = (options?.isFlags === true) as IsFlags;
  return Object.freeze({ kind: "EnumTypeDeclaration", name, members: frozenCopy(members), isFlags, options });
}
