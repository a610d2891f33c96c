import { sql } from "kysely";
import type { StructuralProperty } from "../edm/model.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { RowColumn, RowShape } from "../query/row-shape.ts";
import { columnRef } from "./path-scope.ts";
import { readDocument } from "./read-document.ts";
import type { Sql } from "./sql-form.ts";
import type { ColumnPlan, PlansByField } from "./table-columns.ts";

/** What a statement selects, and how its rows are read. */
export interface SelectedColumns {
  /** In the order of the cells. */
  readonly expressions: readonly Sql[];
  readonly rowShape: RowShape;
}

/**
 * The columns of the selected properties, and no others: but of a complex value that may be null, and of which only some
 * members are selected, so many more that tell whether it is.
 */
export function selectColumns(selected: readonly SelectedProperty[], plans: PlansByField): SelectedColumns {
  const expressions: Sql[] = [];
  const columns = selectProperties(selected, plans, expressions);
  return Object.freeze({ expressions, rowShape: Object.freeze({ columns }) });
}

/** The alias of a cell, for drivers that answer rows as objects. */
export function cellName(index: number): string {
  return `c${index}`;
}

function selectProperties(
  selected: readonly SelectedProperty[],
  plans: PlansByField,
  expressions: Sql[],
): ReadonlyMap<StructuralProperty, RowColumn> {
  const columns = new Map<StructuralProperty, RowColumn>();
  for (const { property, nested } of selected) {
    const plan = plans.get(property.field);
    if (plan === undefined) throw new Error(`${property.name} has no column.`);
    columns.set(property, selectProperty({ property, nested }, plan, expressions));
  }
  return columns;
}

function selectProperty(selected: SelectedProperty, plan: ColumnPlan, expressions: Sql[]): RowColumn {
  switch (plan.kind) {
    case "scalar": {
      const { column, format } = plan;
      const { toValue, toJson } = format;
      const index = addCell(expressions, format.toSelected(columnRef(column)));
      return Object.freeze({
        kind: "scalar",
        index,
        toValue: (cell: unknown) => (cell === null ? null : toValue(cell)),
        toJson,
      });
    }
    case "document": {
      const index = addCell(expressions, columnRef(plan.column));
      return Object.freeze({ kind: "document", index, toValue: readDocument(plan.property) });
    }
    case "complex": {
      const members = selectedMembers(selected);
      return Object.freeze({ kind: "complex", members: selectProperties(members, plan.members, expressions) });
    }
  }
}

function addCell(expressions: Sql[], expression: Sql): number {
  expressions.push(sql`${expression} as ${sql.id(cellName(expressions.length))}`);
  return expressions.length - 1;
}

/** A member that is never null tells alone whether the value is; without one all members do. */
function selectedMembers({ property, nested }: SelectedProperty): readonly SelectedProperty[] {
  if (property.type.kind !== "ComplexType") throw new Error(`${property.name} has no members.`);
  const all = property.type.properties.map((member) => ({ property: member }));
  if (nested === undefined) return all;
  if (!property.nullable || nested.some((member) => isTelling(member.property))) return nested;
  const telling = all.find((member) => isTelling(member.property));
  if (telling !== undefined) return [...nested, telling];
  const given = new Map(nested.map((member) => [member.property, member]));
  return all.map((member) => given.get(member.property) ?? member);
}

function isTelling({ nullable, isCollection, type }: StructuralProperty): boolean {
  return !nullable && !isCollection && type.kind !== "ComplexType";
}
