import type { DescribedService, DescribedSet } from "odatakit/introspect";

/**
 * Limits a described service to some of its tables. Navigations to others, and enumerations that only others use, are left
 * out.
 */
export function limitTables(service: DescribedService, isKept: (set: DescribedSet) => boolean): DescribedService {
  const sets = service.sets.filter(isKept);
  const types = new Set(sets.map(({ typeName }) => typeName));
  const enums = new Set(
    sets.flatMap(({ properties }) =>
      properties.flatMap(({ type }) => (typeof type === "object" ? [type.enumType] : [])),
    ),
  );
  return {
    ...service,
    enumTypes: service.enumTypes.filter(({ name }) => enums.has(name)),
    sets: sets.map((set) => ({ ...set, navigations: set.navigations.filter(({ target }) => types.has(target)) })),
  };
}
