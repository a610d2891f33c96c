import { isODataError } from "../../base/errors/odata-error.ts";
import { frozenCopy } from "../../base/frozen-copy.ts";
import { chain, isPromiseLike, type Maybe, unawaited } from "../../base/maybe.ts";
import { absentValue } from "../../edm/absent-value.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { type Context, instantOf, type RuleContext, type User } from "../context.ts";
import { isObject } from "../option-table.ts";
import { requireUser } from "../sets/authorization.ts";
import { now, type SetFacts } from "../sets/set-option.ts";
import { canonicalValue } from "./canonical-value.ts";

/** A function of the option `set`. */
type SetFunction = (facts: SetFacts) => unknown;

/** Why the server sets values: for a new entity, or for a change. */
export type SetCause = "create" | "update";

/** One property whose value the server sets. */
interface SetProperty {
  /** The property in the model of the service. */
  readonly property: StructuralProperty;
  readonly isIgnored: boolean;
  /** Null without the function. */
  readonly create: SetFunction | null;
  readonly update: SetFunction | null;
}

/** The properties of one set whose values the server sets. */
export interface SetValues {
  /** The name of the set, for errors. */
  readonly set: string;
  readonly properties: readonly SetProperty[];
  /** Whether a function is `async`, so that it runs in the transaction of the write. */
  readonly isAsync: Readonly<Record<SetCause, boolean>>;
}

/** Resolves the checked option `set` of a set; null without the option. */
export function resolveSetValues(
  set: string,
  option: unknown,
  { properties, ignoredProperties }: EntityType,
): SetValues | null {
  if (!isObject(option)) return null;
  const found = [...properties, ...ignoredProperties].flatMap((property): readonly SetProperty[] => {
    const given = Object.hasOwn(option, property.field) ? option[property.field] : undefined;
    if (!isObject(given)) return [];
    const functions = { create: functionIn(given["create"]), update: functionIn(given["update"]) };
    return [Object.freeze({ property, isIgnored: ignoredProperties.includes(property), ...functions })];
  });
  if (found.length === 0) return null;
  const isAsync = {
    create: found.some((each) => isAsyncFunction(each.create)),
    update: found.some((each) => isAsyncFunction(each.update)),
  };
  return Object.freeze({ set, properties: Object.freeze(found), isAsync: Object.freeze(isAsync) });
}

function functionIn(value: unknown): SetFunction | null {
  // The startup check found functions; `SetOption` typed their parameters and results.
  return typeof value === "function" ? (value as SetFunction) : null;
}

/** Whether a function is declared with `async`. */
export function isAsyncFunction(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

/** Calls the functions of one set for one entity. */
export interface SetCall {
  /** Why the values are set. */
  readonly cause: SetCause;
  /** The values of the entity so far, by field: they stay. */
  readonly given: object;
  readonly facts: SetFacts;
  /** Runs an `async` function of the application, whose name errors contain. */
  readonly run: (name: string, supply: () => unknown) => Maybe<unknown>;
}

/**
 * Returns the values that the server sets for one entity. Its functions run one after another.
 * @returns the further values by field, in canonical form; a promise only if a function is `async`
 * @throws ODataError that a function throws or returns; Error for a wrong value, with the set, the property and its type
 */
export function valuesToSet({ set, properties }: SetValues, call: SetCall): Maybe<Readonly<Record<string, unknown>>> {
  const { given } = call;
  const missing = properties.filter(({ property: { field } }) => {
    return !Object.hasOwn(given, field) || (given as Readonly<Record<string, unknown>>)[field] === undefined;
  });
  return supplyFrom(0);

  function supplyFrom(
    index: number,
    entries: ReadonlyArray<readonly [string, unknown]> = [],
  ): Maybe<Readonly<Record<string, unknown>>> {
    const each = missing[index];
    if (each === undefined) return Object.fromEntries(entries);
    return chain(valueFor(set, each, call), (value) =>
      supplyFrom(index + 1, value === undefined ? entries : [...entries, [each.property.field, value]]),
    );
  }
}

/** Returns the value of one property; undefined: it gets none. */
function valueFor(set: string, { property, isIgnored, ...functions }: SetProperty, call: SetCall): unknown {
  const supply = functions[call.cause];
  if (supply !== null) return supplied({ set, property, kind: call.cause }, supply, call);
  // Clients cannot send the value, so a new entity gets that of an absent member.
  return call.cause === "create" && !isIgnored ? absentValue(property) : undefined;
}

/** The place of a value, for errors. */
interface SuppliedPlace {
  readonly set: string;
  readonly property: StructuralProperty;
  readonly kind: SetCause;
}

function supplied(place: SuppliedPlace, supply: SetFunction, { facts, run }: SetCall): Maybe<unknown> {
  const { set, property, kind } = place;
  if (supply === now) return instantFor(property, facts.now);
  const name = `\`set.${property.field}.${kind}\` of ${set}`;
  if (isAsyncFunction(supply)) {
    const result = run(name, () => supply(facts));
    return chain(result, (each) => canonicalOf(place, name, each));
  }
  const value = supply(facts);
  if (isPromiseLike(value)) {
    unawaited(value);
    throw new Error(
      `${name} returned a promise, but it is no \`async\` function. Declare it as one, such as \`async ({ input, ctx }) => …\`: it then runs in the transaction of the write.`,
    );
  }
  return canonicalOf(place, name, value);
}

function canonicalOf({ property }: SuppliedPlace, name: string, value: unknown): unknown {
  if (isODataError(value)) throw value;
  const typeName = property.isCollection ? `Collection(${property.type.name})` : property.type.name;
  try {
    return canonicalValue(property, value);
  } catch (cause) {
    if (!(cause instanceof InvalidValueError)) throw cause;
    throw new Error(`${name} returned no value of ${typeName}: ${cause.message}`, { cause });
  }
}

/** The digits of seconds that an instant has. */
const INSTANT_DIGITS = 3;
/** The length of an instant without fractions and zone. */
const WHOLE_SECONDS = "2026-01-01T00:00:00".length;

/** Returns an instant as a value of a property; later digits are cut. */
function instantFor({ type, facets }: StructuralProperty, instant: Date): string {
  const text = instant.toISOString();
  if (type.name === "Edm.Date") return text.slice(0, text.indexOf("T"));
  const digits = Math.min(facets.precision ?? INSTANT_DIGITS, INSTANT_DIGITS);
  return `${text.slice(0, digits === 0 ? WHOLE_SECONDS : WHOLE_SECONDS + 1 + digits)}Z`;
}

/** The facts of one write. Getters, because most functions need few of them. */
export class WriteFacts implements SetFacts {
  readonly #call: FactsSource;
  #input: object | undefined;

  constructor(call: FactsSource) {
    this.#call = call;
  }

  get user(): User {
    return requireUser(this.#call.context);
  }

  get now(): Date {
    return new Date(instantOf(this.#call.context));
  }

  get ctx(): RuleContext {
    return this.#call.ofHandlers();
  }

  get input(): object {
    this.#input ??= frozenCopy(this.#call.input) as object;
    return this.#input;
  }

  get key(): unknown {
    return this.#call.key;
  }

  get current(): (() => unknown) | undefined {
    return this.#call.current;
  }
}

/** The origin of the facts of one write. */
export interface FactsSource {
  readonly context: Context;
  /** Returns the context of the handlers of the set. */
  readonly ofHandlers: () => RuleContext;
  /** The values that the client sent. */
  readonly input: object;
  /** The key of a changed entity; absent for a new one. */
  readonly key?: unknown;
  /** Loads the changed entity; absent for a new one. */
  readonly current?: (() => unknown) | undefined;
}
