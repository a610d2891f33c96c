import { checkQuery, placeOfFault, type QueryFault } from "../../query/check-query.ts";
import { offsetInText, readQueryText, writeQueryText } from "../../query/option-text.ts";
import { type View, viewOf } from "../../state/view.ts";

const SENT = /^[$@]/u;

/** Returns the text of the query that a view shows: without the choices of the page. */
export function textOf({ path, options }: View): string {
  return writeQueryText({ path, options: new Map([...options].filter(([name]) => SENT.test(name))) });
}

/** Returns the view with the query of a text. The choices of the page stay. */
export function withText(view: View, text: string, root: string): View {
  const { path, options } = readQueryText(text, root);
  const own = [...view.options].filter(([name]) => !SENT.test(name));
  const sent = [...options].filter(([name, value]) => SENT.test(name) && value !== "");
  return viewOf(view.screen, path, [...own, ...sent]);
}

/** Finds the first fault of a text that is known before the request. */
export function faultIn(text: string, root: string): QueryFault | null {
  const fault = checkQuery(text, root);
  if (fault !== null) return fault;
  const custom = readQueryText(text, root).pieces.find(({ name }) => !SENT.test(name));
  if (custom === undefined) return null;
  const message = `The page sends options that begin with $ or @. Did you mean $${custom.name}?`;
  return { position: custom.start, option: custom.name, message };
}

/** Returns where in the text of a query the fault is that the service has found; null if its message names no place. */
export function faultOfService(text: string, root: string, message: string): QueryFault | null {
  const place = placeOfFault(message);
  const piece = readQueryText(text, root).pieces.find(({ name }) => name === place?.option);
  if (place === null || piece === undefined) return null;
  return { option: place.option, message: place.message, position: offsetInText(text, piece, place.position) };
}

/** The text around a fault, on one line. */
export interface Excerpt {
  readonly before: string;
  /** The word at the fault; a blank at the end of the text. */
  readonly fault: string;
  readonly after: string;
}

const AROUND = 40;

/** Returns the text around a place of a query. */
export function excerptAt(text: string, position: number): Excerpt {
  const [word = ""] = /^(?:[\p{L}\p{N}_$]+|\P{Cc})/u.exec(text.slice(position)) ?? [];
  const end = position + word.length;
  const from = Math.max(0, position - AROUND);
  return {
    before: (from > 0 ? "…" : "") + text.slice(from, position),
    fault: word === "" ? " " : word,
    after: text.slice(end, end + AROUND) + (end + AROUND < text.length ? "…" : ""),
  };
}
