import { isDeclaration } from "./declaration-kind.ts";
import { NAMING_POLICIES, type NamingPolicy, pluralOf, toWireName } from "./names.ts";
import type { OperationDeclaration } from "./operations/operation.ts";
import { everyOption, isObject, nameOf, type FaultPlace } from "./option-table.ts";
import type { ServiceOptions } from "./service-options.ts";
import type { EntitySetDeclaration } from "./sets/entity-set.ts";
import type { NavigationDeclaration } from "./sets/navigation-declaration.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "./types/value-type.ts";

/**
 * The declarations of one registration as they hang together, before they are checked: names resolved, each set object
 * once. What is no declaration at all is left out here; `check-options.ts` names it.
 */
export interface DeclaredService {
  readonly options: Readonly<Record<string, unknown>>;
  readonly naming: NamingPolicy;
  readonly sets: readonly DeclaredSet[];
  /** Unbound. */
  readonly operations: readonly DeclaredOperation[];
}

/** One entity set. */
export interface DeclaredSet {
  readonly name: string;
  readonly entityType: EntityTypeDeclaration;
  readonly options: Readonly<Record<string, unknown>>;
  /** What the application holds of it. */
  readonly declaration: EntitySetDeclaration;
  /** What the declaration finds wrong with itself. */
  readonly check: EntitySetDeclaration["check"];
  /** The keys of properties that its database cannot compare. */
  readonly uncomparable: readonly string[];
  readonly navigations: readonly DeclaredNavigation[];
  readonly operations: readonly DeclaredOperation[];
}

/** One navigation property of a set. */
export interface DeclaredNavigation {
  readonly field: string;
  /** On the wire. */
  readonly name: string;
  readonly declaration: NavigationDeclaration;
  /** Undefined when the declaration gives no entity type. */
  readonly target: EntityTypeDeclaration | undefined;
  /** What went wrong when the declaration was asked for its type. */
  readonly failure: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One function or action. */
export interface DeclaredOperation {
  readonly name: string;
  readonly kind: "Function" | "Action";
  readonly bound: "entity" | "collection" | undefined;
  readonly declaration: OperationDeclaration;
  readonly options: Readonly<Record<string, unknown>>;
  readonly parameters: readonly DeclaredParameter[];
}

/** One parameter of an operation. */
export interface DeclaredParameter {
  readonly name: string;
  readonly declared: PropertyDeclaration;
}

/** One property of a structured type, with its wire name. */
export interface DeclaredProperty {
  readonly field: string;
  readonly name: string;
  readonly declared: PropertyDeclaration;
}

/** Puts the declarations of a registration together and gives each its name. */
export function collectDeclarations(options: ServiceOptions): DeclaredService {
  const given: Readonly<Record<string, unknown>> = isObject(options) ? everyOption(options) : {};
  const naming = NAMING_POLICIES.find((policy) => policy === given["propertyNaming"]) ?? "PascalCase";
  const listed: readonly unknown[] = Array.isArray(given["entitySets"]) ? given["entitySets"] : [];
  const sets = [...new Set(listed)].filter(isEntitySet);
  return {
    options: given,
    naming,
    sets: sets.map((each) => collectSet(each, naming)),
    operations: [...collectOperations(given["functions"]), ...collectOperations(given["actions"])],
  };
}

/** Tells whether a value was made by `entitySet` from an entity type. */
export function isEntitySet(value: unknown): value is EntitySetDeclaration {
  return isDeclaration(value, "EntitySetDeclaration") && isDeclaration(value.entityType, "EntityTypeDeclaration");
}

/** The properties of a structured type with their wire names. */
export function propertiesOf(
  type: { readonly properties: Readonly<Record<string, unknown>> },
  naming: NamingPolicy,
): readonly DeclaredProperty[] {
  return entriesOf(type.properties).flatMap(([field, property]) => {
    if (!isDeclaration(property, "Property")) return [];
    const { declared } = property;
    return [{ field, name: declared.json === undefined ? toWireName(field, naming) : nameOf(declared.json), declared }];
  });
}

/** The entries of a table; none when it is not one. */
export function entriesOf(table: unknown): ReadonlyArray<readonly [string, unknown]> {
  return isObject(table) ? Object.entries(table) : [];
}

/** The declaration of one property of a structured type; undefined when it has none of that key. */
export function propertyIn(
  type: { readonly properties: Readonly<Record<string, unknown>> },
  field: string,
): PropertyDeclaration | undefined {
  const property = entriesOf(type.properties).find(([name]) => name === field)?.[1];
  return isDeclaration(property, "Property") ? property.declared : undefined;
}

/** The names of a table; none when it is not one. */
export function namesOf(table: unknown): readonly string[] {
  return isObject(table) ? Object.keys(table) : [];
}

function collectSet(set: EntitySetDeclaration, naming: NamingPolicy): DeclaredSet {
  const options: Readonly<Record<string, unknown>> = { ...set.options };
  const { entityType } = set;
  const navigations = entriesOf(options["navigation"]).flatMap(([field, each]) =>
    isDeclaration(each, "NavigationDeclaration") ? [collectNavigation(field, each, naming)] : [],
  );
  return {
    name: typeof options["name"] === "string" ? options["name"] : pluralOf(nameOf(entityType.name)),
    entityType,
    options,
    declaration: set,
    check: set.check,
    uncomparable: set.uncomparable ?? [],
    navigations,
    operations: [...collectOperations(options["functions"]), ...collectOperations(options["actions"])],
  };
}

function collectNavigation(
  field: string,
  declaration: NavigationDeclaration,
  naming: NamingPolicy,
): DeclaredNavigation {
  return {
    field,
    name: toWireName(field, naming),
    declaration,
    ...resolveTarget(declaration.to),
    options: isObject(declaration.options) ? declaration.options : {},
  };
}

/** A thunk fails where the module of its type is not loaded yet, as in `const` types of modules in a circle. */
function resolveTarget(to: NavigationDeclaration["to"]): Pick<DeclaredNavigation, "target" | "failure"> {
  try {
    const target: unknown = typeof to === "function" ? to() : to;
    return { target: isDeclaration(target, "EntityTypeDeclaration") ? target : undefined, failure: undefined };
  } catch (error) {
    return { target: undefined, failure: error instanceof Error ? error.message : String(error) };
  }
}

function collectOperations(table: unknown): readonly DeclaredOperation[] {
  return entriesOf(table).flatMap(([name, declaration]) => {
    if (!isDeclaration(declaration, "OperationDeclaration")) return [];
    const { bound } = declaration;
    const options: Readonly<Record<string, unknown>> = isObject(declaration.options) ? declaration.options : {};
    const parameters = entriesOf(options["params"]).flatMap(([parameter, property]) =>
      isDeclaration(property, "Property") ? [{ name: parameter, declared: property.declared }] : [],
    );
    const isBound = bound === "entity" || bound === "collection";
    const kind = declaration.operationKind;
    return [{ name, kind, bound: isBound ? bound : undefined, declaration, options, parameters }];
  });
}

/** Where the faults of a navigation property stand: its set and its read route. */
export function navigationPlace(set: DeclaredSet, { name }: DeclaredNavigation): FaultPlace {
  return { set: set.name, route: `/${set.name}({key})/${name}`, method: "GET" };
}

/** Where the faults of an operation stand: its set, if it is bound, and its route. */
export function operationPlace(set: DeclaredSet | undefined, { name, kind, bound }: DeclaredOperation): FaultPlace {
  const method = kind === "Function" ? "GET" : "POST";
  if (set === undefined) return { route: `/${name}`, method };
  return { set: set.name, route: `/${set.name}${bound === "entity" ? "({key})" : ""}/${name}`, method };
}
