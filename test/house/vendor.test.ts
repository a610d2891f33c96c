import { describe, expect, test } from "vitest";
import { bundleVocabularies } from "../../vendor/bundle-vocabularies.ts";
import { bundleCryptography, bundleDiff3 } from "../../vendor/bundle.ts";
import { importsOf } from "./imports.ts";
import { ROOT, readSource } from "./source-files.ts";

describe.each([
  ["vendor/cryptography.js", bundleCryptography, "LICENSE", "node_modules/@noble/ciphers/LICENSE"],
  ["vendor/diff3.js", bundleDiff3, "LICENSE-diff3", "node_modules/node-diff3/LICENSE.md"],
  [
    "vendor/vocabularies.js",
    bundleVocabularies,
    "LICENSE-vocabularies",
    "node_modules/@sap-ux/odata-vocabularies/LICENSE",
  ],
] as const)("%s", (path, bundle, licence, original) => {
  test("is the output of `npm run vendor` for the installed packages", async () => {
    expect(readSource(path).text).toBe(await bundle(`${ROOT}vendor`));
  });

  test("imports nothing", () => {
    expect(importsOf(readSource(path).text)).toEqual([]);
  });

  test("has the licence of its packages", () => {
    expect(readSource(`vendor/${licence}`).text).toBe(readSource(original).text);
  });
});

test("the modules are bundled, and published with their licences", () => {
  const { files, imports } = JSON.parse(readSource("package.json").text) as Record<string, unknown>;
  expect((files as readonly string[]).filter((path) => path.startsWith("vendor"))).toEqual([
    "vendor/LICENSE",
    "vendor/LICENSE-diff3",
    "vendor/LICENSE-kysely",
    "vendor/LICENSE-vocabularies",
  ]);
  expect(imports).toEqual({
    "#cryptography": { types: "./vendor/cryptography.d.ts", default: "./vendor/cryptography.js" },
    "#diff3": { types: "./vendor/diff3.d.ts", default: "./vendor/diff3.js" },
    "#vocabularies": { types: "./vendor/vocabularies.d.ts", default: "./vendor/vocabularies.js" },
  });
});

test("the command has the licence of the Kysely in it", () => {
  expect(readSource("vendor/LICENSE-kysely").text).toBe(readSource("node_modules/kysely/LICENSE").text);
});
