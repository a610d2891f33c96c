/** Names that differ in more than case. */
export class TakenNames {
  readonly #taken = new Set<string>();

  has(name: string): boolean {
    return this.#taken.has(name.toLowerCase());
  }

  add(name: string): void {
    this.#taken.add(name.toLowerCase());
  }

  /** Returns the first candidate that is free, else the last one with the first number from 2 that is free. */
  free(candidates: readonly string[], isFree: (name: string) => boolean = (name) => !this.has(name)): string {
    const found = candidates.find(isFree);
    if (found !== undefined) return found;
    const last = candidates.at(-1) ?? "";
    for (let number = 2; ; number += 1) {
      const numbered = withNumber(last, number);
      if (isFree(numbered)) return numbered;
    }
  }
}

/** Adds a number to a name, within the 128 characters of an identifier. */
function withNumber(name: string, number: number): string {
  const digits = String(number);
  return (
    Array.from(name)
      .slice(0, 128 - digits.length)
      .join("") + digits
  );
}
