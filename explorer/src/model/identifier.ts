import type { PropertyType, StructuredType } from "./model.ts";

const INTEGER = /^Edm\.(?:S?Byte|Int\d+)$/u;
/** Years, and ids of other systems: `BirthYear`, `release_year`, `externalId`. */
const NAMED = /(?:^|_)(?:year|YEAR|Year|id|ID|Id)(?:_|$)|[a-z\d](?:Year|Id|ID)$|^(?:year|Year)(?=[A-Z\d_])/u;

/** Returns whether the digits of a property are a name: it is a key, a foreign key, or an integer named like an id or a year. */
export function isIdentifier(type: StructuredType, path: string): boolean {
  const [name = "", ...rest] = path.split("/");
  const property = type.properties.get(name);
  if (rest.length > 0) {
    const next = type.navigations.get(name)?.target ?? complexOf(property?.type);
    return next !== null && isIdentifier(next, rest.join("/"));
  }
  if (property === undefined) return false;
  const references = [...type.navigations.values()].filter(({ isCollection }) => !isCollection);
  const isReference = references.some(({ constraints }) => constraints.has(name));
  return isReference || type.key.includes(property) || (isInteger(property.type) && NAMED.test(name));
}

function complexOf(type: PropertyType | undefined): StructuredType | null {
  return type?.kind === "complex" ? type.type : null;
}

function isInteger(type: PropertyType): boolean {
  return type.kind === "primitive" && INTEGER.test(type.name);
}
