import type { Pace, Steps } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { EntityType, HierarchyPlace, RecursiveHierarchy, StructuralProperty } from "../../edm/model.ts";
import type { LimitStep } from "../../language/query/clauses.ts";
import type { RelativesStep, TopLevelsStep } from "../../language/query/hierarchy-clauses.ts";
import type { StepRun } from "./apply-steps.ts";
import { compiledFor } from "./compile-expression.ts";
import { equalityText } from "./equality-text.ts";
import { asEntity, type Evaluation } from "./evaluation.ts";
import { orderRows } from "./order-rows.ts";
import { type Clause, FEWEST_ROWS } from "./visit-rows.ts";

/** A node of a hierarchy. */
interface TreeNode {
  readonly row: object;
  readonly key: string;
  readonly parentKey: string | null;
  parent: TreeNode | null;
  readonly children: TreeNode[];
}

/** All nodes of a hierarchy by the texts of their keys. */
export type Tree = ReadonlyMap<string, TreeNode>;

/** A row with its place in a hierarchy. */
export interface PlacedRow {
  readonly row: object;
  readonly places: Readonly<Record<HierarchyPlace, bigint | string | null>>;
}

interface TreeClauses {
  readonly node: Clause;
  readonly parent: Clause;
}

const clausesOf = keptPer((_hierarchy: RecursiveHierarchy) => new Map<EntityType, TreeClauses>());

function treeClauses(hierarchy: RecursiveHierarchy, entityType: EntityType): TreeClauses {
  const known = clausesOf(hierarchy);
  let clauses = known.get(entityType);
  if (clauses === undefined) {
    const clause = (property: StructuralProperty): Clause => {
      const { type } = property;
      return { expression: { kind: "property", source: { kind: "it", type: entityType }, property, type } };
    };
    known.set(
      entityType,
      (clauses = { node: clause(hierarchy.pair.related), parent: clause(hierarchy.pair.property) }),
    );
  }
  return clauses;
}

/** Reads the keys of nodes. Equal keys have equal texts. */
function keyReaders(
  { hierarchy, inputType }: Pick<TopLevelsStep, "hierarchy" | "inputType">,
  { roundingMode, evaluation }: StepRun,
): Readonly<Record<"node" | "parent", (row: object) => string | null>> {
  const { type } = hierarchy.pair.related;
  if (type.kind === "ComplexType") throw new Error("A key is a single value.");
  const textOf = equalityText(type);
  const { node, parent } = treeClauses(hierarchy, inputType);
  const reader = (clause: Clause): ((row: object) => string | null) => {
    const evaluate = compiledFor(clause, roundingMode);
    return (row) => {
      const value = evaluate(row, evaluation);
      return value === null ? null : textOf(value);
    };
  };
  return { node: reader(node), parent: reader(parent) };
}

/**
 * Makes the tree of the visible nodes. A node whose parent is not among them is a root. Nodes in a circle
 * have no root, so that no tree contains them.
 * @param rows the visible entities of the set
 */
export function* plantTree(
  rows: Iterable<unknown>,
  step: RelativesStep | TopLevelsStep,
  run: StepRun,
  pace: Pace,
): Steps<Tree> {
  const read = keyReaders(step, run);
  const tree = new Map<string, TreeNode>();
  let count = 0;
  for (const each of rows) {
    const row = asEntity(each, step.inputType);
    const key = String(read.node(row));
    tree.set(key, { row, key, parentKey: read.parent(row), parent: null, children: [] });
    if (++count % FEWEST_ROWS === 0 && pace.isOver) yield;
  }
  for (const node of tree.values()) {
    const parent = node.parentKey === null ? undefined : tree.get(node.parentKey);
    if (parent === undefined) continue;
    node.parent = parent;
    parent.children.push(node);
    if (++count % FEWEST_ROWS === 0 && pace.isOver) yield;
  }
  return tree;
}

/**
 * Returns the rows that a step of a hierarchy keeps, with their places.
 * @param rows the rows that the step receives
 * @param tree all visible nodes
 * @see docs/guides/trees.md
 */
export function* hierarchyRows(
  rows: readonly unknown[],
  step: RelativesStep | TopLevelsStep,
  tree: Tree,
  run: StepRun,
  pace: Pace,
): Steps<readonly PlacedRow[]> {
  return step.kind === "topLevels"
    ? yield* topLevels(rows, step, run, pace)
    : yield* relatives(rows, step, tree, run, pace);
}

function* relatives(
  rows: readonly unknown[],
  step: RelativesStep,
  tree: Tree,
  run: StepRun,
  pace: Pace,
): Steps<readonly PlacedRow[]> {
  const { inputType, kind, keepsStart } = step;
  const read = keyReaders(step, run);
  const isStart = compiledFor(step.start, run.roundingMode);
  const input = new Map<string, object>();
  const start: TreeNode[] = [];
  for (const each of rows) {
    const row = asEntity(each, inputType);
    const key = String(read.node(row));
    input.set(key, row);
    const node = tree.get(key);
    if (node !== undefined && isStart(row, run.evaluation) === true) start.push(node);
    if (input.size % FEWEST_ROWS === 0 && pace.isOver) yield;
  }
  const next = (node: TreeNode): readonly TreeNode[] =>
    kind === "descendants" ? node.children : [node.parent].filter((parent) => parent !== null);
  const distance = countOf(step.distance, run.evaluation);
  const kept = keepsStart ? start : [];
  const limited = yield* reached(start, next, distance ?? Infinity, kept, pace);
  const unlimited = distance === null ? limited : yield* reached(start, next, Infinity, kept, pace);
  const isIn = (nodes: ReadonlySet<TreeNode>, node: TreeNode): boolean => nodes.has(node) && input.has(node.key);
  const depths = depthsIn((node) => isIn(unlimited, node));
  const counts = yield* descendantCounts(limited, (node) => isIn(limited, node), pace);
  const placed: PlacedRow[] = [];
  let count = 0;
  for (const [key, row] of input) {
    const node = tree.get(key);
    if (++count % FEWEST_ROWS === 0 && pace.isOver) yield;
    if (node === undefined || !limited.has(node)) continue;
    const isExpanded = node.children.some((child) => isIn(limited, child));
    const isLeaf = !isExpanded && !node.children.some((child) => isIn(unlimited, child));
    placed.push({
      row,
      places: {
        DistanceFromRoot: BigInt(depths(node)),
        DrillState: drillState(isLeaf, isExpanded),
        LimitedDescendantCount: BigInt(counts.get(node) ?? 0),
        LimitedRank: null,
      },
    });
  }
  return placed;
}

/** Returns the nodes that some nodes lead to in a number of steps, and the kept ones. */
function* reached(
  start: readonly TreeNode[],
  next: (node: TreeNode) => readonly TreeNode[],
  distance: number,
  kept: readonly TreeNode[],
  pace: Pace,
): Steps<ReadonlySet<TreeNode>> {
  const found = new Set<TreeNode>();
  let level = start;
  for (let step = 1; step <= distance && level.length > 0; step += 1) {
    const following: TreeNode[] = [];
    for (const node of level) {
      for (const other of next(node)) {
        if (found.has(other)) continue;
        found.add(other);
        following.push(other);
        if (found.size % FEWEST_ROWS === 0 && pace.isOver) yield;
      }
    }
    level = following;
  }
  for (const node of kept) found.add(node);
  return found;
}

/** Returns a function that counts the ancestors of a node among some nodes. */
function depthsIn(isIn: (node: TreeNode) => boolean): (node: TreeNode) => number {
  const known = new Map<TreeNode, number>();
  return (node) => {
    const path: TreeNode[] = [];
    const seen = new Set<TreeNode>();
    let at: TreeNode | null = node;
    while (at !== null && !known.has(at) && !seen.has(at)) {
      seen.add(at);
      path.push(at);
      at = at.parent !== null && isIn(at.parent) ? at.parent : null;
    }
    let depth = at === null ? -1 : (known.get(at) ?? -1);
    for (const each of path.toReversed()) known.set(each, (depth += 1));
    return known.get(node) ?? 0;
  };
}

/** Counts the descendants of each node among some nodes. Each node is counted once, also in a circle. */
function* descendantCounts(
  nodes: ReadonlySet<TreeNode>,
  isIn: (node: TreeNode) => boolean,
  pace: Pace,
): Steps<ReadonlyMap<TreeNode, number>> {
  const counts = new Map<TreeNode, number>();
  const waiting = new Map<TreeNode, number>();
  for (const node of nodes) if (isIn(node)) waiting.set(node, node.children.filter(isIn).length);
  const ready = [...waiting].filter(([, children]) => children === 0).map(([node]) => node);
  for (let index = 0; index < ready.length; index += 1) {
    if (index % FEWEST_ROWS === FEWEST_ROWS - 1 && pace.isOver) yield;
    const node = ready[index];
    if (node === undefined || node.parent === null || !isIn(node.parent)) continue;
    const { parent } = node;
    counts.set(parent, (counts.get(parent) ?? 0) + (counts.get(node) ?? 0) + 1);
    const left = (waiting.get(parent) ?? 0) - 1;
    waiting.set(parent, left);
    if (left === 0) ready.push(parent);
  }
  return counts;
}

/** A node whose children are shown next. */
interface OpenNode {
  readonly node: TreeNode;
  readonly depth: number;
  /** The number of levels below it that are shown. */
  readonly below: number;
}

function* topLevels(
  rows: readonly unknown[],
  step: TopLevelsStep,
  run: StepRun,
  pace: Pace,
): Steps<readonly PlacedRow[]> {
  const { inputType, orderBy, expanded } = step;
  const { roundingMode, evaluation } = run;
  const order = { shape: { entityType: inputType, roundingMode }, filter: null, orderBy, count: false };
  const ordered = yield* orderRows(rows, { ...order, skip: 0, top: undefined }, evaluation, pace);
  const tree = yield* plantTree(ordered, step, run, pace);
  const levels = countOf(step.levels, evaluation) ?? Infinity;
  const placed: { readonly row: object; readonly depth: number; readonly drill: string }[] = [];
  let shown = 0;
  const open = (node: TreeNode, depth: number, inherited: number): OpenNode => {
    const own = expanded.get(node.key);
    return { node, depth, below: own === undefined ? inherited : (own.levels ?? Infinity) };
  };
  const show = function* show(root: TreeNode): Steps<undefined> {
    const stack: OpenNode[] = [open(root, 0, levels - 1)];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { node, depth, below } = at;
      shown += 1;
      const isExpanded = below >= 1 && node.children.length > 0;
      placed.push({ row: node.row, depth, drill: drillState(node.children.length === 0, isExpanded) });
      if (isExpanded) {
        for (const child of node.children.toReversed()) stack.push(open(child, depth + 1, below - 1));
      }
      if (shown % FEWEST_ROWS === 0 && pace.isOver) yield;
    }
    return undefined;
  };
  const roots = [...tree.values()].filter(({ parent }) => parent === null);
  for (const root of roots) yield* show(root);
  const ends = endsOf(placed.map(({ depth }) => depth));
  return placed.map(({ row, depth, drill }, index) => ({
    row,
    places: {
      DistanceFromRoot: BigInt(depth),
      DrillState: drill,
      LimitedDescendantCount: BigInt((ends[index] ?? index + 1) - index - 1),
      LimitedRank: BigInt(index),
    },
  }));
}

/** Returns the position after the last descendant of each node in preorder, by their depths. */
function endsOf(depths: readonly number[]): readonly number[] {
  const ends: number[] = Array.from({ length: depths.length }, () => depths.length);
  const open: number[] = [];
  for (const [index, depth] of depths.entries()) {
    for (let last = open.at(-1); last !== undefined && (depths[last] ?? 0) >= depth; last = open.at(-1)) {
      ends[last] = index;
      open.pop();
    }
    open.push(index);
  }
  return ends;
}

function drillState(isLeaf: boolean, isExpanded: boolean): string {
  if (isLeaf) return "leaf";
  return isExpanded ? "expanded" : "collapsed";
}

function countOf(count: LimitStep["top"], { values }: Evaluation): number | null {
  if (count === null) return null;
  return Number(count.kind === "literal" ? count.value : values[count.index]);
}
