import { styleText } from "node:util";
import type { Terminal } from "./command.ts";

/** The styles that parts of a text have on a terminal with colours. */
export type Styles = ReadonlyArray<
  readonly [part: RegExp, style: "bold" | "cyan" | "dim" | "green" | "red" | "yellow"]
>;

/** Returns a text for the standard output, with styles if it is a terminal that shows them. */
export function paint(text: string, styles: Styles, { hasColour }: Pick<Terminal, "hasColour">): string {
  if (!hasColour) return text;
  return styles.reduce(
    (painted, [part, style]) =>
      painted.replace(part, (found: string) => styleText(style, found, { validateStream: false })),
    text,
  );
}

/** Flags in warnings, which a reader copies. */
const FLAG: Styles[number] = [/→ --?.*$/, "cyan"];

export const HELP_STYLES: Styles = [[/^(?:Usage|Commands|Options|Examples):/gm, "bold"]];
export const BANNER_STYLES: Styles = [
  [/^ {2}odatakit \S+/, "bold"],
  [/https?:\/\/[^\s"]+/, "cyan"],
  [/^ {2}\d+ warnings?$/, "yellow"],
  FLAG,
];
export const INSPECT_STYLES: Styles = [
  [/^ {2}\S+(?= {2}(?:table|view) .*, key )/, "bold"],
  [/^[1-9]\d* warnings?$/, "yellow"],
  FLAG,
];
export const PLAN_STYLES: Styles = [
  [/^ {2}\+ \S+/, "green"],
  [/^ {2}~ \S+/, "yellow"],
  [/^ {2}[!-] \S+/, "red"],
];
export const DIFF_STYLES: Styles = [
  [/^\+.*/, "green"],
  [/^-.*/, "red"],
  [/^@@.*/, "cyan"],
];
export const FINDING_STYLES: Styles = [
  [/^ {2}error/, "red"],
  [/^ {2}warn/, "yellow"],
  [/^ +→ .*/, "dim"],
];
