import { keptPer } from "../base/memo.ts";
import { decimalCodec } from "./decimal-codec.ts";
import { enumCodec } from "./enum-codec.ts";
import type { EnumType, StructuralProperty } from "./model.ts";
import { floatCodec, int64Codec, smallIntegerCodec } from "./number-codecs.ts";
import type { Facets, PrimitiveType, PrimitiveTypeName } from "./primitive-type.ts";
import { temporalCodec } from "./temporal-codecs.ts";
import { binaryCodec, booleanCodec, guidCodec, stringCodec } from "./text-codecs.ts";
import type { ValueCodec } from "./value-codec.ts";

/**
 * Returns the codec of a type; without facets there is one per type.
 * @param facets limits for values of clients
 */
export function valueCodec(type: PrimitiveType | EnumType, facets?: Facets): ValueCodec {
  return facets === undefined ? plainCodec(type) : makeCodec(type, facets);
}

const plainCodec = keptPer((type: PrimitiveType | EnumType): ValueCodec => makeCodec(type, {}));

/**
 * Returns the codec of a property's value, or of each item of a collection, with the property's facets. It is made once.
 * @throws TypeError for a property of a complex type, whose values have no codec
 */
export const codecOf: (property: StructuralProperty) => ValueCodec = keptPer(({ name, type, facets }) => {
  if (type.kind === "ComplexType") throw new TypeError(`${name} is complex: its members have codecs.`);
  return makeCodec(type, facets);
});

function makeCodec(type: PrimitiveType | EnumType, facets: Facets): ValueCodec {
  return type.kind === "EnumType" ? enumCodec(type) : primitiveCodec(type.name, facets);
}

function primitiveCodec(name: PrimitiveTypeName, facets: Facets): ValueCodec {
  switch (name) {
    case "Edm.Boolean":
      return booleanCodec();
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
      return smallIntegerCodec(name);
    case "Edm.Int64":
      return int64Codec();
    case "Edm.Single":
    case "Edm.Double":
      return floatCodec(name);
    case "Edm.Decimal":
      return decimalCodec(facets);
    case "Edm.String":
      return stringCodec(facets);
    case "Edm.Guid":
      return guidCodec();
    case "Edm.Binary":
      return binaryCodec(facets);
    case "Edm.Date":
    case "Edm.TimeOfDay":
    case "Edm.DateTimeOffset":
    case "Edm.Duration":
      return temporalCodec(name, facets);
  }
}
