import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { BRANCH_FLOORS } from "./coverage-floors.ts";
import { ROOT } from "./source-files.ts";

const TABLE = "test/house/coverage-floors.ts";
/** Rooms of pure functions, which tests reach easily. */
const PURE_ROOMS: ReadonlySet<string> = new Set(["binder", "payload", "plan", "query", "syntax"]);

test.each(Object.entries(BRANCH_FLOORS))("the floor of %s, %d %%, is not below its goal", (room, floor) => {
  expect(floor).toBeGreaterThanOrEqual(PURE_ROOMS.has(room) ? 97 : 93);
});

test("no floor is lower than in an earlier commit", () => {
  const lowered = git("log", "--format=%h", "--", TABLE)
    .split("\n")
    .filter((commit) => commit !== "")
    .flatMap((commit) =>
      Array.from(
        git("show", `${commit}:${TABLE}`).matchAll(/^ {2}"?([\w/]+)"?: (\d+),$/gmu),
        ([, room = "", floor]) => ({
          room,
          commit,
          floor: Number(floor),
        }),
      ),
    )
    .filter(({ room, floor }) => (BRANCH_FLOORS[room] ?? Infinity) < floor);
  expect(lowered).toEqual([]);
});

/** Runs Git. Returns nothing in a copy of the project without its history, which has no earlier floors. */
function git(...options: readonly string[]): string {
  try {
    return execFileSync("git", options, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}
