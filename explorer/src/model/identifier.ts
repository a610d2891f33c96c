import type { StructuredType } from "./model.ts";

const INTEGER = /^Edm\.(?:S?Byte|Int\d+)$/u;
/** Years, and ids of other systems: `BirthYear`, `release_year`, `externalId`. */
const ID = /(?:^|_)(?:year|YEAR|Year|id|ID|Id)(?:_|$)|[a-z\d](?:Year|Id|ID)$|^(?:year|Year)(?=[A-Z\d_])/u;
/** Codes and numbers of other systems, and numbers of things: `ZipCode`, `AccountNo`, `room_number`. */
const CODE = /(?:^|_)(?:code|CODE|Code|zip|ZIP|Zip|no|NO|No|number|NUMBER|Number)$|[a-z\d](?:Code|Zip|No|Number)$/u;
/** Coordinates: a sum of them says nothing. */
const COORDINATE = /(?:^|_)(?:lat|lng|lon|latitude|longitude)$|[a-z\d](?:Lat|Lng|Lon|Latitude|Longitude)$/iu;

/** Returns whether the values of a number can be added. */
export function isSummable(path: string): boolean {
  return !COORDINATE.test(path.slice(path.lastIndexOf("/") + 1));
}

/** Returns whether the digits of a property are a name: it is a key, a foreign key, or an integer named like an id, a code or a year. */
export function isIdentifier(type: StructuredType, path: string): boolean {
  return identityOf(type, path) !== null;
}

/** Returns what the digits of a property name: a `code` may also be a number of things; null if they name nothing. */
export function identityOf(type: StructuredType, path: string): "id" | "code" | null {
  const [name = "", ...rest] = path.split("/");
  const property = type.properties.get(name);
  if (rest.length > 0) {
    const next = property?.type.kind === "complex" ? property.type.type : type.navigations.get(name)?.target;
    return next === undefined ? null : identityOf(next, rest.join("/"));
  }
  if (property === undefined) return null;
  const isInteger = property.type.kind === "primitive" && INTEGER.test(property.type.name);
  const isReference = [...type.navigations.values()].some((each) => !each.isCollection && each.constraints.has(name));
  if (isReference || type.key.includes(property) || (isInteger && ID.test(name))) return "id";
  return isInteger && CODE.test(name) ? "code" : null;
}
