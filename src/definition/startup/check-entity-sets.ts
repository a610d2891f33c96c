import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import {
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  propertyIn,
  type DeclaredNavigation,
  navigationPlace,
} from "../model/declared-service.ts";
import { adviseName, isObject } from "../option-table.ts";

/** Checks that allowlists name properties and navigations of the set that clients can see. */
export function* checkAllowlists({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const navigations = set.navigations.map(({ field }) => field);
    const properties = visibleFields(set);
    for (const option of ["filterProperties", "orderByProperties", "selectProperties"]) {
      yield* checkFields(set, option, [...properties, ...navigations]);
    }
    yield* checkFields(set, "expandProperties", navigations);
  }
}

/** Checks that ETags are made of single primitive values that clients can see. @see docs/reference/etags.md */
export function* checkETags({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    yield* checkFields(set, "etag", visibleFields(set));
    for (const field of fieldsOf(set, "etag")) {
      const declared = propertyIn(set.entityType, field);
      if (declared === undefined || declared.ignored) continue;
      if (declared.item === undefined && !isDeclaration(declared.type, "ComplexTypeDeclaration")) continue;
      const is = declared.item === undefined ? "a complex value" : "a collection";
      const fix = "Name properties of primitive or enumeration types.";
      yield { set: set.name, message: `An ETag is made of single values, but \`${field}\` is ${is}.`, fix };
    }
  }
}

/** Checks that a set with a search handler also reads the collection, because `$search` narrows the collection. */
export function* checkSearch({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const { name, options } of sets) {
    const isRead = ["queryable", "getAll", "applyQuery"].some((form) => options[form] !== undefined);
    if (options["search"] === undefined || isRead) continue;
    const message = "The set has a search handler, but no handler that reads the collection.";
    yield { set: name, route: `/${name}`, method: "GET", message, fix: "Declare queryable, getAll or applyQuery." };
  }
}

function* checkFields(set: DeclaredSet, option: string, known: readonly string[]): Iterable<ConfigurationFault> {
  const seen = new Set<string>();
  for (const field of fieldsOf(set, option)) {
    const isTwice = seen.has(field);
    seen.add(field);
    if (isTwice) {
      yield { set: set.name, message: `\`${option}\` names \`${field}\` twice.`, fix: "Name it once." };
    } else if (propertyIn(set.entityType, field)?.ignored === true) {
      const message = `\`${option}\` names \`${field}\`, which is ignored: clients must not see it.`;
      yield { set: set.name, message, fix: `Remove it from \`${option}\`, or remove .ignored().` };
    } else if (!known.includes(field)) {
      const message = `\`${option}\` names \`${field}\`, which ${set.entityType.name} does not have.`;
      yield { set: set.name, message, fix: adviseName(field, known) };
    }
  }
}

function fieldsOf({ options }: DeclaredSet, option: string): readonly string[] {
  const fields = options[option];
  return Array.isArray(fields) ? fields.filter((field) => typeof field === "string") : [];
}

function visibleFields({ entityType }: DeclaredSet): readonly string[] {
  return entriesOf(entityType.properties)
    .filter(([, property]) => isDeclaration(property, "Property") && !property.declared.ignored)
    .map(([field]) => field);
}

const FIX = "Use a property whose column has no `convert`.";

/**
 * Checks that no allowlist and no join uses a column with a `convert`: the database cannot compare its values, which exist
 * only in this process.
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
    // `to` maps columns of the link table to properties.
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
