import { ConfigurationError, type ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredService,
  type DeclaredOperation,
  type DeclaredSet,
  entriesOf,
  fieldsOf,
  isEntitySet,
  navigationPlace,
  operationPlace,
  propertyIn,
  type DeclaredNavigation,
  propertiesOf,
} from "../model/declared-service.ts";
import type { DeclaredTypes, StartupRule } from "../model/declared-types.ts";
import { type FaultPlace, checkOptions, describe, isObject, adviseName } from "../option-table.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import { APPLY_RULES, SHOWN_BY_APPLY } from "./check-apply.ts";
import { checkAuthorization, checkNavigationRules } from "./check-authorization.ts";
import { CACHING_RULES } from "./check-caching.ts";
import { FOREIGN_KEY_RULES } from "./check-foreign-keys.ts";
import { RESOURCE_RULES, ROW_RULES } from "./check-guards.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkLinks } from "./check-links.ts";
import { MEMBER_NAME_RULES, NAME_RULES, checkOperationNames } from "./check-names.ts";
import { PARTNER_RULES, TARGET_RULES } from "./check-navigations.ts";
import { checkPropertyRules } from "./check-property-rules.ts";
import { SERVICE_RULES } from "./check-service.ts";
import { SET_RULES } from "./check-set-values.ts";
import { SINGLETON_RULES } from "./check-singletons.ts";
import { STREAM_RULES } from "./check-streams.ts";
import { TYPE_RULES, checkSignatures } from "./check-types.ts";
import { VALIDATION_RULES } from "./check-validation.ts";
import { VIRTUAL_RULES } from "./check-virtual.ts";
import { OPTION_TABLES, REMOVED_LIMITS } from "./option-tables.ts";
import { takesNothing } from "./takes-nothing.ts";

/** The rules for the keys, paths and overloads of operations. They are listed in the order of their faults. */
const OPERATION_RULES: readonly StartupRule[] = Object.freeze([
  checkKeyParameters,
  checkOperationPaths,
  checkOverloads,
]);

/** Checks that operations of a set are bound to its type, and operations of the registration are unbound. */
function* checkBindings({ sets, operations, shown }: DeclaredService): Iterable<ConfigurationFault> {
  for (const operation of operations) {
    if (operation.bound === undefined && operation.declaration.entityType === undefined) continue;
    const message = `\`${operation.name}\` is bound to ${operation.bound === "entity" ? "an entity" : "a collection"}, but is listed with the unbound operations.`;
    yield { ...operationPlace(undefined, operation), message, fix: "Remove `bound`, or move it into an entity set." };
  }
  for (const set of sets) {
    for (const operation of set.operations) {
      const place = operationPlace(set, operation);
      const { entityType } = operation.declaration;
      if (operation.bound === undefined) {
        const fix = 'Give `bound: "entity"` or `bound: "collection"`, or move it to odataService.';
        yield { ...place, message: `\`${operation.name}\` is not bound, but is declared in an entity set.`, fix };
      }
      if (entityType !== undefined && (shown.get(entityType) ?? entityType) !== set.entityType) {
        const message = `\`${operation.name}\` is bound to ${entityType.name}, but the set contains ${set.entityType.name}.`;
        yield { ...place, message, fix: "Move it into a set of its type." };
      }
    }
  }
}

/** Checks that the handler of an operation bound to an entity has a parameter for the key. A singleton may do without it. */
function* checkKeyParameters({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets.filter(({ isOfSingleton }) => !isOfSingleton)) {
    for (const operation of set.operations) {
      const { handler } = operation.options;
      if (operation.bound !== "entity" || !takesNothing(handler)) continue;
      const message = `The handler of \`${operation.name}\`, which is bound to an entity, has no parameter.`;
      yield {
        ...operationPlace(set, operation),
        message,
        fix: "Declare the key as the first parameter: (key, parameters, ctx) => …",
      };
    }
  }
}

/**
 * Checks that no operation bound to an entity has the path of a property or navigation. Path segments are case-sensitive,
 * so `total` and `Total` are different paths.
 * @see docs/reference/operations.md
 */
function* checkOperationPaths({ sets, naming }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const taken = new Map<string, string>();
    for (const { name, declared } of propertiesOf(set.entityType, naming)) {
      if (!declared.ignored) taken.set(name, `the property ${name}`);
    }
    for (const { name, isMedia } of set.virtual) {
      if (isMedia !== true) taken.set(name, `the property ${name}`);
    }
    for (const { name } of set.navigations) taken.set(name, `the navigation ${name}`);
    for (const operation of set.operations) {
      const other = taken.get(operation.name);
      if (operation.bound !== "entity" || other === undefined) continue;
      const message = `The ${operation.kind.toLowerCase()} \`${operation.name}\` and ${other} share a path.`;
      const fix = "Rename the operation: its key in `functions` or `actions` is its name.";
      yield { ...operationPlace(set, operation), message, fix };
    }
  }
}

/** Checks that sets of one type declare a shared operation alike, because operations are bound to the type. */
function* checkOverloads({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  const first = new Map<EntityTypeDeclaration, Map<string, { readonly set: DeclaredSet; readonly text: string }>>();
  for (const set of sets) {
    const known = first.get(set.entityType) ?? new Map<string, { set: DeclaredSet; text: string }>();
    first.set(set.entityType, known);
    for (const operation of set.operations) {
      const id = `${String(operation.bound)} ${operation.name}`;
      const text = signatureOf(operation);
      const other = known.get(id);
      if (other === undefined) known.set(id, { set, text });
      if (other === undefined || other.set === set || other.text === text) continue;
      const message = `\`${operation.name}\` has a different signature here than in the set ${other.set.name} of the same type.`;
      yield {
        ...operationPlace(set, operation),
        message,
        fix: "Give both the same parameters and result, or two names.",
      };
    }
  }
}

/** Returns a string that is equal for equal signatures. Types are identified by their unique names. */
function signatureOf({ kind, parameters, options }: DeclaredOperation): string {
  const { returns, composable } = options;
  return JSON.stringify([kind, parameters, returns, composable], (key, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return key === "properties" || key === "members" ? undefined : value;
  });
}

/** The startup rules, in the order in which their faults are listed. */
const STARTUP_RULES: readonly StartupRule[] = Object.freeze([
  checkServiceOptions,
  ...SERVICE_RULES,
  ...SINGLETON_RULES,
  ...NAME_RULES,
  ...TYPE_RULES,
  ...MEMBER_NAME_RULES,
  checkAllowlists,
  checkETags,
  ...CACHING_RULES,
  checkSearch,
  ...APPLY_RULES,
  ...VALIDATION_RULES,
  ...TARGET_RULES,
  ...FOREIGN_KEY_RULES,
  checkUncomparable,
  checkLinks,
  ...PARTNER_RULES,
  checkOperationNames,
  checkBindings,
  checkSignatures,
  ...OPERATION_RULES,
  checkHooks,
  checkAuthorization,
  checkPropertyRules,
  ...RESOURCE_RULES,
  checkNavigationRules,
  ...ROW_RULES,
  ...SET_RULES,
  ...VIRTUAL_RULES,
  ...STREAM_RULES,
]);

/**
 * Applies every startup rule to the declarations of a registration.
 * @param annotationFaults the faults of its annotations, which are listed last
 * @throws ConfigurationError with all faults of all rules
 */
export function checkDefinition(
  service: DeclaredService,
  types: DeclaredTypes,
  annotationFaults: readonly ConfigurationFault[],
): void {
  const faults = [...STARTUP_RULES.flatMap((rule) => [...rule(service, types)]), ...annotationFaults];
  if (faults.length > 0) throw new ConfigurationError(faults);
}

/** The limits and settings of `defaults`, which are not options of the service. */
const OF_DEFAULTS = {
  table: OPTION_TABLES.defaults,
  example: (name: string): string => `It belongs to \`defaults\` of odataService: defaults: { ${name}: … }.`,
};

/** What replaces the limits that earlier versions had. */
const REMOVED = { table: {}, example: (name: string): string => name, removed: REMOVED_LIMITS };

/** Checks the names and kinds of all options of the registration, its defaults, sets, navigations and operations. */
function* checkServiceOptions({ options, sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  yield* checkOptions(OPTION_TABLES.service, options, "odataService", {}, OF_DEFAULTS);
  const { defaults, entitySets } = options;
  if (isObject(defaults)) yield* checkOptions(OPTION_TABLES.defaults, defaults, "`defaults`", {}, REMOVED);
  if (entitySets === undefined) {
    yield { message: "`entitySets` of odataService is missing.", fix: "Give an array of results of `entitySet`." };
  } else if (Array.isArray(entitySets)) {
    yield* checkListedSets(entitySets);
  }
  yield* checkOperationTables(options, {});
  for (const operation of operations) yield* checkOperationOptions(undefined, operation);
  for (const set of sets) yield* checkSetOptions(set);
}

function* checkListedSets(listed: readonly unknown[]): Iterable<ConfigurationFault> {
  for (const [index, each] of listed.entries()) {
    if (isEntitySet(each)) {
      if (isObject(each.options)) continue;
      const is = `The options of the set at position ${index} of \`entitySets\` are ${describe(each.options)}.`;
      yield { message: is, fix: "Give an object: entitySet(type, { … })." };
      continue;
    }
    const message = isDeclaration(each, "EntitySetDeclaration")
      ? `The set at position ${index} of \`entitySets\` has no entity type.`
      : `\`entitySets\` contains ${describe(each)} at position ${index}.`;
    yield { message, fix: "List results of `entitySet(entityType(…), { … })`." };
  }
}

function* checkSetOptions(set: DeclaredSet): Iterable<ConfigurationFault> {
  const place = { set: set.name };
  const { tableOptions } = set.declaration;
  const owner = tableOptions === undefined ? "entitySet" : "sqlEntitySet";
  // Those of a singleton are checked as it states them.
  if (!set.isOfSingleton) {
    yield* checkOptions(OPTION_TABLES.entitySet, set.options, owner, place, { ...OF_DEFAULTS, beside: tableOptions });
  }
  for (const fault of set.check?.() ?? []) yield { ...place, ...fault };
  yield* checkOperationTables(set.options, place);
  for (const operation of set.operations) yield* checkOperationOptions(set, operation);
  for (const [field, value] of entriesOf(set.options["navigation"])) {
    if (isDeclaration(value, "NavigationDeclaration")) continue;
    const message = `The navigation \`${field}\` is ${describe(value)}.`;
    yield { ...place, message, fix: "Declare it with hasMany, hasOptional or hasRequired." };
  }
  for (const navigation of set.navigations) {
    const { field, declaration, target, failure, options } = navigation;
    const { cardinality } = declaration;
    const table = cardinality === "many" ? OPTION_TABLES.many : OPTION_TABLES.one;
    const maker = `has${cardinality.charAt(0).toUpperCase()}${cardinality.slice(1)}`;
    const where = navigationPlace(set, navigation);
    yield* checkOptions(table, options, `\`${field}\` (${maker})`, where);
    if (target !== undefined) continue;
    const fix = "Give the type, or a function that returns it: hasMany(() => Line, { … }).";
    const reason = failure === undefined ? "" : `: ${failure}`;
    yield { ...where, message: `The navigation \`${field}\` leads to no entity type${reason}.`, fix };
  }
}

function* checkOperationTables(
  options: Readonly<Record<string, unknown>>,
  place: FaultPlace,
): Iterable<ConfigurationFault> {
  for (const [option, maker, kind, other] of [
    ["functions", "fn", "Function", "action"],
    ["actions", "action", "Action", "fn"],
  ] as const) {
    for (const [name, value] of entriesOf(options[option])) {
      if (isDeclaration(value, "OperationDeclaration") && value.operationKind === kind) continue;
      const is = isDeclaration(value, "OperationDeclaration") ? `the result of ${other}(…)` : describe(value);
      yield { ...place, message: `\`${name}\` of \`${option}\` is ${is}.`, fix: `Declare it with ${maker}({ … }).` };
    }
  }
}

function* checkOperationOptions(
  set: DeclaredSet | undefined,
  operation: DeclaredOperation,
): Iterable<ConfigurationFault> {
  const { kind, name, options } = operation;
  const place = operationPlace(set, operation);
  const [table, maker] = kind === "Function" ? [OPTION_TABLES.fn, "fn"] : [OPTION_TABLES.action, "action"];
  yield* checkOptions(table, options, `\`${name}\` (${maker})`, place);
  if (options["handler"] === undefined) {
    yield { ...place, message: `\`${name}\` has no handler.`, fix: "Give a `handler` function." };
  }
  for (const [parameter, value] of entriesOf(options["params"])) {
    if (isDeclaration(value, "Property")) continue;
    const message = `The parameter \`${parameter}\` of \`${name}\` is ${describe(value)}.`;
    yield { ...place, message, fix: "Declare its type with a builder, such as edm.int32()." };
  }
}

/** Checks that allowlists name properties and navigations of the set that clients can see. */
function* checkAllowlists({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const navigations = set.navigations.map(({ field }) => field);
    const properties = visibleFields(set);
    for (const option of ["filterProperties", "orderByProperties", "selectProperties", ...SHOWN_BY_APPLY]) {
      const virtual = option === "selectProperties" ? shownBeside(set) : [];
      yield* checkFields(set, option, [...properties, ...virtual, ...navigations]);
    }
    yield* checkFields(set, "expandProperties", navigations);
  }
}

/** Checks that ETags are made of single primitive values that clients can see. @see docs/reference/etags.md */
function* checkETags({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    yield* checkFields(set, "etag", visibleFields(set));
    for (const field of fieldsOf(set, "etag")) {
      const declared = propertyIn(set.entityType, field);
      if (declared === undefined || declared.ignored) continue;
      if (declared.item === undefined && !isDeclaration(declared.type, "ComplexTypeDeclaration")) continue;
      const is = declared.item === undefined ? "a complex value" : "a collection";
      const fix = "Name properties of primitive or enumeration types.";
      yield { set: set.name, message: `An ETag is made of single values, but \`${field}\` is ${is}.`, fix };
    }
  }
}

/** Checks that a set with a search handler also reads the collection, because `$search` narrows the collection. */
function* checkSearch({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const { name, options } of sets) {
    const isRead = ["queryable", "getAll", "applyQuery"].some((form) => options[form] !== undefined);
    if (options["search"] === undefined || isRead) continue;
    const message = "The set has a search handler, but no handler that reads the collection.";
    yield { set: name, route: `/${name}`, method: "GET", message, fix: "Declare queryable, getAll or applyQuery." };
  }
}

function* checkFields(set: DeclaredSet, option: string, known: readonly string[]): Iterable<ConfigurationFault> {
  const seen = new Set<string>();
  for (const field of fieldsOf(set, option)) {
    const isTwice = seen.has(field);
    seen.add(field);
    if (isTwice) {
      yield { set: set.name, message: `\`${option}\` names \`${field}\` twice.`, fix: "Name it once." };
    } else if (!known.includes(field) && propertyIn(set.entityType, field)?.ignored === true) {
      const message = `\`${option}\` names \`${field}\`, which is ignored: clients must not see it.`;
      yield { set: set.name, message, fix: `Remove it from \`${option}\`, or remove .ignored().` };
    } else if (!known.includes(field)) {
      const message = `\`${option}\` names \`${field}\`, which ${set.entityType.name} does not have.`;
      yield { set: set.name, message, fix: adviseName(field, known) };
    }
  }
}

/** Returns the fields that responses show beside those of the entities. */
function shownBeside({ virtual }: DeclaredSet): readonly string[] {
  return virtual.filter(({ isMedia }) => isMedia !== true).map(({ field }) => field);
}

function visibleFields({ entityType }: DeclaredSet): readonly string[] {
  return entriesOf(entityType.properties)
    .filter(([, property]) => isDeclaration(property, "Property") && !property.declared.ignored)
    .map(([field]) => field);
}

const FIX = "Use a property whose column has no `convert`.";

/**
 * Checks that no allowlist and no join uses a column with a `convert`: the database cannot compare its values, which exist
 * only in this process.
 */
function* checkUncomparable({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const option of ["filterProperties", "orderByProperties", ...SHOWN_BY_APPLY]) {
      const named: unknown = set.options[option];
      if (!Array.isArray(named)) continue;
      for (const field of set.uncomparable.filter((each) => named.includes(each))) {
        const message = `\`${option}\` names \`${field}\`, whose column has a \`convert\`.`;
        yield { set: set.name, message, fix: `Remove it from \`${option}\`: the database cannot compare it.` };
      }
    }
    for (const navigation of set.navigations) yield* checkJoin(set, navigation, sets);
  }
}

function* checkJoin(
  set: DeclaredSet,
  navigation: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): Iterable<ConfigurationFault> {
  const { on, through, target } = navigation.options;
  const links = isObject(through) ? through : {};
  const related = sets.find(({ name }) => name === target)?.uncomparable ?? [];
  const own = [...entriesOf(on), ...entriesOf(links["from"])].map(([field]) => field);
  const others = new Set([
    ...entriesOf(on).map(([, field]) => field),
    // `to` maps columns of the link table to properties.
    ...entriesOf(links["to"]).map(([, field]) => field),
  ]);
  const found = [
    ...own.filter((field) => set.uncomparable.includes(field)).map((field) => `${set.name}/${field}`),
    ...related.filter((field) => others.has(field)).map((field) => `${String(target)}/${field}`),
  ];
  for (const place of found) {
    const message = `\`${navigation.field}\` is joined by ${place}, whose column has a \`convert\`.`;
    yield { ...navigationPlace(set, navigation), message, fix: FIX };
  }
}
