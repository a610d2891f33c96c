import { describe, expect, test } from "vitest";
import { type SourceFile, explorerSources, filesBelow } from "./source-files.ts";

const sources = [...filesBelow("src", ".ts"), ...explorerSources()];
const LOGGER = "src/definition/logger.ts";

describe("the words of src and of the explorer", () => {
  test("comments name no issue numbers", () => {
    expect(linesWith(/(?:^|[\s(])#\d+\b|\b(?:issue|ticket|pull request|PR) #?\d+/iu, isComment)).toEqual([]);
  });

  test("the sources contain no TODOs", () => {
    expect(linesWith(/\b(?:TODO|FIXME|XXX|HACK)\b/u)).toEqual([]);
  });

  test(`only the default logger, ${LOGGER}, writes to the console`, () => {
    const others = sources.filter(({ path }) => path !== LOGGER);
    expect(linesWith(/\bconsole\b/u, (line) => !isComment(line), others)).toEqual([]);
  });

  test("the sources contain no decorators", () => {
    expect(linesWith(/^\s*@[A-Za-z]\w*/u)).toEqual([]);
  });

  test("every exported function has a doc comment", () => {
    expect(sources.flatMap(undocumentedFunctions)).toEqual([]);
  });
});

/** An overload after the first needs no comment. */
function undocumentedFunctions({ path, text }: SourceFile): readonly string[] {
  const seen = new Set<string>();
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const name = /^export (?:async )?function\*? ?(\w+)/u.exec(line)?.[1];
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    return lines[index - 1]?.trimEnd().endsWith("*/") === true ? [] : [`${path}:${index + 1} ${name}`];
  });
}

function linesWith(pattern: RegExp, isMeant: (line: string) => boolean = () => true, files = sources): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .map((line, index) => ({ line, place: `${path}:${index + 1}` }))
      .filter(({ line }) => isMeant(line) && pattern.test(line))
      .map(({ line, place }) => `${place} ${line.trim()}`),
  );
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*)|\s\/\/ /u.test(line);
}
