/**
 * Guards the end of a `switch` over a `kind`: a case that is not handled does not compile.
 * @throws Error when reached at run time, which means that a value does not have its declared type
 */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
