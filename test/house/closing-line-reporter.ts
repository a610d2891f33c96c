import type { Reporter, TestModule } from "vitest/node";
import { describeCases } from "../cases.ts";

/**
 * Ends a test run with the one line `N passed, N failed`, after everything that other reporters print.
 * A file that cannot be loaded, a type error outside a test and an error outside any test count as one failure each.
 */
export class ClosingLineReporter implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
    const { passed, failed } = count(modules);
    const failures = failed + unhandledErrors.length;
    if (failures > 0) console.log(describeCases());
    process.once("exit", (code) => {
      console.log(`${passed} passed, ${failures === 0 && code !== 0 ? 1 : failures} failed`);
    });
  };
}

function count(modules: readonly TestModule[]): { readonly passed: number; readonly failed: number } {
  let passed = 0;
  let failed = 0;
  for (const module of modules) {
    failed += module.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") passed += 1;
      if (state === "failed") failed += 1;
    }
  }
  return { passed, failed };
}
