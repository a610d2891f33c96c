import { isColumn, type StreamStore } from "../../edm/stream-property.ts";
import { readStreamReference } from "../../edm/stream-reference.ts";
import type { Context } from "../context.ts";
import { declaredStreams } from "../sets/stream-option.ts";
import type { WriteHook, WriteHooks } from "../sets/write-hooks.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";

/** A stream whose bytes are in a store outside of the rows. */
interface OutsideStream {
  readonly field: string;
  readonly store: StreamStore;
}

/** The parts of the argument of a hook that are read here, as the callers of hooks make them. */
interface ReleasingCall {
  readonly ctx: Pick<Context, "afterCommit">;
  readonly current?: () => Promise<object>;
  readonly delta?: object;
  readonly entity?: object;
}

/**
 * Adds to the hooks of a set those that delete the bytes of its streams, once a write that leaves no reference to them is
 * committed. They run in the transaction of the write, which has locked the entity, so each reference is seen once.
 * @param hooks those of the application; null without any
 * @returns null if the set has no hooks
 */
export function releasingHooks(entityType: EntityTypeDeclaration, hooks: WriteHooks | null): WriteHooks | null {
  const streams = declaredStreams(entityType).flatMap(([field, { store }]): readonly OutsideStream[] =>
    isColumn(store) ? [] : [{ field, store }],
  );
  if (streams.length === 0) return hooks;
  const always = hooksAround(streams, {}, {});
  return hooks === null ? { ...always, always } : { ...hooksAround(streams, hooks.before, hooks.after), always };
}

function hooksAround(
  streams: readonly OutsideStream[],
  before: WriteHooks["before"],
  after: WriteHooks["after"],
): WriteHooks {
  const patch: WriteHook = async (call) => {
    const { delta = {}, current, ctx } = call as unknown as ReleasingCall;
    const changed = streams.filter(({ field }) => Object.hasOwn(delta, field));
    if (changed.length > 0) release(changed, (await current?.()) ?? {}, ctx);
    return before.patch?.(call);
  };
  const remove: WriteHook = (call) => {
    const { entity = {}, ctx } = call as unknown as ReleasingCall;
    release(streams, entity, ctx);
    return after.delete?.(call);
  };
  return Object.freeze({
    before: Object.freeze({ ...before, patch }),
    after: Object.freeze({ ...after, delete: remove }),
  });
}

function release(streams: readonly OutsideStream[], entity: object, ctx: ReleasingCall["ctx"]): void {
  for (const { field, store } of streams) {
    const reference = readStreamReference((entity as Readonly<Record<string, unknown>>)[field]);
    if (reference !== null) ctx.afterCommit(() => store.delete(reference.id));
  }
}
