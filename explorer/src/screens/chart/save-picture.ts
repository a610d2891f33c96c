import { saveFile } from "../../parts/save-file.ts";

const RESOLVED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "opacity"] as const;

/** Saves a picture as a file that needs no style sheet: with the colours that the page shows. */
export function savePicture(svg: SVGSVGElement, name: string): void {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return;
  const elements = svg.querySelectorAll("*");
  for (const [index, element] of copy.querySelectorAll("*").entries()) {
    const shown = elements[index];
    if (shown === undefined) continue;
    const style = getComputedStyle(shown);
    // The policy of the page forbids the attribute `style`.
    for (const property of RESOLVED) {
      const value = style.getPropertyValue(property);
      if (!value.startsWith("url(")) element.setAttribute(property, value);
    }
    element.removeAttribute("class");
  }
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [attribute, value] of Object.entries({ width: "100%", height: "100%" }))
    ground.setAttribute(attribute, value);
  ground.setAttribute("fill", getComputedStyle(document.documentElement).backgroundColor);
  copy.querySelector("defs")?.after(ground);
  saveFile(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }), `${name}.svg`);
}
