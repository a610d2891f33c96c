import { messageOf } from "../../base/message-of.ts";
import { frozenSet } from "../../edm/frozen-map.ts";
import { castName } from "../../edm/hierarchy.ts";
import { NAMING_POLICIES, type NamingPolicy, pluralOf, toWireName } from "../names.ts";
import { everyOption, isObject, nameOf, type FaultPlace } from "../option-table.ts";
import type { EntitySetDeclaration } from "../sets/entity-set.ts";
import type { OperationDeclaration } from "../sets/operation.ts";
import type { SingletonDeclaration } from "../sets/singleton.ts";
import { seenAs } from "../types/hierarchy.ts";
import type { NavigationDeclaration } from "../types/navigation-declaration.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";
import { isDeclaration } from "./declaration-kind.ts";
import { withHierarchy } from "./hierarchy.ts";
import type { ServiceOptions } from "./service-options.ts";

/**
 * The declarations of one registration before the startup check: names are resolved, and each set object is listed once.
 * Values that are not declarations are left out here and reported by `check-definition.ts`.
 */
export interface DeclaredService {
  readonly options: Readonly<Record<string, unknown>>;
  readonly naming: NamingPolicy;
  /** Those of singletons with handlers of their own, too. */
  readonly sets: readonly DeclaredSet[];
  /** The sets that show the entities of others as one of their derived types. */
  readonly casts: readonly DeclaredSet[];
  /** The declarations that show the types of hierarchies, by these types. */
  readonly shown: ReadonlyMap<EntityTypeDeclaration, EntityTypeDeclaration>;
  readonly singletons: readonly DeclaredSingleton[];
  /** The unbound operations. */
  readonly operations: readonly DeclaredOperation[];
  /** The handlers of all sets that check row rules in their own transaction. */
  readonly handlersCheckingRows: ReadonlySet<unknown>;
}

/** One entity set. */
export interface DeclaredSet {
  readonly name: string;
  readonly entityType: EntityTypeDeclaration;
  /** Whether only the singleton of the same name contains its entity. */
  readonly isOfSingleton: boolean;
  /** The set whose entities of one type it shows; absent: it has entities of its own. */
  readonly castFrom?: DeclaredSet | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  /** The declaration that the application passes to `ctx.sets`. */
  readonly declaration: EntitySetDeclaration;
  /** Returns the faults that only the maker of the declaration can find. */
  readonly check: EntitySetDeclaration["check"];
  /** The fields of properties that its database cannot compare. */
  readonly uncomparable: readonly string[];
  /** The fields that lead to timestamps in columns without a time zone. */
  readonly withoutZone: NonNullable<EntitySetDeclaration["withoutZone"]>;
  /** The keys of properties whose values are expressions. */
  readonly unstored: readonly string[];
  readonly navigations: readonly DeclaredNavigation[];
  readonly operations: readonly DeclaredOperation[];
  /** The virtual properties of the option `virtual`, and the streams of the type. */
  readonly virtual: readonly DeclaredVirtual[];
}

/** One singleton. */
export interface DeclaredSingleton {
  readonly name: string;
  readonly declaration: SingletonDeclaration;
  /** The set that contains its entity; undefined if the service does not have it. */
  readonly set: DeclaredSet | undefined;
}

/** One virtual property of a set. */
export interface DeclaredVirtual {
  readonly field: string;
  /** The wire name. */
  readonly name: string;
  /** The declaration of its type; undefined for a property that masks one of the entity type, and for a faulty one. */
  readonly declared: PropertyDeclaration | undefined;
  readonly isMask: boolean;
  /** Whether it is the stream of media entities; absent: false. */
  readonly isMedia?: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One navigation property of a set. */
export interface DeclaredNavigation {
  readonly field: string;
  /** The wire name. */
  readonly name: string;
  readonly declaration: NavigationDeclaration;
  /** Undefined if the declaration names no entity type. */
  readonly target: EntityTypeDeclaration | undefined;
  /** The message of the error that the function for the type threw. */
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

/** Collects the declarations of a registration and resolves their names. */
export function collectDeclarations(options: ServiceOptions): DeclaredService {
  const given: Readonly<Record<string, unknown>> = isObject(options) ? everyOption(options) : {};
  const naming = NAMING_POLICIES.find((policy) => policy === given["propertyNaming"]) ?? "PascalCase";
  const listed: readonly unknown[] = Array.isArray(given["entitySets"]) ? given["entitySets"] : [];
  const published = [...new Set(listed)].filter(isEntitySet);
  const singletons = singletonsOf(given);
  const own = singletons.filter(isOwn).map(({ set }) => set);
  const sets = [...published, ...own.filter((each) => isEntitySet(each))];
  const shown = new Map(sets.flatMap(({ entityType }) => shownTypes(entityType)));
  const collected = sets.map((each) => collectSet(each, { naming, shown }, own.includes(each)));
  return {
    options: given,
    naming,
    sets: collected,
    casts: collected.flatMap((set) => castsOf(set, namespaceOf(given))),
    shown,
    singletons: singletons.map((declaration) => ({
      name: nameOf(declaration.options["name"]),
      declaration,
      set: collected.find((each) => each.declaration === declaration.set),
    })),
    operations: [...collectOperations(given["functions"]), ...collectOperations(given["actions"])],
    handlersCheckingRows: frozenSet(sets.flatMap((each) => each.handlersCheckingRows ?? [])),
  };
}

const DEFAULT_NAMESPACE = "Default";

/** Returns the namespace of the schema. */
export function namespaceOf({ namespace }: DeclaredService["options"]): string {
  return typeof namespace === "string" ? namespace : DEFAULT_NAMESPACE;
}

function shownTypes(
  whole: EntityTypeDeclaration,
): ReadonlyArray<readonly [EntityTypeDeclaration, EntityTypeDeclaration]> {
  return (whole.hierarchy?.types ?? []).map((type) => [type, seenAs(whole, type)] as const);
}

/** Makes a set for each derived type of a set. Operations are bound to the type of the set alone. */
function castsOf(set: DeclaredSet, namespace: string): readonly DeclaredSet[] {
  const { types = [], seen } = set.entityType.hierarchy ?? {};
  return types
    .filter((type) => type !== seen)
    .map((type) => ({
      ...set,
      name: castName(set.name, `${namespace}.${nameOf(type.name)}`),
      entityType: seenAs(set.entityType, type),
      castFrom: set,
      operations: [],
    }));
}

function singletonsOf(options: Readonly<Record<string, unknown>>): readonly SingletonDeclaration[] {
  const listed: readonly unknown[] = Array.isArray(options["singletons"]) ? options["singletons"] : [];
  return [...new Set(listed)].filter((each) => isDeclaration(each, "SingletonDeclaration"));
}

/** Returns whether a singleton has handlers of its own. */
export function isOwn({ source }: SingletonDeclaration): boolean {
  return source.kind === "entity";
}

/** Returns whether a value is an entity set of an entity type. */
export function isEntitySet(value: unknown): value is EntitySetDeclaration {
  return isDeclaration(value, "EntitySetDeclaration") && isDeclaration(value.entityType, "EntityTypeDeclaration");
}

/** Returns the properties of a structured type with their wire names. */
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

/** Returns the entries of an object; none for any other value. */
export function entriesOf(table: unknown): ReadonlyArray<readonly [string, unknown]> {
  return isObject(table) ? Object.entries(table) : [];
}

/** Returns the declaration of a property of a structured type; undefined if the type does not have it. */
export function propertyIn(
  type: { readonly properties: Readonly<Record<string, unknown>> },
  field: string,
): PropertyDeclaration | undefined {
  const property = entriesOf(type.properties).find(([name]) => name === field)?.[1];
  return isDeclaration(property, "Property") ? property.declared : undefined;
}

/** Returns the fields of a type whose values the server sets, by the option `set` of the sets of the type. */
export function fieldsSet({ sets }: Pick<DeclaredService, "sets">, type: object): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => (set.entityType === type ? namesOf(set.options["set"]) : [])));
}

/** Returns the virtual properties of a type. The startup check found that all sets of the type have the same ones. */
export function virtualOf({ sets }: Pick<DeclaredService, "sets">, type: object): readonly DeclaredVirtual[] {
  return sets.find(({ entityType, virtual }) => entityType === type && virtual.length > 0)?.virtual ?? [];
}

/** Returns the keys of an object; none for any other value. */
export function namesOf(table: unknown): readonly string[] {
  return isObject(table) ? Object.keys(table) : [];
}

type Naming = Pick<DeclaredService, "naming" | "shown">;

function collectSet(set: EntitySetDeclaration, names: Naming, isOfSingleton: boolean): DeclaredSet {
  const { naming } = names;
  const options = withHierarchy({ ...set.options });
  const { entityType } = set;
  const navigations = entriesOf(options["navigation"]).flatMap(([field, each]) =>
    isDeclaration(each, "NavigationDeclaration") ? [collectNavigation(field, each, names)] : [],
  );
  return {
    name: typeof options["name"] === "string" ? options["name"] : pluralOf(nameOf(entityType.name)),
    entityType,
    isOfSingleton,
    options,
    declaration: set,
    check: set.check,
    uncomparable: set.uncomparable ?? [],
    withoutZone: set.withoutZone ?? [],
    unstored: set.unstored ?? [],
    navigations,
    operations: [...collectOperations(options["functions"]), ...collectOperations(options["actions"])],
    virtual: [
      ...entriesOf(options["virtual"]).map(([field, each]) => collectVirtual(entityType, field, each, naming)),
      ...collectStreams(entityType, options["media"], naming),
    ],
  };
}

function collectVirtual(
  entityType: EntityTypeDeclaration,
  field: string,
  given: unknown,
  naming: NamingPolicy,
): DeclaredVirtual {
  const options: Readonly<Record<string, unknown>> = isObject(given) ? everyOption(given) : {};
  const masked = propertyIn(entityType, field);
  const own = isDeclaration(options["type"], "Property") ? options["type"].declared : undefined;
  const json = (masked ?? own)?.json;
  return {
    field,
    name: json === undefined ? toWireName(field, naming) : nameOf(json),
    declared: masked === undefined ? own : undefined,
    isMask: masked !== undefined,
    options,
  };
}

/** Returns the streams of a type as properties that responses show in place of their stored references. */
function collectStreams(
  entityType: EntityTypeDeclaration,
  media: unknown,
  naming: NamingPolicy,
): readonly DeclaredVirtual[] {
  const named = isObject(media) ? media["stream"] : undefined;
  return propertiesOf(entityType, naming).flatMap(({ field, name, declared }) => {
    if (declared.stream === undefined) return [];
    const shown = { ...declared, ignored: false };
    return [{ field, name, declared: shown, isMask: false, isMedia: field === named, options: { needs: [field] } }];
  });
}

function collectNavigation(
  field: string,
  declaration: NavigationDeclaration,
  { naming, shown }: Naming,
): DeclaredNavigation {
  const { target, failure } = resolveTarget(declaration.to);
  return {
    field,
    name: toWireName(field, naming),
    declaration,
    target: target === undefined ? undefined : (shown.get(target) ?? target),
    failure,
    options: isObject(declaration.options) ? declaration.options : {},
  };
}

/** The function for a type throws while the module of the type is not loaded: modules may import each other. */
function resolveTarget(to: NavigationDeclaration["to"]): Pick<DeclaredNavigation, "target" | "failure"> {
  try {
    const target: unknown = typeof to === "function" ? to() : to;
    return { target: isDeclaration(target, "EntityTypeDeclaration") ? target : undefined, failure: undefined };
  } catch (error) {
    return { target: undefined, failure: messageOf(error) };
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

/** Returns the set and the read route of a navigation property, for its faults. */
export function navigationPlace(set: DeclaredSet, { name }: DeclaredNavigation): FaultPlace {
  return { set: set.name, route: `${entityRouteOf(set)}/${name}`, method: "GET" };
}

/** Returns the set (of a bound operation) and the route of an operation, for its faults. */
export function operationPlace(set: DeclaredSet | undefined, { name, kind, bound }: DeclaredOperation): FaultPlace {
  const method = kind === "Function" ? "GET" : "POST";
  if (set === undefined) return { route: `/${name}`, method };
  return { set: set.name, route: `${bound === "entity" ? entityRouteOf(set) : `/${set.name}`}/${name}`, method };
}

function entityRouteOf({ name, isOfSingleton }: DeclaredSet): string {
  return isOfSingleton ? `/${name}` : `/${name}({key})`;
}

/** Returns the texts in an option of a set that is a list; the check of options reports other items. */
export function fieldsOf({ options }: DeclaredSet, option: string): readonly string[] {
  const fields = options[option];
  return Array.isArray(fields) ? fields.filter((field) => typeof field === "string") : [];
}
