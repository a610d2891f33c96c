import type { ConfigurationFault } from "../errors/configuration-error.ts";
import { entriesOf, type DeclaredNavigation, type DeclaredService, type DeclaredSet } from "./declared-service.ts";
import { isObject } from "./option-table.ts";
import { navigationPlace } from "./places.ts";

const FIX = "Use a property whose column has no `convert`.";

/**
 * A column with a `convert` is never compared: its values exist in this process alone. So no allowlist and no join
 * names such a property.
 */
export function* checkUncomparable({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    for (const option of ["filterProperties", "orderByProperties"]) {
      const named: unknown = set.options[option];
      if (!Array.isArray(named)) continue;
      for (const field of set.uncomparable.filter((each) => named.includes(each))) {
        const message = `\`${option}\` names \`${field}\`, whose column has a \`convert\`.`;
        yield { set: set.name, message, fix: `Remove it from \`${option}\`: the database cannot compare it.` };
      }
    }
    for (const navigation of set.navigations) yield* checkJoin(set, navigation, sets);
  }
}

function* checkJoin(
  set: DeclaredSet,
  navigation: DeclaredNavigation,
  sets: readonly DeclaredSet[],
): Iterable<ConfigurationFault> {
  const { on, through, target } = navigation.options;
  const links = isObject(through) ? through : {};
  const related = sets.find(({ name }) => name === target)?.uncomparable ?? [];
  const own = [...entriesOf(on), ...entriesOf(links["from"])].map(([field]) => field);
  const others = new Set([
    ...entriesOf(on).map(([, field]) => field),
    // The table of links names its own column first.
    ...entriesOf(links["to"]).map(([, field]) => field),
  ]);
  const found = [
    ...own.filter((field) => set.uncomparable.includes(field)).map((field) => `${set.name}/${field}`),
    ...related.filter((field) => others.has(field)).map((field) => `${String(target)}/${field}`),
  ];
  for (const place of found) {
    const message = `\`${navigation.field}\` is joined by ${place}, whose column has a \`convert\`.`;
    yield { ...navigationPlace(set, navigation), message, fix: FIX };
  }
}
