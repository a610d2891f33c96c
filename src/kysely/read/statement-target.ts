import type { StructuralProperty } from "../../edm/model.ts";
import type { SourceQuery } from "../../query/source.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import type { JoinComparisons, Placement } from "../translate/relation.ts";
import type { PageClauses } from "../translate/translate-query.ts";
import type { CompileTarget } from "./compile-statement.ts";
import type { ProvenColumns } from "./proven-columns.ts";

/** The table or base query of the statements. */
export interface StatementTarget extends CompileTarget {
  /** The key of the type. */
  readonly key: readonly StructuralProperty[];
  /** Finds the columns. Called for the first statement, since tables may be created after the declarations. */
  readonly findPlans: () => PlansByField;
  /** Finds where a distributed database has the rows. Called for the first statement, since other sets may be declared later. */
  readonly placement: () => Placement | undefined;
  readonly proven: ProvenColumns;
  readonly comparisons: JoinComparisons;
  /** The paths of ignored properties and members that have no column, as far as the schema check found. */
  readonly absent: Set<string>;
}

/** Returns the clauses of a page that depend on places of rows. */
export function placesOf({ after, marked }: SourceQuery): Pick<PageClauses, "after" | "marked"> {
  return { after: after?.kind, marked: marked?.order };
}

/** Returns the identities of these clauses, and of the columns on whose nulls they depend. */
export function placeIdentities({ after, marked }: SourceQuery, { identity }: ProvenColumns): readonly object[] {
  if (after === undefined) return marked === undefined ? [] : [marked.order];
  return marked === undefined ? [after.kind, identity] : [after.kind, identity, marked.order];
}
