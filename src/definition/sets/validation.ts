import type { FaultParameters } from "../../base/errors/fault.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { SetContext, Transaction } from "../context.ts";
import type { Answer, Awaitable } from "../handlers.ts";
import type { DeltaOf, ReadEntityOf } from "../types/entity-values.ts";
import type { GraphOf } from "../types/navigation-declaration.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/**
 * A schema of zod, valibot, arktype or another library with the interface Standard Schema, version 1.
 * @see https://standardschema.dev
 */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Awaitable<{ readonly issues?: readonly Issue[] | undefined }>;
  };
}

/** A fault that `validate` finds. */
export interface Issue {
  /** The text for the client. */
  readonly message: string;
  /** The keys of properties, and the positions of items, that lead to the value at fault; absent: the entity. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** A fault that a function finds, with its own error code; absent: `InvalidBody`. */
export interface CodedIssue extends Issue {
  readonly code?: string | undefined;
  /** The parameters of `messages` of the service, such as `{ most: 5 }`. */
  readonly parameters?: FaultParameters | undefined;
}

/** The result of a function: the issues that it found, nothing for valid values, or the error for the client. */
type Judgement = Answer<readonly CodedIssue[] | null | undefined | void>;

/** The option `validate`: judges the values that clients write. @see docs/reference/validation.md */
export interface ValidateOption<E extends EntityTypeDeclaration, N, T extends Transaction = Transaction> {
  /** Judges new entities, nested ones included, and replacements: a schema of the entity, or a function. */
  readonly create?:
    | StandardSchema
    | ((given: { readonly entity: GraphOf<E, N>; readonly ctx: SetContext<E, N, T> }) => Judgement)
    | undefined;
  /** Judges changes: a schema of the delta, or a function. */
  readonly patch?:
    | StandardSchema
    | ((given: {
        readonly delta: DeltaOf<E>;
        /** Loads the entity that is changed, once; null if it is missing, or the user does not see it. */
        readonly current: () => Promise<ReadEntityOf<E> | null>;
        readonly ctx: SetContext<E, N, T>;
      }) => Judgement)
    | undefined;
}

/**
 * Finds the issues of a written value.
 * @param value the entity or delta
 * @param given the argument of a function
 */
type Validator = (value: object, given: object) => Maybe<unknown>;

/** The validators of a set; undefined: none. */
export interface Validators {
  readonly create: Validator | undefined;
  readonly patch: Validator | undefined;
  /** Whether `patch` is a function, which may load the stored entity. */
  readonly readsStored: boolean;
}

/** Returns the validators of the option `validate`; null without the option. */
export function validatorsOf(option: unknown): Validators | null {
  if (typeof option !== "object" || option === null) return null;
  const { create, patch }: { readonly create?: unknown; readonly patch?: unknown } = option;
  const readsStored = typeof patch === "function" && !isStandardSchema(patch);
  return Object.freeze({ create: toValidator(create), patch: toValidator(patch), readsStored });
}

function toValidator(declared: unknown): Validator | undefined {
  // Schemas of arktype are functions.
  if (isStandardSchema(declared)) {
    const { "~standard": standard } = declared;
    // Libraries have their own codes, which the service does not use.
    return (value) =>
      chain(standard.validate(value), ({ issues }) => issues?.map(({ message, path }) => ({ message, path })));
  }
  return typeof declared === "function"
    ? (_value, given) => Reflect.apply(declared, undefined, [given]) as unknown
    : undefined;
}

/** Returns whether a value has the interface Standard Schema, version 1. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = "~standard" in value ? value["~standard"] : undefined;
  if (typeof standard !== "object" || standard === null) return false;
  return (
    "version" in standard && standard.version === 1 && "validate" in standard && typeof standard.validate === "function"
  );
}
