import { isPromiseLike, unawaited } from "../../base/maybe.ts";
import { absentValue } from "../../edm/absent-value.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { isODataError } from "../../errors/odata-error.ts";
import { type Context, instantOf, ruleContextOf, type RuleContext, type User } from "../context.ts";
import { isObject } from "../option-table.ts";
import { requireUser } from "../sets/authorization.ts";
import { now, type SetFacts } from "../sets/set-option.ts";
import { canonicalValue } from "./canonical-value.ts";

/** A function of the option `set`. */
type SetFunction = (facts: SetFacts) => unknown;

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
  return found.length === 0 ? null : Object.freeze({ set, properties: Object.freeze(found) });
}

function functionIn(value: unknown): SetFunction | null {
  // The startup check found functions; `SetOption` typed their parameters and results.
  return typeof value === "function" ? (value as SetFunction) : null;
}

/**
 * Returns the values that the server sets for one entity.
 * @param cause whether the entity is created; else it is changed
 * @param given the values of the entity so far, by field: they stay
 * @returns the further values by field, in canonical form
 * @throws ODataError that a function throws or returns; Error for a wrong value, with the set, the property and its type
 */
export function valuesToSet(
  { set, properties }: SetValues,
  cause: "create" | "update",
  given: object,
  context: Context,
): Readonly<Record<string, unknown>> {
  const facts = new RequestFacts(context);
  const entries: Array<readonly [string, unknown]> = [];
  for (const { property, isIgnored, [cause]: supply } of properties) {
    const { field } = property;
    if (Object.hasOwn(given, field) && (given as Readonly<Record<string, unknown>>)[field] !== undefined) continue;
    if (supply !== null) entries.push([field, supplied({ set, property, kind: cause }, supply, facts)]);
    // Clients cannot send the value, so a new entity gets that of an absent member.
    else if (cause === "create" && !isIgnored) entries.push([field, absentValue(property)]);
  }
  return Object.fromEntries(entries);
}

/** The place of a value, for errors. */
interface SuppliedPlace {
  readonly set: string;
  readonly property: StructuralProperty;
  readonly kind: "create" | "update";
}

function supplied({ set, property, kind }: SuppliedPlace, supply: SetFunction, facts: SetFacts): unknown {
  if (supply === now) return instantFor(property, facts.now);
  const value = supply(facts);
  if (isODataError(value)) throw value;
  const typeName = property.isCollection ? `Collection(${property.type.name})` : property.type.name;
  const place = `\`set.${property.field}.${kind}\` of ${set}`;
  if (isPromiseLike(value)) {
    unawaited(value);
    throw new Error(
      `${place} returned a promise, but it must return a value of ${typeName}. Load values in \`authenticate\`.`,
    );
  }
  try {
    return canonicalValue(property, value);
  } catch (cause) {
    if (!(cause instanceof InvalidValueError)) throw cause;
    throw new Error(`${place} returned no value of ${typeName}: ${cause.message}`, { cause });
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
class RequestFacts implements SetFacts {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get user(): User {
    return requireUser(this.#context);
  }

  get now(): Date {
    return new Date(instantOf(this.#context));
  }

  get ctx(): RuleContext {
    return ruleContextOf(this.#context);
  }
}
