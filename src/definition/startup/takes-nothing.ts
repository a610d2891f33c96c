/** The source of a function without parameters; excludes bound functions, `function () { [native code] }`. */
const NO_PARAMETERS = /^[^(]*\(\s*\)(?!\s*\{\s*\[native code\]\s*\}$)/u;
const ARGUMENTS = /\barguments\b/u;

/** Whether a value is a function that reads no argument, by its source text; a function that may read one is not. */
export function takesNothing(value: unknown): boolean {
  // Functions with rest or default parameters also have the length 0.
  if (typeof value !== "function" || value.length > 0) return false;
  const source = Function.prototype.toString.call(value);
  return NO_PARAMETERS.test(source) && !ARGUMENTS.test(source);
}
