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
 * Returns the name under which a module exports the declaration of an entity type: the name of the type, with `Entity` if
 * the name is reserved or global in TypeScript.
 */
export function exportName(typeName: string): string {
  return TAKEN.has(typeName) ? `${typeName}Entity` : typeName;
}
