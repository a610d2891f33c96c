import type { XmlElement } from "../../explorer/src/model/xml-element.ts";

const TAG = /<(?<slash>\/?)(?<name>[\w:]+)(?<attributes>(?:\s+[\w:]+="[^"]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/gu;
const ATTRIBUTE = /(?<name>[\w:]+)="(?<value>[^"]*)"/gu;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** Parses the XML that services write, in place of the parser of the browser. */
export function parseXml(document: string): XmlElement {
  const root: OpenElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  for (const { groups = {} } of document.replace(/^<\?.*?\?>/u, "").matchAll(TAG)) {
    const { slash, name = "", attributes = "", empty, text } = groups;
    if (text !== undefined) for (const element of open) element.text += decode(text);
    else if (slash === "/") open.pop();
    else {
      const pairs = Array.from(attributes.matchAll(ATTRIBUTE), ({ groups: each = {} }) => [
        each["name"] ?? "",
        decode(each["value"] ?? ""),
      ]);
      const element = {
        name: name.replace(/^.*:/u, ""),
        attributes: Object.fromEntries(pairs),
        children: [],
        text: "",
      };
      open.at(-1)?.children.push(element);
      if (empty === "") open.push(element);
    }
  }
  return root.children[0] ?? root;
}

function decode(text: string): string {
  return text.replaceAll(/&(\w+);/gu, (_, name: string) => ENTITIES[name] ?? "");
}
