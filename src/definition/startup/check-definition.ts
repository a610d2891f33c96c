import { ConfigurationError, type ConfigurationFault } from "../../errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredService,
  type DeclaredOperation,
  type DeclaredSet,
  entriesOf,
  isEntitySet,
  navigationPlace,
  operationPlace,
  propertyIn,
  type DeclaredNavigation,
} from "../model/declared-service.ts";
import type { DeclaredTypes } from "../model/declared-types.ts";
import { type FaultPlace, checkOptions, describe, isObject, adviseName } from "../option-table.ts";
import { checkAuthorization, checkNavigationRules } from "./check-authorization.ts";
import { checkForeignKeys, checkStoredGuids } from "./check-foreign-keys.ts";
import { checkChosenKeys, checkOpenOperations, checkReadable, checkResources, checkRowRules } from "./check-guards.ts";
import { checkLinks } from "./check-links.ts";
import {
  checkContainerNames,
  checkEnumMemberNames,
  checkIdentifiers,
  checkMemberNames,
  checkOperationNames,
  checkSchemaNames,
  checkTypeNames,
} from "./check-names.ts";
import { checkAgreement, checkConditions, checkPartners, checkTargets } from "./check-navigations.ts";
import {
  checkBindings,
  checkKeyParameters,
  checkOperationPaths,
  checkOverloads,
  checkCors,
  checkRoutes,
  checkSecret,
  checkChallenge,
  checkLogger,
  checkTrace,
  checkNamespace,
  checkPrefix,
  checkPublicUrl,
  checkConnectionFiles,
  checkBatch,
  checkReplicas,
} from "./check-service.ts";
import { checkEnumTypes, checkKeys, checkProperties, checkSignatures } from "./check-types.ts";
import {
  ACTION_OPTIONS,
  DEFAULTS_OPTIONS,
  ENTITY_SET_OPTIONS,
  FUNCTION_OPTIONS,
  MANY_OPTIONS,
  ONE_OPTIONS,
  SERVICE_OPTIONS,
} from "./option-tables.ts";

/** One startup rule: finds its faults in the declarations of a registration. */
type StartupRule = (service: DeclaredService, types: DeclaredTypes) => Iterable<ConfigurationFault>;

/** The startup rules, in the order in which their faults are listed. */
const STARTUP_RULES: readonly StartupRule[] = Object.freeze([
  checkServiceOptions,
  checkPrefix,
  checkNamespace,
  checkPublicUrl,
  checkConnectionFiles,
  checkChallenge,
  checkLogger,
  checkTrace,
  checkSecret,
  checkReplicas,
  checkBatch,
  checkCors,
  checkRoutes,
  checkContainerNames,
  checkTypeNames,
  checkSchemaNames,
  checkIdentifiers,
  checkProperties,
  checkKeys,
  checkEnumTypes,
  checkEnumMemberNames,
  checkMemberNames,
  checkAllowlists,
  checkETags,
  checkSearch,
  checkTargets,
  checkConditions,
  checkForeignKeys,
  checkStoredGuids,
  checkUncomparable,
  checkLinks,
  checkPartners,
  checkAgreement,
  checkOperationNames,
  checkBindings,
  checkSignatures,
  checkKeyParameters,
  checkOperationPaths,
  checkOverloads,
  checkAuthorization,
  checkResources,
  checkReadable,
  checkNavigationRules,
  checkRowRules,
  checkChosenKeys,
  checkOpenOperations,
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

/** Checks the names and kinds of all options of the registration, its defaults, sets, navigations and operations. */
function* checkServiceOptions({ options, sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  yield* checkOptions(SERVICE_OPTIONS, options, "odataService", {});
  const { defaults, entitySets } = options;
  if (isObject(defaults)) yield* checkOptions(DEFAULTS_OPTIONS, defaults, "`defaults`", {});
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
  yield* checkOptions(ENTITY_SET_OPTIONS, set.options, "entitySet", place);
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
    const table = cardinality === "many" ? MANY_OPTIONS : ONE_OPTIONS;
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
  const [table, maker] = kind === "Function" ? [FUNCTION_OPTIONS, "fn"] : [ACTION_OPTIONS, "action"];
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
    for (const option of ["filterProperties", "orderByProperties", "selectProperties"]) {
      yield* checkFields(set, option, [...properties, ...navigations]);
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
    } else if (propertyIn(set.entityType, field)?.ignored === true) {
      const message = `\`${option}\` names \`${field}\`, which is ignored: clients must not see it.`;
      yield { set: set.name, message, fix: `Remove it from \`${option}\`, or remove .ignored().` };
    } else if (!known.includes(field)) {
      const message = `\`${option}\` names \`${field}\`, which ${set.entityType.name} does not have.`;
      yield { set: set.name, message, fix: adviseName(field, known) };
    }
  }
}

function fieldsOf({ options }: DeclaredSet, option: string): readonly string[] {
  const fields = options[option];
  return Array.isArray(fields) ? fields.filter((field) => typeof field === "string") : [];
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
    for (const option of ["filterProperties", "orderByProperties"]) {
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
