import { keeper } from "../../base/memo.ts";

/**
 * Annotations in the form of CSDL JSON: terms with the alias of their vocabulary and, after `#`, their qualifier, such as
 * `"UI.LineItem"` or `"UI.FieldGroup#Address"`. A term `"Common.Text@UI.TextArrangement"` annotates the first one.
 * @see docs/reference/annotations.md
 */
export interface Annotations {
  readonly [term: `${string}.${string}`]: AnnotationValue | undefined;
}

/**
 * The value of an annotation: a constant, an array for a collection, an object for a record or an expression such as
 * `{ $Path: "name" }`. The startup checks the parts of arrays and objects, also those of an interface.
 */
export type AnnotationValue = string | number | bigint | boolean | null | object;

/** A vocabulary that the service does not know, or knows in an older version. */
export interface VocabularyOptions {
  /** Its namespace, such as `com.example.vocabularies.Maps.v1`. */
  readonly namespace: string;
  /** The URL of its document, for the reference in `$metadata`. */
  readonly uri: string;
}

/** The options of a type. */
export interface TypeOptions {
  /** Annotations of the type in `$metadata`. @see docs/reference/annotations.md */
  readonly annotations?: Annotations | undefined;
}

/**
 * The method `describe` of every declaration: returns a copy of the declaration with a description. Copies with further
 * members keep the method.
 * @see docs/reference/annotations.md
 */
export const describe: <Declared extends object>(this: Declared, description: string) => Declared = describedCopy;

function describedCopy<Declared extends object>(this: Declared, description: string): Declared {
  return Object.freeze(keeper({ ...this, description }));
}
