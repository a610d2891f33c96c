import { keeper } from "../../base/memo.ts";

/**
 * The method `describe` of every declaration: returns a copy of the declaration with a description. Copies with further
 * members keep the method.
 * @see docs/reference/annotations.md
 */
export const describe: <Declared extends object>(this: Declared, description: string) => Declared = describedCopy;

function describedCopy<Declared extends object>(this: Declared, description: string): Declared {
  return Object.freeze(keeper({ ...this, description }));
}
