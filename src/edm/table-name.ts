/** The name of a table or view in parts, so that each part may contain any character, such as a dot. */
export interface QualifiedTableName {
  /** The schema, or the attached database of SQLite; absent for the default of the connection. */
  readonly schema?: string | undefined;
  readonly name: string;
}

/** The name of a table or view. In a string, a dot separates the schema from the name. */
export type TableName = string | QualifiedTableName;

/** Returns the name of a table for messages and logs. */
export function tableNameText(table: TableName): string {
  if (typeof table === "string") return table;
  return table.schema === undefined ? table.name : `${table.schema}.${table.name}`;
}

/** Returns whether a value is the name of a table. */
export function isTableName(value: unknown): value is TableName {
  if (typeof value === "string") return value !== "";
  if (typeof value !== "object" || value === null || !("name" in value)) return false;
  const { name, schema, ...others }: { readonly name: unknown; readonly schema?: unknown } = value;
  const isNamed = typeof name === "string" && name !== "";
  const isInSchema = schema === undefined || (typeof schema === "string" && schema !== "");
  return isNamed && isInSchema && Object.keys(others).length === 0;
}
