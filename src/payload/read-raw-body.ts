import type { StructuralProperty } from "../edm/model.ts";
import { type BodyObject, compileFieldWriter, invalidMember, refuse } from "./body-members.ts";
import { type BodyReading, type FacetFaults, guarded } from "./body-readers.ts";
import { ValueReaders } from "./read-value.ts";

/** Reads bytes as the change of the object that has the property: the bytes, and their media type where it is stored. */
type RawBodyConversion = (
  bytes: Uint8Array,
  contentType: string | null,
  path: string,
  faults?: FacetFaults,
) => BodyObject;

/**
 * Makes the reader of the body of `PUT /Set(key)/Property/$value`. The bytes are neither copied nor encoded.
 * @returns a reader that throws ODataError `InvalidBody` for too many bytes, or for a media type that the model does not allow
 * @see OData Protocol 4.0, section 11.4.9.1; docs/reference/properties.md
 */
export function compileRawBodyReader(
  property: StructuralProperty,
  { unknownMembers, findsEveryFault, takesScriptDates }: BodyReading,
): RawBodyConversion {
  const { facets, mediaType } = property;
  const { maxLength } = facets;
  const stored = mediaType?.kind === "stored" ? mediaType.property : null;
  const readType = stored === null ? null : new ValueReaders(unknownMembers, takesScriptDates).ofProperty(stored);
  const writeBytes = compileFieldWriter(property.field);
  const writeType = stored === null ? null : compileFieldWriter(stored.field);
  return (bytes, contentType, path, faults) =>
    guarded(
      {},
      false,
      (place) => {
        const change: BodyObject = {};
        if (maxLength !== undefined && bytes.length > maxLength) {
          const problem = `${String(bytes.length)} octets are too long: write at most ${String(maxLength)} octets.`;
          refuse(invalidMember(problem, place, path, { code: "MaxLength", parameters: { maxLength } }), place, true);
        }
        writeBytes(change, bytes);
        if (stored !== null && readType !== null) {
          const beside = path.slice(0, path.lastIndexOf("/") + 1) + stored.name;
          writeType?.(change, readType(contentType ?? "", place, beside));
        }
        return change;
      },
      { findsEveryFault, faults },
    );
}
