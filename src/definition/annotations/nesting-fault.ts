/** Deeper values would end the process that writes or reads them. No vocabulary needs a tenth of it. */
const MAX_DEPTH = 200;

/** Returns the fault of a value that contains itself or is nested too deeply; null for every other value. */
export function nestingFault(value: unknown): { readonly message: string; readonly fix: string } | null {
  return faultBelow(value, new Set());
}

function faultBelow(value: unknown, around: Set<unknown>): { readonly message: string; readonly fix: string } | null {
  if (typeof value !== "object" || value === null) return null;
  if (around.has(value)) {
    return { message: "contain themselves.", fix: "Give a tree: an object cannot contain itself." };
  }
  if (around.size >= MAX_DEPTH) {
    return { message: `are nested deeper than ${MAX_DEPTH} levels.`, fix: "Nest them less deeply." };
  }
  around.add(value);
  for (const each of Object.values(value)) {
    const fault = faultBelow(each, around);
    if (fault !== null) return fault;
  }
  around.delete(value);
  return null;
}
