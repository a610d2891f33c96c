/**
 * Guards the end of a `switch` that does not return: a missing case does not compile.
 * @throws Error if a value does not have its declared type at run time
 */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
