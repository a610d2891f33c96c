/**
 * The kind of a fault and its parameters, for texts in the language of the user.
 * @see docs/reference/errors.md, Texts in other languages
 */
export interface Fault {
  /** Such as `MinLength`, or the code of an issue of the application. */
  readonly code: string;
  /** Such as `{ minLength: 3 }`. */
  readonly parameters: FaultParameters;
}

/** The numbers and texts that a message about a fault contains. */
export type FaultParameters = Readonly<Record<string, string | number>>;
