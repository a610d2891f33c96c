import { rolldown } from "rolldown";

/**
 * Bundles the parts of `@noble/ciphers` and `@noble/hashes` that odatakit uses into one module without imports, so that
 * an application installs no dependency.
 * @param folder that holds `source.js`
 * @returns the text of the module
 * @see docs/decisions/0022-cryptography.md
 */
export async function bundleCryptography(folder: string): Promise<string> {
  return bundleModule(`${folder}/source.js`, "@noble/ciphers and @noble/hashes; their licence is in LICENSE");
}

/** Bundles the part of `node-diff3` that `odatakit pull` uses, in the same way. @param folder that holds `diff3-source.js` */
export async function bundleDiff3(folder: string): Promise<string> {
  return bundleModule(`${folder}/diff3-source.js`, "node-diff3; its licence is in LICENSE-diff3");
}

async function bundleModule(input: string, origin: string): Promise<string> {
  const bundle = await rolldown({ input, platform: "neutral", logLevel: "silent" });
  try {
    const { output } = await bundle.generate({
      format: "esm",
      comments: { legal: true, annotation: true, jsdoc: false },
    });
    return `// Made by \`npm run vendor\` of ${origin}.\n${output[0].code}`;
  } finally {
    await bundle.close();
  }
}
