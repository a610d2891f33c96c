import { parseExpression } from "../../../src/syntax/expression-parser.ts";
import { tokenize } from "../../../src/syntax/lexer.ts";
import { offsetInText, type OptionPiece, readQueryText } from "./option-text.ts";
import { placeOfFault } from "./place-of-fault.ts";
import { syntaxContext } from "./syntax-context.ts";

/** A fault of a query, found before the request. */
export interface QueryFault {
  /** Offset in the text of the query. */
  readonly position: number;
  /** The name of the option; empty for the path. */
  readonly option: string;
  readonly message: string;
}

/** The option names of the service. @see OData URL Conventions 4.0, section 5.1 */
const SYSTEM_OPTIONS: readonly string[] = Object.freeze(
  "$filter $orderby $select $expand $top $skip $count $search $apply $compute $format".split(" "),
);

const INTERNAL_OPTIONS: ReadonlySet<string> = new Set(["$skiptoken", "$deltatoken", "$index", "$id"]);

type Check = (value: string, aliases?: ReadonlyMap<string, string>) => void;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["$filter", checkFilter],
  ["$top", (value) => check(/^\d{1,15}$/u, value, "Write a whole number of 0 or more.")],
  ["$skip", (value) => check(/^\d{1,15}$/u, value, "Write a whole number of 0 or more.")],
  ["$count", (value) => check(/^(?:true|false)$/iu, value, "Write true or false.")],
]);

function checkFilter(value: string, aliases?: ReadonlyMap<string, string>): void {
  const context = syntaxContext(aliases);
  parseExpression(tokenize(value, context, "$filter"), context);
}

function check(pattern: RegExp, value: string, message: string): void {
  if (!pattern.test(value)) throw new Error(message);
}

/** Returns whether the text of an option has no fault of syntax. What only the service checks has none. */
export function isWellFormed(name: string, value: string): boolean {
  try {
    CHECKS.get(name)?.(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds the first fault in the text of a query, as `readQueryText` reads it, that is plain before the request. The service
 * finds the others.
 * @param root the URL of the service, which may precede the path
 */
export function checkQuery(text: string, root = ""): QueryFault | null {
  const { path, pieces, options } = readQueryText(text, root);
  if (path === "") return { position: 0, option: "", message: "Write the name of an entity set first." };
  const aliases = new Map(Array.from(options).filter(([name]) => name.startsWith("@")));
  const names = new Set<string>();
  for (const piece of pieces) {
    const fault = faultOfName(piece, names) ?? faultOfValue(text, piece, aliases);
    if (fault !== null) return fault;
    names.add(piece.name);
  }
  return null;
}

function faultOfName({ name, start }: OptionPiece, names: ReadonlySet<string>): QueryFault | null {
  const fault = { position: start, option: name };
  if (names.has(name)) return { ...fault, message: `${name} appears twice: give each option once.` };
  if (!name.startsWith("$") || SYSTEM_OPTIONS.includes(name) || INTERNAL_OPTIONS.has(name)) return null;
  return { ...fault, message: `${name} is not an option. The options are ${SYSTEM_OPTIONS.join(", ")}.` };
}

function faultOfValue(text: string, piece: OptionPiece, aliases: ReadonlyMap<string, string>): QueryFault | null {
  const { name, value, valueStart } = piece;
  try {
    CHECKS.get(name)?.(value, aliases);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const place = placeOfFault(message);
    const isHere = place?.option === name;
    return {
      position: isHere ? offsetInText(text, piece, place.position) : valueStart,
      option: name,
      message: isHere ? place.message : message,
    };
  }
}
