/** Elements of SVG as text. */

/** Writes an element. Attributes that are numbers are rounded to a tenth. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...content: readonly string[]
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(shortened(value))}"`);
  return `<${name}${written.join("")}>${content.join("")}</${name}>`;
}

/** Writes a text. */
export function label(
  content: string,
  [x, y]: readonly [number, number],
  anchor: "start" | "middle" | "end",
  style = "label",
): string {
  return element("text", { x, y, "text-anchor": anchor, class: style }, escape(content));
}

/** Colours of lines and bars; each reads well on light and on dark. */
export const COLOURS = ["#2f7fd1", "#d9822b", "#3a9d5d", "#a35bc4"] as const;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 14px; font-weight: 600; }
  .small { font-size: 11px; fill: #57606a; }
  .axis { stroke: #57606a; fill: none; }
  .grid { stroke: #57606a; stroke-opacity: 0.25; fill: none; }
  .background { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9da7b1; }
    .axis, .grid { stroke: #9da7b1; }
    .background { fill: #15191f; }
  }
`;

/** Writes a whole picture. */
export function picture(title: string, [width, height]: readonly [number, number], content: readonly string[]): string {
  return `${element(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${String(width)} ${String(height)}`, role: "img" },
    element("title", {}, escape(title)),
    element("style", {}, STYLE),
    element("rect", { width, height, class: "background", rx: 6 }),
    "\n",
    content.join("\n"),
    "\n",
  )}\n`;
}

function shortened(value: string | number): string {
  return typeof value === "number" ? String(Math.round(value * 10) / 10) : value;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
