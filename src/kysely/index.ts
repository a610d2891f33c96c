export type { BaseQuery, SqlText } from "../sql/translate/base-query.ts";
export type { ColumnOption, ColumnOptions, ColumnSettings } from "../sql/columns/column-option.ts";
export type { BooleanStorage, ColumnStorage, EnumStorage, StorageForm } from "../sql/columns/storage-option.ts";
export type { ColumnConversion } from "../sql/columns/converted-plan.ts";
export { sqlEntitySet } from "./sql-entity-set.ts";
export type { SqlEntitySetOptions, SqlOperation } from "./sql-entity-set-options.ts";
export type { FindTenant, TenantDatabase } from "../sql/read/tenants.ts";
export { sqlSource, type SourceOf, type SqlSourceOptions } from "./sql-source.ts";
export { sqlTableOf, type MappedColumn, type MappedTable } from "./sql-entity-set-options.ts";
