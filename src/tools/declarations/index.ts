export type { CodeTarget } from "./code/database-code.ts";
export type { Settings, SettingValue } from "./code/entity-code.ts";
export { writeDeclarations, type CodeOptions, type WrittenModule } from "./code/write-declarations.ts";
export type { DescribeOptions, GivenRelation, KeyChoice } from "./described-service.ts";
export type {
  DescribedColumn,
  DescribedEnumType,
  DescribedLink,
  DescribedNavigation,
  DescribedProperty,
  DescribedService,
  DescribedSet,
  DescribedWarning,
} from "./described-service.ts";
export { indexedProperties, unindexedWarnings, type IndexedProperties } from "./indexed-properties.ts";
export { declareEntitySets, type DeclareOptions } from "./live/declare-entity-sets.ts";
export { introspectDatabase, type IntrospectedDatabase, type IntrospectOptions } from "./live/introspect-database.ts";
export { readDatabaseSchema } from "./live/introspect-database.ts";
export { describeService } from "./mapping/describe-service.ts";
export type {
  ColumnSample,
  DatabaseKind,
  DatabaseSchema,
  ForeignKey,
  ObjectColumn,
  ObjectName,
  ObjectOmission,
  SchemaObject,
  SchemaSelection,
} from "../../databases/introspect/database-schema.ts";
