import type { SetContext, Transaction } from "../context.ts";
import type { Answer } from "../handlers.ts";
import type { BodyOf, DeltaOf, KeyOf, ReadEntityOf, ResultOf } from "../types/entity-values.ts";
import type { LiteralContext } from "../types/literal-context.ts";
import type { GraphOf } from "../types/navigation-declaration.ts";
import type { ComputedOf } from "../types/server-set.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** The part of its argument that every hook receives. */
interface HookCall<E extends EntityTypeDeclaration, N, T extends Transaction> {
  /** The context of the handlers of the set, within the transaction of the write. */
  readonly ctx: SetContext<E, N, T>;
}

/** The argument of the hooks of an existing entity. */
interface KeyedCall<E extends EntityTypeDeclaration, N, T extends Transaction, Current> extends HookCall<E, N, T> {
  readonly key: KeyOf<E>;
  /**
   * Loads the stored entity in the transaction of the write, and locks it, at most once. A missing entity ends the write, as
   * without a hook.
   */
  readonly current: () => Promise<Current>;
}

// A hook without a `return` returns void.
type Changed<Values> = Answer<Values | undefined | void | LiteralContext>;

/**
 * Functions that run before a write, in its transaction. They may throw or return `odataError`, or return the values to write
 * instead.
 * @see docs/reference/handlers.md, Hooks
 */
export interface BeforeHooks<E extends EntityTypeDeclaration, N = unknown, T extends Transaction = Transaction> {
  readonly create?:
    | ((call: HookCall<E, N, T> & { readonly entity: GraphOf<E, N> }) => Changed<BodyOf<E> & ComputedOf<E>>)
    | undefined;
  readonly replace?:
    | ((
        // Null: a `replace` handler that creates missing entities is about to create one.
        call: KeyedCall<E, N, T, ReadEntityOf<E> | null> & { readonly entity: Readonly<BodyOf<E>> },
      ) => Changed<BodyOf<E> & ComputedOf<E>>)
    | undefined;
  readonly patch?:
    | ((
        call: KeyedCall<E, N, T, ReadEntityOf<E>> & { readonly delta: DeltaOf<E> },
      ) => Changed<DeltaOf<E> & ComputedOf<E>>)
    | undefined;
  readonly delete?: ((call: KeyedCall<E, N, T, ReadEntityOf<E>>) => Changed<never>) | undefined;
}

/** The argument of the hooks after a write. */
interface StoredCall<E extends EntityTypeDeclaration, N, T extends Transaction> extends HookCall<E, N, T> {
  readonly key: KeyOf<E>;
  /** The entity as stored, with every declared property; as it was before for a deletion. */
  readonly entity: ReadEntityOf<E>;
}

type Shown<E extends EntityTypeDeclaration> = Changed<Partial<ResultOf<E>>>;

/**
 * Functions that run after a write, in its transaction. They may throw or return `odataError`, which undoes the write, or return
 * members that the response shows instead.
 * @see docs/reference/handlers.md, Hooks
 */
export interface AfterHooks<E extends EntityTypeDeclaration, N = unknown, T extends Transaction = Transaction> {
  readonly create?: ((call: StoredCall<E, N, T>) => Shown<E>) | undefined;
  readonly replace?: ((call: StoredCall<E, N, T>) => Shown<E>) | undefined;
  readonly patch?: ((call: StoredCall<E, N, T>) => Shown<E>) | undefined;
  /** Receives the entity as it was before the deletion, with every declared property. */
  readonly delete?: ((call: StoredCall<E, N, T>) => Changed<never>) | undefined;
}

/** The names of the writes that have hooks. */
export type HookedWrite = "create" | "replace" | "patch" | "delete";

/** A hook, without the types of its declaration. */
export type WriteHook = (call: Readonly<Record<string, unknown>>) => Answer<unknown>;

/** The hooks of a set, without the types of its declaration. */
export interface WriteHooks {
  readonly before: Readonly<Partial<Record<HookedWrite, WriteHook>>>;
  readonly after: Readonly<Partial<Record<HookedWrite, WriteHook>>>;
  /** Those that run also for trusted code that skips the hooks of the application; absent: none. */
  readonly always?: WriteHooks | undefined;
}
