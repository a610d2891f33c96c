import { copyFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleVocabularies } from "./bundle-vocabularies.ts";
import { bundleCryptography, bundleDiff3 } from "./bundle.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
writeFileSync(`${folder}/cryptography.js`, await bundleCryptography(folder));
copyFileSync(`${folder}/../node_modules/@noble/ciphers/LICENSE`, `${folder}/LICENSE`);
writeFileSync(`${folder}/diff3.js`, await bundleDiff3(folder));
copyFileSync(`${folder}/../node_modules/node-diff3/LICENSE.md`, `${folder}/LICENSE-diff3`);
copyFileSync(`${folder}/../node_modules/kysely/LICENSE`, `${folder}/LICENSE-kysely`);
writeFileSync(`${folder}/vocabularies.js`, await bundleVocabularies(folder));
copyFileSync(`${folder}/../node_modules/@sap-ux/odata-vocabularies/LICENSE`, `${folder}/LICENSE-vocabularies`);
