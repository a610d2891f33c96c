import type { EntityType, HierarchyPlace, RecursiveHierarchy, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { Expression, LiteralExpression, ParameterExpression } from "./expression.ts";

/** An expression of a step. */
interface Condition {
  readonly expression: Expression;
}

/** Keeps the ancestors or the descendants of some nodes of a hierarchy, and adds their places in it to them. */
export interface RelativesStep {
  readonly kind: "ancestors" | "descendants";
  readonly inputType: EntityType;
  readonly hierarchy: RecursiveHierarchy;
  /** The condition of these nodes. */
  readonly start: Condition;
  /** The greatest number of levels between a node and its relatives; null: any. */
  readonly distance: ParameterExpression | LiteralExpression | null;
  /** Whether the nodes themselves remain. */
  readonly keepsStart: boolean;
  readonly places: readonly HierarchyField[];
}

/** Keeps the first levels of a hierarchy in preorder, and adds the places of the nodes to them. */
export interface TopLevelsStep {
  readonly kind: "topLevels";
  readonly inputType: EntityType;
  readonly hierarchy: RecursiveHierarchy;
  /** Of the children of one parent: total as far as values can tell. */
  readonly orderBy: ReadonlyArray<Condition & { readonly descending: boolean }>;
  /** The number of levels; null: all. */
  readonly levels: ParameterExpression | LiteralExpression | null;
  /** The nodes with their own number of levels, by the texts of their keys. */
  readonly expanded: ReadonlyMap<string, ExpandedNode>;
  readonly places: readonly HierarchyField[];
}

/** A node with its own number of levels below it. */
export interface ExpandedNode {
  readonly key: PrimitiveValue;
  /** Null: all. 0 hides its children. */
  readonly levels: number | null;
}

/** Keeps the nodes that a step of a hierarchy needs: those of `RelativesStep` and `TopLevelsStep`, and some more. */
export interface ReachStep {
  readonly kind: "reach";
  readonly inputType: EntityType;
  readonly hierarchy: RecursiveHierarchy;
  readonly direction: "up" | "down";
  /** The condition of the first nodes; null: the roots. */
  readonly start: Condition | null;
  /** As in `TopLevelsStep`. */
  readonly levels: ParameterExpression | LiteralExpression | null;
  /** How many levels more are reached. */
  readonly further: 0 | 1;
  readonly expanded: TopLevelsStep["expanded"];
}

/** A fact of the place of a node, with the field in which a step puts it. */
export interface HierarchyField {
  readonly place: HierarchyPlace;
  readonly property: StructuralProperty;
}

/** Whether a step finds nodes in the hierarchy of a set. */
export function isOfHierarchy(step: { readonly kind: string }): step is RelativesStep | TopLevelsStep {
  return step.kind === "ancestors" || step.kind === "descendants" || step.kind === "topLevels";
}
