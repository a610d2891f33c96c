import { BoundedCache, keptPer, keptPerPair } from "../../base/memo.ts";
import type { EntitySet } from "../../edm/model.ts";
import { type Mentions, mentionsOf } from "../../language/query/mentions.ts";
import type { JoinedNavigation, RelatedShape, RelationalSource, SourcesBySet } from "../../language/query/source.ts";
import type { ExpandPlan, ExpandStep } from "./plan-expand.ts";
import { totalOrder } from "./total-order.ts";

/** The expansions that are joined to the rows of their parents. */
export interface JoinedSteps {
  /** The joins for the query to the source. */
  readonly navigations: readonly JoinedNavigation[];
  /** The joins below each joined step; other steps are absent. */
  readonly below: ReadonlyMap<ExpandStep, JoinedSteps>;
}

/** Nothing is joined. */
export const NO_JOINS: JoinedSteps = Object.freeze({ navigations: Object.freeze([]), below: new Map() });

/** Returns whether one statement can join the entities of a step. */
export type CanJoin = (step: ExpandStep) => boolean;

/** Maximum number of cached choices per plan. The choices of an application rarely vary. */
const CHOICES_KEPT = 16;

const choicesOf = keptPer((_plan: ExpandPlan) => new BoundedCache<string, JoinedSteps>(CHOICES_KEPT));

/**
 * Returns all steps of a plan that can be joined to their parents, recursively.
 * @param canJoin called for joinable steps that read the target set
 */
export function joinSteps(plan: ExpandPlan | null, canJoin: CanJoin): JoinedSteps {
  if (plan === null) return NO_JOINS;
  const key = choiceKey(plan, canJoin);
  if (!key.includes("1")) return NO_JOINS;
  return choicesOf(plan).getOrMake(key, () => makeJoins(plan, canJoin));
}

/** Returns one digit per step, each followed by the digits of the joined level below it. */
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
    const { navigationProperty, entitySet, filter, roundingMode } = expansion;
    below.set(step, inner);
    // Statements are kept by this object: it contains no options of the expansions below.
    navigations.push(
      Object.freeze({
        expansion: Object.freeze({ navigationProperty, entitySet, filter, roundingMode }),
        join,
        target,
        selected,
        joined: inner.navigations,
      }),
    );
  }
  return Object.freeze({ navigations: Object.freeze(navigations), below });
}

/** Returns the sets that may be joined into the statement of the parents, and the sets that their expressions mention. */
export const joinCandidates: (plan: ExpandPlan) => readonly EntitySet[] = keptPer(({ steps }) =>
  Object.freeze([...new Set(steps.flatMap(candidatesOf))]),
);

function candidatesOf({ related, expansion, below }: ExpandStep): readonly EntitySet[] {
  if (related?.isJoinable !== true) return [];
  const mentioned = mentionsOf(expansion)?.entitySets ?? [];
  return [related.target, ...mentioned, ...(below === null ? [] : joinCandidates(below))];
}

/**
 * Returns the query of a step to the source of the target set.
 * @param joined the joins of the level below
 * @throws Error for a step that does not read the target set
 */
export const stepShape: (step: ExpandStep, joined: JoinedSteps) => RelatedShape = keptPerPair(makeShape);

function makeShape({ related, expansion, place }: ExpandStep, joined: JoinedSteps): RelatedShape {
  if (related === null) throw new Error(`${place} is not read from its target set.`);
  const { navigationProperty, filter, orderBy, roundingMode } = expansion;
  const { entityType } = navigationProperty;
  const shape: RelatedShape = {
    join: related.join,
    entityType,
    filter,
    orderBy: totalOrder(orderBy, entityType),
    selected: related.selected,
    joined: joined.navigations,
    roundingMode,
  };
  return Object.freeze(shape);
}

/** Expressions that a source of a database must translate. */
export interface Translation {
  readonly mentions: Mentions;
  /** Absent for a source that is not a database, which cannot join. */
  readonly relational: RelationalSource | undefined;
  /** The sources of the sets that the expressions mention. */
  readonly sources: SourcesBySet;
}

/** Finds a navigation or root that a source cannot join; null if it can join all. */
export function findUnjoined({
  mentions: { allNavigations, roots },
  relational,
  sources,
}: Translation): { readonly path: string; readonly what: string } | null {
  const joins = (entitySet: EntitySet): boolean => {
    const source = sources.get(entitySet);
    return source !== undefined && relational?.joins(source) === true;
  };
  const navigation = allNavigations.find(
    ({ entitySet, navigationProperty, target }) =>
      target === null || !entitySet.navigationJoins.has(navigationProperty.name) || !joins(target),
  );
  if (navigation !== undefined) return { path: navigation.navigationProperty.name, what: "what it leads to" };
  const root = roots.find(({ expression }) => !joins(expression.entitySet));
  return root === undefined ? null : { path: `$root/${root.expression.entitySet.name}`, what: "it" };
}
