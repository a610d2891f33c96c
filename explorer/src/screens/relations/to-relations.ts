import type { Model, Navigation } from "../../model/model.ts";

/** A relation between two sets: entities of `from` refer to entities of `to`. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  /** The navigation from `from` to `to`, and the one back; null if the model has only the other. */
  readonly forth: Navigation | null;
  readonly back: Navigation | null;
}

/** Returns the relations of a model: a navigation and its partner are one. */
export function toRelations({ sets }: Pick<Model, "sets">): readonly Relation[] {
  const seen = new Set<string>();
  return [...sets.values()].flatMap((set) =>
    [...set.type.navigations.values()].flatMap((navigation): readonly Relation[] => {
      const target = sets.get(set.bindings.get(navigation.name) ?? "");
      if (target === undefined || seen.has(`${set.name}/${navigation.name}`)) return [];
      const isPartner = ({ name, partner }: Navigation): boolean =>
        (name === navigation.partner || partner === navigation.name) && target.bindings.get(name) === set.name;
      const partner = [...target.type.navigations.values()].find(isPartner) ?? null;
      seen.add(`${target.name}/${partner?.name ?? ""}`);
      const isReferredTo = navigation.isCollection
        ? partner?.isCollection !== true
        : partner !== null && partner.constraints.size > 0;
      return isReferredTo
        ? [{ from: target.name, to: set.name, forth: partner, back: navigation }]
        : [{ from: set.name, to: target.name, forth: navigation, back: partner }];
    }),
  );
}

/** Names the navigations of a relation: `Cities/Country, Countries/Cities`. */
export function namesOf({ from, to, forth, back }: Relation): string {
  const names = [forth === null ? "" : `${from}/${forth.name}`, back === null ? "" : `${to}/${back.name}`];
  return names.filter((name) => name !== "").join(", ");
}

/** Says how many entities a navigation leads to; nothing if the model does not. */
export function countOf(navigation: Navigation | null): string {
  if (navigation === null) return "";
  if (navigation.isCollection) return "many";
  return navigation.isNullable ? "0 or 1" : "1";
}

/** Returns whether a set is at an end of a relation. */
export function touches({ from, to }: Relation, name: string | null): boolean {
  return from === name || to === name;
}
