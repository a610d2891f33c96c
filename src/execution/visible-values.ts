import { chain } from "../base/maybe.ts";
import { isIterable } from "./collect-entities.ts";
import type { VisibleValues } from "./trusted-context.ts";
import { type IsVisible, visibilityOf } from "./visible-entities.ts";

/**
 * The values of a navigation property of many entities, without the related entities that the user of a request does not
 * see: shorter lists, and null in the place of one. A value of another form stays as it is, for others to refuse.
 * @param values lists that can be run over at once, or entities
 * @throws as for visibleEntities
 */
export const visibleValues: VisibleValues = ({ target, navigationProperty }, values, context) => {
  const { isCollection } = navigationProperty;
  if (target === null || values.length === 0) return values;
  // A list may run but once, and is run over where the rule is prepared and where it is asked.
  const lists = (): readonly unknown[] => (isCollection ? values.map(toArray) : values);
  let taken: readonly unknown[] | undefined;
  const entities = (): readonly unknown[] => (isCollection ? (taken ??= lists()).flat() : values);
  return chain(visibilityOf(target, entities, context), (sees) => {
    if (sees === null) return taken ?? values;
    return (taken ?? lists()).map((value) => visibleValue(value, isCollection, sees));
  });
};

function toArray(value: unknown): unknown {
  return isIterable(value) && !Array.isArray(value) ? [...value] : value;
}

function visibleValue(value: unknown, isCollection: boolean, sees: IsVisible): unknown {
  // A list in the place of an entity holds what nobody looked at, and is refused.
  if (Array.isArray(value)) return isCollection ? value.filter(sees) : value;
  // What cannot be looked at counts as not loaded.
  if (isCollection) return value === null ? null : undefined;
  if (value === undefined) return undefined;
  return sees(value) ? value : null;
}
