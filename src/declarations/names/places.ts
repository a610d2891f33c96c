import type { ObjectName } from "../../introspect/database-schema.ts";

/** Returns the name of a table, view or type for messages. */
export function describeObject({ schema, name }: ObjectName): string {
  return `${schema}.${name}`;
}

/** Returns the columns of a table for messages, such as `public.orders (customer_id)`. */
export function describeColumns(object: ObjectName, columns: readonly string[]): string {
  return `${describeObject(object)} (${columns.join(", ")})`;
}
