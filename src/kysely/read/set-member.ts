/** Gives an object a member of its own, whatever its name: assigning would not make one of `__proto__`. */
export function setMember(object: object, name: string, value: unknown): void {
  if (name !== "__proto__") {
    (object as Record<string, unknown>)[name] = value;
    return;
  }
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
