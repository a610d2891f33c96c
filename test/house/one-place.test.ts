import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** What must be done together with something else: only the file that does both may do it. */
const ONE_PLACE = [
  { what: /\bbind(?:Collection|Entity|Count)Query\b/u, room: "src/endpoints", only: "src/endpoints/bind-query.ts" },
  { what: /\bfindEntity\b/u, room: "src/endpoints", only: "src/endpoints/addressed-entity.ts" },
] as const;

test.each(ONE_PLACE)("$what is called in $only alone", ({ what, room, only }) => {
  const files = filesBelow(room, ".ts").flatMap(({ path, text }) => (what.test(text) ? [path] : []));
  expect(files).toEqual([only]);
});
