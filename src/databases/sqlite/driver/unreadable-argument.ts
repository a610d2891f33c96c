/** The code of the errors of SQL functions for arguments that are not values of their types. */
export const UNREADABLE_ARGUMENT = "ERR_UNREADABLE_ARGUMENT";

/** Makes the error for a cell that a SQL function cannot read. It fails the statement. */
export function unreadableArgument(found: string, expected: string): Error {
  const message = `The database contains ${found} where ${expected} is expected.`;
  return Object.assign(new Error(message), { code: UNREADABLE_ARGUMENT });
}
