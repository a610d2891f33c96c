/**
 * Returns a value that earlier checks have ensured.
 * @throws Error if it is missing: a mistake of the library, not of its user
 */
export function required<T>(value: T | null | undefined, problem: string): T {
  if (value === null || value === undefined) throw new Error(problem);
  return value;
}
