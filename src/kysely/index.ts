export type { BaseQuery, SqlText } from "./base-query.ts";
export type { ColumnOption, ColumnOptions, ColumnSettings, ColumnStorage } from "./column-option.ts";
export { sqlEntitySet, type SqlEntitySetOptions, type SqlOperation } from "./sql-entity-set.ts";
export { sqlSource, type SqlSourceOptions } from "./sql-source.ts";
