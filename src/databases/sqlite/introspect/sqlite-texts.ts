import { textOf, textOrNull, type CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import { findColumn } from "../../introspect/compare-tables.ts";
import type { ComparedTexts, CheckedSchema, IndexSchema, TableSchema, WantedTable } from "../../introspect/schema.ts";
import { toLower } from "./sqlite-catalogue.ts";

/** `c3` is null for the primary key of the target. */
const FOREIGN_KEYS = `select l.name as c0, f."table" as c1, f."from" as c2, f."to" as c3, f.seq as c4
  from pragma_table_list l join pragma_foreign_key_list(l.name, l.schema) f where l.type = 'table'`;
/** The columns of primary keys, in their order. */
const KEYS = `select l.name as c0, x.name as c1, x.pk - 1 as c2
  from pragma_table_list l join pragma_table_xinfo(l.name, l.schema) x where l.type = 'table' and x.pk > 0`;

/**
 * Reads how foreign keys of SQLite compare texts: by the collation of the referenced column, which its unique index has.
 * @see https://sqlite.org/foreignkeys.html
 */
export function* readSqliteTexts(
  wanted: readonly WantedTable[],
  schema: CheckedSchema,
): CatalogueSteps<readonly ComparedTexts[]> {
  const rows = yield { sql: FOREIGN_KEYS, parameters: [], width: 5 };
  const keys = yield { sql: KEYS, parameters: [], width: 3 };
  const named = (name: string): readonly WantedTable[] =>
    wanted.filter(({ names }) => toLower(names.at(-1) ?? "") === toLower(name));
  const keyColumn = (table: string, position: string): string => {
    const found = keys.find(([name, , at]) => toLower(textOf(name)) === toLower(table) && textOf(at) === position);
    return textOf(found?.[1] ?? "");
  };
  return rows.flatMap(([own, other, column, target, position]) => {
    const targetColumn = textOrNull(target) ?? keyColumn(textOf(other), textOf(position));
    return named(textOf(own)).flatMap((child) =>
      named(textOf(other))
        .filter((parent) => isSameSchema(child, parent))
        .flatMap((parent): readonly ComparedTexts[] =>
          comparedColumns([child, textOf(column)], [parent, targetColumn], schema),
        ),
    );
  });
}

type Place = readonly [table: WantedTable, column: string];

function comparedColumns(child: Place, parent: Place, schema: CheckedSchema): readonly ComparedTexts[] {
  const [own, other] = [find(child, schema), find(parent, schema)];
  if (own === undefined || other === undefined) return [];
  const unique = other.table.indexes.filter(({ isUnique }) => isUnique);
  const [collation, ...others] = new Set(collationsOf(other.column, unique).map(toLower));
  // Of several collations the catalogue does not say which one the column has.
  if (collation === undefined || others.length > 0 || collation === "binary") return [];
  const shared = collationsOf(own.column, own.table.indexes);
  const isShared = shared.length > 0 && shared.every((each) => toLower(each) === collation);
  return [
    {
      child: child[0].text,
      childColumn: own.column,
      parent: parent[0].text,
      parentColumn: other.column,
      comparison: { type: null, collation, isShared },
    },
  ];
}

function find(
  [{ text }, name]: Place,
  schema: CheckedSchema,
): { readonly table: TableSchema; readonly column: string } | undefined {
  const table = schema.tables.get(text);
  const column = table === undefined ? undefined : findColumn(name, table, schema);
  return table === undefined || column === undefined ? undefined : { table, column: column.name };
}

function collationsOf(name: string, indexes: readonly IndexSchema[]): readonly string[] {
  return indexes.flatMap(({ columns }) =>
    columns.flatMap((column) => (column?.name === name && column.collation !== null ? [column.collation] : [])),
  );
}

/** Returns whether a foreign key refers to a table of its schema. */
function isSameSchema(child: WantedTable, parent: WantedTable): boolean {
  return toLower(child.names.slice(0, -1).join()) === toLower(parent.names.slice(0, -1).join());
}
