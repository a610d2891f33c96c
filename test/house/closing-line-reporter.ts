import type { Reporter } from "vitest/node";
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules) => { console.log(modules.length); };
}
