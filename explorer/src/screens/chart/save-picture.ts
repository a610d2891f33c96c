import { saveFile } from "../../parts/save-file.ts";

const RESOLVED = ["fill", "stroke", "stroke-width", "stroke-dasharray"] as const;

/**
 * Saves a picture as a file that needs no style sheet: with the colours that the page shows.
 * @param head the height of what only the file shows, above the picture
 */
export function savePicture(svg: SVGSVGElement, head: number, name: string): void {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const shown = svg.querySelectorAll("*");
  // The policy of the page forbids the attribute `style`: attributes of SVG say the same.
  for (const [index, each] of copy.querySelectorAll("*").entries()) {
    const style = getComputedStyle(shown[index] ?? svg);
    for (const property of RESOLVED) {
      const value = style.getPropertyValue(property);
      if (!value.startsWith("url(") && each.closest("title, desc") === null) each.setAttribute(property, value);
    }
    each.removeAttribute("class");
  }
  const { width, height } = svg.viewBox.baseVal;
  copy.removeAttribute("class");
  copy.setAttribute("viewBox", `0 ${String(-head)} ${String(width)} ${String(height + head)}`);
  copy.setAttribute("height", String(height + head));
  copy.setAttribute("font-family", getComputedStyle(svg).fontFamily);
  copy.setAttribute("font-size", "12");
  saveFile(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${name}.svg`);
}
