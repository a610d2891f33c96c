import { readFileSync } from "node:fs";
import process from "node:process";

/**
 * Prints the section of CHANGELOG.md for a tag such as `v0.2.0`. Fails where the version differs from package.json, and where
 * the section is missing, empty or still unreleased.
 */

const [tag = ""] = process.argv.slice(2);
const version = readVersion();
if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and the version in package.json is ${version}.`);

const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /mu).slice(1);
const section = sections.find((text) => [" ", "\n"].some((end) => text.startsWith(version + end)));
if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);

const [heading = "", ...lines] = section.split("\n");
if (!/ - \d{4}-\d{2}-\d{2}$/u.test(heading)) throw new Error(`Replace "${heading}" by "${version} - YYYY-MM-DD".`);
const body = lines.join("\n").trim();
if (body === "") throw new Error(`The section of ${version} is empty.`);
process.stdout.write(`${body}\n`);

function readVersion(): string {
  const found: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  if (typeof found === "object" && found !== null && "version" in found) return String(found.version);
  throw new Error("package.json has no version.");
}
