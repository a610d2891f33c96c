import type { ObjectName } from "../../introspect/database-schema.ts";
import { type Code, object } from "./layout.ts";
import { stringLiteral } from "./literals.ts";

/** Writes the name of a table: as one string, unless a dot belongs to a part. */
export function tableCode({ schema, name }: ObjectName, needsSchema: boolean): Code {
  if (!needsSchema) return name.includes(".") ? object([["name", stringLiteral(name)]]) : stringLiteral(name);
  if (!`${schema}${name}`.includes(".")) return stringLiteral(`${schema}.${name}`);
  return object([
    ["schema", stringLiteral(schema)],
    ["name", stringLiteral(name)],
  ]);
}
