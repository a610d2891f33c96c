import type { EntityType, Model } from "../edm/model.ts";
import type { QueryParameter } from "../query/clauses.ts";
import type { VariableExpression } from "../query/expression.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import type { Operand } from "./operand.ts";

/** Where an expression stands: what its names mean and which of them it may use. */
export interface BindingContext {
  readonly model: Model;
  /** The option, with its `$`, that the expression is the value of: the target of errors. */
  readonly option: string;
  /** The type of the entities that the expression is evaluated for. */
  readonly entityType: EntityType;
  /** The wire names that the option may use; null: every one. */
  readonly allowed: ReadonlySet<string> | null;
  /** Grows by one parameter for each literal that is bound. */
  readonly parameters: QueryParameter[];
}

/** The range variable of a lambda operator. */
export interface RangeVariable {
  /** As the client wrote it; null for one that an operator brings along and no name refers to. */
  readonly name: string | null;
  readonly expression: VariableExpression;
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
