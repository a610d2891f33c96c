import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type SourceFile, ROOT, filesBelow, lineAt, readSource } from "./source-files.ts";

/** References to documents that every reader can find. */
const PUBLIC = [
  /^OData (?:Protocol|URL Conventions|CSDL|JSON Format) 4\.01?, (?:sections? \d|ABNF)/u,
  /^OData (?:Aggregation|Temporal|Vocabularies)\b.*, section \d/u,
  /^(?:OData )?ABNF,? (?:rules? )?[a-z]\w+/u,
  /^Org\.OData\.\w+\.V1/u,
  /^RFC \d{3,4}(?:, sections? |, appendix | \(|$)/u,
  /^(?:W3C XML 1\.0|CommonMark|OpenAPI Specification 3\.1|Content Security Policy Level 3|FIPS 180-4|Fetch Metadata Request Headers)/u,
  /^(?:ECMA-262|ECMAScript|IEEE 754|ISO 8601|ISO\/IEC 9075|Unicode|Unicode Standard Annex|WHATWG \w+)\b/u,
  /^https:\/\/\S+/u,
];

describe("references in the comments of src", () => {
  test("lead to a public document with its section, or to a page of docs", () => {
    const references = filesBelow("src", ".ts").flatMap(referencesOf);
    expect(references.filter(({ to }) => !isFound(to)).map(({ place, to }) => `${place} ${to}`)).toEqual([]);
  });

  test.each([
    ["OData Protocol 4.0, section 11.4.3", true],
    ["OData Protocol 4.0", false],
    ["specification, Errors", false],
    ["decisions, Settings", false],
    ["docs/reference/paging.md", true],
    ["docs/reference/paging.md, Keyset paging", true],
    ["docs/reference/paging.md, No such heading", false],
    ["docs/reference/no-such-page.md", false],
  ])("%s: %s", (to, isKnown) => {
    expect(isFound(to)).toBe(isKnown);
  });
});

interface Reference {
  readonly place: string;
  readonly to: string;
}

/** The references after each `@see` of a file, which semicolons separate. */
function referencesOf({ path, text }: SourceFile): readonly Reference[] {
  return Array.from(text.matchAll(/@see (?<to>(?:(?!\*\/|\n\s*\*?\s*@|\n\s*\*?\s*\n|\n(?!\s*\*))[\s\S])*)/gu)).flatMap(
    (match) => {
      const place = `${path}:${lineAt(text, match.index)}`;
      const to = (match.groups?.["to"] ?? "").replaceAll(/\s*\n\s*\*\s*/gu, " ");
      return to.split(";").map((each) => ({ place, to: each.trim().replace(/\.$/u, "") }));
    },
  );
}

function isFound(to: string): boolean {
  const page = /^(?<path>docs\/[\w/.-]+\.md)(?:, (?<heading>.+))?$/u.exec(to)?.groups;
  if (page === undefined) return PUBLIC.some((pattern) => pattern.test(to));
  const { path = "", heading } = page;
  if (!existsSync(join(ROOT, path))) return false;
  return heading === undefined || headingsOf(path).includes(heading.toLowerCase());
}

function headingsOf(path: string): readonly string[] {
  return Array.from(readSource(path).text.matchAll(/^#{1,6} +(?<title>.+)$/gmu), (match) =>
    (match.groups?.["title"] ?? "").replaceAll("`", "").toLowerCase(),
  );
}
