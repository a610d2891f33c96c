import { expect, test } from "vitest";
import { bundleCryptography } from "../../vendor/bundle.ts";
import { importsOf } from "./imports.ts";
import { ROOT, readSource } from "./source-files.ts";

test("vendor/cryptography.js is the output of `npm run vendor` for the installed packages", async () => {
  expect(readSource("vendor/cryptography.js").text).toBe(await bundleCryptography(`${ROOT}vendor`));
});

test("it imports nothing, is bundled, and is published with its licence", () => {
  expect(importsOf(readSource("vendor/cryptography.js").text)).toEqual([]);
  const { files, imports } = JSON.parse(readSource("package.json").text) as Record<string, unknown>;
  expect((files as readonly string[]).filter((path) => path.startsWith("vendor"))).toEqual(["vendor/LICENSE"]);
  expect(imports).toEqual({
    "#cryptography": { types: "./vendor/cryptography.d.ts", default: "./vendor/cryptography.js" },
  });
});
