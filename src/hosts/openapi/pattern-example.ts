import type { Pattern } from "../../edm/primitive-type.ts";

/** Characters of classes, the plainest first. */
const CHARACTERS: readonly string[] = Array.from("aA1 -_.,@/:#+()'\"äé");
/** The most repetitions that are tried to reach the least length. */
const MOST_REPETITIONS = 256;

/**
 * Returns a text that a pattern matches, for examples. Patterns have no look-around and no backreferences.
 * @returns undefined if none is found
 */
export function textMatching(pattern: Pattern, least: number = 0, most: number = Infinity): string | undefined {
  const found = (text: string): boolean => text.length >= least && text.length <= most && pattern.matches(text);
  for (let repetitions = 0; repetitions <= MOST_REPETITIONS; repetitions = Math.max(1, repetitions * 2)) {
    const text = new PatternReader(pattern.source, repetitions).read();
    if (found(text)) return text;
  }
  // The expression may say nothing about the end of the text.
  const text = new PatternReader(pattern.source, 1).read().padEnd(least, "a");
  return found(text) ? text : undefined;
}

/** Reads a regular expression, and writes a text for it: the first branch, the plainest character, the fewest repetitions. */
class PatternReader {
  readonly #source: string;
  readonly #repetitions: number;
  #at = 0;

  constructor(source: string, repetitions: number) {
    this.#source = source;
    this.#repetitions = repetitions;
  }

  /** Reads up to the end of the expression or group. */
  read(): string {
    let text = this.#branch();
    while (this.#takes("|")) {
      const other = this.#branch();
      if (text === "") text = other;
    }
    return text;
  }

  #branch(): string {
    let text = "";
    while (this.#at < this.#source.length && !/[|)]/u.test(this.#source[this.#at] ?? "")) {
      const atom = this.#atom();
      text += atom.repeat(this.#times());
    }
    return text;
  }

  #atom(): string {
    if (this.#takes("(")) {
      this.#match(/\?(?::|P?<\w+>)/uy);
      const text = this.read();
      this.#takes(")");
      return text;
    }
    const set = this.#match(/\[(?:\\.|[^\]\\])*\]/suy);
    if (set !== "") return characterOf(set);
    const escape = this.#match(/\\(?:[pP]\{[^}]*\}|x[\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|.)/suy);
    if (escape !== "") return /^\\[bB]$/u.test(escape) ? "" : characterOf(escape);
    const character = this.#match(/./suy);
    if (character === "^" || character === "$") return "";
    return character === "." ? "a" : character;
  }

  /** Returns how often the atom before is repeated. */
  #times(): number {
    const found = this.#match(/(?:\{\d+(?:,\d*)?\}|[*+?])\??/uy);
    const [, least, open, most] = /^\{(\d+)(,?)(\d*)/u.exec(found) ?? [];
    if (least !== undefined) {
      const more = open === "" ? 0 : this.#repetitions;
      return Math.min(
        Number(least) + more,
        most === "" || most === undefined ? Infinity : Number(most),
        Math.max(Number(least), MOST_REPETITIONS),
      );
    }
    switch (found[0]) {
      case "?":
        return Math.min(this.#repetitions, 1);
      case "*":
        return this.#repetitions;
      case "+":
        return Math.max(this.#repetitions, 1);
      default:
        return 1;
    }
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Takes the text that a sticky expression matches here; an empty text if it matches nothing. */
  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const [found = ""] = expression.exec(this.#source) ?? [];
    this.#at += found.length;
    return found;
  }
}

/** Returns a character of a class or escape: its first character, or a plain character that it does not exclude. */
function characterOf(set: string): string {
  const [, code] = /^\\[xu]\{?([\da-fA-F]+)\}?$/u.exec(set) ?? [];
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  if (set.startsWith("\\")) return ofEscape(set);
  const [, excluded] = /^\[\^(.*)\]$/su.exec(set) ?? [];
  if (excluded !== undefined) return CHARACTERS.find((character) => !names(excluded, character)) ?? "";
  const [first = ""] = /(?<=^\[)(?:\\(?:[pP]\{[^}]*\}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|.)/su.exec(set) ?? [];
  return first.length > 1 ? characterOf(first) : first;
}

const ESCAPES: Readonly<Record<string, string>> = {
  d: "1",
  w: "a",
  s: " ",
  D: "a",
  W: " ",
  S: "a",
  t: "\t",
  n: "\n",
  r: "\r",
};

function ofEscape(escape: string): string {
  if (escape.startsWith("\\p{Lu")) return "A";
  if (escape.startsWith("\\p{N")) return "1";
  if (/^\\[pP]/u.test(escape)) return "a";
  const character = escape[1] ?? "";
  return ESCAPES[character] ?? character;
}

/** Whether a class names a character, by itself or in one of the usual ranges. */
function names(set: string, character: string): boolean {
  if (set.includes(character)) return true;
  if (/[a-z]/u.test(character)) return /a-z|\\w/u.test(set);
  if (/[A-Z]/u.test(character)) return /A-Z|\\w/u.test(set);
  return /\d/u.test(character) ? /0-9|\\[dw]/u.test(set) : character === " " && set.includes("\\s");
}
