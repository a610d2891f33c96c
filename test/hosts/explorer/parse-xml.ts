import type { XmlElement } from "../../../explorer/src/model/csdl.ts";

const TAG = /<(?<slash>\/?)(?<name>[\w:]+)(?<attributes>(?:\s+[\w:]+="[^"]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/gu;
const ATTRIBUTE = /(?<name>[\w:]+)="(?<value>[^"]*)"/gu;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  textContent: string;
}

/** Parses the XML that services write, in place of the parser of the browser. */
export function parseXml(document: string): XmlElement {
  const root: OpenElement = { localName: "", attributes: [], children: [], textContent: "" };
  const open = [root];
  for (const { groups = {} } of document.replace(/^<\?.*?\?>/u, "").matchAll(TAG)) {
    const { slash, name = "", attributes = "", empty, text } = groups;
    if (text !== undefined) for (const element of open) element.textContent += decode(text);
    else if (slash === "/") open.pop();
    else {
      const element = {
        localName: name.replace(/^.*:/u, ""),
        attributes: Array.from(attributes.matchAll(ATTRIBUTE), ({ groups: each = {} }) => ({
          name: each["name"] ?? "",
          value: decode(each["value"] ?? ""),
        })),
        children: [],
        textContent: "",
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
