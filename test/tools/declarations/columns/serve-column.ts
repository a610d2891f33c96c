import { edm, entityType, enumType, odataService, type Logger, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyProperty } from "../../../../src/definition/types/value-type.ts";
import type { DescribedColumn } from "../../../../src/tools/declarations/described-service.ts";
import type { AnyDatabase } from "../../../engine/executors/engines.ts";

/** The options of a service over one column. */
export interface ServedColumn {
  readonly db: AnyDatabase;
  readonly table: string;
  readonly column: string;
  readonly described: DescribedColumn;
  /** The labels of the enumeration type. */
  readonly labels: readonly string[];
  readonly unreadable: "error" | "null";
  readonly maxTop?: number;
  /** The column of the key; `id` without it. */
  readonly key?: string;
  readonly paging?: "keyset" | "offset";
}

/** Serves the set `Cells` over the key of a table and one column as `Value`. */
export function serveColumn(served: ServedColumn): ODataService {
  const { db, table, column, described, unreadable, maxTop, paging } = served;
  const Cell = entityType("Cell", { Id: edm.int32().key(), Value: propertyOf(served) });
  const { sql: expression, storage } = described;
  const name = expression === null ? { name: column } : { sql: expression };
  const value = { ...name, ...(storage === null ? {} : { storage }) };
  const logger: Logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
  return odataService({
    logger,
    secret: "0123456789abcdef0123456789abcdef",
    defaults: { maxTop: maxTop ?? 3, paging: paging ?? "keyset" },
    entitySets: [
      sqlEntitySet(Cell, {
        name: "Cells",
        db,
        table,
        operations: ["read"],
        columns: { Id: served.key ?? "id", Value: value },
        unreadable,
      }),
    ],
  });
}

function propertyOf({ described, labels }: ServedColumn): AnyProperty {
  const item = itemOf(described, labels);
  return described.isCollection ? edm.collection(item) : item;
}

function itemOf({ type, facets }: DescribedColumn, labels: readonly string[]): AnyProperty {
  if (typeof type === "object") {
    return edm.enum(enumType(type.enumType, Object.fromEntries(labels.map((label, at) => [label, at])))).nullable();
  }
  const builder = type.slice(4).replace(/^./, (letter) => letter.toLowerCase()) as "string";
  return edm[builder](facets).nullable();
}

/** Returns a value of JSON as a literal in a URL. */
export function literalOf(value: unknown, { type }: DescribedColumn): string {
  if (value === null) return "null";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (typeof type === "object") return `Default.${type.enumType}'${text}'`;
  switch (type) {
    case "Edm.String":
      return `'${text.replaceAll("'", "''")}'`;
    case "Edm.Binary":
      return `binary'${text}'`;
    case "Edm.Duration":
      return `duration'${text}'`;
    default:
      return text;
  }
}
