import { saveFile } from "../../parts/save-file.ts";

const RESOLVED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size"] as const;
const LINE = 22;

/**
 * Saves a picture as a file that needs no style sheet: with the colours that the page shows, the title and the legend.
 * @param marks the marks of the legend with their texts
 */
export function savePicture(
  svg: SVGSVGElement,
  marks: readonly (readonly [mark: SVGSVGElement, text: string])[],
  name: string,
): void {
  const copy = resolvedCopy(svg);
  const { width, height } = svg.viewBox.baseVal;
  const head = LINE * (marks.length + 1) + 8;
  const texts = [svg.querySelector("title")?.textContent ?? "", ...marks.map(([, text]) => text)].map((text, line) =>
    element("text", { x: line === 0 ? 12 : 42, y: LINE * (line + 1) - 6 - head, fill: colorOf(document.body) }, text),
  );
  const copies = marks.map(([mark], index) => {
    const placed = resolvedCopy(mark);
    placed.setAttribute("x", "12");
    placed.setAttribute("y", String(LINE * (index + 1) + 5 - head));
    return placed;
  });
  const ground = getComputedStyle(document.documentElement).backgroundColor;
  copy
    .querySelector("defs")
    ?.after(element("rect", { y: -head, width, height: height + head, fill: ground }), ...texts);
  copy.append(...copies);
  copy.setAttribute("viewBox", `0 ${String(-head)} ${String(width)} ${String(height + head)}`);
  copy.setAttribute("height", String(height + head));
  copy.setAttribute("font-family", getComputedStyle(svg).fontFamily);
  copy.setAttribute("font-size", "13");
  saveFile(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${name}.svg`);
}

/** The policy of the page forbids the attribute `style`: attributes of SVG say the same. */
function resolvedCopy(svg: SVGSVGElement): Element {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const shown = svg.querySelectorAll("*");
  for (const [index, each] of copy.querySelectorAll("*").entries()) {
    const style = getComputedStyle(shown[index] ?? svg);
    for (const property of RESOLVED) {
      const value = style.getPropertyValue(property);
      if (!value.startsWith("url(") && each.closest("title, desc") === null) each.setAttribute(property, value);
    }
    each.removeAttribute("class");
  }
  copy.removeAttribute("class");
  return copy;
}

function colorOf(part: Element): string {
  return getComputedStyle(part).color;
}

function element(name: string, attributes: Readonly<Record<string, string | number>>, text = ""): Element {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.textContent = text;
  return made;
}
