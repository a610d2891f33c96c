import { rolldown } from "rolldown";

/**
 * Bundles the parts of `@noble/ciphers` and `@noble/hashes` that odatakit uses into one module without imports, so that
 * an application installs no dependency. The module runs their code at its first use, because they compute tables.
 * @param folder that holds `source.js`
 * @returns the text of the module
 * @see docs/decisions/0022-cryptography.md
 */
export async function bundleCryptography(folder: string): Promise<string> {
  const code = await bundleModule(`${folder}/source.js`, "cjs");
  return `${madeOf("@noble/ciphers and @noble/hashes; their licence is in LICENSE")}const run = (exports) => {
${code}return exports;
};
let made;
export const cryptography = () => (made ??= run({}));
`;
}

/** Bundles the part of `node-diff3` that `odatakit pull` uses, in the same way. @param folder that holds `diff3-source.js` */
export async function bundleDiff3(folder: string): Promise<string> {
  const code = await bundleModule(`${folder}/diff3-source.js`, "esm");
  return `${madeOf("node-diff3; its licence is in LICENSE-diff3")}${code}`;
}

function madeOf(origin: string): string {
  return `// Made by \`npm run vendor\` of ${origin}.\n`;
}

async function bundleModule(input: string, format: "cjs" | "esm"): Promise<string> {
  const bundle = await rolldown({ input, platform: "neutral", logLevel: "silent" });
  try {
    const { output } = await bundle.generate({
      format,
      comments: { legal: true, annotation: true, jsdoc: false },
    });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
