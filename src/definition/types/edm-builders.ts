import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../edm/primitive-type.ts";
import type { StreamOptions } from "../../edm/stream-property.ts";
import { frozenCopy, hasKind, isObject } from "../option-table.ts";
import type { CollectionFacets, DeclaredFacets, NumberFacets, StringFacets } from "./declared-facets.ts";
import type { Annotations } from "./entity-type.ts";
import type { ComplexDeltaOf, ComplexInputOf, ComplexValueOf, EnumValueOf, InputOf, ValueOf } from "./entity-values.ts";
import type {
  AnyProperty,
  ComplexTypeDeclaration,
  DeclaredValueType,
  EntityCollection,
  EntityTypeDeclaration,
  EnumTypeDeclaration,
  MediaTypeOption,
  PropertyDeclaration,
  PropertyTrait,
} from "./value-type.ts";

/** An object of the Temporal proposal, identified by its tag. */
export interface TemporalObject<Tag extends string> {
  readonly [Symbol.toStringTag]: Tag;
  toString(): string;
}

/** The values that a handler may return for an Edm.Date. */
type DateInput = string | Date | TemporalObject<"Temporal.PlainDate">;
/** The values that a handler may return for an Edm.TimeOfDay. */
type TimeOfDayInput = string | TemporalObject<"Temporal.PlainTime">;
/** The values that a handler may return for an Edm.DateTimeOffset. */
type DateTimeOffsetInput = string | Date | TemporalObject<"Temporal.Instant" | "Temporal.ZonedDateTime">;
/** The values that a handler may return for an Edm.Duration. */
type DurationInput = string | TemporalObject<"Temporal.Duration">;

/** The maximum number of fraction digits of seconds, and the default of `precision`. */
const MAX_SECONDS_PRECISION = 12;

/** The builders of properties, parameters and results, one for each type. */
export interface EdmBuilders {
  /** Edm.String. */
  string(facets?: StringFacets): Property<string>;
  /** Edm.Boolean. */
  boolean(): Property<boolean>;
  /** Edm.Byte: 0 to 255. */
  byte(facets?: NumberFacets<number>): Property<number>;
  /** Edm.SByte: -128 to 127. */
  sByte(facets?: NumberFacets<number>): Property<number>;
  /** Edm.Int16. */
  int16(facets?: NumberFacets<number>): Property<number>;
  /** Edm.Int32. */
  int32(facets?: NumberFacets<number>): Property<number>;
  /** Edm.Int64, a bigint. */
  int64(facets?: NumberFacets<bigint | number>): Property<bigint, bigint | number>;
  /** Edm.Single. */
  single(facets?: NumberFacets<number>): Property<number>;
  /** Edm.Double. */
  double(facets?: NumberFacets<number>): Property<number>;
  /** Edm.Decimal as a string that keeps its scale; without `scale`, any number of fraction digits. */
  decimal(
    facets?: { readonly precision?: number; readonly scale?: number } & NumberFacets<string | number>,
  ): Property<string, string | number>;
  /** Edm.Guid, in lower case. */
  guid(): Property<string>;
  /** Edm.Binary; `maxLength` in octets. */
  binary(facets?: { readonly maxLength?: number }): Property<Uint8Array>;
  /** Edm.Date as `YYYY-MM-DD`. */
  date(): Property<string, DateInput>;
  /** Edm.TimeOfDay as `hh:mm:ss.fff`; `precision` is the maximum number of fraction digits, 12 if absent. */
  timeOfDay(facets?: { readonly precision?: number }): Property<string, TimeOfDayInput>;
  /** Edm.DateTimeOffset in ISO 8601 with its offset; `precision` is the maximum number of fraction digits, 12 if absent. */
  dateTimeOffset(facets?: { readonly precision?: number }): Property<string, DateTimeOffsetInput>;
  /** Edm.Duration in ISO 8601, days and time; `precision` is the maximum number of fraction digits, 12 if absent. */
  duration(facets?: { readonly precision?: number }): Property<string, DurationInput>;
  /**
   * Edm.Stream: bytes with a URL of their own. The value of the entity is the reference to them, a text that the service makes.
   * @see docs/guides/streams.md
   */
  stream(options: StreamOptions): Property<string, string, "ignored" | "nullable">;
  /** A member name of an enumeration; for an enumeration of flags, several names separated by commas. */
  enum<E extends EnumTypeDeclaration>(type: E): Property<EnumValueOf<E>>;
  /** A value of a complex type. */
  complex<C extends ComplexTypeDeclaration>(
    type: C,
  ): Property<ComplexValueOf<C>, ComplexInputOf<C>, never, ComplexDeltaOf<C>>;
  /** A collection of entities, as the result of an operation. */
  collection<E extends EntityTypeDeclaration>(item: E): EntityCollection<E>;
  /** A collection of values. */
  collection<P extends AnyProperty>(
    item: P,
    facets?: CollectionFacets,
  ): Property<ReadonlyArray<ValueOf<P>>, ReadonlyArray<InputOf<P>>>;
}

/**
 * The builders of properties: `edm.string()`, `edm.int32().key()`, `edm.collection(edm.string())`.
 * @see OData CSDL 4.0, sections 4.4 and 6.2
 */
export const edm: EdmBuilders = Object.freeze({
  // Every builder accepts facets: the startup check reports the facets that a type does not have.
  string: (facets?: DeclaredFacets): Property<string> => primitive("Edm.String", facets),
  boolean: (facets?: DeclaredFacets): Property<boolean> => primitive("Edm.Boolean", facets),
  byte: (facets?: DeclaredFacets): Property<number> => primitive("Edm.Byte", facets),
  sByte: (facets?: DeclaredFacets): Property<number> => primitive("Edm.SByte", facets),
  int16: (facets?: DeclaredFacets): Property<number> => primitive("Edm.Int16", facets),
  int32: (facets?: DeclaredFacets): Property<number> => primitive("Edm.Int32", facets),
  int64: (facets?: DeclaredFacets): Property<bigint, bigint | number> => primitive("Edm.Int64", facets),
  single: (facets?: DeclaredFacets): Property<number> => primitive("Edm.Single", facets),
  double: (facets?: DeclaredFacets): Property<number> => primitive("Edm.Double", facets),
  decimal: (facets?: DeclaredFacets): Property<string, string | number> =>
    // The standard's default scale, 0, would refuse every fraction.
    primitive("Edm.Decimal", withDefault(facets, "scale", "variable")),
  guid: (facets?: DeclaredFacets): Property<string> => primitive("Edm.Guid", facets),
  binary: (facets?: DeclaredFacets): Property<Uint8Array> => primitive("Edm.Binary", facets),
  date: (facets?: DeclaredFacets): Property<string, DateInput> => primitive("Edm.Date", facets),
  timeOfDay: (facets?: DeclaredFacets): Property<string, TimeOfDayInput> => temporal("Edm.TimeOfDay", facets),
  dateTimeOffset: (facets?: DeclaredFacets): Property<string, DateTimeOffsetInput> =>
    temporal("Edm.DateTimeOffset", facets),
  duration: (facets?: DeclaredFacets): Property<string, DurationInput> => temporal("Edm.Duration", facets),
  stream: (options: StreamOptions): Property<string, string, "ignored" | "nullable"> => {
    // The startup check reports a value that is not an object.
    const given = isObject(options) ? Object.freeze({ ...options }) : (options ?? NO_OPTIONS);
    const type = PRIMITIVE_TYPES["Edm.String"];
    return new Property({ ...PLAIN, type, nullable: true, ignored: true, stream: given });
  },
  enum: <E extends EnumTypeDeclaration>(type: E): Property<EnumValueOf<E>> => declare(type),
  complex: <C extends ComplexTypeDeclaration>(
    type: C,
  ): Property<ComplexValueOf<C>, ComplexInputOf<C>, never, ComplexDeltaOf<C>> => declare(type),
  collection,
});

function collection<E extends EntityTypeDeclaration>(item: E): EntityCollection<E>;
function collection<P extends AnyProperty>(
  item: P,
  facets?: CollectionFacets,
): Property<ReadonlyArray<ValueOf<P>>, ReadonlyArray<InputOf<P>>>;
function collection(
  item: EntityTypeDeclaration | AnyProperty,
  facets?: CollectionFacets,
): EntityCollection | Property<readonly unknown[]> {
  if (hasKind(item, "EntityTypeDeclaration")) return Object.freeze({ kind: "EntityCollection", of: item });
  // The startup check rejects any other value, such as a type instead of a builder.
  if (!hasKind(item, "Property")) return new Property({ ...PLAIN, type: item, item: item ?? null });
  const { declared } = item;
  // The startup check reports facets that are not an object.
  const own = isObject(facets) ? Object.freeze({ ...declared.facets, ...facets }) : (facets ?? declared.facets);
  return new Property({ ...PLAIN, type: declared.type, item: declared, facets: own });
}

const NO_OPTIONS: Partial<StreamOptions> = Object.freeze({});

const PLAIN = Object.freeze({
  item: undefined,
  facets: Object.freeze({}),
  nullable: false,
  key: false,
  ignored: false,
  computed: false,
  immutable: false,
  databaseDefault: false,
  onlyIfSelected: false,
  mediaType: undefined,
  stream: undefined,
  defaultValue: undefined,
  json: undefined,
  description: undefined,
  annotations: undefined,
});

function declare<Value, Input, Change = Value>(
  type: DeclaredValueType,
  facets: DeclaredFacets = PLAIN.facets,
): Property<Value, Input, never, Change> {
  return new Property({ ...PLAIN, type, facets: frozenCopy(facets) });
}

function primitive<Value, Input>(name: PrimitiveTypeName, facets?: DeclaredFacets): Property<Value, Input> {
  return declare(PRIMITIVE_TYPES[name], facets);
}

function temporal<Value, Input>(name: PrimitiveTypeName, facets?: DeclaredFacets): Property<Value, Input> {
  // The standard's default precision, 0, would refuse fractions of seconds.
  return primitive(name, withDefault(facets, "precision", MAX_SECONDS_PRECISION));
}

function withDefault<F extends keyof DeclaredFacets>(
  facets: DeclaredFacets | undefined,
  name: F,
  value: DeclaredFacets[F],
): DeclaredFacets {
  // The startup check reports a value that is not an object.
  if (facets !== undefined && !isObject(facets)) return facets;
  return facets?.[name] === undefined ? { ...facets, [name]: value } : facets;
}

/**
 * A declared property. It is frozen: every modifier returns a new property.
 * `Value` is the canonical value, `Input` the values that handlers may return, `Change` the value in a delta.
 * @see docs/reference/model.md
 */
export class Property<
  Value,
  Input = Value,
  Trait extends PropertyTrait = never,
  Change = Value,
> implements AnyProperty {
  readonly kind = "Property";
  /** For the compiler only: absent at run time. */
  declare readonly _types: {
    readonly value: Value;
    readonly input: Input;
    readonly trait: Trait;
    readonly change: Change;
  };
  readonly declared: PropertyDeclaration;

  constructor(declared: PropertyDeclaration) {
    this.declared = Object.freeze(declared);
    Object.freeze(this);
  }

  /** Allows null. For items of a collection, write `edm.collection(edm.string().nullable())`. */
  nullable(): Property<Value, Input, Trait | "nullable", Change> {
    return new Property({ ...this.declared, nullable: true });
  }

  /** Makes the property the key, or a part of the key. */
  key(): Property<Value, Input, Trait | "key", Change> {
    return new Property({ ...this.declared, key: true });
  }

  /** Hides the property from clients: it has no routes, is not in `$metadata`, and no query option can use it. */
  ignored(): Property<Value, Input, Trait | "ignored", Change> {
    return new Property({ ...this.declared, ignored: true });
  }

  /** Lets the server set the value: the service ignores it in request bodies. */
  computed(): Property<Value, Input, Trait | "computed", Change> {
    return new Property({ ...this.declared, computed: true });
  }

  /** Forbids changes of the value after the entity is created. */
  immutable(): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, immutable: true });
  }

  /** Sets the value for request bodies without the property; checked at startup. */
  default(value: Input): Property<Value, Input, Trait | "optional", Change> {
    return new Property({ ...this.declared, defaultValue: Object.freeze({ value }) });
  }

  /**
   * Lets the database supply the value of new entities whose bodies omit the property: its column has an expression as
   * default, such as `now()`. Clients may send another value. A literal is `.default(value)`.
   * @see docs/reference/model.md
   */
  databaseDefault(): Property<Value, Input, Trait | "databaseDefault", Change> {
    return new Property({ ...this.declared, databaseDefault: true });
  }

  /**
   * Leaves the property out of responses unless `$select` names it, or is `*`. It is for large values.
   * @see docs/reference/select.md
   */
  onlyIfSelected(): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, onlyIfSelected: true });
  }

  /**
   * Declares the media type of an Edm.Binary, for GET and PUT of its `/$value`: a constant, or the key of a String property
   * that contains it.
   * @see docs/reference/properties.md
   */
  mediaType(type: MediaTypeOption): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, mediaType: isObject(type) ? Object.freeze({ ...type }) : type });
  }

  /** Sets the wire name, instead of the name by the naming policy. */
  json(name: string): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, json: name });
  }

  /** Sets the description in `$metadata` and generated API descriptions. */
  describe(text: string): Property<Value, Input, Trait, Change> {
    return new Property({ ...this.declared, description: text });
  }

  /**
   * Adds annotations in `$metadata`, such as a label or a value help. A parameter of an operation can have them, too.
   * @see docs/reference/annotations.md
   */
  annotate(annotations: Annotations): Property<Value, Input, Trait, Change> {
    // The startup check rejects a value that is not an object.
    const known: object | undefined = isObject(annotations) ? this.declared.annotations : undefined;
    return new Property({
      ...this.declared,
      annotations: isObject(annotations) ? { ...known, ...annotations } : annotations,
    });
  }
}
