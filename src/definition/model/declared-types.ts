import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { DescribedElement } from "../../edm/annotation.ts";
import { frozenMap } from "../../edm/frozen-map.ts";
import { TYPE_FIELD } from "../../edm/hierarchy.ts";
import type { EnumType } from "../../edm/model.ts";
import { isObject } from "../option-table.ts";
import type {
  ComplexTypeDeclaration,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  PropertyDeclaration,
} from "../types/value-type.ts";
import { isDeclaration } from "./declaration-kind.ts";
import { type DeclaredOperation, type DeclaredService, type DeclaredSet, entriesOf } from "./declared-service.ts";

/** One startup rule: finds its faults in the declarations of a registration. */
export type StartupRule = (service: DeclaredService, types: DeclaredTypes) => Iterable<ConfigurationFault>;

/** The types that the declarations of a registration use, each once, in order of first use. */
export interface DeclaredTypes {
  readonly entityTypes: ReadonlySet<EntityTypeDeclaration>;
  readonly complexTypes: ReadonlySet<ComplexTypeDeclaration>;
  readonly enumTypes: ReadonlySet<EnumTypeDeclaration>;
}

/** Collects the types of a registration from its sets, navigations, operations and properties. */
export function collectTypes(service: DeclaredService): DeclaredTypes {
  const collector = new TypeCollector(service.shown);
  for (const set of service.sets) collector.addEntityType(set.entityType);
  for (const { virtual } of service.sets) collector.addVirtual(virtual);
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
  readonly #shown: DeclaredService["shown"];

  constructor(shown: DeclaredService["shown"]) {
    this.#shown = shown;
  }

  /** A hierarchy is listed as a whole. */
  addEntityType(given: EntityTypeDeclaration): void {
    const shown = this.#shown.get(given) ?? given;
    const type = shown.hierarchy?.whole ?? shown;
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

  addVirtual(virtual: DeclaredSet["virtual"]): void {
    for (const { declared } of virtual) if (declared !== undefined) this.#addValueType(declared);
  }

  #addProperties(properties: unknown): void {
    for (const [field, property] of entriesOf(properties)) {
      // The names of the types of a hierarchy are no type of the model.
      if (field !== TYPE_FIELD && isDeclaration(property, "Property")) this.#addValueType(property.declared);
    }
  }

  #addValueType({ type, ignored }: PropertyDeclaration): void {
    // $metadata does not contain ignored properties.
    if (ignored) return;
    if (isDeclaration(type, "EnumTypeDeclaration")) this.enumTypes.add(type);
    if (!isDeclaration(type, "ComplexTypeDeclaration") || this.complexTypes.has(type)) return;
    this.complexTypes.add(type);
    this.#addProperties(type.properties);
  }
}

/** Returns the enumeration type of a model for a declaration. */
export function toEnumType(
  declaration: EnumTypeDeclaration,
  namespace: string,
  described: DescribedElement & Partial<Pick<EnumType, "memberDescriptions" | "isText">> = {},
): EnumType {
  const { name, isFlags, members } = declaration;
  const qualifiedName = `${namespace}.${name}`;
  // JavaScript callers may omit the members: the startup check, which also needs the type, reports it.
  const type: EnumType = {
    kind: "EnumType",
    name,
    qualifiedName,
    isFlags,
    members: frozenMap(Object.entries(isObject(members) ? members : {})),
    ...described,
  };
  return Object.freeze(type);
}
