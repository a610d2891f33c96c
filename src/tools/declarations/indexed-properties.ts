import { plainName } from "../../databases/introspect/quote-name.ts";
import { catalogueOf } from "../../databases/kinds/catalogues.ts";
import {
  type DescribedProperty,
  type DescribedService,
  type DescribedSet,
  type DescribedWarning,
  navigationField,
} from "./described-service.ts";

/** The options of an entity set that limit `$filter` and `$orderby` to properties with an index. */
export interface IndexedProperties {
  readonly filterProperties: readonly string[];
  readonly orderByProperties: readonly string[];
}

/**
 * Returns the options of `sqlEntitySet` that allow `$filter` and `$orderby` only where an index begins with the column.
 * Navigations stay allowed; the properties of their targets follow the options of the target set.
 * @see docs/guides/existing-databases.md
 */
export function indexedProperties({ properties, navigations }: DescribedSet): IndexedProperties {
  const paths = navigations.map((navigation) => navigationField(navigation));
  const fieldsOf = (use: "hasOrderedIndex" | "isIndexed"): readonly string[] =>
    properties.flatMap((property) => (property[use] ? [property.field] : []));
  return {
    filterProperties: [...fieldsOf("isIndexed"), ...paths],
    orderByProperties: [...fieldsOf("hasOrderedIndex"), ...paths],
  };
}

/**
 * Returns a warning for each property of a table that `indexedProperties` leaves out, with the index that it needs. Expressions
 * and properties of views have none, because no index on them would help.
 */
export function unindexedWarnings({ kind, sets }: DescribedService): readonly DescribedWarning[] {
  return sets
    .filter((set) => set.kind === "table")
    .flatMap((set) =>
      set.properties
        .filter(({ hasOrderedIndex, sql, isCollection, type }) => {
          return !hasOrderedIndex && sql === null && !isCollection && type !== "Edm.Binary";
        })
        .map((property) => ({
          code: "no index",
          place: `${set.setName}.${property.name}`,
          message: `has no index${property.isIndexed ? " in its order" : ""}, so ${property.isIndexed ? "$orderby refuses" : "$filter and $orderby refuse"} it`,
          flag: createIndex(set, property, kind),
        })),
    );
}

function createIndex(
  { table, needsSchema }: DescribedSet,
  { column, type, nullable }: DescribedProperty,
  kind: DescribedService["kind"],
): string {
  const { quote, indexes } = catalogueOf(kind);
  const { namesIndexes, nullsAreLast, textCollation } = indexes;
  const on = [...(needsSchema ? [table.schema] : []), table.name].map((name) => plainName(name, quote)).join(".");
  const name = namesIndexes ? "" : ` ${plainName(`${table.name}_${column}`, quote)}`;
  const collation = textCollation !== null && type === "Edm.String" ? ` collate "${textCollation}"` : "";
  const nulls = nullsAreLast && nullable ? " nulls first" : "";
  return `create index${name} on ${on} (${plainName(column, quote)}${collation}${nulls})`;
}
