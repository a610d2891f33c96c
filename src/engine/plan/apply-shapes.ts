import { keptPer, keptPerPair } from "../../base/memo.ts";
import { type ComplexType, type EntityType, shownProperties, type StructuralProperty } from "../../edm/model.ts";
import { allOf } from "../../language/query/all-of.ts";
import type {
  ApplyBranch,
  ApplyClause,
  ApplyStep,
  ConcatStep,
  FilterClause,
  QueryShape,
  SelectedProperty,
  SelectExpandClause,
} from "../../language/query/clauses.ts";
import { isOfHierarchy, type ReachStep, type TopLevelsStep } from "../../language/query/hierarchy-clauses.ts";
import { computedIn } from "../../language/query/mentions.ts";

const NOTHING: readonly never[] = Object.freeze([]);

/** Whether the rows of a query are made by `$apply`, or get computed values: then they are read as a whole page. */
export const isShaped: (shape: QueryShape) => boolean = keptPer(
  ({ apply, selectExpand }) => apply !== undefined || computedIn(selectExpand) !== null,
);

/** Whether a query has rows that a step of `$apply` made, which are not entities. */
export function isTransformed({ apply }: QueryShape): boolean {
  return apply?.branches.some((branch) => branch.isTransformed) === true;
}

/** Returns the shape of the nodes that the steps of a hierarchy need of a source; null without such steps, and if they need all. */
export const reachShape: (shape: QueryShape) => QueryShape | null = keptPer((shape) => {
  const [branch] = shape.apply?.branches ?? NOTHING;
  const index = branch?.steps.findIndex(isOfHierarchy) ?? -1;
  const step = branch?.steps[index];
  if (branch === undefined || step === undefined || !isOfHierarchy(step)) return null;
  const filters = branch.steps.slice(0, index).flatMap((each) => (each.kind === "filter" ? [each.filter] : []));
  const { inputType, hierarchy } = step;
  const common = { kind: "reach", inputType, hierarchy } as const;
  const none: TopLevelsStep["expanded"] = new Map();
  let reach: ReachStep;
  if (step.kind === "topLevels") {
    // The tree is that of the rows that meet the conditions.
    if (filters.length > 0) return null;
    const { levels, expanded } = step;
    if (levels === null) return null;
    reach = { ...common, direction: "down", start: null, levels, further: 0, expanded };
  } else {
    const start = allOf([...filters, step.start].map(({ expression }) => expression));
    if (start === null) return null;
    const isUp = step.kind === "ancestors";
    // One level more tells whether the last ones have children.
    const levels = isUp ? null : step.distance;
    reach = { ...common, direction: isUp ? "up" : "down", start, levels, further: 1, expanded: none };
  }
  const whole = inputShape(shape, NOTHING);
  const { entityType } = whole;
  const source = { kind: "it", type: entityType } as const;
  const orderBy = entityType.key.map((property) => ({
    expression: { kind: "property", source, property, type: property.type } as const,
    descending: false,
  }));
  const only: ApplyBranch = { steps: [reach], entityType, isTransformed: false, computed: NOTHING, orderBy };
  return { ...whole, apply: { branches: [only], entityType } };
});

/** Returns the steps that all branches begin with, as far as they are conditions. */
export const firstFilters: (apply: ApplyClause) => readonly FilterClause[] = keptPer(({ branches }) => {
  const [first, ...others] = branches;
  // Where a node is follows from all nodes.
  if (first.steps.some(isOfHierarchy)) return NOTHING;
  const filters: FilterClause[] = [];
  for (const [index, step] of first.steps.entries()) {
    if (step.kind !== "filter" || others.some(({ steps }) => steps[index] !== step)) break;
    filters.push(step.filter);
  }
  return filters;
});

/** Returns the shape of a read of whole entities that meet the first conditions of a shape. */
export function inputShape(shape: QueryShape, filters: readonly FilterClause[]): QueryShape {
  const made = inputsOf(shape);
  let input = made.get(filters.length);
  if (input === undefined) made.set(filters.length, (input = makeInput(shape, filters)));
  return input;
}

/** By the number of the first conditions. */
const inputsOf = keptPer((_shape: QueryShape) => new Map<number, QueryShape>());

function makeInput(shape: QueryShape, filters: readonly FilterClause[]): QueryShape {
  const { entityType } = shape.entitySet;
  const whole = { selected: entityType.properties.map((property) => ({ property })), expanded: NOTHING };
  return {
    ...shape,
    entityType,
    apply: undefined,
    filter: allOf(filters.map(({ expression }) => expression)),
    orderBy: NOTHING,
    selectExpand: { ...whole, isSelection: false, contextSelect: NOTHING },
  };
}

/** Returns the shape of each branch of `$apply`: that of the query itself if it has a single one. */
export const branchShapes: (shape: QueryShape) => readonly QueryShape[] = keptPer((shape) => {
  const branches = shape.apply?.branches ?? NOTHING;
  return branches.length < 2 ? [shape] : branches.map((branch) => branchShape(shape, branch));
});

/**
 * Returns the shape of the rows that a `concat` before other steps makes, with all their properties.
 * @param before the steps that precede it in each branch
 */
function concatShape(
  shape: QueryShape,
  { branches, entityType }: ConcatStep,
  before: readonly ApplyStep[],
): QueryShape {
  const withSteps = (branch: ApplyBranch): ApplyBranch => ({ ...branch, steps: [...before, ...branch.steps] });
  const [first, ...others] = branches;
  const selected = entityType.properties.map((property) => ({ property }));
  return {
    ...shape,
    entityType,
    apply: { branches: [withSteps(first), ...others.map(withSteps)], entityType },
    filter: null,
    orderBy: NOTHING,
    selectExpand: { selected, isSelection: false, contextSelect: NOTHING, expanded: NOTHING },
  };
}

/** As `concatShape` of the rows that the step receives. */
export const stepShape: (step: ConcatStep, shape: QueryShape) => QueryShape = keptPerPair((step, shape) =>
  concatShape(shape, step, NOTHING),
);

/** The rows of the first `concat` that other steps follow. */
interface ConcatStart {
  readonly shape: QueryShape;
  /** The number of steps that make them. */
  readonly steps: number;
}

/** Returns the rows of the first `concat` that other steps of the only branch follow, which a database may evaluate; null: none. */
export const concatStart: (shape: QueryShape) => ConcatStart | null = keptPer((shape) => {
  const [branch, ...others] = shape.apply?.branches ?? NOTHING;
  if (branch === undefined || others.length > 0) return null;
  const index = branch.steps.findIndex(({ kind }) => kind === "concat");
  const step = branch.steps[index];
  if (step?.kind !== "concat") return null;
  return { shape: concatShape(shape, step, branch.steps.slice(0, index)), steps: index + 1 };
});

function branchShape(shape: QueryShape, branch: ApplyBranch): QueryShape {
  const { entityType } = branch;
  return {
    ...shape,
    entityType,
    apply: { branches: [branch], entityType },
    filter: null,
    orderBy: NOTHING,
    selectExpand: { ...shape.selectExpand, selected: selectedOf(shape, branch) },
  };
}

/** Returns the shape of a branch whose rows also have the values that are computed of the rows of all branches. */
export const computedShape: (branch: QueryShape, shape: QueryShape) => QueryShape = keptPerPair((branch, shape) => {
  const computed = shape.selectExpand.selected.filter((item) => item.computed !== undefined);
  if (computed.length === 0) return branch;
  const values = computed.map(({ property }): SelectedProperty => ({ property, isUndeclared: true }));
  const selected = [...branch.selectExpand.selected, ...values];
  return {
    ...branch,
    selectExpand: { ...branch.selectExpand, selected },
  };
});

/** Returns the properties of a branch, in its order, as far as those of all branches select them by name. */
function selectedOf({ selectExpand }: QueryShape, { entityType, computed }: ApplyBranch): readonly SelectedProperty[] {
  const names = new Set(selectExpand.selected.map(({ property }) => property.name));
  const values = computed.filter(({ property }) => names.has(property.name));
  return [
    ...namedAmong(entityType, selectExpand.selected),
    ...values.map(({ property, expression }) => ({ property, computed: expression })),
  ];
}

function namedAmong(owner: EntityType | ComplexType, wanted: readonly SelectedProperty[]): readonly SelectedProperty[] {
  const properties = owner.kind === "EntityType" ? shownProperties(owner) : owner.properties;
  const byName = new Map(wanted.map((item) => [item.property.name, item]));
  return properties.flatMap((property) => {
    const item = byName.get(property.name);
    if (item === undefined) return [];
    const { type } = property;
    const nested = item.nested && type.kind === "ComplexType" ? namedAmong(type, item.nested) : undefined;
    return { property, nested };
  });
}

/** Returns the properties to read of a source that evaluates computed values: with those of a clause. */
export const withComputedColumns: (
  clause: SelectExpandClause,
  selected: readonly SelectedProperty[],
) => readonly SelectedProperty[] = keptPerPair((clause, selected) => {
  const missing = clause.selected.filter((item) => item.computed !== undefined && !selected.includes(item));
  return missing.length === 0 ? selected : Object.freeze([...selected, ...missing]);
});

/**
 * Returns the clause by which rows of a transformed type are written: it marks the properties that the type of the set does
 * not declare with their type.
 */
export const writtenClause: (shape: QueryShape) => SelectExpandClause = keptPer(({ selectExpand, entitySet }) => ({
  ...selectExpand,
  selected: selectExpand.selected.map((item) => {
    const declared = structuralMember(entitySet.entityType, item.property.name);
    const { type } = item.property;
    // The type of a value that a path leads through is that of its members.
    const isKnown = type.kind === "ComplexType" || declared?.type === type;
    return isKnown ? item : { ...item, isUndeclared: true };
  }),
}));

/** Returns a structural property by its wire name. */
export function structuralMember(
  { members }: Pick<EntityType | ComplexType, "members">,
  name: string,
): StructuralProperty | undefined {
  const member = members.get(name);
  return member?.kind === "StructuralProperty" ? member : undefined;
}
