import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Permitted module state: the file, the declaration, and why no object can own it. */
const ARGUED: Readonly<Record<string, string>> = {
  "src/kysely/statement/parameter-slot.ts: executions":
    "A function of SQLite receives a number that identifies the execution of an item, and services share connections.",
};

/** A declaration at the left margin, up to the next line that begins there. */
const DECLARATION = /^(?:export )?(?<keyword>const|let|var) (?<name>\w+)(?<rest>[^\n]*(?:\n(?:[ \t})\]][^\n]*)?)*)/gmu;

const MUTABLE = /\bnew (?:Weak)?(?:Map|Set)\b/u;

/** Returns whether a declaration is mutable state. Constant tables have readonly types. */
function isState(keyword: string, rest: string): boolean {
  if (keyword !== "const") return true;
  const end = rest.search(/=>|\bfunction\b/u);
  const made = MUTABLE.exec(end < 0 ? rest : rest.slice(0, end));
  if (made === null) return false;
  const type = /^: (?<type>[^=]+) =/u.exec(rest)?.groups?.["type"] ?? "";
  return made[0].includes("Weak") || type === "" || /^(?:Map|Set)\b/u.test(type);
}

function stateOf(path: string, text: string): readonly string[] {
  return Array.from(text.matchAll(DECLARATION), ({ groups }) => groups ?? {})
    .filter(({ keyword = "", rest = "" }) => isState(keyword, rest))
    .map(({ name = "" }) => `${path}: ${name}`);
}

test("no module keeps state: base/memo keeps values that derive from an object, and a service owns the rest", () => {
  const found = filesBelow("src", ".ts").flatMap(({ path, text }) => stateOf(path, text));
  expect(found).toEqual(Object.keys(ARGUED));
});

test.each([
  ["let count = 0;", ["count"]],
  ["const known = new WeakMap<object, string>();", ["known"]],
  ["const known: ReadonlyMap<object, WeakMap<object, string>> = new WeakMap();", ["known"]],
  ["export const names = new Map<string, string>();", ["names"]],
  ["const names: Map<string, string> = new Map();", ["names"]],
  ["const caches = {\n  one: new WeakMap<object, string>(),\n};", ["caches"]],
  ["const NAMES: ReadonlySet<string> = new Set(\n  ALL.map((name) => name),\n);", []],
  ["const writersOf = keptPer((_set: EntitySet) => new Map<string, Writer>());", []],
  ["function find(): void {\n  let count = 0;\n  const seen = new Set<string>();\n}", []],
])("%j", (text, names) => {
  expect(stateOf("x.ts", text)).toEqual(names.map((name) => `x.ts: ${name}`));
});
