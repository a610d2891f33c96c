import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** The part of `process` that input needs. */
export interface InputStreams {
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
