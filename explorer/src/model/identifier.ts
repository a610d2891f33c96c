import type { StructuredType } from "./model.ts";

const INTEGER = /^Edm\.(?:S?Byte|Int\d+)$/u;
/** Years, and ids of other systems: `BirthYear`, `release_year`, `externalId`. */
const NAMED = /(?:^|_)(?:year|YEAR|Year|id|ID|Id)(?:_|$)|[a-z\d](?:Year|Id|ID)$|^(?:year|Year)(?=[A-Z\d_])/u;

/** Returns whether the digits of a property are a name: it is a key, a foreign key, or an integer named like an id or a year. */
export function isIdentifier(type: StructuredType, path: string): boolean {
  const [name = "", ...rest] = path.split("/");
  const property = type.properties.get(name);
  if (rest.length > 0) {
    const next = property?.type.kind === "complex" ? property.type.type : type.navigations.get(name)?.target;
    return next !== undefined && isIdentifier(next, rest.join("/"));
  }
  if (property === undefined) return false;
  const isInteger = property.type.kind === "primitive" && INTEGER.test(property.type.name);
  const isReference = [...type.navigations.values()].some((each) => !each.isCollection && each.constraints.has(name));
  return isReference || type.key.includes(property) || (isInteger && NAMED.test(name));
}
