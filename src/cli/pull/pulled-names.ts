import type { DescribedNavigation, DescribedService, DescribedSet, WrittenModule } from "odatakit/introspect";

/** A navigation in the text of a module, whose white space is collapsed: its key, and the pairs of columns that it follows. */
const NAVIGATION =
  /([\p{ID_Continue}$]+|"(?:\\.|[^"\\])*"): has(?:Many|Optional|Required)\( ?(\(\) => [\p{ID_Continue}$]+, \{ .*?)(?:, partner: "[^"]*")? \} ?\)/gu;

/** The inputs of the choice of names that a pull keeps. */
export interface PulledNames {
  /** The modules of the service, with the names that the database gives now. */
  readonly modules: readonly WrittenModule[];
  /** The texts that the last pull wrote, by the paths of the modules. */
  readonly bases: ReadonlyMap<string, string>;
  /** The entries of `names` in odatakit.json, which win. */
  readonly given: Readonly<Record<string, string>>;
}

/**
 * Gives navigations the names that the last pull wrote: clients know them, and another version of odatakit or a further
 * foreign key may choose others.
 * @returns the same service if it has these names
 */
export function keepPulledNames(service: DescribedService, { modules, bases, given }: PulledNames): DescribedService {
  let kept = service;
  for (const set of service.sets) {
    const module = modules.find(({ table }) => table === set.table);
    const base = module === undefined ? undefined : bases.get(module.path);
    if (module === undefined || base === undefined) continue;
    const before = navigationsIn(base);
    for (const [course, key] of navigationsIn(module.text)) {
      const old = before.get(course);
      const navigation = set.navigations.find(({ name, field }) => key === field || key === name);
      if (old === undefined || old === key || navigation === undefined) continue;
      if (!isGiven(`${set.typeName}.`, navigation.name, given)) kept = renamed(kept, set, navigation, old);
    }
  }
  return kept;
}

/** Returns the keys of navigations by the pairs of columns that they follow, unless two follow the same pairs. */
function navigationsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string | null>();
  const line = text.replaceAll(/\s+/gu, " ").replaceAll(/, (?=[)\]}])/gu, " ");
  for (const [, key = "", course = ""] of line.matchAll(NAVIGATION)) {
    found.set(course, found.has(course) ? null : key.replace(/^"(.*)"$/u, "$1"));
  }
  return new Map([...found].flatMap(([course, key]) => (key === null ? [] : [[course, key] as const])));
}

function isGiven(owner: string, name: string, given: PulledNames["given"]): boolean {
  return Object.entries(given).some(([key, value]) => key.startsWith(owner) && value === name);
}

/** Renames a navigation and the references of its partner, unless another member of the type has the name. */
function renamed(
  service: DescribedService,
  set: DescribedSet,
  given: DescribedNavigation,
  key: string,
): DescribedService {
  const name = key.charAt(0).toUpperCase() + key.slice(1);
  const { properties, navigations } = service.sets.find(({ typeName }) => typeName === set.typeName) ?? set;
  const others = [...properties, ...navigations.filter(({ field }) => field !== given.field)];
  if (others.some((other) => [other.name, other.field].some((each) => each.toLowerCase() === name.toLowerCase()))) {
    return service;
  }
  const rename = (owner: string, navigation: DescribedNavigation): DescribedNavigation => {
    if (owner === set.typeName && navigation.field === given.field) return { ...navigation, name, field: key };
    const leadsBack = navigation.target === set.typeName && navigation.partner === given.field;
    return leadsBack ? { ...navigation, partner: key } : navigation;
  };
  return {
    ...service,
    sets: service.sets.map((each) => ({
      ...each,
      navigations: each.navigations.map((navigation) => rename(each.typeName, navigation)),
    })),
  };
}
