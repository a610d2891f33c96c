/** Does a part of a long work as a task of its own: the page answers before. */
export async function inTask<Made>(work: () => Made): Promise<Made> {
  await new Promise((resolve) => {
    setTimeout(resolve);
  });
  return work();
}

/** Adds members to an object that are made when they are read first, and stay. A large model is read where it is needed. */
export function withLater<Base extends object, Later extends object>(
  base: Base,
  later: { readonly [name in keyof Later]: () => Later[name] },
): Base & Later {
  for (const [name, make] of Object.entries<() => unknown>(later)) {
    const get = (): unknown => {
      const value = make();
      Object.defineProperty(base, name, { value });
      return value;
    };
    Object.defineProperty(base, name, { get, configurable: true, enumerable: true });
  }
  return base as Base & Later;
}
