import { isJsonObject, type JsonObject, type JsonValue } from "../base/json/write-json.ts";
import { checkItemCount, facetCheck, type FacetCheck, faultOf } from "../edm/facet-check.ts";
import type { ComplexType, EnumType, StructuralProperty, ValueType } from "../edm/model.ts";
import type { Facets, PrimitiveType } from "../edm/primitive-type.ts";
import { withScriptDates } from "../edm/script-dates.ts";
import {
  describeValue,
  InvalidValueError,
  OutsideFacetError,
  type PrimitiveValue,
  type ValueCodec,
} from "../edm/value-codec.ts";
import { codecOf, valueCodec } from "../edm/value-codecs.ts";
import {
  type BodyObject,
  compileAbsentValue,
  compileFieldWriter,
  compileNameCheck,
  type UnknownMembers,
  refuseBindings,
  type BodyPlace,
  enter,
  goOn,
  invalidMember,
  nullNotAllowed,
  placeWithin,
  refuse,
} from "./body-members.ts";

/**
 * Converts a parsed value to its canonical form, as the model requires.
 * @throws ODataError `InvalidBody`, `NullNotAllowed` or `NotImplemented`, with the path as target
 */
export type JsonConversion = (value: JsonValue, place: BodyPlace, segment: string | number) => unknown;

/** The declaration of a value: a property or a parameter. */
interface ValueSlot {
  readonly type: ValueType;
  readonly isCollection: boolean;
  /** For a collection: whether its items may be null. */
  readonly nullable: boolean;
  readonly facets: Facets;
}

type ComplexReader = (value: JsonObject, place: BodyPlace) => BodyObject;

/** The readers of values of one service's types, each made on first use. */
export class ValueReaders {
  readonly unknownMembers: UnknownMembers;
  readonly #takesScriptDates: boolean;
  readonly #complex = new Map<ComplexType, ComplexReader>();
  readonly #properties = new Map<StructuralProperty, JsonConversion>();
  readonly #changedComplex = new Map<ComplexType, ComplexReader>();

  /**
   * @param unknownMembers the treatment of unknown members of complex values
   * @param takesScriptDates whether a timestamp at 00:00 UTC is a Date, and a date is midnight UTC of a DateTimeOffset
   */
  constructor(unknownMembers: UnknownMembers, takesScriptDates: boolean = false) {
    this.unknownMembers = unknownMembers;
    this.#takesScriptDates = takesScriptDates;
  }

  /** Returns the reader of a property's value, including null and items. */
  ofProperty(property: StructuralProperty): JsonConversion {
    let reader = this.#properties.get(property);
    if (reader === undefined) {
      this.#properties.set(property, (reader = this.#reader(property, () => codecOf(property))));
    }
    return reader;
  }

  /** Returns the reader of a change of a property: for a single complex value, only the given members. */
  ofChange(property: StructuralProperty): JsonConversion {
    const { type, isCollection, nullable } = property;
    if (type.kind !== "ComplexType" || isCollection) return this.ofProperty(property);
    const read = complexValue(type, (value, place) => {
      let reader = this.#changedComplex.get(type);
      if (reader === undefined) this.#changedComplex.set(type, (reader = this.#compileChange(type)));
      return reader(value, place);
    });
    return nullableReader(read, nullable);
  }

  /** Returns the reader of a value with its own facets, such as a parameter. */
  of(slot: ValueSlot): JsonConversion {
    return this.#reader(slot, (type) => valueCodec(type, slot.facets));
  }

  #reader(
    { type, isCollection, nullable, facets }: ValueSlot,
    codecFor: (type: Exclude<ValueType, ComplexType>) => ValueCodec,
  ): JsonConversion {
    const single =
      type.kind === "ComplexType"
        ? complexValue(type, (value, place) => this.#complexType(type)(value, place))
        : scalarReader(this.#inBodies(codecFor(type)), facetCheck(type, facets), type);
    const item = nullableReader(single, nullable);
    return isCollection ? collectionReader(item, facets) : item;
  }

  #inBodies(codec: ValueCodec): ValueCodec {
    return this.#takesScriptDates ? withScriptDates(codec) : codec;
  }

  /** Makes the reader on first use, so that a type may contain itself. */
  #complexType(type: ComplexType): ComplexReader {
    let reader = this.#complex.get(type);
    if (reader === undefined) this.#complex.set(type, (reader = this.#compileComplex(type)));
    return reader;
  }

  #compileComplex(type: ComplexType): ComplexReader {
    const check = this.#compileCheck(type);
    const members = type.properties
      .filter(({ computed }) => !computed)
      .map((property) => ({
        name: property.name,
        read: this.ofProperty(property),
        absent: compileAbsentValue(property),
        put: compileFieldWriter(property.field),
      }));
    return (object, place) => {
      check(object, place);
      const made: BodyObject = {};
      for (const { name, read, absent, put } of members) {
        const value = object[name];
        try {
          put(made, value === undefined ? absent(place) : read(value, place, name));
        } catch (error) {
          goOn(error, place);
        }
      }
      return made;
    };
  }

  /** Immutable members are read, too, because the change may create the value. */
  #compileChange(type: ComplexType): ComplexReader {
    const check = this.#compileCheck(type);
    const members = type.properties
      .filter(({ computed }) => !computed)
      .map((property) => ({
        name: property.name,
        read: this.ofChange(property),
        put: compileFieldWriter(property.field),
      }));
    return (object, place) => {
      check(object, place);
      const made: BodyObject = {};
      for (const { name, read, put } of members) {
        const value = object[name];
        try {
          if (value !== undefined) put(made, read(value, place, name));
        } catch (error) {
          goOn(error, place);
        }
      }
      return made;
    };
  }

  /** Makes the check of the names of a value's members, which also refuses links in ignored members. */
  #compileCheck({ qualifiedName, members, properties }: ComplexType): (object: JsonObject, place: BodyPlace) => void {
    const checkNames = compileNameCheck(qualifiedName, members, this.unknownMembers);
    const computed = properties.filter((property) => property.computed).map(({ name }) => name);
    return (object, place) => {
      checkNames(object, place);
      for (const name of computed) refuseBindings(object[name] ?? null, placeWithin(place, name));
    };
  }
}

function complexValue(type: ComplexType, read: ComplexReader): JsonConversion {
  return (value, place, segment) => {
    if (isJsonObject(value)) return read(value, enter(place, segment));
    const problem = `${describeValue(value)} is not a ${type.qualifiedName}: write an object with its properties.`;
    throw invalidMember(problem, place, segment);
  };
}

function scalarReader(codec: ValueCodec, check: FacetCheck | null, type: PrimitiveType | EnumType): JsonConversion {
  const read = (value: JsonValue, place: BodyPlace, segment: string | number): PrimitiveValue => {
    try {
      return codec.fromJson(value, place.ieee754Compatible);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      const fault = invalidMember(error.message, place, segment, faultOf(error, type));
      if (!(error instanceof OutsideFacetError)) throw fault;
      refuse(fault, place, true);
      return error.value;
    }
  };
  if (check === null) return read;
  return (value, place, segment) => {
    const canonical = read(value, place, segment);
    const violated = check(canonical);
    if (violated !== null) refuse(invalidMember(violated.problem, place, segment, violated.fault), place, true);
    return canonical;
  };
}

function nullableReader(read: JsonConversion, nullable: boolean): JsonConversion {
  return (value, place, segment) => {
    if (value !== null) return read(value, place, segment);
    if (nullable) return null;
    throw nullNotAllowed(place, segment, typeof segment === "number" ? "leave the item out" : "give it a value");
  };
}

/** Returns the reader of a value, or of the null that a response shows in place of a cell that cannot be read. */
export function givenBackReader(
  read: JsonConversion,
  { isCollection, type }: StructuralProperty,
  keepsUnreadable: boolean | undefined,
): JsonConversion {
  if (keepsUnreadable !== true || isCollection || type.kind === "ComplexType") return read;
  return nullableReader(read, true);
}

function collectionReader(readItem: JsonConversion, facets: Facets): JsonConversion {
  const isCounted = facets.minItems !== undefined || facets.maxItems !== undefined;
  return (value, place, segment) => {
    if (value === null) throw nullNotAllowed(place, segment, "write [] for a collection without items");
    if (!Array.isArray(value)) {
      throw invalidMember(`${describeValue(value)} is not a collection: write an array.`, place, segment);
    }
    const here = enter(place, segment);
    const items: readonly JsonValue[] = value;
    const violated = isCounted ? checkItemCount(items.length, facets) : null;
    if (violated !== null) refuse(invalidMember(violated.problem, place, segment, violated.fault), place, true);
    return items.map((item, index) => {
      try {
        return readItem(item, here, index);
      } catch (error) {
        return goOn(error, here);
      }
    });
  };
}
