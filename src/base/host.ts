/** The global object of a runtime that may have the modules of Node.js. */
export interface HostGlobal {
  readonly process?: { readonly getBuiltinModule?: ((name: string) => unknown) | undefined } | undefined;
}

/**
 * Returns a built-in module of Node.js, Bun or Deno, without an `import`. A bundler for another runtime could not resolve it,
 * and an `import` of Node.js reads every export of the module: `node:http` loads its fetch client for that.
 * @see docs/decisions/0037-fast-start.md
 * @returns undefined in a runtime without the module
 */
export function builtinModule(name: `node:${string}`, host: HostGlobal = globalThis): unknown {
  return host.process?.getBuiltinModule?.(name);
}

/** Resolves after pending events of the runtime have been handled. */
export function nextTurn(): Promise<void> {
  const { setImmediate: next }: { setImmediate?: (done: () => void) => unknown } = globalThis;
  return new Promise((resolve) => {
    (next ?? setTimeout)(resolve);
  });
}

/**
 * Waits, unless a signal aborts.
 * @param time in milliseconds
 * @throws the reason of the signal
 */
export function pause(time: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, time);
    signal?.addEventListener("abort", leave, { once: true });
  });
}
