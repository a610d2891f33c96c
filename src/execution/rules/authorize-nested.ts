import { chain, type Maybe } from "../../base/maybe.ts";
import type { Context } from "../../definition/context.ts";
import { refusal } from "../../definition/rules/refusal.ts";
import type { EntitySetDefinition } from "../../definition/service-definition.ts";
import type { NavigationProperty } from "../../edm/model.ts";
import { fieldOf } from "../../memory/compile-property.ts";
import { isObject } from "../../memory/entity.ts";
import { targetDefinition } from "../entities/reader.ts";
import { actionAlong, actionOf, judgeEntity, requireRules, navigationRules } from "./judge-rules.ts";

/** Where the nested entities are in the body. */
interface NestingPlace {
  /** The path in the body, with a trailing slash; empty for the body itself. */
  readonly path: string;
  /** Whether the rules of the entity's own set have not been checked. */
  readonly isOwnSkipped: boolean;
}

const BODY: NestingPlace = { path: "", isOwnSkipped: false };

/**
 * Requires that the user may create every entity that is nested in a new one: the `create` rules of each set are
 * checked.
 * @param entity the argument of the create handler
 * @throws ODataError `Unauthorized`, `Forbidden`, target the path of the navigation; the error of a rule
 * @see docs/guides/authorization.md
 */
export function authorizeNested(
  context: Context,
  set: EntitySetDefinition,
  entity: object,
  place: NestingPlace = BODY,
): Maybe<undefined> {
  return each([...set.entitySet.navigationProperties.values()], (navigation) => {
    const items = nestedItems(entity, navigation);
    return items.length === 0 ? undefined : authorizeItems(context, set, navigation, items, place);
  });
}

/** Returns the entities that a body contains for a navigation. */
export function nestedItems(entity: object, { field }: NavigationProperty): readonly object[] {
  const value: unknown = Object.hasOwn(entity, field) ? fieldOf(entity, field) : null;
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

function authorizeItems(
  context: Context,
  set: EntitySetDefinition,
  navigation: NavigationProperty,
  items: readonly object[],
  { path, isOwnSkipped }: NestingPlace,
): Maybe<undefined> {
  const { user } = context;
  const { entitySet, authorization } = set;
  const { name, isCollection } = navigation;
  const target = path + name;
  const rules = navigationRules(set, navigation);
  if (isOwnSkipped) requireRules(authorization.create, user, { action: actionOf("create", entitySet.name), target });
  const action = actionAlong("create", set, navigation);
  const pending = requireRules(rules.target.create, user, { action, target });
  const below = targetDefinition(entitySet, name, context);
  return each([...items.entries()], ([index, item]) =>
    chain(judgeEntity(pending, context, item), (passed) => {
      if (!passed) throw refusal(user, action, target);
      if (below === undefined) return undefined;
      const here = isCollection ? `${target}/${String(index)}/` : `${target}/`;
      return authorizeNested(context, below, item, { path: here, isOwnSkipped: !rules.asksTarget });
    }),
  );
}

/** Runs the checks one after another and stops at the first that throws. */
function each<Item>(items: readonly Item[], work: (item: Item) => Maybe<undefined>): Maybe<undefined> {
  const [first, ...rest] = items;
  if (first === undefined) return undefined;
  return chain(work(first), () => each(rest, work));
}
