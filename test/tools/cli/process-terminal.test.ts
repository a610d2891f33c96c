import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openTerminal } from "../../../src/tools/cli/process-terminal.ts";

/** Streams that record their output. */
function streams(isTTY: boolean, env: Readonly<Record<string, string>> = {}, columns?: number) {
  const written = { stdout: "", stderr: "" };
  const stream = (name: "stderr" | "stdout") => ({
    isTTY,
    columns,
    write: (text: string) => {
      written[name] += text;
    },
  });
  return { written, terminal: openTerminal({ stdout: stream("stdout"), stderr: stream("stderr"), env }) };
}

describe("the terminal", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("writes results and problems to their streams", () => {
    const { terminal, written } = streams(false);
    terminal.print("a");
    terminal.report("b");
    expect(written).toEqual({ stdout: "a\n", stderr: "b\n" });
  });

  test("shows progress after half a second, on one line that it removes", () => {
    const { terminal, written } = streams(true, {}, 10);
    terminal.progress("first");
    terminal.progress("second text is long");
    vi.advanceTimersByTime(499);
    expect(written.stderr).toBe("");
    vi.advanceTimersByTime(1);
    expect(written.stderr).toBe("\r\u001B[Ksecond te");
    terminal.progress("third");
    terminal.report("problem");
    terminal.progress(null);
    expect(written.stderr).toBe("\r\u001B[Ksecond te\r\u001B[Kthird\r\u001B[Kproblem\n");
  });

  test("shows further work at once if the first was long", () => {
    const { terminal, written } = streams(true);
    terminal.progress("first");
    vi.advanceTimersByTime(500);
    terminal.progress(null);
    terminal.progress("second");
    expect(written.stderr).toBe("\r\u001B[Kfirst\r\u001B[K\r\u001B[Ksecond");
  });

  test("colours problems on a terminal", () => {
    const { terminal, written } = streams(true);
    terminal.report("odatakit: It is wrong.");
    expect(written.stderr).toBe("\u001B[31modatakit:\u001B[39m It is wrong.\n");
  });

  test("shows no progress of short work", () => {
    const { terminal, written } = streams(true);
    terminal.progress("text");
    terminal.progress(null);
    vi.advanceTimersByTime(1000);
    expect(written.stderr).toBe("");
  });

  test.each([
    [false, {}],
    [true, { CI: "true" }],
    [true, { TERM: "dumb" }],
  ])("shows no progress without a terminal, in CI, or on a terminal without sequences (%s %j)", (isTTY, env) => {
    const { terminal, written } = streams(isTTY, env);
    terminal.progress("text");
    vi.advanceTimersByTime(1000);
    expect(written.stderr).toBe("");
  });

  test.each([
    [true, {}, true],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, {}, false],
  ])("has colour: %s %j %s", (isTTY, env, expected) => {
    expect(streams(isTTY, env).terminal.hasColour).toBe(expected);
  });

  test("knows its width", () => {
    expect([streams(true, {}, 80).terminal.columns, streams(false).terminal.columns]).toEqual([80, 100]);
  });
});
