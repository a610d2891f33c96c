import { attempt } from "../../base/maybe.ts";
import { required } from "../../base/required.ts";
import type { RecursiveHierarchy } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { TOP_LEVELS } from "../../edm/top-levels.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { allOf } from "../query/all-of.ts";
import type { ApplyClause, FilterClause } from "../query/clauses.ts";
import type { ParameterExpression } from "../query/expression.ts";
import {
  type ExpandedNode,
  type HierarchyField,
  isOfHierarchy,
  type TopLevelsStep,
} from "../query/hierarchy-clauses.ts";
import type { ApplyStepSyntax } from "../syntax/apply-parser.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import type {
  HierarchyParameter,
  HierarchySyntax,
  RelativesSyntax,
  TopLevelsSyntax,
} from "../syntax/hierarchy-parser.ts";
import type { Token } from "../syntax/token.ts";
import { type AppliedRows, totalOrder, withStep } from "./apply-rows.ts";
import { bindOperand } from "./bind-expression.ts";
import { toParameter } from "./bind-literal.ts";
import {
  type BindingContext,
  type ComputedName,
  didYouMean,
  invalidOption,
  quotedName,
  unsupportedOption,
} from "./binding-scope.ts";
import { madeProperty } from "./made-types.ts";
import { contextOf, type Work } from "./step-context.ts";

/** Binds the condition of a `filter` step. */
type BindFilter = (step: Extract<ApplyStepSyntax, { readonly kind: "filter" }>) => FilterClause;

/**
 * Binds `ancestors` and `descendants`.
 * @throws ODataError as bindApply
 * @see OData Aggregation 4.0, section 6.2.1
 */
export function withRelatives(
  step: RelativesSyntax<ApplyStepSyntax>,
  rows: AppliedRows,
  work: Work,
  bindFilter: BindFilter,
): AppliedRows {
  const hierarchy = bindHierarchy(step, rows, work);
  const context = contextOf("filter", rows, work);
  const conditions = allOf(
    step.start.map((each) => {
      if (each.kind === "filter") return bindFilter(each).expression;
      const message = `'${each.kind}' within ${step.kind} is not supported: write filter.`;
      throw unsupportedOption("$apply", each.position, message);
    }),
  );
  const start = required(conditions, `${step.kind} has no step.`);
  const distance = step.distance && bindLevels({ value: step.distance, expression: step.distance }, step.kind, context);
  const { kind, keepsStart } = step;
  const places = fieldsOf(hierarchy, rows);
  return withPlaces(withStep(rows, { kind, hierarchy, start, distance, keepsStart, places }), hierarchy, places);
}

/**
 * Binds the step that keeps the first levels of a hierarchy.
 * @throws ODataError as bindApply
 * @see docs/guides/trees.md
 */
export function withTopLevels(step: TopLevelsSyntax, rows: AppliedRows, work: Work): AppliedRows {
  const { kind, position } = step;
  requireHierarchy(kind, position, work);
  const found = bindParameters(step.parameters);
  const named = {
    nodes: found.get("HierarchyNodes")?.value ?? null,
    qualifier: found.get("HierarchyQualifier")?.value ?? null,
    nodeProperty: found.get("NodeProperty")?.value ?? null,
  };
  const hierarchy = bindHierarchy({ kind, position, hierarchy: named }, rows, work);
  const context = contextOf("orderBy", rows, work);
  const count = found.get("Levels");
  const levels = count === undefined ? null : bindLevels(count, "TopLevels", context);
  const expanded = bindExpanded(found.get("ExpandLevels")?.value ?? null, hierarchy);
  const orderBy = totalOrder(rows, rows.orderBy);
  const places = fieldsOf(hierarchy, rows);
  const made = withStep(rows, { kind: "topLevels", hierarchy, orderBy, levels, expanded, places });
  // The rows are in preorder.
  return { ...withPlaces(made, hierarchy, places), orderBy: [], isListed: true };
}

const PARAMETERS = ["HierarchyNodes", "HierarchyQualifier", "NodeProperty", "Levels", "ExpandLevels"] as const;

/** The parameters of later versions of the function. */
const FURTHER_PARAMETERS: ReadonlySet<string> = new Set(["Expand", "Show", "Collapse"]);

/** Returns the parameters of `TopLevels` by name. */
function bindParameters(
  parameters: readonly HierarchyParameter[],
): ReadonlyMap<(typeof PARAMETERS)[number], HierarchyParameter> {
  const found = new Map<(typeof PARAMETERS)[number], HierarchyParameter>();
  for (const parameter of parameters) {
    const { text, position } = parameter.name;
    if (FURTHER_PARAMETERS.has(text)) {
      const message = `The parameter ${text} is not supported. Write ExpandLevels.`;
      throw unsupportedOption("$apply", position, message);
    }
    const name = PARAMETERS.find((each) => each === text);
    if (name === undefined) {
      const advice = didYouMean(text, PARAMETERS) || ` The parameters are ${PARAMETERS.join(", ")}.`;
      throw invalidOption("$apply", position, `${quotedName(text)} is not a parameter of TopLevels.${advice}`);
    }
    if (found.has(name)) throw invalidOption("$apply", position, `The parameter ${name} appears twice.`);
    found.set(name, parameter);
  }
  return found;
}

/** Requires a set with a hierarchy. @throws ODataError `UnsupportedQueryOption` */
function requireHierarchy(
  kind: (RelativesSyntax<unknown> | TopLevelsSyntax)["kind"],
  position: number,
  work: Work,
): RecursiveHierarchy {
  const { name, hierarchy } = work.entitySet;
  if (hierarchy !== undefined) return hierarchy;
  const what = kind === "topLevels" ? `the function ${quotedName(TOP_LEVELS)}` : kind;
  throw unsupportedOption("$apply", position, `${what} is not supported. ${name} has no hierarchy.`);
}

/** Returns the hierarchy that a step names. Only the rows of the whole set show where a node is. */
function bindHierarchy(
  {
    kind,
    hierarchy,
    position,
  }: Pick<RelativesSyntax<unknown>, "hierarchy" | "position"> & {
    readonly kind: (RelativesSyntax<unknown> | TopLevelsSyntax)["kind"];
  },
  rows: AppliedRows,
  work: Work,
): RecursiveHierarchy {
  const { entitySet, unreadable } = work;
  const declared = requireHierarchy(kind, position, work);
  const isFirst = rows.steps.every(({ kind: earlier }) => EARLIER_STEPS.has(earlier));
  if (!work.isOutermost || !isFirst || rows.keys !== null) {
    const message =
      "Steps of a hierarchy are supported only as the first steps, or behind filter, and not within other steps.";
    throw unsupportedOption("$apply", position, message);
  }
  const found = checkNames(hierarchy, position, entitySet.name, declared);
  // Rules hide no keys.
  const { property } = found.pair;
  if (unreadable?.properties.has(property) === true) throw unreadable.refusal(property);
  return found;
}

const EARLIER_STEPS: ReadonlySet<string> = new Set(["filter", "ancestors", "descendants", "topLevels"]);

function checkNames(
  { nodes, qualifier, nodeProperty }: HierarchySyntax,
  position: number,
  name: string,
  hierarchy: RecursiveHierarchy,
): RecursiveHierarchy {
  if (nodes === null || qualifier === null || nodeProperty === null) {
    const example = `HierarchyNodes=$root/${name},HierarchyQualifier='${hierarchy.qualifier}',NodeProperty='${hierarchy.pair.related.name}'`;
    throw invalidOption("$apply", position, `TopLevels needs the parameters ${example}.`);
  }
  if (nodes.text !== name) {
    const message = `The nodes are those of ${name}, as in $root/${name}: other sets are not supported.`;
    throw unsupportedOption("$apply", nodes.position, message);
  }
  const refuse = (token: Token, wanted: string): Error => {
    const message = `${quotedName(token.text)} is not ${wanted}.`;
    return invalidOption("$apply", token.position, message);
  };
  if (qualifier.text !== hierarchy.qualifier) {
    throw refuse(qualifier, `the qualifier of the hierarchy, which is ${hierarchy.qualifier}`);
  }
  if (nodeProperty.text !== hierarchy.pair.related.name) {
    throw refuse(nodeProperty, `the property of its nodes, which is ${hierarchy.pair.related.name}`);
  }
  return hierarchy;
}

/** Binds a number of levels. @param name the step, for messages */
function bindLevels(
  { value, expression }: { readonly value: { readonly position: number }; readonly expression: SyntaxNode | null },
  name: string,
  context: BindingContext,
): ParameterExpression {
  const operand = expression === null ? null : bindOperand(expression, context);
  const isWhole =
    operand?.kind === "literal" && (operand.type.name === "Edm.Int32" || operand.type.name === "Edm.Int64");
  if (operand?.kind !== "literal" || !isWhole) {
    throw invalidOption("$apply", value.position, `The number of levels of ${name} is a whole number, such as 1.`);
  }
  return toParameter(operand, PRIMITIVE_TYPES["Edm.Int64"], context, false, 1);
}

const EXPANDED_EXAMPLE = 'Write a list such as [{"NodeID":"1","Levels":1}].';

/** Reads the nodes with their own number of levels. */
function bindExpanded(token: Token | null, { pair: { related: node } }: RecursiveHierarchy): TopLevelsStep["expanded"] {
  const expanded = new Map<string, ExpandedNode>();
  if (token === null || token.kind === "[") return expanded;
  const refuse = (what: string): Error =>
    invalidOption("$apply", token.position, `ExpandLevels ${what}. ${EXPANDED_EXAMPLE}`);
  const items = attempt((): unknown => JSON.parse(token.text), SyntaxError);
  if (!Array.isArray(items)) throw refuse(items instanceof SyntaxError ? "is no JSON" : "is no list");
  for (const item of items as readonly unknown[]) {
    if (typeof item !== "object" || item === null) throw refuse("contains a value that is no object");
    const { NodeID: id, Levels: levels = null } = item as { readonly NodeID?: unknown; readonly Levels?: unknown };
    const isCount = levels === null || (typeof levels === "number" && Number.isSafeInteger(levels) && levels >= 0);
    if (!isCount) throw refuse("contains Levels that is no whole number");
    if (typeof id !== "string" && typeof id !== "number") throw refuse("contains a NodeID that is no key");
    const value = attempt(() => codecOf(node).fromText(String(id)), InvalidValueError);
    if (value instanceof InvalidValueError) throw refuse(`contains a NodeID of another type: ${value.message}`);
    expanded.set(String(value), { key: value, levels });
  }
  return expanded;
}

/** Makes the properties in whose fields a step puts the places of nodes. Their sign keeps them from the names of clients. */
function fieldsOf({ places }: RecursiveHierarchy, { steps }: AppliedRows): readonly HierarchyField[] {
  return Array.from(places, ([place, { type }], index) => {
    const name = `$${place}${String(steps.length)}`;
    const made = { name, type, nullable: true, isCollection: false, facets: {} };
    return { place, property: madeProperty(made, index) };
  });
}

/** Adds the places of nodes to the names of the rows: the later step decides. */
function withPlaces(rows: AppliedRows, { places }: RecursiveHierarchy, fields: readonly HierarchyField[]): AppliedRows {
  const computed = new Map<string, ComputedName>(rows.computed);
  for (const { place, property } of fields) {
    const { name, type } = required(places.get(place), `The place ${place} has no property.`);
    const expression = { kind: "property", source: { kind: "it", type: rows.entityType }, property, type } as const;
    const shown = madeProperty(
      { name, type, nullable: true, isCollection: false, facets: {} },
      computed.size,
      `$compute/${name}`,
    );
    const value = { property: shown, expression };
    rows.copies.named.push(value);
    computed.set(name, { ...value, nodes: 1 });
  }
  return { ...rows, computed };
}

/**
 * Refuses steps of a hierarchy for rows that are not those of a whole set: no place would be that of a node in its hierarchy.
 * @throws ODataError `UnsupportedQueryOption`
 */
export function refuseHierarchy(apply: ApplyClause | undefined): void {
  const isUsed = apply?.branches.some(({ steps }) => steps.some(isOfHierarchy)) === true;
  if (!isUsed) return;
  throw unsupportedOption("$apply", undefined, "Steps of a hierarchy are supported only for an entity set as a whole.");
}
