import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { BRANCH_FLOORS } from "./coverage-floors.ts";
import { ROOT } from "./source-files.ts";

const TABLE = "test/house/coverage-floors.ts";
/** The least floors of the wings whose floors only rise; 90 elsewhere. */
const GOALS: Readonly<Record<string, number>> = { language: 97, engine: 93, databases: 93 };

function goalOf(room: string): number {
  return GOALS[room.split("/")[0] ?? ""] ?? 90;
}

test.each(Object.entries(BRANCH_FLOORS))("the floor of %s, %d %%, is not below its goal", (room, floor) => {
  expect(floor).toBeGreaterThanOrEqual(goalOf(room));
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
    .filter(({ room, floor }) => goalOf(room) > 90 && (BRANCH_FLOORS[room] ?? Infinity) < floor);
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
