import type { StructuredType } from "./model.ts";

const INTEGER = /^Edm\.(?:S?Byte|Int\d+)$/u;
/** Years, and ids and codes of other systems: `BirthYear`, `release_year`, `externalId`, `ZipCode`, `AccountNo`. */
const NAMED = new RegExp(
  [
    "(?:^|_)(?:year|YEAR|Year|id|ID|Id)(?:_|$)",
    "(?:^|_)(?:code|CODE|Code|zip|ZIP|Zip|no|NO|No|number|NUMBER|Number)$",
    "[a-z\\d](?:Year|Id|ID|Code|Zip|No|Number)$",
    "^(?:year|Year)(?=[A-Z\\d_])",
  ].join("|"),
  "u",
);
/** Coordinates: a sum of them says nothing. */
const COORDINATE = /(?:^|_)(?:lat|lng|lon|latitude|longitude)$|[a-z\d](?:Lat|Lng|Lon|Latitude|Longitude)$/iu;

/** Returns whether the values of a number can be added. */
export function isSummable(path: string): boolean {
  return !COORDINATE.test(path.slice(path.lastIndexOf("/") + 1));
}

/** Returns whether the digits of a property are a name: it is a key, a foreign key, or an integer named like an id, a code or a year. */
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
