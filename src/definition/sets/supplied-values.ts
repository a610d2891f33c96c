import type { Maybe } from "../../base/maybe.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { Context } from "../context.ts";

type Key = readonly PrimitiveValue[];

/** The values of `set` that hooks have seen in the rows of a link. Its handler stores them, instead of others. */
export class SuppliedValues {
  readonly #values = new Map<string, object>();
  /** Supplies the values of a row that no hook has seen, for example because another request has linked the row meanwhile. */
  supply: ((key: Key, values: object) => Maybe<object>) | null = null;

  note(set: string, key: Key, values: object): void {
    this.#values.set(identityOf(set, key), values);
  }

  /** Returns the values of a row; undefined if no hook has seen it. */
  of(set: string, key: Key): object | undefined {
    return this.#values.get(identityOf(set, key));
  }
}

function identityOf(set: string, key: Key): string {
  return JSON.stringify([set, ...key.map(String)]);
}

interface LinkingCall {
  readonly supplied?: SuppliedValues | undefined;
}

/** Returns the values that hooks have seen in the rows of a link; undefined without hooks. */
export function suppliedIn(context: Context & LinkingCall): SuppliedValues | undefined {
  return context.supplied;
}
