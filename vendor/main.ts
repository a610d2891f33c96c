import { copyFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleCryptography } from "./bundle.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
writeFileSync(`${folder}/cryptography.js`, await bundleCryptography(folder));
copyFileSync(`${folder}/../node_modules/@noble/ciphers/LICENSE`, `${folder}/LICENSE`);
