import type { TokenSeal } from "../payload/token-seal.ts";
import type { Position, Positions } from "../query/reading.ts";

/** No token of another kind has this context. */
const CONTEXT = "X-OData-Position";

/** The text of a token whose readers must read the primary. */
const UNKNOWN = "unknown";

/** Writes positions as a token, which only a service with the same secret can read and make. */
export function writePositions(positions: Positions, seal: TokenSeal): string {
  const text =
    positions === UNKNOWN
      ? UNKNOWN
      : JSON.stringify(Array.from(positions, ([cluster, offset]) => [cluster, String(offset)]));
  return seal.seal(text, CONTEXT);
}

/** Reads a token. @returns null unless a service with the same secret made it */
export function readPositions(token: string, seal: TokenSeal): Positions | null {
  const text = seal.open(token, CONTEXT);
  if (text === null || text === UNKNOWN) return text;
  const entries = JSON.parse(text) as ReadonlyArray<readonly [string, string]>;
  return new Map(entries.map(([cluster, offset]) => [cluster, BigInt(offset)]));
}

/** Returns the later of two positions in each cluster. */
export function laterPositions(first: Positions, second: Positions): Positions {
  if (first === UNKNOWN || second === UNKNOWN) return UNKNOWN;
  if (first.size === 0) return second;
  const later = new Map(first);
  for (const [cluster, offset] of second) {
    const known = later.get(cluster);
    if (known === undefined || known < offset) later.set(cluster, offset);
  }
  return later;
}

/** Returns positions as a list. */
export function toPositions(list: readonly Position[]): Positions {
  return list
    .map(({ cluster, offset }): Positions => new Map([[cluster, offset]]))
    .reduce(laterPositions, new Map<string, bigint>());
}
