import { keeper } from "../../base/memo.ts";
import { frozenMap } from "../../edm/frozen-map.ts";
import type { EnumType } from "../../edm/model.ts";
import { isDeclaration } from "../declaration-kind.ts";
import { type DeclaredOperation, type DeclaredService, entriesOf } from "../declared-service.ts";
import { isObject } from "../option-table.ts";
import type {
  ComplexTypeDeclaration,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyDeclaration,
} from "./value-type.ts";

/** Every type that the declarations of a registration mention, each once, in order of first mention. */
export interface DeclaredTypes {
  readonly entityTypes: ReadonlySet<EntityTypeDeclaration>;
  readonly complexTypes: ReadonlySet<ComplexTypeDeclaration>;
  readonly enumTypes: ReadonlySet<EnumTypeDeclaration>;
}

/** Finds the types of a registration: those of sets, of navigations, operations and properties. */
export function collectTypes(service: DeclaredService): DeclaredTypes {
  const collector = new TypeCollector();
  for (const set of service.sets) collector.addEntityType(set.entityType);
  for (const set of service.sets) {
    for (const { target } of set.navigations) if (target !== undefined) collector.addEntityType(target);
    for (const operation of set.operations) collector.addOperation(operation);
  }
  for (const operation of service.operations) collector.addOperation(operation);
  return collector;
}

class TypeCollector implements DeclaredTypes {
  readonly entityTypes = new Set<EntityTypeDeclaration>();
  readonly complexTypes = new Set<ComplexTypeDeclaration>();
  readonly enumTypes = new Set<EnumTypeDeclaration>();

  addEntityType(type: EntityTypeDeclaration): void {
    if (this.entityTypes.has(type)) return;
    this.entityTypes.add(type);
    this.#addProperties(type.properties);
  }

  addOperation({ parameters, options }: DeclaredOperation): void {
    for (const { declared } of parameters) this.#addValueType(declared);
    const returns = options["returns"];
    if (isDeclaration(returns, "Property")) this.#addValueType(returns.declared);
    if (isDeclaration(returns, "EntityTypeDeclaration")) this.addEntityType(returns);
    if (isDeclaration(returns, "EntityCollection")) this.addEntityType(returns.of);
  }

  #addProperties(properties: unknown): void {
    for (const [, property] of entriesOf(properties)) {
      if (isDeclaration(property, "Property")) this.#addValueType(property.declared);
    }
  }

  #addValueType({ type, ignored }: PropertyDeclaration): void {
    // What never crosses the wire has no place in $metadata.
    if (ignored) return;
    if (isDeclaration(type, "EnumTypeDeclaration")) this.enumTypes.add(type);
    if (!isDeclaration(type, "ComplexTypeDeclaration") || this.complexTypes.has(type)) return;
    this.complexTypes.add(type);
    this.#addProperties(type.properties);
  }
}

/** The enumeration type of a model that a declaration gives. */
export function toEnumType(declaration: EnumTypeDeclaration, namespace: string): EnumType {
  const { name, isFlags, members } = declaration;
  const qualifiedName = `${namespace}.${name}`;
  // Untyped code may give no members at all: the startup check, which asks for the type too, tells.
  const type = keeper<EnumType>({
    kind: "EnumType",
    name,
    qualifiedName,
    isFlags,
    members: frozenMap(Object.entries(isObject(members) ? members : {})),
  });
  return Object.freeze(type);
}
