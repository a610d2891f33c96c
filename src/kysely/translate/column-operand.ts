import type { StructuralProperty } from "../../edm/model.ts";
import { refuseConverted } from "../columns/converted-plan.ts";
import type { ColumnPlan } from "../columns/table-columns.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import type { Relation } from "./relation.ts";

/** A property of the entities of a relation as an operand. */
export function columnOperand(property: StructuralProperty, relation: Relation): RowOperand {
  const plan = relation.rows.plans.get(property.field);
  if (plan === undefined) throw new Error(`${property.name} has no column.`);
  refuseConverted(plan, property.name);
  return plannedOperand(plan, relation);
}

/** The column of a plan as an operand. */
export function plannedOperand(plan: ColumnPlan, relation: Relation): RowOperand {
  if (plan.kind !== "scalar") throw new Error(`${plan.property.name} is no single value.`);
  const { column, format, nullable } = plan;
  const mayBeNull = nullable || relation.isOptional;
  return { kind: "row", sql: relation.column(column), form: format.form, nulls: mayBeNull ? "column" : "never" };
}
