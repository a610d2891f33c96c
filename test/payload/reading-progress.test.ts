import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isPromiseLike } from "../../src/base/maybe.ts";
import { type Pace, Paused, type Steps } from "../../src/base/turn.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { ReadingProgress } from "../../src/payload/reading-progress.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** As if each reading of the clock came a given time after the last one. */
function slowClock(milliseconds: number): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += milliseconds));
}

const nested = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.integer({ min: 0, max: 9 }),
    fc.array(tie("value"), { maxLength: 60, size: "max" }),
  ),
})).value;

/** Reads a value as collections within collections. @param seen counts the single values that were read */
function doubled(progress: ReadingProgress, value: JsonValue, seen: { count: number }): unknown {
  if (Array.isArray(value)) return progress.readItems(value, (item) => doubled(progress, item, seen));
  seen.count += 1;
  return 2 * Number(value);
}

function plain(value: JsonValue): unknown {
  return Array.isArray(value) ? value.map((item) => plain(item)) : 2 * Number(value);
}

describe("the items of long collections", () => {
  test("are those of one turn, wherever the reading pauses", async () => {
    await fc.assert(
      fc.asyncProperty(nested, fc.integer({ min: 1, max: 12 }), async (value, milliseconds) => {
        slowClock(milliseconds);
        const progress = new ReadingProgress();
        expect(await progress.inTurns(() => doubled(progress, value, { count: 0 }))).toEqual(plain(value));
      }),
      { endOnFailure: true },
    );
  });

  test("are read once, in as many turns as they need", async () => {
    slowClock(6);
    const items = Array.from({ length: 1000 }, (_none, index) => index);
    const progress = new ReadingProgress();
    const seen = { count: 0 };
    let attempts = 0;
    const reading = progress.inTurns(() => {
      attempts += 1;
      return doubled(progress, items, seen);
    });
    expect(isPromiseLike(reading)).toBe(true);
    expect(await reading).toEqual(plain(items));
    expect(seen.count).toBe(1000);
    expect(attempts).toBeGreaterThan(5);
  });

  test("end in one turn if the clock allows it", () => {
    const items = Array.from({ length: 1000 }, (_none, index) => index);
    vi.spyOn(performance, "now").mockReturnValue(1);
    const progress = new ReadingProgress();
    expect(progress.inTurns(() => doubled(progress, items, { count: 0 }))).toEqual(plain(items));
  });

  test("end in one turn outside of `inTurns`, which alone can continue", () => {
    slowClock(1000);
    const items = Array.from({ length: 1000 }, (_none, index) => index);
    expect(doubled(new ReadingProgress(), items, { count: 0 })).toEqual(plain(items));
  });

  test("end with the error of an item after a pause", async () => {
    slowClock(6);
    const items = Array.from({ length: 1000 }, (_none, index) => index);
    const progress = new ReadingProgress();
    const reading = progress.inTurns(() =>
      progress.readItems(items, (_item, index) => {
        if (index === 900) throw new Error("wrong item");
        return index;
      }),
    );
    await expect(reading).rejects.toThrow("wrong item");
  });
});

describe("long work on a part", () => {
  /** Counts its steps. @param end returns the result */
  function* counting<T>(pace: Pace, seen: { count: number }, end: () => T): Steps<T> {
    for (let step = 0; step < 100; step += 1) {
      seen.count += 1;
      if (pace.isOver) yield;
    }
    return end();
  }

  test("is done once, in as many turns as it needs", async () => {
    slowClock(6);
    const progress = new ReadingProgress();
    const seen = { count: 0 };
    let attempts = 0;
    const reading = progress.inTurns(() => {
      attempts += 1;
      return ["a", "b"].map((part) => progress.doSteps("check", part, (pace) => counting(pace, seen, () => part)));
    });
    expect(await reading).toEqual(["a", "b"]);
    expect(seen.count).toBe(200);
    expect(attempts).toBeGreaterThan(5);
  });

  test("fails again in each repetition", async () => {
    slowClock(6);
    const progress = new ReadingProgress();
    const seen = { count: 0 };
    const fail = (): never => {
      throw new Error("wrong part");
    };
    const reading = progress.inTurns(() => {
      const check = (part: string, end: () => unknown): unknown =>
        progress.doSteps("check", part, (pace) => counting(pace, seen, end));
      try {
        return check("a", fail);
      } catch (error) {
        if (!(error instanceof Paused)) check("b", () => null);
        throw error;
      }
    });
    await expect(reading).rejects.toThrow("wrong part");
    expect(seen.count).toBe(200);
  });
});
