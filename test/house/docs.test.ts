import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { OUTSIDE_PAGES } from "../../site/paths.ts";
import { SIDEBAR } from "../../site/sidebar.ts";
import { ERROR_CODES } from "../../src/base/errors/error-codes.ts";
import { declarationPaths } from "./declarations.ts";
import { brokenLinks } from "./links.ts";
import { runModules, type ModuleRun } from "./module-runs.ts";
import { excerptsOf, snippetsOf, withoutLayout, writeSnippets } from "./snippets.ts";
import { ROOT, filesBelow, readManifest, readSource } from "./source-files.ts";

const pages = [
  ...["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
    .filter((path) => existsSync(join(ROOT, path)))
    .map(readSource),
  ...filesBelow("docs", ".md"),
];
const snippets = pages.filter(({ path }) => path === "README.md" || path.startsWith("docs/")).flatMap(snippetsOf);
const excerpts = pages.flatMap(excerptsOf);
const projects = writeSnippets(snippets, await declarationPaths());

/** The pages of the API reference, which are made when the site is built. */
const API_PAGES = Object.keys(readManifest().exports).map(
  (path) => `api/${path === "." ? "odatakit" : path.slice(2)}.md`,
);

describe.runIf(snippets.length > 0)("the snippets of README.md and docs", () => {
  test.each(projects)("compile: %s", (project) => {
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const { stdout, stderr } = spawnSync(tsc, ["-p", project, "--pretty", "false"], { cwd: ROOT, encoding: "utf8" });
    expect(stdout + stderr).toBe("");
  });

  test.each(excerpts)("show lines of the program of examples that they name: $place", ({ path, text }) => {
    expect(readSource(path).text).toContain(text);
  });

  const run = [...snippets.filter(({ isRun }) => isRun), ...excerpts];
  let runs: ReadonlyMap<string, ModuleRun>;

  beforeAll(() => {
    runs = runModules(run.map(({ path }) => path));
  });

  test.each(run)("run to their end, and print the output on the page: $place", ({ path, prints }) => {
    const { failure, stdout, stderr } = runs.get(path) ?? { failure: "It did not run." };
    expect(failure, stderr).toBeNull();
    if (prints !== undefined) expect(withoutLayout(stdout ?? "")).toBe(prints);
  });
});

describe("docs/reference/errors.md", () => {
  test("has one row for each code of ERROR_CODES, with its status", () => {
    const rows = readSource("docs/reference/errors.md").text.matchAll(
      /^\|\s*`(?<code>\w+)`\s*\|\s*(?<status>\d{3})\s*\|/gmu,
    );
    const listed = Array.from(rows, ({ groups }) => [groups?.["code"], Number(groups?.["status"])]);
    expect(Object.fromEntries(listed)).toEqual({ ...ERROR_CODES });
    expect(listed).toHaveLength(Object.keys(ERROR_CODES).length);
  });
});

test("every relative link of the documentation leads somewhere", () => {
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

test("pages for users name no test", () => {
  const named = filesBelow("docs", ".md")
    .filter(({ path }) => !path.startsWith("docs/decisions/"))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^\[[^\]]+\]: \S*test\/\S+$/gmu), ([line]) => `${path} ${line}`),
    );
  expect(named).toEqual([]);
});

test("the sidebar of the documentation site lists every page of docs, and no other", () => {
  const listed = SIDEBAR.flatMap(({ items }) => items).map(({ link }) => (link === "/" ? "/index" : link));
  const pages = filesBelow("docs", ".md").map(({ path }) => path.slice("docs".length, -".md".length));
  const outside = [...Object.values(OUTSIDE_PAGES), ...API_PAGES].map((path) => `/${path.slice(0, -".md".length)}`);
  expect(listed.toSorted()).toEqual([...pages, ...outside].toSorted());
});

test("the URLs of curl have no space, which curl refuses", () => {
  const lines = pages.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/^curl .*$/gmu), ([line]) => ({ path, line })).filter(({ line }) =>
      /["']?https?:/u.test(line),
    ),
  );
  expect(lines.length).toBeGreaterThan(4);
  const urls = lines.map(
    ({ path, line }) =>
      `${path} ${/(?:"(https?:[^"]*)"|'(https?:[^']*)'|(https?:\S*))/u.exec(line)?.slice(1).join("") ?? ""}`,
  );
  expect(urls.filter((url) => / .* /u.test(url))).toEqual([]);
});
