import type { ConfigurationFault } from "../errors/configuration-error.ts";
import { isDeclaration } from "./declaration-kind.ts";
import { type DeclaredService, type DeclaredSet, entriesOf, propertyIn } from "./declared-service.ts";
import { adviseName } from "./option-table.ts";

/** Allowlists name properties and navigations that the set has and clients may know. */
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

/** ETags are made of single primitive values that clients may know. @see specification, Conditional requests, rule 3 */
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

/** A search handler narrows what a collection read answers, so there must be one. */
export function* checkSearch({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const { name, options } of sets) {
    const isRead = ["queryable", "getAll", "applyQuery"].some((form) => options[form] !== undefined);
    if (options["search"] === undefined || isRead) continue;
    const message = "There is a search handler, but no handler that reads the collection.";
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
      const message = `\`${option}\` names \`${field}\`, which is ignored: no client may learn of it.`;
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
