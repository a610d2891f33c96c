export type { BaseQuery, SqlText } from "../translate/base-query.ts";
export type { ColumnOption, ColumnOptions, ColumnSettings } from "../columns/column-option.ts";
export type { BooleanStorage, ColumnStorage, EnumStorage, StorageForm } from "../columns/storage-option.ts";
export type { ColumnConversion } from "../columns/converted-plan.ts";
export { sqlEntitySet } from "./sql-entity-set.ts";
export type { SqlEntitySetOptions, SqlOperation } from "./sql-entity-set-options.ts";
export type { FindTenant, TenantDatabase } from "../read/tenants.ts";
export { sqlSource, type SourceOf, type SqlSourceOptions } from "./sql-source.ts";
export { sqlTableOf, type MappedColumn, type MappedTable } from "./sql-entity-set-options.ts";
