import { expect, test } from "vitest";
import { element, escapeXml, printXml, textElement } from "../../../src/payload/csdl/xml.ts";

test.each([
  ["plain", "plain"],
  ["&<>\"'", "&amp;&lt;&gt;&quot;'"],
  ["]]>", "]]&gt;"],
  ["\t\n\r", "&#9;&#10;&#13;"],
  ["\u0000\u0008\u001F", "\uFFFD\uFFFD\uFFFD"],
  ["\u007F\u0085\u009F", "\u007F\u0085\u009F"],
  ["a\uD800b\uDC00", "a\uFFFDb\uFFFD"],
  ["\uFFFE\uFFFF\uFFFD", "\uFFFD\uFFFD\uFFFD"],
  ["😀 東京", "😀 東京"],
])("%o is escaped as %o", (text, expected) => {
  expect(escapeXml(text)).toBe(expected);
});

test("prints elements without white space and attributes in order, and omits undefined attributes", () => {
  const root = element("a", { x: "1", y: undefined, z: "<" }, [
    element("b"),
    element("c", {}, [textElement("d", "t & u")]),
  ]);
  expect(printXml(root)).toBe(
    '<?xml version="1.0" encoding="utf-8"?><a x="1" z="&lt;"><b/><c><d>t &amp; u</d></c></a>',
  );
});
