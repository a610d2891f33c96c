import { join } from "node:path";
import { expect, test } from "vitest";
import { anchorsOf } from "./links.ts";
import { ROOT, filesBelow, readSource } from "./source-files.ts";

const HEADER = /^\/\/ Statements: (?<page>[^#\s]+)(?:#(?<section>\S+))?$/gmu;

/** A section of a page, and a test file that proves its statements, as its header says. */
interface Proof {
  readonly page: string;
  /** The anchor of the heading; empty before the first heading. */
  readonly section: string;
  readonly file: string;
}

const proofs: readonly Proof[] = filesBelow("test", ".ts").flatMap(({ path, text }) =>
  Array.from(text.matchAll(HEADER), ({ groups }) => ({
    page: groups?.["page"] ?? "",
    section: groups?.["section"] ?? "",
    file: path,
  })),
);

test("the headers of test files name sections that exist", () => {
  const unknown = proofs.filter(({ page, section }) => {
    const found = [...filesBelow("docs", ".md"), readSource("README.md")].find(({ path }) => path === page);
    return found === undefined || (section !== "" && !anchorsOf(found.text).includes(section));
  });
  expect(unknown).toEqual([]);
});

test("the header of a test file names every page of docs/reference", () => {
  const pages = filesBelow("docs/reference", ".md").map(({ path }) => path);
  expect(pages.filter((path) => !proofs.some(({ page }) => page === path))).toEqual([]);
});

test("pages for users name no test", () => {
  const named = filesBelow("docs", ".md")
    .filter(({ path }) => !path.startsWith("docs/decisions/"))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^\[[^\]]+\]: \S*test\/\S+$/gmu), ([line]) => `${path} ${line}`),
    );
  expect(named).toEqual([]);
});

test("test/statements.md lists the tests of each section; `npm test -- test/house/statements -u` writes it", async () => {
  await expect(indexOf(proofs)).toMatchFileSnapshot(join(ROOT, "test/statements.md"));
});

function indexOf(all: readonly Proof[]): string {
  const lines = [
    "# Tests by statement",
    "",
    "The sections of the documentation, and the files that test their statements.",
  ];
  for (const [page, ofPage] of groupBy(all, (proof) => proof.page)) {
    lines.push("", `## ${page}`, "");
    for (const [section, ofSection] of groupBy(ofPage, (proof) => proof.section)) {
      const files = ofSection.map(({ file }) => `\`${file}\``).join(", ");
      lines.push(
        `- [${section === "" ? "Introduction" : section}](../${page}${section === "" ? "" : `#${section}`}): ${files}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

function groupBy(
  all: readonly Proof[],
  keyOf: (proof: Proof) => string,
): ReadonlyArray<readonly [string, readonly Proof[]]> {
  const keys = [...new Set(all.map(keyOf))].toSorted();
  return keys.map((key) => [key, all.filter((proof) => keyOf(proof) === key)] as const);
}
