import type { EntitySet, EntityType, Model } from "../edm/model.ts";
import type { Capabilities, PathGuard } from "../query/capabilities.ts";
import type { QueryParameter } from "../query/clauses.ts";
import type { VariableExpression } from "../query/expression.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import type { Operand } from "./operand.ts";

/** The clauses that contain expressions. */
export type ClauseName = "filter" | "orderBy";

/** Returns the capabilities of an entity set; null gives the defaults for entities without a set. */
export type CapabilitiesBySet = (entitySet: EntitySet | null) => Capabilities;

/** The texts that `concat` makes in all expressions of a request. */
export interface JoinedTexts {
  /** The sum of their growth factors, without those that are part of another one. */
  growth: number;
}

/** The place of an expression, which decides what its names mean and which of them it may use. */
export interface BindingContext {
  readonly model: Model;
  /** The option that contains the expression, with its `$`: the target of errors. */
  readonly option: string;
  readonly clause: ClauseName;
  /** The type of the entities that the expression is evaluated for. */
  readonly entityType: EntityType;
  /** The set of those entities, whose navigations the expression may follow; null: none is declared. */
  readonly entitySet: EntitySet | null;
  readonly capabilitiesOf: CapabilitiesBySet;
  /** The wire names that the option may use of those entities; null: all. */
  readonly allowed: ReadonlySet<string> | null;
  /** Is told each navigation and each set after `$root`; absent: nobody. */
  readonly guard?: PathGuard | undefined;
  /** Grows by one parameter for each literal that is bound. */
  readonly parameters: QueryParameter[];
  readonly texts: JoinedTexts;
}

/** The range variable of a lambda operator. */
export interface RangeVariable {
  /** As the client wrote it; null for an implicit variable that no name can refer to. */
  readonly name: string | null;
  readonly expression: VariableExpression;
  /** The set of the items; null for values, and if no set is declared. */
  readonly entitySet: EntitySet | null;
}

/** A context with functions that bind the parts of an expression. */
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
