import { expect, test } from "vitest";
import { explorerSources, filesBelow } from "./source-files.ts";

const OF_DATABASE = "A Kysely instance belongs to the application, and several services share it.";

/** Permitted module state: the file, the declaration, and why no object can own it. */
const ARGUED: Readonly<Record<string, string>> = {
  "src/databases/connection/synchronous-reader.ts: findWriter": OF_DATABASE,
  "src/databases/forms/cast-forms.ts: scaledDecimals": "Statements compare forms by identity.",
  "src/databases/forms/real-decimals.ts: roundedReals": "Statements compare forms by identity.",
  "src/databases/read/connected.ts: usualConnection": OF_DATABASE,
  "src/databases/read/connected.ts: spreadConnection": OF_DATABASE,
  "src/databases/read/connected.ts: dividedConnection": OF_DATABASE,
  "src/databases/sqlite/dialect/column-format.ts: writesDoubles": OF_DATABASE,
  "src/databases/sqlite/dialect/forms.ts: scaledDecimalForm": "Statements compare forms by identity.",
  "src/databases/translate/base-query.ts: compiledOf": "A query of Kysely belongs to the application.",
  "src/databases/write/sql-session.ts: withoutPlugins": OF_DATABASE,
  "src/engine/reads/load-relations.ts: itemsOfIterator": "An iterator of the application can be read only once.",
};

/** A declaration at the left margin, up to the next line that begins there. */
const DECLARATION =
  /^(?:export )?(?<keyword>const|let|var|function) (?<name>\w+)(?<rest>[^\n]*(?:\n(?:[ \t})\]][^\n]*)?)*)/gmu;

const MUTABLE = /\bnew (?:Weak)?(?:Map|Set)\b|\bsignal\(/u;
/** Makes a table outside of its keys. */
const TABLE = /\bkeptPer(?:Foreign|Number)\(/u;
/** Code that runs when the module is loaded, and the variables that its closures keep. */
const CALLED_AT_ONCE = /^(?:: [^=]+)? =\s*\((?:\(\) =>|function)/u;

/** Returns whether a declaration is mutable state. Constant tables have readonly types. */
function isState(keyword: string, rest: string): boolean {
  if (TABLE.test(rest)) return true;
  if (keyword === "function") return false;
  if (keyword !== "const") return true;
  if (CALLED_AT_ONCE.test(rest)) return MUTABLE.test(rest) || /\blet\b/u.test(rest);
  const end = rest.search(/=>|\bfunction\b/u);
  const made = MUTABLE.exec(end < 0 ? rest : rest.slice(0, end));
  if (made === null) return false;
  const type = /^: (?<type>[^=]+) =/u.exec(rest)?.groups?.["type"] ?? "";
  return !/^new (?:Map|Set)/u.test(made[0]) || type === "" || /^(?:Map|Set)\b/u.test(type);
}

function stateOf(path: string, text: string): readonly string[] {
  return Array.from(text.matchAll(DECLARATION), ({ groups }) => groups ?? {})
    .filter(({ keyword = "", rest = "" }) => isState(keyword, rest))
    .map(({ name = "" }) => `${path}: ${name}`);
}

test("no module keeps state: base/memo keeps values that derive from an object, and a service owns the rest", () => {
  const found = [...filesBelow("src", ".ts"), ...explorerSources()]
    .filter(({ path }) => path !== "src/base/memo.ts")
    .flatMap(({ path, text }) => stateOf(path, text));
  expect(found).toEqual(Object.keys(ARGUED));
});

test.each([
  ["let count = 0;", ["count"]],
  ["const known = new WeakMap<object, string>();", ["known"]],
  ["const known: ReadonlyMap<object, WeakMap<object, string>> = new WeakMap();", ["known"]],
  ["export const names = new Map<string, string>();", ["names"]],
  ["const names: Map<string, string> = new Map();", ["names"]],
  ["const view = signal(0);", ["view"]],
  ["const view: Signal<number> = signal(0);", ["view"]],
  ["const caches = {\n  one: new WeakMap<object, string>(),\n};", ["caches"]],
  ["const NAMES: ReadonlySet<string> = new Set(\n  ALL.map((name) => name),\n);", []],
  ["const writersOf = keptPer((_set: EntitySet) => new Map<string, Writer>());", []],
  ["const writerOf = keptPerForeign((db: object) => new Writer(db));", ["writerOf"]],
  ["function formsOf(): Forms {\n  return keptPerNumber((scale) => form(scale));\n}", ["formsOf"]],
  ["const next = (() => {\n  let count = 0;\n  return () => (count += 1);\n})();", ["next"]],
  [
    "const find: Find = (() => {\n  const known = new Map<string, string>();\n  return (key) => known.get(key);\n})();",
    ["find"],
  ],
  ["const NAMES = (() => {\n  const name = 1;\n  return name;\n})();", []],
  ["function find(): void {\n  let count = 0;\n  const seen = new Set<string>();\n}", []],
])("%j", (text, names) => {
  expect(stateOf("x.ts", text)).toEqual(names.map((name) => `x.ts: ${name}`));
});
