import type { StructuralProperty } from "./model.ts";

/** The media type of bytes without a declared one. */
export const BYTES = "application/octet-stream";

/** A parameter may be absent. Each blank belongs to one part of the pattern, so a long text takes no longer than its length. */
const SYNTAX =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:[\t ]*;(?:[\t ]*[\w!#$%&'*+.^`|~-]{1,64}=(?:[\w!#$%&'*+.^`|~-]{1,1024}|"(?:[\t !#-[\]-~]|\\[\t -~]){0,1024}"))?)*$/u;

/** Whether a text is a media type, which may have parameters, and is safe in a header. @see RFC 9110, section 8.3.1 */
export function isMediaType(text: unknown): text is string {
  return typeof text === "string" && SYNTAX.test(text);
}

/** Returns a media type in lower case, without its parameters. */
export function bareMediaType(text: string): string {
  return text.replace(/[\t ]*;.*$/su, "").toLowerCase();
}

/**
 * Whether PUT of `/$value` writes the bytes of a property.
 * @param takesAll whether the profile takes the bytes of all Binary properties, or only of those with a declared media type
 * @see OData Protocol 4.0, section 11.4.9.1
 */
export function takesBytes({ type, isCollection, mediaType }: StructuralProperty, takesAll: boolean): boolean {
  return type.name === "Edm.Binary" && !isCollection && (takesAll || mediaType !== undefined);
}
