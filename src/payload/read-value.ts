import { describeValue } from "../edm/invalid-value.ts";
import type { ComplexType, StructuralProperty, ValueType } from "../edm/model.ts";
import type { Facets } from "../edm/primitive-type.ts";
import { InvalidValueError, type ValueCodec } from "../edm/value-codec.ts";
import { codecOf, valueCodec } from "../edm/value-codecs.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import {
  type BodyObject,
  compileAbsentValue,
  compileFieldWriter,
  compileNameCheck,
  type UnknownMembers,
} from "./body-members.ts";
import { type BodyPlace, enter, invalidMember, nullNotAllowed, placeWithin } from "./body-place.ts";
import { refuseBindings } from "./refuse-binding.ts";

/**
 * Reads a parsed value as what the model says, into its canonical form.
 * @throws ODataError `InvalidBody`, `NullNotAllowed` or `NotImplemented`, with the path as target
 */
export type ValueReader = (value: JsonValue, place: BodyPlace, segment: string | number) => unknown;

/** What a value may be: a property, a parameter. */
export interface ValueSlot {
  readonly type: ValueType;
  readonly isCollection: boolean;
  /** Of a collection: whether its items may be null. */
  readonly nullable: boolean;
  readonly facets: Facets;
}

/** Reads one complex value. */
type ComplexReader = (value: JsonObject, place: BodyPlace) => BodyObject;

/** The readers of values of one service's types, each made on first use. */
export class ValueReaders {
  readonly unknownMembers: UnknownMembers;
  readonly #complex = new Map<ComplexType, ComplexReader>();
  readonly #properties = new Map<StructuralProperty, ValueReader>();
  readonly #changedComplex = new Map<ComplexType, ComplexReader>();

  /** @param unknownMembers what is done with members of complex values that the model does not know */
  constructor(unknownMembers: UnknownMembers) {
    this.unknownMembers = unknownMembers;
  }

  /** The reader of a property's value, null and items included. */
  ofProperty(property: StructuralProperty): ValueReader {
    let reader = this.#properties.get(property);
    if (reader === undefined) {
      const codec = property.type.kind === "ComplexType" ? null : codecOf(property);
      this.#properties.set(property, (reader = this.#reader(property, codec)));
    }
    return reader;
  }

  /** The reader of what changes a property's value: of a single complex value the members that are present. */
  ofChange(property: StructuralProperty): ValueReader {
    const { type, isCollection, nullable } = property;
    if (type.kind !== "ComplexType" || isCollection) return this.ofProperty(property);
    const read = complexValue(type, (value, place) => {
      let reader = this.#changedComplex.get(type);
      if (reader === undefined) this.#changedComplex.set(type, (reader = this.#compileChange(type)));
      return reader(value, place);
    });
    return nullableReader(read, nullable);
  }

  /** The reader of a value with facets of its own, such as that of a parameter. */
  of(slot: ValueSlot): ValueReader {
    const { type, facets } = slot;
    return this.#reader(slot, type.kind === "ComplexType" ? null : valueCodec(type, facets));
  }

  #reader({ type, isCollection, nullable }: ValueSlot, codec: ValueCodec | null): ValueReader {
    const single =
      type.kind === "ComplexType"
        ? complexValue(type, (value, place) => this.#complexType(type)(value, place))
        : scalarReader(codec ?? valueCodec(type));
    const item = nullableReader(single, nullable);
    return isCollection ? collectionReader(item) : item;
  }

  /** Made when a value is there, so that a type may contain itself. */
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
        put(made, value === undefined ? absent(place) : read(value, place, name));
      }
      return made;
    };
  }

  /** Immutable members are read, too: they count where the change makes the value. */
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
        if (value !== undefined) put(made, read(value, place, name));
      }
      return made;
    };
  }

  /** Checks the names of a value's members, and refuses links in members that are not read. */
  #compileCheck({ qualifiedName, members, properties }: ComplexType): (object: JsonObject, place: BodyPlace) => void {
    const checkNames = compileNameCheck(qualifiedName, members, this.unknownMembers);
    const computed = properties.filter((property) => property.computed).map(({ name }) => name);
    return (object, place) => {
      checkNames(object, place);
      for (const name of computed) refuseBindings(object[name] ?? null, placeWithin(place, name));
    };
  }
}

function complexValue(type: ComplexType, read: ComplexReader): ValueReader {
  return (value, place, segment) => {
    if (isJsonObject(value)) return read(value, enter(place, segment));
    const problem = `${describeValue(value)} is not a ${type.qualifiedName}: write an object with its properties.`;
    throw invalidMember(problem, place, segment);
  };
}

function scalarReader(codec: ValueCodec): ValueReader {
  return (value, place, segment) => {
    try {
      return codec.fromJson(value, place.ieee754Compatible);
    } catch (error) {
      if (error instanceof InvalidValueError) throw invalidMember(error.message, place, segment);
      throw error;
    }
  };
}

function nullableReader(read: ValueReader, nullable: boolean): ValueReader {
  return (value, place, segment) => {
    if (value !== null) return read(value, place, segment);
    if (nullable) return null;
    throw nullNotAllowed(place, segment, typeof segment === "number" ? "leave the item out" : "give it a value");
  };
}

function collectionReader(readItem: ValueReader): ValueReader {
  return (value, place, segment) => {
    if (value === null) throw nullNotAllowed(place, segment, "write [] for a collection without items");
    if (!Array.isArray(value)) {
      throw invalidMember(`${describeValue(value)} is not a collection: write an array.`, place, segment);
    }
    const here = enter(place, segment);
    const items: readonly JsonValue[] = value;
    return items.map((item, index) => readItem(item, here, index));
  };
}
