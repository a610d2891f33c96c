export { applyDelta } from "./definition/apply-delta.ts";
export { anyOf, authenticated, resource, role } from "./definition/authorization.ts";
export type { Authorization, AuthorizationRule, AuthorizationRules } from "./definition/authorization.ts";
export type {
  Context,
  IncomingRequest,
  Principal,
  Register,
  RuleContext,
  Transaction,
  TransactionOptions,
  User,
  WriteContext,
} from "./definition/context.ts";
export { edm } from "./definition/edm-builders.ts";
export type { EdmBuilders } from "./definition/edm-builders.ts";
export { entitySet } from "./definition/entity-set.ts";
export type { EntitySetDeclaration as EntitySet, EntitySetOptions } from "./definition/entity-set.ts";
export type {
  AccessOptions,
  DeclaredEntitySet,
  EntityFilter,
  EntityQuery,
  EntitySetAccess,
  WriteOptions,
} from "./definition/entity-set-access.ts";
export type { Entities, EntitySource } from "./definition/entity-source.ts";
export { complexType, entityType, enumType } from "./definition/entity-type.ts";
export type { Answer, Awaitable, CollectionQuery } from "./definition/handlers.ts";
export type { BodyOf, DeltaOf, EntityOf, KeyOf, NewEntityOf, ReadEntityOf, ResultOf } from "./definition/infer.ts";
export { fromPino } from "./definition/logger.ts";
export type { FieldsFirstLogger, Logger } from "./definition/logger.ts";
export type { NamingPolicy } from "./definition/names.ts";
export { hasMany, hasOptional, hasRequired } from "./definition/navigation.ts";
export type { GraphOf, NavigationDeclaration as Navigation } from "./definition/navigation-declaration.ts";
export { action, fn } from "./definition/operation.ts";
export type { OperationDeclaration as Operation } from "./definition/operation.ts";
export type { Property } from "./definition/property.ts";
export { requireUser } from "./definition/require-user.ts";
export { allRows, noRows } from "./definition/row-predicate.ts";
export type { RowOf, RowPredicate } from "./definition/row-predicate.ts";
export type { ServiceDefaults, ServiceOptions } from "./definition/service-options.ts";
export type {
  ComplexTypeDeclaration as ComplexType,
  EntityCollection,
  EntityTypeDeclaration as EntityType,
  EnumTypeDeclaration as EnumType,
} from "./definition/value-type.ts";
export type { Model, StructuralProperty } from "./edm/model.ts";
export type { PrimitiveValue } from "./edm/value-codec.ts";
export { ConfigurationError } from "./errors/configuration-error.ts";
export type { ConfigurationFault } from "./errors/configuration-error.ts";
export { isODataError, ODataError, odataError } from "./errors/odata-error.ts";
export type { ODataRequest } from "./http/odata-request.ts";
export type { ODataResponse, ResponseBody } from "./http/odata-response.ts";
export type { SearchClause as SearchRequest } from "./query/clauses.ts";
export type { FilterClause, OrderByItem, RoundingMode, SearchExpression, SelectedProperty } from "./query/clauses.ts";
export type { Expression } from "./query/expression.ts";
export { arraySource } from "./memory/array-source.ts";
export { loadEntitySets } from "./service/load-entity-sets.ts";
export { odataService } from "./service/odata-service.ts";
export type { ODataService } from "./service/odata-service.ts";
