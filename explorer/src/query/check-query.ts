import { offsetInText, readQueryText } from "./option-text.ts";
import { parseFilter, syntaxContext } from "./syntax.ts";

/** A fault of a query, with its place. */
export interface QueryFault {
  /** Offset in the text of the query; of `placeOfFault`, in the decoded value of the option. */
  readonly position: number;
  /** `$filter`, `@p`, …; empty for the path. */
  readonly option: string;
  readonly message: string;
}

/** Finds the first fault in the text of a query that is plain before the request. The service finds the others. */
export function checkQuery(text: string, root = ""): QueryFault | null {
  const { path, pieces, options } = readQueryText(text, root);
  if (path === "") return { position: 0, option: "", message: "Write the name of an entity set first." };
  for (const [index, piece] of pieces.entries()) {
    const { name: option, value, start, valueStart } = piece;
    if (pieces.findIndex(({ name }) => name === option) < index) {
      return { position: start, option, message: `${option} appears twice: give each option once.` };
    }
    const message = option === "$filter" ? faultOf(value, options) : null;
    const place = placeOfFault(message ?? "");
    if (message !== null && place?.option !== option) return { position: valueStart, option, message };
    if (place !== null) return { ...place, position: offsetInText(text, piece, place.position) };
  }
  return null;
}

/** Finds the place that a message of the service or the grammar names, as `$filter at position 8: …`; null without one. */
export function placeOfFault(text: string): QueryFault | null {
  const { option, position, message } =
    /^(?<option>[$@]\w+) at position (?<position>\d+): (?<message>.*)$/su.exec(text)?.groups ??
    /^(?<message>.*) \(position (?<position>\d+) of (?<option>\$\w+)\)$/su.exec(text)?.groups ??
    {};
  if (option === undefined || message === undefined) return null;
  return { option, position: Number(position), message };
}

/** Returns the fault of syntax in the text of a filter; null without one. */
function faultOf(filter: string, aliases: ReadonlyMap<string, string>): string | null {
  try {
    parseFilter(filter, syntaxContext(aliases));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
