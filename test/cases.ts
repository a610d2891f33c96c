import process from "node:process";
import fc from "fast-check";

/**
 * How many generated cases this run tries. `npm test` tries a sample, always the same one. Every case is tried with
 * ODATAKIT_CASES=all, as in `npm run test:all`.
 */

/** A sample is one case of so many. */
const SHARE = 10;
/** Cases of a property that names no number; the default of fast-check. */
const USUAL = 100;

/** Whether this run tries every case. */
export const ALL_CASES = process.env["ODATAKIT_CASES"] === "all";

const givenSeed = process.env["FUZZ_SEED"];
const givenRuns = process.env["FUZZ_RUNS"];

/** The seed of the generator: the same seed makes the same cases. */
export const SEED = Number(givenSeed ?? 1);

/** Returns how many of all cases of a test this run tries. */
export function caseCount(all: number): number {
  return ALL_CASES ? all : Math.ceil(all / SHARE);
}

/** Returns the same for a test whose cases have no end: FUZZ_RUNS sets any number, and `npm run fuzz:…` sets 50,000. */
export function fuzzCount(all: number, script?: `fuzz:${string}`): number {
  if (givenRuns !== undefined) return Number(givenRuns);
  return script !== undefined && process.env["npm_lifecycle_event"] === script ? 50_000 : caseCount(all);
}

/**
 * Returns the items of a list that this run tries, in their order.
 * @param place the other inputs of these cases, so that each place has its own sample
 */
export function sampleOf<Item>(items: readonly Item[], place: string): readonly Item[] {
  // `npm run test:rest` leaves out no item of a list, only generated cases.
  if (ALL_CASES || process.env["ODATAKIT_FILES"] === "rest") return items;
  const indexes = fc.uniqueArray(fc.nat(items.length - 1), {
    minLength: caseCount(items.length),
    maxLength: caseCount(items.length),
  });
  const [chosen = []] = fc.sample(indexes, { numRuns: 1, seed: SEED + seedOf(place) });
  return chosen.toSorted((left, right) => left - right).flatMap((index) => items.slice(index, index + 1));
}

/** Converts a string to a number. */
function seedOf(place: string): number {
  return Array.from(place).reduce((seed, character) => (seed * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003, 7);
}

/** Describes the cases of this run, so that a failure can be repeated. */
export function describeCases(): string {
  const seed = ALL_CASES && givenSeed === undefined ? "seeds drawn anew, each named in its failure" : `seed ${SEED}`;
  return `Generated cases: ${ALL_CASES ? "all" : `one in ${SHARE}`}, ${seed}. ODATAKIT_CASES=all tries all of them, FUZZ_SEED sets the seed.`;
}

/** The settings of fast-check for this run. All cases have other seeds each time, as long as no seed is given. */
export const PROPERTY_SETTINGS: fc.GlobalParameters = {
  numRuns: caseCount(USUAL),
  ...(ALL_CASES && givenSeed === undefined ? {} : { seed: SEED }),
};
