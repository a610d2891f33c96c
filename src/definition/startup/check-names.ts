import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { TYPE_FIELD } from "../../edm/hierarchy.ts";
import {
  type DeclaredService,
  type DeclaredSet,
  namesOf,
  propertiesOf,
  navigationPlace,
  operationPlace,
} from "../model/declared-service.ts";
import type { DeclaredTypes, StartupRule } from "../model/declared-types.ts";
import { isSimpleIdentifier } from "../names.ts";
import { type FaultPlace, nameOf } from "../option-table.ts";

/** The rules for the names of the model. They are listed in the order of their faults. */
export const NAME_RULES: readonly StartupRule[] = Object.freeze([
  checkContainerNames,
  checkTypeNames,
  checkSchemaNames,
  checkIdentifiers,
]);

/** The rules for the names of members. They are listed in the order of their faults. */
export const MEMBER_NAME_RULES: readonly StartupRule[] = Object.freeze([checkEnumMemberNames, checkMemberNames]);

/** A name, its owner and the place of the owner. */
interface Named {
  readonly name: string;
  /** Such as `the property \`id\``. */
  readonly what: string;
  readonly place: FaultPlace;
  /** The advice for another name. */
  readonly rename: string;
}

const LETTERS = "Begin with a letter or underscore, then letters, digits and underscores, at most 128 characters.";

/** Checks that every name in `$metadata` and in URLs is a simple identifier. @see OData CSDL 4.0, section 17.2 */
function* checkIdentifiers(service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const { name, what, place, rename } of everyName(service, types)) {
    if (isSimpleIdentifier(name)) continue;
    yield { ...place, message: `The name "${name}" of ${what} is not an identifier.`, fix: `${rename} ${LETTERS}` };
  }
}

/** Checks that entity sets, singletons, unbound functions and unbound actions have different names. @see OData CSDL 4.0, section 13 */
function* checkContainerNames(service: DeclaredService): Iterable<ConfigurationFault> {
  yield* clashes([...namedSets(service), ...unboundOperations(service)]);
}

/** Checks that all types have different names. @see OData CSDL 4.0, section 4 */
function* checkTypeNames(_service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  yield* clashes(namedTypes(types));
}

/**
 * Checks that no operation has the name of a type, because both belong to the schema. Several operations may have one name:
 * they are overloads.
 * @see OData CSDL 4.0, section 5.1
 */
function* checkSchemaNames(service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  const taken = new Map(namedTypes(types).map((named) => [named.name, named]));
  for (const operation of [...service.sets.flatMap(boundOperations), ...unboundOperations(service)]) {
    const type = taken.get(operation.name);
    if (type === undefined) continue;
    yield { ...operation.place, message: describeClash(type, operation), fix: operation.rename };
  }
}

/** Checks that the members of a type, including navigation properties, have different wire names. */
function* checkMemberNames(service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const type of [...types.entityTypes, ...types.complexTypes]) yield* clashes(namedProperties(service, type));
  for (const set of service.sets) {
    const properties = namedProperties(service, set.entityType);
    const fields = new Set(propertiesOf(set.entityType, service.naming).map(({ field }) => field));
    const known = new Set([...clashes(properties)].map(({ message }) => message));
    for (const fault of clashes([...properties, ...namedVirtual(set), ...namedNavigations(set)])) {
      if (!known.has(fault.message)) yield fault;
    }
    for (const navigation of set.navigations.filter(({ field }) => fields.has(field))) {
      const message = `The navigation \`${navigation.field}\` has the same key as a structural property.`;
      yield { ...navigationPlace(set, navigation), message, fix: "Give one of them another key." };
    }
  }
}

/** Checks that the members of an enumeration differ in more than case. */
function* checkEnumMemberNames(_service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  for (const type of types.enumTypes) {
    yield* clashes(namedMembers(nameOf(type.name), namesOf(type.members)));
  }
}

/** Checks that the operations of a set, and the parameters of an operation, have different names. */
export function* checkOperationNames(service: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of service.sets) yield* clashes(boundOperations(set));
  for (const { operation, set } of everyOperation(service)) {
    const place = operationPlace(set, operation);
    const parameters = operation.parameters.map(({ name }) => namedParameter(operation.name, name, place));
    const binding = { ...namedParameter(operation.name, "bindingParameter", place), what: "the binding parameter" };
    yield* clashes(operation.bound === undefined ? parameters : [binding, ...parameters]);
  }
}

function* everyName(service: DeclaredService, types: DeclaredTypes): Iterable<Named> {
  yield* namedSets(service);
  yield* namedTypes(types);
  for (const type of [...types.entityTypes, ...types.complexTypes]) yield* namedProperties(service, type);
  for (const type of types.enumTypes) yield* namedMembers(nameOf(type.name), namesOf(type.members));
  for (const set of service.sets) yield* [...namedVirtual(set), ...namedNavigations(set)];
  for (const set of service.sets) yield* boundOperations(set);
  yield* unboundOperations(service);
  for (const { operation, set } of everyOperation(service)) {
    for (const { name } of operation.parameters) {
      yield namedParameter(operation.name, name, operationPlace(set, operation));
    }
  }
}

/** Returns a fault for each name that an earlier owner has, ignoring case. */
function* clashes(names: readonly Named[]): Iterable<ConfigurationFault> {
  const met = new Map<string, Named>();
  for (const named of names) {
    const { name, place, rename } = named;
    const other = met.get(name.toLowerCase());
    met.set(name.toLowerCase(), other ?? named);
    if (other === undefined) continue;
    yield { ...place, message: describeClash(other, named), fix: rename };
  }
}

function describeClash(one: Named, other: Named): string {
  const isSame = one.name === other.name;
  if (isSame && one.what === other.what) return `The name "${one.name}" is taken twice, both times by ${one.what}.`;
  const how = isSame ? `the name "${one.name}"` : `names that differ only in case, "${one.name}" and "${other.name}"`;
  return `${capitalized(one.what)} and ${other.what} have ${how}.`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function namedSets({ sets, singletons }: DeclaredService): readonly Named[] {
  const rename = "Give the singleton another `name`.";
  const named = singletons.map(({ name }) => ({
    name,
    what: "a singleton",
    place: { set: name, route: `/${name}` },
    rename,
  }));
  return [...sets.filter(({ isOfSingleton }) => !isOfSingleton).map(namedSet), ...named];
}

function namedSet({ name, entityType }: DeclaredSet): Named {
  const rename = "Give one of the sets another `name`.";
  return { name, what: `the entity set of ${entityType.name}`, place: { set: name, route: `/${name}` }, rename };
}

function namedTypes({ entityTypes, complexTypes, enumTypes }: DeclaredTypes): readonly Named[] {
  return [
    ...[...entityTypes]
      .flatMap((type) => type.hierarchy?.types ?? [type])
      .map(({ name }) => namedType(name, "entity type", "entityType")),
    ...Array.from(complexTypes, ({ name }) => namedType(name, "complex type", "complexType")),
    ...Array.from(enumTypes, ({ name }) => namedType(name, "enumeration type", "enumType")),
  ];
}

function namedType(given: string, kind: string, maker: string): Named {
  const name = nameOf(given);
  const rename = `Give ${maker} another name, or declare the type once and use that one object everywhere.`;
  return { name, what: `the ${kind} ${name}`, place: { set: name }, rename };
}

function namedProperties(
  { naming }: DeclaredService,
  type: { readonly name: string; readonly properties: Readonly<Record<string, unknown>> },
): readonly Named[] {
  return (
    propertiesOf(type, naming)
      // The names of types in a hierarchy are an annotation.
      .filter(({ field, declared }) => !declared.ignored && !(field === TYPE_FIELD && isDeclaredHierarchy(type)))
      .map(({ field, name }) => ({
        name,
        what: `the property \`${field}\` of ${type.name}`,
        place: { set: type.name },
        rename: "Give the property another key, or another wire name with .json().",
      }))
  );
}

function isDeclaredHierarchy(type: object): boolean {
  return "hierarchy" in type && type.hierarchy !== undefined;
}

function namedVirtual({ name: set, virtual }: DeclaredSet): readonly Named[] {
  return virtual.flatMap(({ name, field, isMask, isMedia }) => {
    const rename = "Give the property another key in `virtual`.";
    return isMask || isMedia === true
      ? []
      : { name, what: `the virtual property \`${field}\` of ${set}`, place: { set }, rename };
  });
}

function namedMembers(typeName: string, members: readonly string[]): readonly Named[] {
  return members.map((name) => ({
    name,
    what: `the member \`${name}\` of ${typeName}`,
    place: { set: typeName },
    rename: "Rename the member.",
  }));
}

function namedNavigations(set: DeclaredSet): readonly Named[] {
  return set.navigations.map((navigation) => ({
    name: navigation.name,
    what: `the navigation \`${navigation.field}\` of ${set.name}`,
    place: navigationPlace(set, navigation),
    rename: "Give the navigation another key.",
  }));
}

function boundOperations(set: DeclaredSet): readonly Named[] {
  return set.operations.map((operation) => ({
    name: operation.name,
    what: `the ${operation.kind.toLowerCase()} \`${operation.name}\` of ${set.name}`,
    place: operationPlace(set, operation),
    rename: "Rename one of them: the key in `functions` or `actions` is the name.",
  }));
}

function unboundOperations(service: DeclaredService): readonly Named[] {
  return service.operations.map((operation) => ({
    name: operation.name,
    what: `the unbound ${operation.kind.toLowerCase()} \`${operation.name}\``,
    place: operationPlace(undefined, operation),
    rename: "Rename one of them: the key in `functions` or `actions` is the name.",
  }));
}

function namedParameter(operation: string, name: string, place: FaultPlace): Named {
  return { name, what: `the parameter \`${name}\` of \`${operation}\``, place, rename: "Rename the parameter." };
}

function* everyOperation(service: DeclaredService): Iterable<{
  readonly set: DeclaredSet | undefined;
  readonly operation: DeclaredService["operations"][number];
}> {
  for (const set of service.sets) for (const operation of set.operations) yield { set, operation };
  for (const operation of service.operations) yield { set: undefined, operation };
}
