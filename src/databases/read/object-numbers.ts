/** Numbers objects by their identity, for texts that identify declarations: two of them may differ only in a function. */
export class ObjectNumbers {
  readonly #known = new WeakMap<object, number>();
  #count = 0;

  /** Returns the number of an object: the same one each time, and another one for each other object. */
  of(object: object): number {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#known.set(object, this.#count);
    return this.#count;
  }
}
