import { sql } from "kysely";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { keyHolderOf } from "../../edm/key-holder.ts";
import type { NavigationProperty } from "../../edm/model.ts";
import { holdsAnyCaseGuids, scalarPlanOf } from "../columns/table-columns.ts";
import { toEquatable, type Sql } from "../statement/sql-form.ts";
import { sqlTableName } from "../statement/sql-operand.ts";
import { type SqlTable, setsOfService, sharesDatabase, tableBehindSet, targetSet } from "./sql-table.ts";

/** A column of another table whose Guids a foreign key repeats exactly. */
export interface StoredReference {
  readonly table: SqlTable;
  readonly field: string;
}

/** The references of a table, by the fields of its foreign keys. */
export type StoredReferences = ReadonlyMap<string, readonly StoredReference[]>;

/** Finds the foreign keys of a table that refer to Guids in any letter case, in the navigations of all sets. */
export function findReferences(context: Context, table: SqlTable): StoredReferences {
  const found = new Map<string, readonly StoredReference[]>();
  for (const set of setsOfService(context)) {
    for (const navigation of set.entitySet.navigationProperties.values()) {
      for (const [field, reference] of alongNavigation(set, navigation, table, context)) {
        found.set(field, [...(found.get(field) ?? []), reference]);
      }
    }
  }
  return found;
}

function alongNavigation(
  set: EntitySetDefinition,
  navigation: NavigationProperty,
  table: SqlTable,
  context: Context,
): ReadonlyArray<readonly [field: string, reference: StoredReference]> {
  const join = set.entitySet.navigationJoins.get(navigation.name);
  if (join?.kind !== "direct") return [];
  const target = targetSet(context, set, navigation.name);
  const [from, to] = [tableBehindSet(set), target === null ? null : tableBehindSet(target)];
  if (from === null || to === null || !sharesDatabase(from, to)) return [];
  const isDependent = keyHolderOf(set.entitySet, navigation) === "parent";
  if ((isDependent ? from : to) !== table.declared) return [];
  const [own, other] = [from.over(table.db), to.over(table.db)];
  return join.pairs.flatMap(({ property, related }) => {
    const reference = isDependent ? { table: other, field: related.field } : { table: own, field: property.field };
    const { field } = isDependent ? property : related;
    const isAnyCase = [{ table, field }, reference].every((each) =>
      holdsAnyCaseGuids(each.table.plans.get(each.field)),
    );
    return isAnyCase ? [[field, reference] as const] : [];
  });
}

/**
 * Returns the value to store in a foreign key: the text of the referenced row, since constraints of the database compare the
 * letters; without such a row, the value itself.
 * @param bind makes the placeholder of the value
 */
export function asReferredTo(references: readonly StoredReference[], bind: () => Sql): Sql {
  const texts = references.map((reference) => {
    const found = selectReferred(reference, bind, "odata_text");
    // MariaDB can read the table that it writes only through a derived table.
    return sql`(select odata_text from (${found}) as odata_target)`;
  });
  return sql`coalesce(${sql.join([...texts, bind()])})`;
}

/** Selects the text of a referenced row. @param bind makes the placeholder of the value */
export function selectReferred({ table, field }: StoredReference, bind: () => Sql, alias: string): Sql {
  const plan = scalarPlanOf({ field, name: field }, table.plans);
  const column = sql.id(plan.column);
  const { sql: cells, form } = toEquatable({ sql: column, form: plan.format.form });
  const place = form.place?.(bind()) ?? bind();
  return sql`select ${column} as ${sql.id(alias)} from ${sqlTableName(table.tableName)} where ${cells} = ${place} limit 1`;
}
