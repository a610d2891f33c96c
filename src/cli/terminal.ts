/** Where a command writes. */
export interface Terminal {
  /** Writes one line to the standard output: results. */
  readonly print: (line: string) => void;
  /** Writes one line to the standard error: warnings, problems, progress. */
  readonly report: (line: string) => void;
  /** Shows what long work does now, on one rewritten line of a terminal, after half a second; null removes it. */
  readonly progress: (text: string | null) => void;
  /** Whether the standard output is a terminal that shows colours. */
  readonly hasColour: boolean;
  /** The width of the terminal in columns; 100 without one. */
  readonly columns: number;
}
