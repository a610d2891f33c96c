import type { Context, Principal } from "odatakit";
import type { SetName } from "./row-rules.ts";

/** Hooks and values of `set` for the sets of the rows suites. They reveal no hidden row, and change none. */

/** The argument of a function of `set`. */
interface Facts {
  readonly user: Principal;
}

const byUser = ({ user }: Facts): string => user.id ?? "";

/** Rules and ETags read some of these properties. */
const VALUES: Readonly<Record<SetName, object>> = {
  publishers: { founded: { create: () => "2005-05-05" } },
  authors: { name: { create: byUser, update: byUser } },
  books: { title: { create: byUser, update: byUser }, price: { create: () => "1.50" } },
  chapters: { title: { create: byUser, update: byUser } },
  notes: {
    text: { create: byUser },
    at: { create: () => "2001-02-03T04:05:06.789Z", update: () => "2020-02-03T04:05:06.789Z" },
  },
  tags: { label: { create: () => "made", update: byUser } },
};

/** The argument of a hook before a write. */
interface Before {
  readonly ctx: Context;
  readonly entity?: object;
  readonly delta?: object;
  readonly current?: () => Promise<object | null>;
}

/** Loads the stored entity, and returns an equal body. */
async function pass({ entity, delta, current, ctx }: Before): Promise<object | undefined> {
  ctx.afterCommit(() => undefined);
  await current?.();
  const given = entity ?? delta;
  return given === undefined ? undefined : { ...given };
}

const show = (): object => ({});

/**
 * The options of a set whose writes pass hooks, and whose rows have values that the server sets.
 */
export function hooksOf(set: SetName, isHooked: boolean | undefined): object {
  if (isHooked !== true) return {};
  return {
    set: VALUES[set],
    before: { create: pass, replace: pass, patch: pass, delete: pass },
    after: { create: show, replace: show, patch: show, delete: () => undefined },
  };
}
