import { declaredFieldOf } from "./compile-property.ts";

/** Marks the getters of missing values. */
const MISSING: unique symbol = Symbol("missing");

/**
 * Makes the read of a field throw, because no value may replace a value that the handlers of an entity did not return. Copies,
 * comparisons and JSON of the entity do not contain the field. Code that sets it gives it a value.
 * @param message says which value is missing
 */
export function defineMissing(owner: object, field: string, message: string): void {
  const get = (): never => {
    throw new TypeError(message);
  };
  Object.defineProperty(owner, field, {
    configurable: true,
    get: Object.assign(get, { [MISSING]: true }),
    set(this: object, value: unknown) {
      Object.defineProperty(this, field, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}

/** Returns the value of a field as `declaredFieldOf` does; undefined also for a field that `defineMissing` defined. */
export function givenFieldOf(entity: object, field: string): unknown {
  return isMissing(Object.getOwnPropertyDescriptor(entity, field)) ? undefined : declaredFieldOf(entity, field);
}

function isMissing(descriptor: { readonly get?: object } | undefined): boolean {
  return descriptor?.get !== undefined && MISSING in descriptor.get;
}
