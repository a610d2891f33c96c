import { rolldown } from "rolldown";

/**
 * Bundles the parts of `@noble/ciphers` and `@noble/hashes` that odatakit uses into one module without imports, so that
 * an application installs no dependency.
 * @param folder that holds `source.js`
 * @returns the text of the module
 * @see docs/decisions/0022-cryptography.md
 */
export async function bundleCryptography(folder: string): Promise<string> {
  const bundle = await rolldown({ input: `${folder}/source.js`, platform: "neutral", logLevel: "silent" });
  try {
    const { output } = await bundle.generate({
      format: "esm",
      comments: { legal: true, annotation: true, jsdoc: false },
    });
    return `// Made by \`npm run vendor\` of @noble/ciphers and @noble/hashes; their licence is in LICENSE.\n${output[0].code}`;
  } finally {
    await bundle.close();
  }
}
