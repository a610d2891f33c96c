export { columnStore } from "./edm/stream-property.ts";
export type {
  ByteRange,
  ColumnStore,
  StoredBytes,
  StreamFacts,
  StreamOptions,
  StreamStore,
} from "./edm/stream-property.ts";
export { applyDelta } from "./definition/model/apply-delta.ts";
export { anyOf, authenticated, resource, role } from "./definition/sets/authorization.ts";
export type {
  Authorization,
  AuthorizationRule,
  AuthorizationRules,
  PropertyAuthorization,
} from "./definition/sets/authorization.ts";
export type {
  Context,
  Host,
  IncomingRequest,
  Principal,
  Register,
  RuleContext,
  SetContext,
  Transaction,
  TransactionContext,
  Isolation,
  TransactionOptions,
  User,
  WriteContext,
} from "./definition/context.ts";
export type { Annotations, AnnotationValue, TypeOptions, VocabularyOptions } from "./definition/types/entity-type.ts";
export { edm } from "./definition/types/edm-builders.ts";
export type { EdmBuilders } from "./definition/types/edm-builders.ts";
export type { MediaOption } from "./definition/sets/stream-option.ts";
export { entitySet } from "./definition/sets/entity-set.ts";
export type { EntitySetDeclaration as EntitySet, EntitySetOptions } from "./definition/sets/entity-set.ts";
export type {
  AccessOptions,
  DeclaredEntitySet,
  EntityFilter,
  EntityQuery,
  EntitySetAccess,
  ReadOptions,
  WriteOptions,
} from "./definition/context.ts";
export type { Entities, EntitySource, ValueSource } from "./definition/handlers.ts";
export { complexType, entityType, enumType } from "./definition/types/entity-type.ts";
export type { EntityTypeOptions, EnumTypeOptions } from "./definition/types/entity-type.ts";
export { withDerived } from "./definition/types/hierarchy.ts";
export type { Answer, Awaitable, CollectionQuery } from "./definition/handlers.ts";
export type { TemporalObject } from "./definition/types/edm-builders.ts";
export type {
  BodyOf,
  DeltaOf,
  EntityOf,
  WithDerived,
  KeyOf,
  NewEntityOf,
  ReadEntityOf,
  ResultOf,
} from "./definition/types/entity-values.ts";
export { fromPino } from "./definition/logger.ts";
export type { FieldsFirstLogger, Logger } from "./definition/logger.ts";
export type { NamingPolicy } from "./definition/names.ts";
export { hasMany, hasOptional, hasRequired } from "./definition/sets/navigation.ts";
export type { GraphOf, NavigationDeclaration as Navigation } from "./definition/types/navigation-declaration.ts";
export { action, fn } from "./definition/sets/operation.ts";
export type { OperationDeclaration as Operation } from "./definition/sets/operation.ts";
export type { Property } from "./definition/types/edm-builders.ts";
export { singleton } from "./definition/sets/singleton.ts";
export type {
  SetSingletonOptions,
  SingletonDeclaration as Singleton,
  SingletonOptions,
} from "./definition/sets/singleton.ts";
export { requireUser } from "./definition/sets/authorization.ts";
export { now } from "./definition/sets/set-option.ts";
export type { ChangeFacts, CreationFacts, PropertySetters, SetFacts } from "./definition/sets/set-option.ts";
export type { AfterHooks, BeforeHooks } from "./definition/sets/write-hooks.ts";
export { inherit, type InheritedRows } from "./definition/sets/inherited-rows.ts";
export { allRows, noRows } from "./definition/types/row-predicate.ts";
export type { RowOf, RowPredicate } from "./definition/types/row-predicate.ts";
export type { Fault, FaultParameters } from "./base/errors/fault.ts";
export type { Messages } from "./definition/model/messages.ts";
export type { TracedResponse } from "./definition/model/traced-response.ts";
export type { TracedRequest, TracedStatement } from "./definition/logger.ts";
export type { PositionStore } from "./definition/model/service-definition.ts";
export type { ServiceDefaults, ServiceOptions } from "./definition/model/service-options.ts";
export type {
  ComplexTypeDeclaration as ComplexType,
  EntityCollection,
  EntityTypeDeclaration as EntityType,
  EnumTypeDeclaration as EnumType,
  Shape,
} from "./definition/types/value-type.ts";
export type { Model, StructuralProperty } from "./edm/model.ts";
export type { PrimitiveValue } from "./edm/value-codec.ts";
export { ConfigurationError } from "./base/errors/configuration-error.ts";
export type { ConfigurationFault } from "./base/errors/configuration-error.ts";
export { isODataError, ODataError, odataError } from "./base/errors/odata-error.ts";
export type { ODataRequest } from "./http/odata-request.ts";
export type { ODataResponse, ResponseBody } from "./http/odata-response.ts";
export type { SearchClause as SearchRequest } from "./language/query/clauses.ts";
export type {
  FilterClause,
  OrderByItem,
  RoundingMode,
  SearchExpression,
  SelectedProperty,
} from "./language/query/clauses.ts";
export type { Expression } from "./language/query/expression.ts";
export { arraySource } from "./engine/memory/array-source.ts";
export { loadEntitySets } from "./service/load-entity-sets.ts";
export { servicesFetch } from "./service/compose-services.ts";
export type { ServicesFetch } from "./service/compose-services.ts";
export { odataService } from "./service/odata-service.ts";
export { reloadable, type ReloadableService, type ReplaceOptions } from "./service/reloadable.ts";
export type { ODataService } from "./service/odata-service.ts";
export type { RunInSetOptions, RunOptions, RunWork } from "./service/run-work.ts";
export type { ProbedDatabase, ProbeOptions, ProbeReport } from "./service/probe-databases.ts";
