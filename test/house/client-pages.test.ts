import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, filesBelow, readSource } from "./source-files.ts";

/** The pages of clients. */
const pages = [
  ...filesBelow("docs/guides/clients", ".md"),
  ...["dotnet", "excel-and-power-bi", "ui5"].map((name) => readSource(`docs/guides/${name}.md`)),
];
/** The packages of the clients, and the versions that the tests run. */
const locked = new Set(
  ["test/clients", "test/clients/licensed"].flatMap((folder) => {
    const { packages } = JSON.parse(readSource(`${folder}/package-lock.json`).text) as {
      readonly packages: Readonly<Record<string, { readonly version?: string }>>;
    };
    return Object.entries(packages).map(
      ([path, { version = "" }]) => `${path.replace("node_modules/", "")}@${version}`,
    );
  }),
);
const LARGEST_PICTURE = 60_000;
const NO_PICTURE = /no picture can be made here/u;

const picturesOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(/\/images\/(?<name>[\w.-]+\.png)\)/gu), ({ groups }) => groups?.["name"] ?? "");

describe.each(pages)("$path", ({ path, text }) => {
  test("shows a picture, or says why it has none", () => {
    const pictures = picturesOf(text);
    expect(pictures.length > 0).toBe(!NO_PICTURE.test(text));
    for (const name of pictures) {
      expect(statSync(join(ROOT, "docs/images", name)).size).toBeLessThan(LARGEST_PICTURE);
    }
  });

  test("installs packages in the versions that the tests of clients run", () => {
    const commands = text.match(/^npm install .+$/gmu) ?? [];
    const names = commands.flatMap((command) =>
      command
        .split(" ")
        .slice(2)
        .filter((name) => !name.startsWith("--")),
    );
    expect(names.filter((name) => !locked.has(name))).toEqual([]);
    const isRunHere = NO_PICTURE.test(text) || path === "docs/guides/ui5.md";
    expect(names.length > 0).toBe(!isRunHere);
  });

  test("is in the table of all clients", () => {
    expect(readSource("docs/guides/clients.md").text).toContain(`${basename(path)})`);
  });
});

test("each picture of docs/images is on a page", () => {
  const explorer = ["README.md", "docs/reference/explorer.md"].map((path) => readSource(path));
  const shown = new Set([...pages, ...explorer].flatMap(({ text }) => picturesOf(text)));
  const images = existsSync(join(ROOT, "docs/images")) ? readdirSync(join(ROOT, "docs/images")) : [];
  expect(images.filter((name) => !shown.has(name))).toEqual([]);
});
