import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Terminal } from "./command.ts";
import { paint, type Styles } from "./paint.ts";

/** The part of `process` that a terminal needs. */
interface ProcessStreams {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Stream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Work that is shorter shows no progress. */
const MILLISECONDS_BEFORE_PROGRESS = 500;
const PROBLEM_STYLES: Styles = [
  [/^odatakit:/, "red"],
  [/^error:/, "red"],
  [/^warning:/, "yellow"],
];
const DEFAULT_COLUMNS = 100;
/** Returns to the beginning of the line, and clears it. */
const CLEAR_LINE = "\r\u001B[K";

/**
 * Makes the terminal of a process. Progress and colours need a terminal that knows escape sequences. `CI` switches progress off,
 * `NO_COLOR` colours.
 */
export function openTerminal({ stdout, stderr, env }: ProcessStreams): Terminal {
  const line = new ProgressLine(stderr, knowsSequences(stderr, env) && isUnset(env["CI"]));
  return {
    print: (text) => {
      line.clear();
      stdout.write(`${text}\n`);
    },
    report: (text) => {
      line.clear();
      stderr.write(`${paint(text, PROBLEM_STYLES, { hasColour: showsColour(stderr, env) })}\n`);
    },
    progress: (text) => line.show(text),
    hasColour: showsColour(stdout, env),
    columns: stdout.columns ?? DEFAULT_COLUMNS,
  };
}

function showsColour(stream: Stream, env: ProcessStreams["env"]): boolean {
  return knowsSequences(stream, env) && isUnset(env["NO_COLOR"]);
}

function knowsSequences({ isTTY }: Stream, env: ProcessStreams["env"]): boolean {
  return isTTY === true && env["TERM"] !== "dumb";
}

function isUnset(value: string | undefined): boolean {
  return value === undefined || value === "";
}

/** One line that is rewritten. */
class ProgressLine {
  readonly #stream: Stream;
  readonly #isShown: boolean;
  #isVisible = false;
  /** Whether some of the work was so long that the line was shown: further work shows it at once. */
  #isLong = false;
  #text: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Stream, isShown: boolean) {
    this.#stream = stream;
    this.#isShown = isShown;
  }

  show(text: string | null): void {
    if (!this.#isShown) return;
    this.#text = text;
    if (text === null) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.clear();
    } else if (this.#isLong) {
      this.#write();
    } else {
      this.#timer ??= setTimeout(() => this.#write(), MILLISECONDS_BEFORE_PROGRESS).unref();
    }
  }

  clear(): void {
    if (this.#isVisible) this.#stream.write(CLEAR_LINE);
    this.#isVisible = false;
  }

  #write(): void {
    const width = (this.#stream.columns ?? DEFAULT_COLUMNS) - 1;
    this.#stream.write(`${CLEAR_LINE}${(this.#text ?? "").slice(0, width)}`);
    this.#isVisible = true;
    this.#isLong = true;
  }
}

/** The part of `process` that input needs. */
interface InputStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Reads the standard input to its end; from a terminal one line, which it does not show. */
export async function readInput({ stdin, stderr }: InputStreams, prompt: string): Promise<string> {
  if (!stdin.isTTY) return text(stdin);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  // The terminal shows no typed character from now on.
  stderr.write(prompt);
  try {
    return await lines.question("");
  } finally {
    lines.close();
    stderr.write("\n");
  }
}
