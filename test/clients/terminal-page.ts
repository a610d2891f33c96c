/** Lines below a title: the output of a program, or the requests that a service received. */
export interface Output {
  readonly title: string;
  readonly lines: readonly string[];
}

const STYLE = `
  body { margin: 0; padding: 14px 18px; background: #fff; color: #1b1f24; }
  body { font: 13px/1.5 "DejaVu Sans Mono", monospace; }
  h2 { margin: 0 0 4px; font: inherit; color: #57606a; }
  pre + h2 { margin-top: 14px; }
  pre { margin: 0 0 0 2ch; padding-left: 2ch; text-indent: -2ch; font: inherit; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replaceAll(/[&<>]/gu, (sign) => ENTITIES[sign] ?? sign);

/** Returns an HTML page that shows texts as a terminal with a light background does. */
export function terminalPage(outputs: readonly Output[]): string {
  const sections = outputs.map(
    ({ title, lines }) => `<h2>${escaped(title)}</h2>${lines.map((line) => `<pre>${escaped(line)}</pre>`).join("")}`,
  );
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${sections.join("")}`;
}
