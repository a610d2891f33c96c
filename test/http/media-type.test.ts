import { describe, expect, test } from "vitest";
import { checkFormatOption, negotiateJson, negotiateText } from "../../src/http/media-type.ts";

const MINIMAL = "application/json;odata.metadata=minimal";
const POWER_QUERY =
  "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7";

describe("negotiateJson", () => {
  test.each<[accept: string | undefined, contentType: string]>([
    [undefined, MINIMAL],
    ["", MINIMAL],
    ["  ", MINIMAL],
    ["*/*", MINIMAL],
    ["application/*", MINIMAL],
    ["application/json", MINIMAL],
    ["APPLICATION/JSON", MINIMAL],
    ["text/html, application/json;q=0.1", MINIMAL],
    ["text/html,*/*;q=0.01", MINIMAL],
    ["application/json, text/javascript, */*; q=0.01", MINIMAL],
    ["application/json;odata=verbose,text/plain, */*; q=0.01", MINIMAL],
    [POWER_QUERY, MINIMAL],
    ["application/json;odata.metadata=full", "application/json;odata.metadata=full"],
    ['application/json; odata.metadata="none"', "application/json;odata.metadata=none"],
    ["application/json;ODATA.METADATA=Full", "application/json;odata.metadata=full"],
    [
      "application/json;odata.metadata=none;q=0.5,application/json;odata.metadata=full",
      "application/json;odata.metadata=full",
    ],
    ["application/json;odata.metadata=full;q=0,application/json", MINIMAL],
    ["application/json,application/json;odata.metadata=full", "application/json;odata.metadata=full"],
    ["*/*,application/json;odata.metadata=none", "application/json;odata.metadata=none"],
    ["application/json;odata.metadata=minimal;IEEE754Compatible=true", `${MINIMAL};IEEE754Compatible=true`],
    ["application/json;IEEE754Compatible=false", MINIMAL],
    ["application/json;odata.streaming=true", `${MINIMAL};odata.streaming=true`],
    ["application/json;charset=utf-8", `${MINIMAL};charset=utf-8`],
    ["application/json;IEEE754Compatible=true;charset=UTF-8", `${MINIMAL};IEEE754Compatible=true;charset=utf-8`],
    ["application/json;odata.metadata=verbose,*/*;q=0.1", MINIMAL],
  ])("Accept %j returns %s", (accept, contentType) => {
    expect(negotiateJson(undefined, accept, undefined).contentType).toBe(contentType);
  });

  test.each([
    "text/html",
    "application/xml",
    "text/plain",
    "application/json;q=0",
    "application/json;q=0, */*",
    "*/*;q=0",
    "application/json;q=high",
    "application/json;odata.metadata=verbose",
    "garbage",
    ",,,",
    "image/*, text/*",
  ])("Accept %j is 406", (accept) => {
    expect(() => negotiateJson(undefined, accept, undefined)).toThrow(
      expect.objectContaining({ status: 406, code: "NotAcceptable", target: "Accept" }),
    );
  });

  test("Accept-Charset adds the charset parameter", () => {
    expect(negotiateJson(undefined, undefined, "UTF-8").contentType).toBe(`${MINIMAL};charset=utf-8`);
    expect(negotiateJson(undefined, "*/*", " ").contentType).toBe(MINIMAL);
  });

  test.each([
    ["json", MINIMAL],
    ["JSON", MINIMAL],
    ["application/json", MINIMAL],
    ["application/json;odata.metadata=full", "application/json;odata.metadata=full"],
    [
      "application/json;odata.metadata=none;IEEE754Compatible=true",
      "application/json;odata.metadata=none;IEEE754Compatible=true",
    ],
  ])("$format=%s overrides Accept", (format, contentType) => {
    expect(negotiateJson(format, "text/html", undefined).contentType).toBe(contentType);
  });

  test.each(["xml", "atom", "", "application/xml", "text/plain", "application/json;odata.metadata=all"])(
    "$format=%j is 400",
    (format) => {
      const expected = expect.objectContaining({ status: 400, code: "UnsupportedFormat", target: "$format" });
      expect(() => negotiateJson(format, undefined, undefined)).toThrow(expected);
      expect(() => negotiateText(format, undefined, undefined)).toThrow(expected);
      expect(() => checkFormatOption(format)).toThrow(expected);
    },
  );

  test("bounds the work for a header of a hundred thousand ranges", () => {
    expect(() => negotiateJson(undefined, "a/b,".repeat(100_000), undefined)).toThrow("application/json");
    expect(() => negotiateJson(undefined, '"'.repeat(100_001), undefined)).toThrow("application/json");
  });
});

describe("negotiateText", () => {
  test.each([
    undefined,
    "",
    "*/*",
    "text/plain",
    "text/*",
    "application/json",
    "application/*",
    POWER_QUERY,
    "text/html, text/plain;q=0.5",
  ])("Accept %j accepts text", (accept) => {
    expect(negotiateText(undefined, accept, undefined)).toBe("text/plain");
  });

  test.each(["text/html", "application/xml", "*/*;q=0", "text/plain;q=0, application/json;q=0, */*"])(
    "Accept %j is 406",
    (accept) => {
      expect(() => negotiateText(undefined, accept, undefined)).toThrow(expect.objectContaining({ status: 406 }));
    },
  );

  test("a valid $format overrides Accept, and Accept-Charset adds the charset", () => {
    expect(negotiateText("json", "image/png", undefined)).toBe("text/plain");
    expect(negotiateText(undefined, "text/plain;charset=utf-8", undefined)).toBe("text/plain;charset=utf-8");
    expect(negotiateText(undefined, undefined, "utf-8")).toBe("text/plain;charset=utf-8");
  });
});
