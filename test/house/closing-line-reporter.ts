import type { Reporter, TestModule } from "vitest/node";
import { describeCases } from "../cases.ts";

/** The content of the last lines of a run. */
interface Closing {
  passed: number;
  failed: number;
  /** A line for each failure, and for each test that passed only when it was run once more. */
  readonly names: string[];
}

/**
 * Ends a test run with the one line `N passed, N failed`, after everything that other reporters print. The lines before it
 * name each failure, so that the end of a long log shows all failures, and each test that passed only in its second run.
 * A file that cannot be loaded, a type error outside a test and an error outside any test count as one failure each.
 */
export class ClosingLineReporter implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
    const { passed, failed, names } = closingOf(modules);
    const failures = failed + unhandledErrors.length;
    if (failures > 0) console.log(describeCases());
    const errors = unhandledErrors.map(({ message }) => `failed: outside of the tests: ${message}`);
    process.once("exit", (code) => {
      for (const name of [...names, ...errors]) console.log(name);
      console.log(`${passed} passed, ${failures === 0 && code !== 0 ? 1 : failures} failed`);
    });
  };
}

function closingOf(modules: readonly TestModule[]): Closing {
  const closing: Closing = { passed: 0, failed: 0, names: [] };
  for (const module of modules) {
    closing.failed += module.errors().length;
    for (const { message } of module.errors()) closing.names.push(`failed: ${module.relativeModuleId}: ${message}`);
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") closing.passed += 1;
      const name = `${module.relativeModuleId}: ${test.fullName}`;
      if (test.diagnostic()?.flaky === true) closing.names.push(`unsteady: ${name}`);
      if (state !== "failed") continue;
      closing.failed += 1;
      closing.names.push(`failed: ${name}`);
    }
  }
  return closing;
}
