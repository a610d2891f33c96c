import { LONGEST_TIME } from "../../base/within-time.ts";
import type { PositionStore } from "../model/service-definition.ts";
import type { BatchOptions, CorsOptions, ServiceOptions } from "../model/service-options.ts";
import { NAMING_POLICIES } from "../names.ts";
import type { OptionRule, OptionTable } from "../option-table.ts";
import type { ConstraintsOption } from "../sets/constraints.ts";
import type { EntitySetOptions } from "../sets/entity-set.ts";
import type { ManyOptions, OneOptions } from "../sets/navigation.ts";
import type { FunctionOptions, OperationParameters } from "../sets/operation.ts";
import type { LimitSettings, InheritedSettings } from "../sets/set-settings.ts";
import type { SetSingletonOptions, SingletonOptions } from "../sets/singleton.ts";
import type { ValidateOption } from "../sets/validation.ts";
import type { EntityTypeOptions, TypeOptions, EnumTypeOptions } from "../types/entity-type.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

const FLAG: OptionRule = { kind: "flag" };
const TEXT: OptionRule = { kind: "text" };
const HANDLER: OptionRule = { kind: "handler" };
const FIELDS: OptionRule = { kind: "texts" };
const OBJECT: OptionRule = { kind: "object" };
const ARRAY: OptionRule = { kind: "array" };
const ANY: OptionRule = { kind: "any" };
const FROM_ZERO: OptionRule = { kind: "limit", least: 0 };
const FROM_ONE: OptionRule = { kind: "limit", least: 1 };
const TIME: OptionRule = { kind: "limit", least: 1, most: LONGEST_TIME };

const SET_SETTINGS: OptionTable<keyof InheritedSettings> = {
  filterEnabled: FLAG,
  orderByEnabled: FLAG,
  selectEnabled: FLAG,
  expandEnabled: FLAG,
  countEnabled: FLAG,
  applyEnabled: FLAG,
  computeEnabled: FLAG,
  maxTop: FROM_ONE,
  allowDeepInsert: FLAG,
  bindEnabled: FLAG,
  deepUpdateEnabled: FLAG,
  maxRequestBodyBytes: FROM_ONE,
  propertyAccessEnabled: FLAG,
  propertyRouteDocsEnabled: FLAG,
  allowUpsert: FLAG,
  idempotentDelete: FLAG,
  requireIfMatch: FLAG,
  cacheControl: TEXT,
  // Empty: no headers, in place of those of `defaults`.
  vary: { kind: "emptyText" },
  roundingMode: { kind: "choice", values: ["spec-compliant", "BankersRounding"] },
  selectPushdownEnabled: FLAG,
  expandPushdownEnabled: FLAG,
  unknownMembers: { kind: "choice", values: ["reject", "ignore"] },
  paging: { kind: "choice", values: ["offset", "keyset"] },
};

const LIMITS: OptionTable<keyof LimitSettings> = {
  maxExpandDepth: FROM_ZERO,
  maxExpandTop: FROM_ONE,
  maxNodeCount: FROM_ONE,
  maxAnyAllDepth: FROM_ZERO,
  maxInListLength: FROM_ONE,
  maxOrderByProperties: FROM_ONE,
  maxApplySteps: FROM_ONE,
  maxUrlLength: FROM_ONE,
  maxQueryBodyBytes: FROM_ONE,
  maxJsonDepth: FROM_ONE,
  maxJsonValues: FROM_ONE,
  maxResponseEntities: FROM_ONE,
  maxResponseBytes: FROM_ONE,
  maxHeldBytes: FROM_ONE,
  maxExpandItems: FROM_ZERO,
  maxIterableEntities: FROM_ONE,
  queryTimeout: TIME,
  transactionTimeout: TIME,
  maxPageSize: { kind: "limit", least: 1, most: 50_000, isRequired: true },
};

/** The limits that earlier versions had, each with the advice on what replaces it. */
export const REMOVED_LIMITS: Readonly<Record<string, string>> = Object.freeze({
  maxStreams: "Remove it: no page is read while it is sent. `maxPageSize` limits the entities of a page.",
  streamTimeout: "Remove it: no page is read while it is sent. `maxPageSize` limits the entities of a page.",
});

/** The options of `entitySet`. */
const ENTITY_SET_OPTIONS: OptionTable<keyof EntitySetOptions<EntityTypeDeclaration>> = {
  ...SET_SETTINGS,
  name: TEXT,
  derived: ARRAY,
  queryable: HANDLER,
  getAll: HANDLER,
  applyQuery: HANDLER,
  applyQueryOptions: FIELDS,
  getByKey: HANDLER,
  create: HANDLER,
  replace: HANDLER,
  patch: HANDLER,
  delete: HANDLER,
  search: HANDLER,
  filterProperties: FIELDS,
  orderByProperties: FIELDS,
  selectProperties: FIELDS,
  expandProperties: FIELDS,
  groupByProperties: FIELDS,
  aggregateProperties: FIELDS,
  etag: { kind: "texts", or: "all" },
  enumsAsStrings: FLAG,
  hierarchy: OBJECT,
  navigation: OBJECT,
  functions: OBJECT,
  actions: OBJECT,
  transactional: FLAG,
  before: OBJECT,
  after: OBJECT,
  annotations: ANY,
  authorization: ANY,
  set: OBJECT,
  virtual: OBJECT,
  media: OBJECT,
  validate: OBJECT,
  constraints: OBJECT,
};

/** The options of `singleton` over an entity set. */
const SET_SINGLETON_OPTIONS: OptionTable<keyof SetSingletonOptions<EntityTypeDeclaration>> = {
  name: TEXT,
  nullable: FLAG,
  from: OBJECT,
  key: HANDLER,
};

/** The options of `singleton` with handlers. */
const SINGLETON_OPTIONS: OptionTable<keyof SingletonOptions<EntityTypeDeclaration>> = {
  name: TEXT,
  nullable: FLAG,
  from: ANY,
  get: HANDLER,
  patch: HANDLER,
  replace: HANDLER,
  selectEnabled: FLAG,
  expandEnabled: FLAG,
  computeEnabled: FLAG,
  maxRequestBodyBytes: FROM_ONE,
  propertyAccessEnabled: FLAG,
  propertyRouteDocsEnabled: FLAG,
  requireIfMatch: FLAG,
  cacheControl: TEXT,
  vary: { kind: "emptyText" },
  roundingMode: SET_SETTINGS.roundingMode,
  unknownMembers: SET_SETTINGS.unknownMembers,
  selectProperties: FIELDS,
  expandProperties: FIELDS,
  etag: ENTITY_SET_OPTIONS.etag,
  enumsAsStrings: FLAG,
  navigation: OBJECT,
  functions: OBJECT,
  actions: OBJECT,
  transactional: FLAG,
  before: OBJECT,
  after: OBJECT,
  annotations: ANY,
  authorization: ANY,
  validate: OBJECT,
  constraints: OBJECT,
  set: OBJECT,
};

/** The rules of `validate` of `entitySet`. */
const VALIDATE_OPTIONS: OptionTable<keyof ValidateOption<EntityTypeDeclaration, unknown>> = { create: ANY, patch: ANY };

/** The members of each constraint of `constraints` of `entitySet`. */
const CONSTRAINT_OPTIONS: OptionTable<keyof ConstraintsOption<string>[string]> = { target: TEXT, message: TEXT };

/** The options of `batch` of `odataService`. */
const BATCH_OPTIONS: OptionTable<keyof BatchOptions> = {
  multipart: FLAG,
  json: FLAG,
  maxParts: FROM_ONE,
  timeout: TIME,
  changeSets: { kind: "choice", values: ["atomic", "sequential"] },
};

/** The options of `cors` of `odataService`. */
const CORS_OPTIONS: OptionTable<keyof CorsOptions> = {
  origins: ANY,
  credentials: FLAG,
  maxAge: ANY,
  headers: ANY,
};

/** The options of `positions` of `odataService`. */
const POSITION_OPTIONS: OptionTable<keyof PositionStore> = { read: HANDLER, write: HANDLER };

/** The options of `defaults` of `odataService`. */
const DEFAULTS_OPTIONS: OptionTable<keyof (InheritedSettings & LimitSettings)> = { ...SET_SETTINGS, ...LIMITS };

/** The options of `odataService`. */
const SERVICE_OPTIONS: OptionTable<keyof ServiceOptions> = {
  name: TEXT,
  prefix: ANY,
  namespace: TEXT,
  group: TEXT,
  entitySets: ARRAY,
  singletons: ARRAY,
  functions: OBJECT,
  actions: OBJECT,
  defaults: OBJECT,
  propertyNaming: { kind: "choice", values: NAMING_POLICIES },
  enumsAsStrings: FLAG,
  profile: { kind: "choice", values: ["specification", "standard"] },
  batch: ANY,
  cors: ANY,
  authenticate: HANDLER,
  authorization: ANY,
  metadataPerUser: FLAG,
  crossSiteWrites: { kind: "choice", values: ["allow", "refuse"] },
  challenge: TEXT,
  exposeConstraintNames: FLAG,
  secret: ANY,
  tokenScope: HANDLER,
  explainError: HANDLER,
  messages: HANDLER,
  schemaCheck: { kind: "choice", values: ["error", "warn", false] },
  positions: OBJECT,
  logger: OBJECT,
  onStatement: HANDLER,
  onResponse: HANDLER,
  serverTiming: FLAG,
  publicUrl: TEXT,
  trustProxy: FLAG,
  annotations: ANY,
  connectionFiles: ANY,
  annotationForm: { kind: "choice", values: ["inline", "external"] },
  vocabularies: OBJECT,
  routes: ARRAY,
};

/** The options of `enumType`. */
const ENUM_TYPE_OPTIONS: OptionTable<keyof EnumTypeOptions<string, boolean>> = {
  isFlags: FLAG,
  annotations: ANY,
  memberAnnotations: OBJECT,
};

/** The options of `complexType`. */
const TYPE_OPTIONS: OptionTable<keyof TypeOptions> = { annotations: ANY };

/** The options of `entityType`. */
const ENTITY_TYPE_OPTIONS: OptionTable<keyof EntityTypeOptions> = { ...TYPE_OPTIONS, base: ANY, abstract: FLAG };

const NAVIGATION = {
  on: OBJECT,
  target: TEXT,
  partner: TEXT,
  authorization: { kind: "choice", values: ["parent"] },
  annotations: ANY,
  get: HANDLER,
  getBatch: HANDLER,
} as const satisfies OptionTable;

/** The options of `hasOptional` and `hasRequired`. */
const ONE_OPTIONS: OptionTable<keyof OneOptions<EntityTypeDeclaration, EntityTypeDeclaration>> = {
  ...NAVIGATION,
  setRef: HANDLER,
  removeRef: HANDLER,
};

/** The options of `hasMany`. */
const MANY_OPTIONS: OptionTable<keyof ManyOptions<EntityTypeDeclaration, EntityTypeDeclaration>> = {
  ...NAVIGATION,
  create: HANDLER,
  addRef: HANDLER,
  removeRef: HANDLER,
  through: OBJECT,
};

const { composable, ...OPERATION }: OptionTable<keyof FunctionOptions<never, unknown, OperationParameters, unknown>> = {
  bound: { kind: "choice", values: ["entity", "collection"] },
  params: OBJECT,
  returns: ANY,
  composable: FLAG,
  annotations: ANY,
  authorization: ANY,
  handler: HANDLER,
};

/** The options of `action`. */
const ACTION_OPTIONS: OptionTable = { ...OPERATION, transactional: FLAG };

/** The options of `fn`. */
const FUNCTION_OPTIONS: OptionTable = { ...OPERATION, composable };

/** The options of the functions that declare a service, its sets, navigations, operations and types, and of their objects. */
export const OPTION_TABLES: Readonly<
  Record<
    | "service"
    | "defaults"
    | "batch"
    | "cors"
    | "positions"
    | "entitySet"
    | "singleton"
    | "setSingleton"
    | "validate"
    | "constraint"
    | "one"
    | "many"
    | "action"
    | "fn"
    | "type"
    | "entityType"
    | "enumType",
    OptionTable
  >
> = Object.freeze({
  service: SERVICE_OPTIONS,
  defaults: DEFAULTS_OPTIONS,
  batch: BATCH_OPTIONS,
  cors: CORS_OPTIONS,
  positions: POSITION_OPTIONS,
  entitySet: ENTITY_SET_OPTIONS,
  singleton: SINGLETON_OPTIONS,
  setSingleton: SET_SINGLETON_OPTIONS,
  validate: VALIDATE_OPTIONS,
  constraint: CONSTRAINT_OPTIONS,
  one: ONE_OPTIONS,
  many: MANY_OPTIONS,
  action: ACTION_OPTIONS,
  fn: FUNCTION_OPTIONS,
  type: TYPE_OPTIONS,
  entityType: ENTITY_TYPE_OPTIONS,
  enumType: ENUM_TYPE_OPTIONS,
});
