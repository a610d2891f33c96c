import type { EntitySet, EntityType, Model } from "../edm/model.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { QueryParameter } from "../query/clauses.ts";
import type { VariableExpression } from "../query/expression.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import type { Operand } from "./operand.ts";

/** The clauses that hold expressions. */
export type ClauseName = "filter" | "orderBy";

/** What each entity set allows, and (null) what holds for entities that belong to none. */
export type CapabilitiesBySet = (entitySet: EntitySet | null) => Capabilities;

/** Where an expression stands: what its names mean and which of them it may use. */
export interface BindingContext {
  readonly model: Model;
  /** The option, with its `$`, that the expression is the value of: the target of errors. */
  readonly option: string;
  readonly clause: ClauseName;
  /** The type of the entities that the expression is evaluated for. */
  readonly entityType: EntityType;
  /** The set that those entities belong to: its navigations can be gone along; null: none is declared. */
  readonly entitySet: EntitySet | null;
  readonly capabilitiesOf: CapabilitiesBySet;
  /** The wire names of those entities that the option may use; null: every one. */
  readonly allowed: ReadonlySet<string> | null;
  /** Grows by one parameter for each literal that is bound. */
  readonly parameters: QueryParameter[];
}

/** The range variable of a lambda operator. */
export interface RangeVariable {
  /** As the client wrote it; null for one that an operator brings along and no name refers to. */
  readonly name: string | null;
  readonly expression: VariableExpression;
  /** The set that the items belong to; null: none, or they are values. */
  readonly entitySet: EntitySet | null;
}

/** A context together with the way back to the binder, for the parts of an expression. */
export interface BindingScope extends BindingContext {
  /** The range variables of the lambda operators around the expression, the outermost first. */
  readonly variables: readonly RangeVariable[];
  /** The scope of the predicate of a lambda operator. */
  readonly within: (variable: RangeVariable) => BindingScope;
  /**
   * Binds a part of the expression, one level deeper.
   * @throws ODataError `InvalidQueryOption`, `UnsupportedQueryOption`
   */
  readonly bind: (node: SyntaxNode) => Operand;
}
