import { checkQuery, placeOfFault, type QueryFault } from "../../query/check-query.ts";
import { offsetInText, readQueryText, writeQueryText } from "../../query/option-text.ts";
import { sentOptions, type View, viewOf } from "../../state/view.ts";

const SENT = /^[$@]/u;

/** Returns the text of the query that a view shows: without the choices of the page. */
export function textOf({ path, options }: View): string {
  return writeQueryText({ path, options: sentOptions(options) });
}

/** Returns the view with the query of a text. The choices of the page stay. */
export function withText(view: View, text: string, root: string): View {
  const { path, options } = readQueryText(text, root);
  const own = [...view.options].filter(([name]) => !SENT.test(name));
  return viewOf(view.screen, path, [...own, ...sentOptions(options)]);
}

/** Finds the first fault of a text that is known before the request. */
export function faultIn(text: string, root: string): QueryFault | null {
  const fault = checkQuery(text, root);
  const custom = readQueryText(text, root).pieces.find(({ name }) => !SENT.test(name));
  if (fault !== null || custom === undefined) return fault;
  const message = `The page sends options that begin with $ or @. Did you mean $${custom.name}?`;
  return { position: custom.start, option: custom.name, message };
}

/** Returns where in the text of a query the fault is that the service has found; null if its message names no place. */
export function faultOfService(text: string, root: string, message: string): QueryFault | null {
  const place = placeOfFault(message);
  const piece = readQueryText(text, root).pieces.find(({ name }) => name === place?.option);
  if (place === null || piece === undefined) return null;
  return { ...place, position: offsetInText(text, piece, place.position) };
}

/** Returns the word at a place; empty at the end of the text. */
export function wordAt(text: string, position: number): string {
  return /^(?:[\p{L}\p{N}_$]+|\P{Cc})/u.exec(text.slice(position))?.[0] ?? "";
}
