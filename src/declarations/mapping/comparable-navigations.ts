import type { DescribedNavigation, DescribedProperty, DescribedSet, DescribedWarning } from "../described-service.ts";

/** Leaves out the navigations whose ends have different types since one of them was mapped to another type. */
export function comparableNavigations(
  sets: readonly DescribedSet[],
  warn: (warning: DescribedWarning) => void,
): readonly DescribedSet[] {
  const byType = new Map(sets.map((set) => [set.typeName, set]));
  return sets.map((set) => {
    const navigations = set.navigations.filter((navigation) => {
      const mapped = mappedEnd(set, byType.get(navigation.target), navigation);
      if (mapped === undefined) return true;
      const message = `is no navigation: ${mapped} is mapped to another type`;
      warn({ code: "mapped-key", place: `${set.setName}.${navigation.name}`, message, flag: null });
      return false;
    });
    return navigations.length === set.navigations.length ? set : { ...set, navigations };
  });
}

/** Returns the property at an end of a navigation that is a mapped Boolean; undefined if there is none. */
function mappedEnd(
  set: DescribedSet,
  target: DescribedSet | undefined,
  { on, through }: DescribedNavigation,
): string | undefined {
  const own = [...on.map(([field]) => field), ...(through?.from ?? []).map(([field]) => field)];
  const other = [...on.map(([, field]) => field), ...(through?.to ?? []).map(([, field]) => field)];
  return nameOfMapped(set, own) ?? nameOfMapped(target, other);
}

function nameOfMapped(set: DescribedSet | undefined, fields: readonly string[]): string | undefined {
  const found = set?.properties.find((property) => fields.includes(property.field) && isMapped(property));
  return found === undefined ? undefined : `${String(set?.setName)}.${found.name}`;
}

function isMapped({ storage }: DescribedProperty): boolean {
  return typeof storage === "object" && storage !== null && "true" in storage;
}
