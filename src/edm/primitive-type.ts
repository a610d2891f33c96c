/** The primitive types of properties, parameters and literals. */
export const PRIMITIVE_TYPE_NAMES = [
  "Edm.Boolean",
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Single",
  "Edm.Double",
  "Edm.Decimal",
  "Edm.String",
  "Edm.Guid",
  "Edm.Binary",
  "Edm.Date",
  "Edm.TimeOfDay",
  "Edm.DateTimeOffset",
  "Edm.Duration",
] as const;

/** The name of a primitive type, such as `Edm.Int32`. */
export type PrimitiveTypeName = (typeof PRIMITIVE_TYPE_NAMES)[number];

/** A primitive type. There is one frozen object per name, so types can be compared by identity. */
export interface PrimitiveType {
  readonly kind: "PrimitiveType";
  readonly name: PrimitiveTypeName;
}

/** The primitive types by name. @see OData CSDL 4.0, section 4.4 */
export const PRIMITIVE_TYPES: Readonly<Record<PrimitiveTypeName, PrimitiveType>> = Object.freeze(
  Object.fromEntries(
    PRIMITIVE_TYPE_NAMES.map((name) => [name, Object.freeze({ kind: "PrimitiveType", name } as const)]),
  ) as Record<PrimitiveTypeName, PrimitiveType>,
);

const INTEGER_TYPES: ReadonlySet<unknown> = new Set([
  PRIMITIVE_TYPES["Edm.Byte"],
  PRIMITIVE_TYPES["Edm.SByte"],
  PRIMITIVE_TYPES["Edm.Int16"],
  PRIMITIVE_TYPES["Edm.Int32"],
  PRIMITIVE_TYPES["Edm.Int64"],
]);

/** Returns whether a type is an integer type. @see OData CSDL 4.0, section 4.4 */
export function isInteger(type: { readonly kind: string } | null): boolean {
  return INTEGER_TYPES.has(type);
}

const NO_KEY_TYPES: ReadonlySet<string> = new Set<PrimitiveTypeName>(["Edm.Single", "Edm.Double", "Edm.Binary"]);

/** Returns whether a primitive type can be the type of a key property. @see OData CSDL 4.0, section 8.2 */
export function isKeyType(name: string): boolean {
  return Object.hasOwn(PRIMITIVE_TYPES, name) && !NO_KEY_TYPES.has(name);
}

/** Limits on the form of a value; absent: no limit. @see OData CSDL 4.0, section 6.2 */
export interface FormFacets {
  /** Maximum number of characters of a string, or of octets of a binary value. */
  readonly maxLength?: number | undefined;
  /** Digits of a Decimal; fraction digits of seconds of a temporal value. */
  readonly precision?: number | undefined;
  /** Fraction digits of a Decimal; `"variable"` for any number of them. */
  readonly scale?: number | "variable" | undefined;
}

/**
 * Limits on the values of a property; absent: no limit. Limits that are not on the form apply to the values that clients
 * write, and not to literals of a URL.
 * @see Org.OData.Validation.V1
 */
export interface Facets extends FormFacets {
  /** Minimum number of characters of a string. */
  readonly minLength?: number | undefined;
  /** The regular expression that a string must match somewhere. */
  readonly pattern?: Pattern | undefined;
  /** Minimum of a number, in canonical form. */
  readonly minimum?: number | bigint | string | undefined;
  /** Maximum of a number, in canonical form. */
  readonly maximum?: number | bigint | string | undefined;
  /** Minimum number of items of a collection. */
  readonly minItems?: number | undefined;
  /** Maximum number of items of a collection. */
  readonly maxItems?: number | undefined;
}

/** A compiled regular expression. */
export interface Pattern {
  /** Its text, in the syntax of JavaScript without flags. */
  readonly source: string;
  /** Whether a part of a text matches. */
  readonly matches: (text: string) => boolean;
}
