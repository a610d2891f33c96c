import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { isMediaType } from "../../edm/media-type.ts";
import { namesOf, propertyIn } from "../model/declared-service.ts";
import { adviseName, describe, type FaultPlace, isObject } from "../option-table.ts";
import type { PropertyDeclaration } from "../types/value-type.ts";

/** The type that has a property with a media type. */
interface Owner {
  readonly type: { readonly name: string; readonly properties: unknown };
  /** The fields whose values the server sets. */
  readonly set: ReadonlySet<string>;
  readonly place: FaultPlace;
}

/** Checks `.mediaType()` of a property. @param what its name in messages */
export function* checkMediaType(
  declared: PropertyDeclaration,
  what: string,
  { type, set, place }: Owner,
): Iterable<ConfigurationFault> {
  const given: unknown = declared.mediaType;
  if (given === undefined) return;
  const fault = (message: string, fix: string): ConfigurationFault => ({ ...place, message, fix });
  if (declared.type.name !== "Edm.Binary" || declared.item !== undefined || declared.ignored) {
    const message = `\`.mediaType()\` has no effect on ${what}.`;
    yield fault(message, "Remove it: only bytes that clients see, edm.binary(), have a media type.");
    return;
  }
  if (!isObject(given)) {
    if (!isMediaType(given)) {
      const fix = 'Give a type such as "image/png", or { property: "contentType" }.';
      yield fault(`The media type of ${what} cannot be ${describe(given)}.`, fix);
    }
    return;
  }
  const { property: field, accepts, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const message = `The media type of ${what} has the unknown member \`${unknown}\`.`;
    yield fault(message, adviseName(unknown, ["property", "accepts"]));
  }
  const properties = isObject(type.properties) ? type.properties : {};
  const stored = typeof field === "string" ? propertyIn({ properties }, field) : undefined;
  if (stored === undefined) {
    const message = `The media type of ${what} names ${describe(field)}, which ${type.name} does not have.`;
    yield fault(message, adviseName(String(field), namesOf(properties)));
  } else if (!isWritableText(stored) || set.has(String(field))) {
    const fix = "Name an edm.string() that is no key, and neither ignored, computed, immutable nor set by the server.";
    yield fault(`The media type of ${what} cannot be stored in \`${String(field)}\`.`, fix);
  }
  const areTypes = Array.isArray(accepts) && accepts.length > 0 && accepts.every(isMediaType);
  if (accepts !== undefined && !areTypes) {
    const fix = 'Give media types, such as ["image/png", "image/jpeg"], or leave them out.';
    yield fault(`\`accepts\` of the media type of ${what} is no list of media types.`, fix);
  }
}

function isWritableText({ type, item, key, ignored, computed, immutable }: PropertyDeclaration): boolean {
  return type.name === "Edm.String" && item === undefined && !(key || ignored || computed || immutable);
}
