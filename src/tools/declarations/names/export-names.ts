import { TakenNames } from "./naming.ts";

/** Words that no declaration of TypeScript can have as its name in a module. */
const RESERVED = `await break case catch class const continue debugger default delete do else enum export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static super
  switch this throw true try typeof var void while with yield arguments eval undefined any bigint boolean never number object
  string symbol unknown`;

/** Names that every module knows. A module that forgets an import would use them without a fault. */
const GLOBAL = `AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean
  Buffer DataView Date Error EvalError Event EventTarget File Float16Array Float32Array Float64Array FormData Function Headers
  Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Navigator Number Object Performance Promise
  Proxy RangeError ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer Storage String Symbol SyntaxError
  TypeError URIError URL Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket
  Worker Awaited Capitalize Exclude Extract Lowercase NonNullable Omit Parameters Partial Pick Readonly Record Required
  ReturnType Uncapitalize Uppercase`;

const TAKEN: ReadonlySet<string> = new Set(`${RESERVED} ${GLOBAL}`.split(/\s+/u));

/**
 * Returns the names under which modules export the declarations of types: the name of the type, with `Entity` if that name is
 * reserved or global in TypeScript, and a number if another type has the name. Names differ in more than case, because files
 * have the same names.
 * @param typeNames the names of all types
 * @returns by the name of the type
 */
export function exportNames(typeNames: readonly string[]): ReadonlyMap<string, string> {
  const taken = new TakenNames();
  for (const name of typeNames) taken.add(name);
  const names = new Map<string, string>();
  for (const name of typeNames) {
    if (!TAKEN.has(name)) {
      names.set(name, name);
      continue;
    }
    const exported = taken.free([`${name}Entity`]);
    taken.add(exported);
    names.set(name, exported);
  }
  return names;
}
