import { expect, test } from "vitest";
import { Turn } from "../../src/base/maybe.ts";

test("concurrent work of one turn shares its pause, and the next pause is another one", async () => {
  const turn = new Turn();
  const first = turn.next();
  expect(turn.next()).toBe(first);
  await first;
  expect(turn.isOver).toBe(false);
  const second = turn.next();
  expect(second).not.toBe(first);
  await second;
});
