import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Calls that need a second step: only the file that takes both steps may make them. */
const ONE_PLACE = [
  {
    what: /\bbind(?:Collection|Entity|Count)Query\b/u,
    room: "src/service/endpoints",
    only: "src/service/endpoints/bind-query.ts",
  },
  { what: /\bfindEntity\b/u, room: "src/service/endpoints", only: "src/service/endpoints/current-entity.ts" },
  // Only files that also apply the gate of the row rules call handlers of applications.
  { what: /\bgetByKey(?:\.readRow)?\(/u, room: "src/engine", only: "src/engine/reads/read-by-key.ts" },
  { what: /\bgetAll\(/u, room: "src/engine", only: "src/engine/reads/open-set.ts" },
  { what: /\bapplyQuery\(query, context/u, room: "src/engine", only: "src/engine/reads/run-collection.ts" },
  { what: /\bsearch\(clause/u, room: "src/engine", only: "src/engine/reads/search-related.ts" },
  { what: /\bway\.get(?:Batch)?\(/u, room: "src/engine", only: "src/engine/reads/ask-by-key.ts" },
  { what: /\.readRelated\(/u, room: "src/engine", only: "src/engine/reads/read-joined.ts" },
] as const;

test.each(ONE_PLACE)("only $only calls $what", ({ what, room, only }) => {
  const files = filesBelow(room, ".ts").flatMap(({ path, text }) => (what.test(text) ? [path] : []));
  expect(files).toEqual([only]);
});

test.each(["src/service/endpoints", "src/service/sets"])("%s calls no handler that row rules apply to", (room) => {
  const called = /\b(?:getByKey|getBatch|applyQuery)\(|\bhandlers\.\w+\(/u;
  expect(filesBelow(room, ".ts").flatMap(({ path, text }) => (called.test(text) ? [path] : []))).toEqual([]);
});

test.each([
  ["src/service/endpoints/authorized-request.ts", "engine|sets"],
  ["src/service/endpoints/execution.ts", "binder|plan|payload"],
])("%s imports nothing of %s: it holds the data of one stage", (file, rooms) => {
  const [{ text } = { text: "" }] = filesBelow("src/service/endpoints", ".ts").filter(({ path }) => path === file);
  expect(text).toContain("export class");
  expect(
    text.match(new RegExp(`from "(?:\\.[^"]*/(?:${rooms})/|\\./(?:authorized-request|execution)\\.ts").*`, "gu")) ?? [],
  ).toEqual([]);
});
