import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Ways to change another package, or to reach its private members. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  "writes to a prototype":
    /\bprototype(?:\.\w+|\[[^\]]+\]) ?=[^=]|Reflect\.(?:set|defineProperty|deleteProperty)\(\s*\w*[pP]rototype|setPrototypeOf\(|defineProperty\(\s*[\w.]*prototype\b/u,
  "finds private symbols": /getOwnPropertySymbols/u,
  // Our own phantom member of types is `["_types"]`.
  "reads a private member": /[\w)\]]\??\._[a-z]|\["_(?!types"\]|_proto__"\])\w+"\]|Reflect\.get\([^,()]+, "_/u,
};

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/gu;

test.each(Object.entries(FORBIDDEN))("no file %s", (_name, pattern) => {
  const found = filesBelow("src", ".ts").filter(({ text }) => pattern.test(text.replaceAll(COMMENT, "")));
  expect(found.map(({ path }) => path)).toEqual([]);
});

test.each([
  ["writes to a prototype", "Emitter.prototype.emit = watch;"],
  ["writes to a prototype", 'Object.defineProperty(Emitter.prototype, "emit", {});'],
  ["finds private symbols", "Object.getOwnPropertySymbols(pool)"],
  ["reads a private member", "pool._clients"],
  ["reads a private member", 'Reflect.get(pool, "_clients")'],
])("the pattern finds what %s: %s", (name, text) => {
  expect(FORBIDDEN[name]?.test(text)).toBe(true);
});
