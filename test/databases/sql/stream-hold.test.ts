import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { holdStream } from "../../../src/databases/read/stream-hold.ts";
import type { StreamQuery } from "../../../src/language/query/source.ts";

const TRANSACTION = { name: "snapshot" };

function hold(signal: AbortSignal | undefined, timeout: number | null) {
  const released = vi.fn<() => void>();
  const query = { signal, streams: { most: null, timeout } } as StreamQuery;
  return {
    query,
    released,
    held: holdStream(query, { transaction: TRANSACTION, readsElsewhere: true, release: released }),
  };
}

describe("the hold of a stream", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("reads other rows in its snapshot while it is open", () => {
    const { query, held, released } = hold(undefined, 1000);
    expect(held.within(query)).toMatchObject({ transaction: TRANSACTION, signal: held.scope.signal });
    expect(released).not.toHaveBeenCalled();
    held.end();
    expect(released).toHaveBeenCalledTimes(1);
  });

  test("reads nothing after its time limit: the rows would not match the sent rows", () => {
    const gone = new AbortController();
    const { query, held, released } = hold(gone.signal, 1000);
    vi.advanceTimersByTime(1000);
    gone.abort(new Error("The client has left."));
    expect(released).toHaveBeenCalledTimes(1);
    expect(() => held.within(query)).toThrow("The response took more than 1 s, which is the streamTimeout");
    held.end();
    expect(() => held.within(query)).toThrow("streamTimeout");
    expect(released).toHaveBeenCalledTimes(1);
  });

  test.each(["before it begins", "later"])("reads nothing for a client that leaves %s", (moment) => {
    const gone = new AbortController();
    if (moment === "before it begins") gone.abort(new Error("The client has left."));
    const { query, held, released } = hold(gone.signal, null);
    gone.abort(new Error("The client has left."));
    expect(released).toHaveBeenCalledTimes(1);
    expect(() => held.within(query)).toThrow("The client has left.");
  });

  test("leaves a query as it is after its reader has closed it, also when its time is over", () => {
    const gone = new AbortController();
    const { query, held } = hold(gone.signal, 1000);
    held.end();
    vi.advanceTimersByTime(1000);
    gone.abort();
    expect(held.within(query)).toBe(query);
  });
});
