import { frozenMap } from "../edm/frozen-map.ts";
import type { EnumType } from "../edm/model.ts";
import { isObject } from "./option-table.ts";
import type { EnumTypeDeclaration } from "./value-type.ts";

/** The enumeration type of a model that a declaration gives. */
export function toEnumType(declaration: EnumTypeDeclaration, namespace: string): EnumType {
  const { name, isFlags, members } = declaration;
  const qualifiedName = `${namespace}.${name}`;
  // Untyped code may give no members at all: the startup check, which asks for the type too, tells.
  return Object.freeze({
    kind: "EnumType",
    name,
    qualifiedName,
    isFlags,
    members: frozenMap(Object.entries(isObject(members) ? members : {})),
  });
}
