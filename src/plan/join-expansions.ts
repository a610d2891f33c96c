import { BoundedCache } from "../base/bounded-cache.ts";
import { keeper, keptPer, keptPerPair } from "../base/memo.ts";
import type { EntitySet } from "../edm/model.ts";
import { type Mentions, mentionsOf } from "../query/mentions.ts";
import type { JoinedNavigation, RelatedShape, RelationalSource, SourcesBySet } from "../query/source.ts";
import type { ExpandPlan, ExpandStep } from "./plan-expand.ts";
import { totalOrder } from "./total-order.ts";

/** The steps of a plan whose entities are read in the rows of their parents. */
export interface JoinedSteps {
  /** What a source is asked for. */
  readonly navigations: readonly JoinedNavigation[];
  /** What is joined in turn below each joined step; other steps are absent. */
  readonly below: ReadonlyMap<ExpandStep, JoinedSteps>;
}

/** Nothing is joined. */
export const NO_JOINS: JoinedSteps = Object.freeze({ navigations: Object.freeze([]), below: new Map() });

/** Says whether the entities of a step can stand in one statement with those that it is asked about. */
export type CanJoin = (step: ExpandStep) => boolean;

/** Choices that are kept per plan: an application's sets join, or they do not. */
const CHOICES_KEPT = 16;

const choicesOf = keptPer((_plan: ExpandPlan) => new BoundedCache<string, JoinedSteps>(CHOICES_KEPT));

/**
 * The steps of a plan that are read along with their parents: those that can be, and below them what in turn can.
 * @param canJoin asked about steps that read the target set and are joinable
 * @returns the same object for the same choice, so that a source compiles one statement for it
 */
export function joinSteps(plan: ExpandPlan | null, canJoin: CanJoin): JoinedSteps {
  if (plan === null) return NO_JOINS;
  const key = choiceKey(plan, canJoin);
  if (!key.includes("1")) return NO_JOINS;
  return choicesOf(plan).getOrMake(key, () => makeJoins(plan, canJoin));
}

/** One digit for each step, and behind that of a joined one those of the level below it. */
function choiceKey({ steps }: ExpandPlan, canJoin: CanJoin): string {
  let key = "";
  for (const step of steps) {
    const isJoined = step.related?.isJoinable === true && canJoin(step);
    key += isJoined ? "1" : "0";
    if (isJoined && step.below !== null) key += choiceKey(step.below, canJoin);
  }
  return key;
}

function makeJoins({ steps }: ExpandPlan, canJoin: CanJoin): JoinedSteps {
  const navigations: JoinedNavigation[] = [];
  const below = new Map<ExpandStep, JoinedSteps>();
  for (const step of steps) {
    const { related, expansion } = step;
    if (related?.isJoinable !== true || !canJoin(step)) continue;
    const inner = joinSteps(step.below, canJoin);
    const { join, target, selected } = related;
    below.set(step, inner);
    navigations.push(Object.freeze(keeper({ expansion, join, target, selected, joined: inner.navigations })));
  }
  return Object.freeze({ navigations: Object.freeze(navigations), below });
}

/** The sets that may be joined into the statement of the parents, and those that the expressions in between mention. */
export const joinCandidates: (plan: ExpandPlan) => readonly EntitySet[] = keptPer(({ steps }) =>
  Object.freeze([...new Set(steps.flatMap(candidatesOf))]),
);

function candidatesOf({ related, expansion, below }: ExpandStep): readonly EntitySet[] {
  if (related?.isJoinable !== true) return [];
  const mentioned = mentionsOf(expansion)?.entitySets ?? [];
  return [related.target, ...mentioned, ...(below === null ? [] : joinCandidates(below))];
}

/**
 * What the source of the target set is asked for on behalf of a step.
 * @param joined what of the level below is read along
 * @returns the same object for the same arguments
 * @throws Error for a step that does not read the target set
 */
export const stepShape: (step: ExpandStep, joined: JoinedSteps) => RelatedShape = keptPerPair(makeShape);

function makeShape({ related, expansion, place }: ExpandStep, joined: JoinedSteps): RelatedShape {
  if (related === null) throw new Error(`${place} is not read from its target set.`);
  const { navigationProperty, filter, orderBy, roundingMode } = expansion;
  const { entityType } = navigationProperty;
  const shape = keeper<RelatedShape>({
    join: related.join,
    entityType,
    filter,
    orderBy: totalOrder(orderBy, entityType),
    selected: related.selected,
    joined: joined.navigations,
    roundingMode,
  });
  return Object.freeze(shape);
}

/** Expressions that a source of a database shall answer. */
export interface Translation {
  readonly mentions: Mentions;
  /** Absent for a source of no database, which joins nothing. */
  readonly relational: RelationalSource | undefined;
  /** The sources of the sets that the expressions mention. */
  readonly sources: SourcesBySet;
}

/** What a source cannot join; null where it can join all. */
export function findUnjoined({
  mentions: { allNavigations, roots },
  relational,
  sources,
}: Translation): { readonly path: string; readonly what: string } | null {
  const joins = (entitySet: EntitySet | null): boolean => {
    const source = entitySet === null ? undefined : sources.get(entitySet);
    return source !== undefined && relational?.joins(source) === true;
  };
  const navigation = allNavigations.find(
    ({ entitySet, navigationProperty, target }) =>
      !entitySet.navigationJoins.has(navigationProperty.name) || !joins(target),
  );
  if (navigation !== undefined) return { path: navigation.navigationProperty.name, what: "what it leads to" };
  const root = roots.find(({ expression }) => !joins(expression.entitySet));
  return root === undefined ? null : { path: `$root/${root.expression.entitySet.name}`, what: "it" };
}
