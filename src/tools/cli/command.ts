/** One option of a command: the source of its parsing, its line of `--help`, and its key of `odatakit.json`. */
export interface CommandOption {
  readonly type: "boolean" | "string" | "list";
  /** The placeholder of the value in `--help`, such as `<origin>`; null for a flag without a value. */
  readonly value: string | null;
  /** Whether the option may have no value: `--write` as well as `--write=Orders`. */
  readonly isValueOptional?: boolean;
  /** One line of `--help`. */
  readonly summary: string;
  /** The default as `--help` shows it; null without one. */
  readonly default: string | null;
  /** Whether `odatakit.json` may contain the option. */
  readonly inFile: boolean;
}

/** A command of `odatakit`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The arguments as `--help` shows them, such as `<db> "Orders?$top=3"`. */
  readonly positionals: string;
  readonly maxPositionals: number;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Lines that can be pasted, each with its purpose. */
  readonly examples: ReadonlyArray<readonly [line: string, purpose: string]>;
  /** Runs the command. It reports its problems to the terminal itself, and never ends the process. */
  readonly run: (invocation: Invocation) => Promise<ExitReason>;
}

/** The arguments and surroundings of one run of a command. */
export interface Invocation {
  readonly positionals: readonly string[];
  /** The given options, merged by precedence: flag, environment, `odatakit.json`. */
  readonly options: Readonly<Record<string, boolean | string | readonly string[] | undefined>>;
  /** The validated content of `odatakit.json`, for settings without a flag; empty without a file. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly folder: string;
  readonly terminal: Terminal;
  /** Reads the standard input to its end; from a terminal one line, after the prompt, without showing it. */
  readonly readInput: (prompt: string) => Promise<string>;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Where a command writes. */
export interface Terminal {
  /** Writes one line to the standard output: results. */
  readonly print: (line: string) => void;
  /** Writes one line to the standard error: warnings, problems, progress. */
  readonly report: (line: string) => void;
  /** Shows the progress of long work, on one rewritten line of a terminal, after half a second; null removes it. */
  readonly progress: (text: string | null) => void;
  /** Whether the standard output is a terminal that shows colours. */
  readonly hasColour: boolean;
  /** The width of the terminal in columns; 100 without one. */
  readonly columns: number;
}

/** Why the command `odatakit` ended. */
export type ExitReason = "success" | "findings" | "usage" | "unavailable" | "nothing" | "declarations" | "bug";

/** The exit codes of the command `odatakit`. */
export const EXIT_CODES: Readonly<Record<ExitReason, number>> = Object.freeze({
  /** Also the end of `serve` by SIGINT or SIGTERM, after open requests have finished. */
  success: 0,
  /** Errors of `check`, differences of `pull --check`, merge conflicts. */
  findings: 1,
  /** Wrong usage, an unsafe combination, or an invalid `odatakit.json`. */
  usage: 2,
  /** The database or its driver is unavailable, or access is denied. */
  unavailable: 3,
  /** The database contains nothing to publish. */
  nothing: 4,
  /** The declarations are invalid: a `ConfigurationError`. */
  declarations: 5,
  /** A bug in odatakit. */
  bug: 70,
});
