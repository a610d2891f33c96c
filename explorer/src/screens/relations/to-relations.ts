import type { EntitySet, Model, Navigation } from "../../model/model.ts";

/** A relation between two sets, in the direction of the reference: from the set whose entities refer to one of the other. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  /** How many entities of `from` belong to one of `to`, and the reverse. */
  readonly fromCount: Multiplicity;
  readonly toCount: Multiplicity;
  /** The navigation from `from` to `to`; null if only the other direction has one. */
  readonly forth: string | null;
  /** The navigation from `to` to `from`; null without one. */
  readonly back: string | null;
  /** The properties of `from` that hold the reference. */
  readonly properties: readonly string[];
}

/** The number of entities at the end of a relation; `?` if the model does not state it. */
export type Multiplicity = "1" | "0..1" | "*" | "?";

/** Returns the relations of a model: a navigation and its partner are one. */
export function toRelations({ sets }: Pick<Model, "sets">): readonly Relation[] {
  const seen = new Set<string>();
  return [...sets.values()].flatMap((set) =>
    [...set.type.navigations.values()].flatMap((navigation) => {
      const target = sets.get(set.bindings.get(navigation.name) ?? "");
      if (target === undefined || seen.has(`${set.name}/${navigation.name}`)) return [];
      const partner = partnerOf(set, navigation, target);
      if (partner !== null) seen.add(`${target.name}/${partner.name}`);
      return [toRelation(set, navigation, target, partner)];
    }),
  );
}

/** Returns the navigation back, if it leads to the same set. */
function partnerOf(set: EntitySet, { name, partner }: Navigation, target: EntitySet): Navigation | null {
  const named = partner === null ? undefined : target.type.navigations.get(partner);
  const other = named ?? [...target.type.navigations.values()].find((each) => each.partner === name);
  const isSame = other !== undefined && target.bindings.get(other.name) === set.name;
  return isSame && (named !== undefined || other.target === set.type) ? other : null;
}

function toRelation(set: EntitySet, navigation: Navigation, target: EntitySet, partner: Navigation | null): Relation {
  const forward: Relation = {
    from: set.name,
    to: target.name,
    fromCount: countOf(partner),
    toCount: countOf(navigation),
    forth: navigation.name,
    back: partner?.name ?? null,
    properties: [...navigation.constraints.keys()],
  };
  const holdsReference = !navigation.isCollection && (partner?.constraints.size ?? 0) === 0;
  if (holdsReference || (navigation.isCollection && partner?.isCollection === true)) return forward;
  const { from, to, fromCount, toCount, forth, back } = forward;
  return {
    from: to,
    to: from,
    fromCount: toCount,
    toCount: fromCount,
    forth: back,
    back: forth,
    properties: [...(partner?.constraints.keys() ?? [])],
  };
}
function countOf(navigation: Navigation | null): Multiplicity {
  if (navigation === null) return "?";
  if (navigation.isCollection) return "*";
  return navigation.isNullable ? "0..1" : "1";
}

/** Returns the sets that relations join with a set directly, itself included. */
export function neighboursOf(name: string, relations: readonly Relation[]): ReadonlySet<string> {
  const touching = relations.filter(({ from, to }) => from === name || to === name);
  return new Set([name, ...touching.flatMap(({ from, to }) => [from, to])]);
}
