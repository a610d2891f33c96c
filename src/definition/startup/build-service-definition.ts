import { once } from "../../base/memo.ts";
import { frozenMap } from "../../edm/frozen-map.ts";
import { type EntitySet, type EtagDigests, listedImports, type Operation, shownProperties } from "../../edm/model.ts";
import type { DeclaredEntitySet } from "../context.ts";
import type { Logger } from "../logger.ts";
import { type AnnotationBinder, type BuiltModel, buildModel, schemaNames } from "../model/build-model.ts";
import {
  type DeclaredOperation,
  type DeclaredService,
  type DeclaredSet,
  collectDeclarations,
} from "../model/declared-service.ts";
import { collectTypes } from "../model/declared-types.ts";
import type {
  EntitySetDefinition,
  OperationDefinition,
  OperationHandler,
  ServiceDefinition,
} from "../model/service-definition.ts";
import type { ServiceDefaults, ServiceOptions } from "../model/service-options.ts";
import { resolveSetValues } from "../model/set-values.ts";
import type { AdmitTenant } from "../model/tenant-check.ts";
import { pickStated } from "../option-table.ts";
import {
  requirementsOf,
  resolveCategories,
  compileRowRule,
  type RowRule,
  type RowRuleChecks,
} from "../sets/authorization.ts";
import { castRule } from "../sets/cast-rule.ts";
import { constraintErrorsOf } from "../sets/constraints.ts";
import { guardedReferencesOf } from "../sets/guarded-reference.ts";
import { resolvePropertyRules } from "../sets/property-rules.ts";
import { validatorsOf } from "../sets/validation.ts";
import { virtualReads } from "../sets/virtual-option.ts";
import { navigationAuthorizationOf, navigationHandlersOf } from "./check-authorization.ts";
import { checkDefinition } from "./check-definition.ts";
import { isCreated } from "./creating-routes.ts";
import { expansionSources } from "./expansion-sources.ts";
import { hooksOf } from "./resolve-hooks.ts";
import {
  resolveBatch,
  resolveCors,
  resolveLimits,
  resolveSettings,
  resolveCapabilities,
  resolveDefaultCapabilities,
  profiledDefaults,
} from "./resolve-settings.ts";
import { rowFunctionOf } from "./row-function.ts";
import { openLogger } from "./warn-open-children.ts";

const SET_HANDLERS = [
  "queryable",
  "getAll",
  "applyQuery",
  "getByKey",
  "create",
  "replace",
  "patch",
  "delete",
  "search",
] as const;

/** The parts of a service that its definition contains. */
interface ServiceParts {
  /** Checks the databases of tenants; absent: none is checked. */
  readonly admit?: AdmitTenant;
  /** Make the ETags of all properties; absent: no request needs them. */
  readonly digests?: EtagDigests;
}

/**
 * Checks the declarations of one registration and resolves its names, settings and model. The result is frozen and
 * shared with no other registration.
 * @param defaultLogger used if the application gives no logger
 * @param rowRules checks the row rules, if any set has one
 * @param bindAnnotations resolves the annotations
 * @param parts the parts of the service that its settings make
 * @throws ConfigurationError with every fault of the declarations
 * @see docs/reference/services.md
 */
export function buildServiceDefinition(
  options: ServiceOptions,
  defaultLogger: Logger,
  rowRules: RowRuleChecks,
  bindAnnotations: AnnotationBinder,
  { admit = () => undefined, digests }: ServiceParts = {},
): ServiceDefinition {
  const service = collectDeclarations(options);
  const types = collectTypes(service);
  const names = schemaNames(service, types);
  const { annotations, faults } = bindAnnotations(service, types, names);
  checkDefinition(service, types, faults);
  const built = buildModel(service, types, names, annotations, digests);
  const { entityContainer } = built.model;
  const { serverTiming = false } = options;
  const [profile, defaults] = profiledDefaults(options);
  const sets = [...service.sets, ...service.casts].flatMap((set) => {
    const entitySet = entityContainer.entitySets.get(set.name);
    return entitySet === undefined ? [] : [toSetDefinition(set, entitySet, service, defaults, built)];
  });
  const guarded = sets.flatMap(({ entitySet, rows }) => (rows === null ? [] : [entitySet]));
  const imports = listedImports(entityContainer, true);
  return Object.freeze<ServiceDefinition>({
    name: options.name,
    prefix: options.prefix ?? (options.name === undefined ? "" : `/${options.name}`),
    group: options.group,
    model: built.model,
    entitySets: relatedSets(sets, guarded),
    singletons: singletonsOf(service, built),
    virtual: virtualReadsOf(service, built),
    operationImports: frozenMap(imports.map((each) => [each.name, each])),
    operations: operationsOf(service, built),
    rowRules: guarded.length === 0 ? null : rowRules,
    handlersCheckingRows: service.handlersCheckingRows,
    defaultCapabilities: resolveDefaultCapabilities(defaults),
    defaultSettings: resolveSettings(undefined, defaults),
    limits: resolveLimits(defaults),
    batch: resolveBatch(options.batch),
    cors: resolveCors(options.cors, { takesPositions: tellPositions(sets), showsTiming: serverTiming }),
    profile,
    logger: openLogger(service, options.logger ?? defaultLogger),
    serverTiming,
    publicUrl: options.publicUrl?.replace(/(?<!\/)\/+$/, ""),
    trustProxy: options.trustProxy ?? false,
    connectionFiles: connectionName(options.connectionFiles),
    refusesCrossSiteWrites: options.crossSiteWrites === "refuse",
    challenge: options.challenge ?? "Bearer",
    exposesConstraintNames: options.exposeConstraintNames ?? false,
    ...functionsOf(options),
    authorization: requirementsOf(options.authorization),
    metadataPerUser: options.metadataPerUser ?? false,
    admit,
    declarationOf: declarationFinder(service),
  });
}

/** Returns the functions that the application gives. */
function functionsOf({
  onStatement,
  onResponse,
  messages,
  explainError,
  positions,
  authenticate,
  tokenScope,
}: ServiceOptions): Pick<
  ServiceDefinition,
  "authenticate" | "explainError" | "messages" | "onResponse" | "onStatement" | "positions" | "tokenScope"
> {
  return { onStatement, onResponse, messages, explainError, positions, authenticate, tokenScope };
}

function singletonsOf({ singletons }: DeclaredService, { model }: BuiltModel): ServiceDefinition["singletons"] {
  return frozenMap(
    singletons.flatMap(({ name, declaration: { source, options } }) => {
      const singleton = model.entityContainer.singletons.get(name);
      if (singleton === undefined) return [];
      return [[name, Object.freeze({ singleton, source, isNullable: options["nullable"] === true })] as const];
    }),
  );
}

function virtualReadsOf({ sets }: DeclaredService, { model }: BuiltModel): ServiceDefinition["virtual"] {
  const types = model.entityContainer.entitySets;
  return frozenMap(
    sets.flatMap(({ name, options }) => {
      const type = types.get(name)?.entityType;
      return type === undefined ? [] : [...virtualReads(options["virtual"], type)];
    }),
  );
}

type UnrelatedSet = Omit<EntitySetDefinition, "guardedReferences">;

/**
 * Adds facts about other sets to each set: the sources of their related entities, and their foreign keys.
 * @param guarded the sets with row rules
 */
function relatedSets(
  sets: readonly UnrelatedSet[],
  guarded: readonly EntitySet[],
): ReadonlyMap<string, EntitySetDefinition> {
  const byName = new Map(sets.map((set) => [set.entitySet.name, set]));
  return frozenMap(
    sets.map((set) => {
      const expansions = expansionSources(set, (name) => byName.get(name));
      const capabilities = Object.freeze({ ...set.capabilities, expansions });
      const guardedReferences = guardedReferencesOf(set.entitySet, guarded);
      const whole = { ...set, capabilities, guardedReferences };
      return [set.entitySet.name, Object.freeze(whole)];
    }),
  );
}

function connectionName(given: ServiceOptions["connectionFiles"]): string | null {
  if (typeof given === "string") return given;
  return given === false ? null : "service";
}

function declarationFinder({ sets }: DeclaredService): ServiceDefinition["declarationOf"] {
  const declarations = new Map<string, DeclaredEntitySet>(sets.map(({ declaration, name }) => [name, declaration]));
  return (name) => declarations.get(name);
}

function tellPositions(sets: readonly Pick<EntitySetDefinition, "database">[]): boolean {
  return sets.some(({ database }) => database?.positioned !== undefined);
}

function toSetDefinition(
  set: DeclaredSet,
  entitySet: EntitySet,
  service: DeclaredService,
  defaults: ServiceDefaults,
  built: BuiltModel,
): UnrelatedSet {
  const { sets } = service;
  const settings = resolveSettings(set, defaults);
  return {
    entitySet,
    database: set.declaration.database,
    // The startup check found functions; `entitySet` typed their parameters and results.
    handlers: Object.freeze(pickStated(set.options, SET_HANDLERS)),
    capabilities: resolveCapabilities(set, entitySet, defaults),
    settings,
    // `isCreated` visits the navigations of all sets, and few sets call it.
    isCreated: once(() => (settings.allowUpsert && set.options["replace"] !== undefined) || isCreated(set, service)),
    navigationHandlers: frozenMap(
      set.navigations.map((each) => [each.name, Object.freeze(navigationHandlersOf(each, sets))]),
    ),
    operations: operationsOf(set, built, set.options["transactional"] === true),
    transactional: set.options["transactional"] === true,
    hooks: hooksOf(set),
    lock: set.declaration.lock,
    reread: set.declaration.reread,
    leavesRows: set.declaration.leavesRows,
    settle: set.declaration.settle,
    authorization: resolveCategories(set.options["authorization"]),
    propertyRules: resolvePropertyRules(set.options["authorization"], shownProperties(entitySet.entityType)),
    navigationAuthorization: frozenMap(
      set.navigations.map((each) => [each.name, navigationAuthorizationOf(each, sets)]),
    ),
    rows: rowRuleOf(set, entitySet, service, built),
    setValues: resolveSetValues(set.name, set.options["set"], entitySet.entityType),
    validators: validatorsOf(set.options["validate"]),
    constraints: constraintErrorsOf(set.options["constraints"], entitySet.entityType),
  };
}

function rowRuleOf(
  set: DeclaredSet,
  entitySet: EntitySet,
  { sets }: DeclaredService,
  { model }: BuiltModel,
): RowRule | null {
  const rule = rowFunctionOf(set, sets);
  const declared = rule === null ? null : compileRowRule(rule, entitySet, model.entityContainer.entitySets);
  return set.castFrom === undefined ? declared : castRule(declared, entitySet);
}

/**
 * Returns the operations of a set, or the unbound operations, with their handlers by name.
 * @param isTransactional the default of the option `transactional`
 */
function operationsOf(
  { operations }: { readonly operations: readonly DeclaredOperation[] },
  built: BuiltModel,
  isTransactional = false,
): ReadonlyMap<string, OperationDefinition> {
  return frozenMap(
    operations.flatMap((declared) => {
      const operation: Operation | undefined = built.operations.get(declared);
      const { handler, authorization, transactional = isTransactional } = declared.options;
      if (operation === undefined || !isHandler(handler)) return [];
      const rules = requirementsOf(authorization);
      const definition = { operation, handler, transactional: transactional === true, authorization: rules };
      return [[declared.name, Object.freeze(definition)] as const];
    }),
  );
}

function isHandler(value: unknown): value is OperationHandler {
  return typeof value === "function";
}
