import { isJsonObject, type JsonValue } from "../base/json/write-json.ts";
import type { StructuralProperty } from "../edm/model.ts";
import { describeValue } from "../edm/value-codec.ts";
import { compileNameCheck, invalidMember } from "./body-members.ts";
import { type BodyReading, type FacetFaults, guarded } from "./body-readers.ts";
import { givenBackReader, type JsonConversion, ValueReaders } from "./read-value.ts";

const VALUE = "value";

/**
 * Reads the body of a write of one property: the value or its changes, in canonical form.
 * @param path the path of the property below the entity, for errors; absent: its name
 */
export type PropertyBodyConversion = (
  body: JsonValue,
  ieee754Compatible: boolean,
  path?: string,
  faults?: FacetFaults,
) => unknown;

/**
 * Makes the reader of the body of `PUT` and `PATCH /Set(key)/Property`: `{ "value": … }`, or a bare complex value.
 * @param isBare whether the body of a complex property is the value itself
 * @returns a reader of the value in canonical form; it throws ODataError `InvalidBody` or `NullNotAllowed`, target the
 * property or the path below it
 * @see OData JSON Format 4.0, sections 11 and 13; docs/reference/properties.md
 */
export function compilePropertyBodyReader(
  property: StructuralProperty,
  { unknownMembers, findsEveryFault, takesScriptDates, keepsUnreadable }: BodyReading,
  isBare = false,
): PropertyBodyConversion {
  const { name } = property;
  const checkNames = compileNameCheck("This body", new Set([VALUE]), unknownMembers);
  const readValue = new ValueReaders(unknownMembers, takesScriptDates).ofProperty(property);
  const read = givenBackReader(readValue, property, keepsUnreadable?.patch);
  const isComplex = property.type.kind === "ComplexType" && !property.isCollection;
  if (isBare && isComplex) return bareReader(property, read, findsEveryFault);
  return (body, ieee754Compatible, path = name, faults) =>
    guarded(
      body,
      ieee754Compatible,
      (place) => {
        if (!isJsonObject(body)) {
          throw invalidMember(`${describeValue(body)} is not the body of a property: ${ADVICE}`, place, "");
        }
        const value = body[VALUE];
        if (value === undefined) throw invalidMember(`The member is missing: ${ADVICE}`, place, VALUE);
        checkNames(body, place);
        return read(value, place, path);
      },
      { findsEveryFault, faults },
    );
}

const ADVICE = 'send {"value": …} with the new value.';

/**
 * Makes the reader of the body of `PATCH` of a single complex property: an object with the changed members.
 * @returns a reader like that of `compilePropertyBodyReader`; missing members remain missing
 * @see OData Protocol 4.0, section 11.4.9.3
 */
export function compileChangedPropertyReader(
  property: StructuralProperty,
  { unknownMembers, findsEveryFault, takesScriptDates }: BodyReading,
): PropertyBodyConversion {
  const values = new ValueReaders(unknownMembers, takesScriptDates);
  return bareReader(property, values.ofChange(property), findsEveryFault);
}

function bareReader(
  { name, type }: StructuralProperty,
  read: JsonConversion,
  findsEveryFault: boolean | undefined,
): PropertyBodyConversion {
  const hasValue = type.kind === "ComplexType" && type.members.has(VALUE);
  // A value in an envelope is one fault: its members are not missing, but in the wrong place.
  const isWrapped = (body: JsonValue): boolean => !hasValue && isJsonObject(body) && body[VALUE] !== undefined;
  return (body, ieee754Compatible, path = name, faults) =>
    guarded(
      body,
      ieee754Compatible,
      (place) => {
        if (isJsonObject(body)) return read(body, place, path);
        const problem = `${describeValue(body)} is not the body of '${path}'`;
        throw invalidMember(`${problem}: send an object with its members. DELETE sets it to null.`, place, "");
      },
      { findsEveryFault: findsEveryFault === true && !isWrapped(body), faults },
    );
}
